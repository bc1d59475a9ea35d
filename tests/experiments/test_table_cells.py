"""Tables with texts in experiments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dlst.data import load
from dlst.errors import ReadError
from dlst.experiments.execution import carry_out
from dlst.experiments.plan import Cell
from dlst.experiments.probes import answer
from dlst.experiments.protocols import rows_of
from dlst.inputs import TableEncoder
from dlst.tagging import Tagger

OPTIONS = {"labels": "tags", "columns": {"category": ["zip"], "drop": "note"}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = []
    for number in range(80):
        tag = ["sea", "sky"][number % 2]
        words = rng.choice({"sea": ["wave", "ship"], "sky": ["cloud", "bird"]}[tag], 3)
        rows.append(
            {
                "text": f"{' '.join(words)} word{number}",
                "zip": f"0{rng.integers(1, 4)}",
                "note": "x",
                "tags": tag,
            }
        )
    pd.DataFrame(rows).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_the_encoder_sees_training_rows_alone(file: Path) -> None:
    data = load(file, raw=True, **OPTIONS)
    rows = rows_of(data, "random", 0, {})
    assert rows.is_scaled
    names = set(rows.train.feature_names)
    assert len([name for name in names if name.startswith("text: word")]) == rows.train.n_samples
    assert {"zip=01", "zip=02", "zip=03"} <= names
    split_rows = rows_of(data, "random", 0, {})
    assert (rows.train.X != split_rows.train.X).nnz == 0


def test_a_cell_measures_what_a_tagger_says(file: Path) -> None:
    cell = Cell(str(file), "br", split="random", seed=1, protocol={"options": OPTIONS})
    record = carry_out(cell)
    assert record["parameters"] == {"scaling": "none", "tau": 0.0}
    assert record["metrics"]["micro_f1"] > 0.9
    data = load(file, raw=True, **OPTIONS)
    frame, tags = data.table.frame, pd.read_csv(file)["tags"]
    from dlst.data import random_split

    split = random_split(data, 0.5, random_state=1)
    tagger = Tagger("br", columns=OPTIONS["columns"], random_state=1)
    tagger.fit(frame.iloc[split.train], tags.iloc[split.train].tolist())
    score = tagger.score(frame.iloc[split.test], tags.iloc[split.test].tolist())
    assert record["metrics"]["micro_f1"] == pytest.approx(score)


def test_a_bad_cell_is_named_by_its_line(file: Path) -> None:
    frame = pd.read_csv(file, dtype=str)
    frame["size"] = [str(number) for number in range(79)] + ["2.O"]
    frame.to_csv(file, index=False)
    cell = Cell(str(file), "mlknn", split="random", protocol={"options": {"labels": "tags"}})
    with pytest.raises(ReadError, match=r"t\.csv:81: column 'size': expected a number"):
        carry_out(cell)


def test_a_map_is_drawn_of_a_table(file: Path) -> None:
    given = {"probe": "map", "data": str(file), "options": OPTIONS}
    from dlst.experiments.probes import address_of

    found = answer(given, address_of(given))
    assert found["label_names"] == ["sea", "sky"]


def test_numbers_alone_are_encoded_as_they_are(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    frame = pd.DataFrame(X, columns=list("abc")).assign(**{"label:k": (X[:, 0] > 0).astype(int)})
    frame.to_csv(tmp_path / "n.csv", index=False)
    rows = rows_of(load(tmp_path / "n.csv", raw=True), "random", 0, {})
    assert not rows.is_scaled
    plain = rows_of(load(tmp_path / "n.csv"), "random", 0, {})
    np.testing.assert_array_equal(rows.train.X, plain.train.X)
    assert TableEncoder().fit(frame).is_scaled_ is False
