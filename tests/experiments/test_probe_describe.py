"""The probe "describe" counts what the obvious loop counts, and its answer is plain JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dlst.data import Dataset, Split, load, with_simulated_features
from dlst.experiments.probes import address_of, answer
from dlst.experiments.probes.describe import describe

Y = np.array(
    [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [0, 0, 0, 0],
        [1, 0, 0, 0],
    ]
)


def test_counts_of_a_small_set():
    data = Dataset(np.zeros((5, 3)), Y, split=Split(np.arange(3), np.arange(3, 5)))
    found = describe(data, {})
    assert (found["n"], found["d"], found["K"]) == (5, 3, 4)
    assert (found["n_train"], found["n_test"]) == (3, 2)
    assert found["cardinality"] == pytest.approx(7 / 5)
    assert found["density"] == pytest.approx(7 / 20)
    assert found["label_sets"] == 4
    assert found["without_label"] == 1
    assert found["rows_by_labels"] == [1, 2, 1, 1]
    assert found["frequency"] == {"min": 0, "median": 1.5, "max": 4}
    assert found["never"] == 1
    assert found["unknown"] == 0
    assert not found["sparse"]
    assert not found["simulated"]


def test_unknown_entries_are_no_labels():
    unknown = Y.astype(float)
    unknown[2] = np.nan
    found = describe(Dataset(np.zeros((5, 3)), unknown))
    assert found["unknown"] == 4
    assert found["rows_by_labels"] == [2, 2, 1]
    assert found["frequency"]["max"] == 3


def test_without_split_or_features():
    found = describe(Dataset(np.empty((5, 0)), Y))
    assert found["n_train"] is None
    assert found["n_test"] is None
    assert found["d"] == 0


def test_simulated_features_are_told():
    found = describe(with_simulated_features(Dataset(np.empty((5, 0)), Y), 2, random_state=0))
    assert found["simulated"]
    assert "simulated features" in found["note"]
    assert found["d"] == 2


def test_no_rows_are_no_error():
    found = describe(Dataset(np.zeros((0, 2)), np.zeros((0, 3))))
    assert found["n"] == 0
    assert found["rows_by_labels"] == []
    assert found["frequency"] == {"min": 0, "median": 0.0, "max": 0}
    assert found["never"] == 3


def test_the_embedded_set_is_described_by_name_in_plain_json():
    given = {"probe": "describe", "data": "multidigits"}
    found = answer(given, address_of(given))
    data = load("multidigits", download=False)
    per_row = [int(row.sum()) for row in data.Y.toarray()]
    assert found["rows_by_labels"] == [per_row.count(k) for k in range(max(per_row) + 1)]
    assert sum(found["rows_by_labels"]) == found["n"] == data.n_samples
    assert json.loads(json.dumps(found)) == found
