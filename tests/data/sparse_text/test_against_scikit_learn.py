"""Valid LIBSVM files, made at random, mean the same to us and to scikit-learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from dlst.data.sparse_text import read_svmlight

VALUES = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["1e3", "+4", ".5", "-0.0", "007"]),
)


@st.composite
def libsvm_files(draw, first_index):
    lines = []
    for _ in range(draw(st.integers(1, 6))):
        labels = draw(st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True))
        columns = draw(st.lists(st.integers(first_index, 9), max_size=5, unique=True))
        pairs = [f"{column}:{draw(VALUES)}" for column in sorted(columns)]
        query = draw(st.sampled_from([[], ["qid:3"]]))
        line = draw(st.sampled_from([" ", "  "])).join(
            [",".join(map(str, sorted(labels))), *query, *pairs]
        )
        lines.append(line + draw(st.sampled_from(["", " ", " # a remark", " #"])))
        if draw(st.integers(0, 4)) == 0:
            lines.append(draw(st.sampled_from(["", "# a remark"])))
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines) + "\n"


@pytest.mark.parametrize("zero_based", [False, True])
def test_a_valid_file_means_the_same_to_scikit_learn(zero_based, tmp_path: Path):
    path = tmp_path / "f.svm"

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(libsvm_files(0 if zero_based else 1))
    def compare(text):
        path.write_bytes(text.encode())
        X, labels = load_svmlight_file(path, multilabel=True, zero_based=zero_based, n_features=10)
        ours = read_svmlight(path, zero_based=zero_based, n_features=10)
        np.testing.assert_array_equal(ours.X.toarray(), X.toarray())
        assert [tuple(np.flatnonzero(row)) for row in ours.Y.toarray()] == labels

    compare()
