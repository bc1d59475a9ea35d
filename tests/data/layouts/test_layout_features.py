"""Feature files beside official labels."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from dlst.data.layouts.features import read_features
from dlst.errors import ReadError


def test_text_features_are_read_exactly_plain_or_packed(tmp_path):
    X = np.random.default_rng(0).standard_normal((6, 5))
    text = "\n".join(",".join(map(repr, row)) for row in X.tolist()).encode()
    (tmp_path / "x.csv").write_bytes(text)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(text))
    np.testing.assert_array_equal(read_features(tmp_path / "x.csv", 6), X)
    np.testing.assert_array_equal(read_features(tmp_path / "x.csv.gz", 6), X)


def test_sparse_features_in_a_mat_file_stay_sparse(tmp_path):
    X = sp.random_array((6, 50), density=0.1, random_state=np.random.default_rng(0))
    scipy.io.savemat(tmp_path / "x.mat", {"features": sp.csc_matrix(X)})
    found = read_features(tmp_path / "x.mat", 6)
    assert sp.issparse(found)
    np.testing.assert_array_equal(found.toarray(), X.toarray())


def test_features_that_do_not_fit_are_refused(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((3, 2)))
    with pytest.raises(ReadError, match="expected features of 4 images, one per row, got 3 rows"):
        read_features(tmp_path / "x.npy", 4)
    np.save(tmp_path / "x.npy", np.zeros(3))
    with pytest.raises(ReadError, match=r"expected a numeric array of shape \(n, d\)"):
        read_features(tmp_path / "x.npy", 3)
    scipy.io.savemat(tmp_path / "x.mat", {"a": np.zeros((3, 2)), "b": np.zeros((3, 5))})
    with pytest.raises(ReadError, match=r"got these matrices: a \(3, 2\), b \(3, 5\)"):
        read_features(tmp_path / "x.mat", 3)
    with pytest.raises(ReadError, match=r"expected a features file ending in \.npy"):
        read_features(tmp_path / "x.bin", 3)
    (tmp_path / "x.txt").write_text("\n\n")
    with pytest.raises(ReadError, match="expected lines of numbers, got none"):
        read_features(tmp_path / "x.txt", 3)
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(ReadError, match="expected lines of numbers, got none"):
        read_features(tmp_path / "empty.csv", 3, np.arange(3))
    with pytest.raises(ReadError, match="No such file"):
        read_features(tmp_path / "none.npy", 3)


def test_an_npy_header_that_promises_too_much_is_refused_before_memory_is_asked_for(tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000), }"
    header = header.ljust(117) + b"\n"
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header)
    with pytest.raises(ReadError, match=r"expected a whole \.npy file, got "):
        read_features(tmp_path / "x.npy", 10**9)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 130), st.binary(max_size=6), st.integers(0, 6))
def test_a_damaged_npy_file_gives_data_or_an_error_that_names_it(
    tmp_path_factory, place, inserted, removed
):
    path = tmp_path_factory.getbasetemp() / "damaged.npy"
    np.save(path, np.ones((4, 3)))
    whole = path.read_bytes()
    path.write_bytes(whole[:place] + inserted + whole[place + removed :])
    try:
        shape = read_features(path, 4).shape
    except ReadError as error:
        shape, path = (4, 0), error.path
    assert shape[0] == 4
    assert str(path).endswith("damaged.npy")


def test_a_wrong_cell_below_a_header_is_named_with_its_line_in_the_file(tmp_path):
    (tmp_path / "x.csv").write_text("id,a\n1,2\n2,high\n")
    with pytest.raises(ReadError, match=r"x\.csv:3: expected a number, got 'high'"):
        read_features(tmp_path / "x.csv", 2, np.array([1, 2]))
