"""Statistics against slow obvious twins."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dlst._matrices import as_indicator
from dlst.data.statistics import cooccurrence, describe

label_matrices = arrays(
    float,
    st.tuples(st.integers(1, 8), st.integers(1, 5)),
    elements=st.sampled_from([0.0, 1.0, np.nan]),
)


@given(label_matrices)
def test_against_loops(Y):
    n, K = Y.shape
    found = describe(as_indicator(Y), n_features=7)
    frequencies = [sum(Y[i, j] == 1 for i in range(n)) for j in range(K)]
    assert found.label_frequencies.tolist() == frequencies
    assert found.cardinality == pytest.approx(sum(frequencies) / n)
    assert found.density == pytest.approx(sum(frequencies) / n / K)
    assert found.n_label_sets == len({tuple(str(v) for v in row) for row in Y.tolist()})
    assert found.n_without_label == sum(not any(v == 1 for v in row) for row in Y.tolist())
    assert found.n_unknown == np.isnan(Y).sum()
    assert found.samples_per_possible_set == pytest.approx(n / 2**K)
    top = max(frequencies)
    ratios = [top / f if f else np.inf for f in frequencies]
    np.testing.assert_allclose(found.imbalance_ratios, ratios)


@given(label_matrices)
def test_cooccurrence_against_loops(Y):
    K = Y.shape[1]
    both = [[((Y[:, j] == 1) & (Y[:, k] == 1)).sum() for k in range(K)] for j in range(K)]
    np.testing.assert_array_equal(cooccurrence(as_indicator(Y)).toarray(), both)


def test_to_dict_is_json_with_none_for_an_absent_label():
    found = describe(sp.csr_array([[1.0, 0.0]])).to_dict()
    assert json.loads(json.dumps(found))["imbalance_ratios"] == [1.0, None]


def test_no_rows_and_a_huge_label_space():
    assert np.isnan(describe(sp.csr_array((0, 3))).cardinality)
    assert describe(sp.csr_array((5, 10**5))).samples_per_possible_set == 0
