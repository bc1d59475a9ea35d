"""LIBSVM and XC text: known answers, scikit-learn as a twin, round trips, hostile files."""

from __future__ import annotations

import gzip
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from dlst.data import Dataset
from dlst.data.sparse_text import read_svmlight, read_xc, reader, write_svmlight, write_xc
from dlst.errors import DataError, ReadError


def write(folder: Path, text: str | bytes, name: str = "toy.txt") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def assert_equal(ours: Dataset, theirs: Dataset) -> None:
    for a, b in ((ours.X, theirs.X), (ours.Y, theirs.Y)):
        a, b = (m.toarray() if sp.issparse(m) else m for m in (a, b))
        np.testing.assert_array_equal(a, b)


values = st.just(0.0) | st.floats(allow_nan=False, width=64)
datasets = st.tuples(st.integers(1, 5), st.integers(0, 4), st.integers(0, 3)).flatmap(
    lambda shape: st.builds(
        Dataset,
        arrays(np.float64, shape[:2], elements=values),
        arrays(np.float64, (shape[0], shape[2]), elements=st.sampled_from([0.0, 1.0])),
    )
)


def test_libsvm_text_gives_the_known_arrays(tmp_path: Path) -> None:
    text = "# made by hand\n0,2 1:0.5 3:-1e-3 # first\n\n 2:4 qid:3\n1.0\n2:7 1:0\r\n"
    data = read_svmlight(write(tmp_path, text, "made.svm"))
    assert data.X.toarray().tolist() == [[0.5, 0, -0.001], [0, 4, 0], [0, 0, 0], [0, 7, 0]]
    assert data.Y.toarray().tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert data.name == "made"
    assert data.X.nnz == 4
    assert data.provenance.notes == ("features counted from 1",)


def test_features_count_from_zero_when_an_index_is_zero(tmp_path: Path) -> None:
    path = write(tmp_path, "0 0:5 2:6\n")
    assert read_svmlight(path).X.toarray().tolist() == [[5, 0, 6]]
    assert read_svmlight(path, zero_based=True).X.shape == (1, 3)
    with pytest.raises(ReadError, match=r"toy.txt:1: .*zero_based=False; got index 0"):
        read_svmlight(path, zero_based=False)


def test_zero_based_can_be_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, "0 1:5\n")
    assert read_svmlight(path, zero_based=True).X.toarray().tolist() == [[0, 5]]
    with pytest.raises(ValueError, match="zero_based must be"):
        read_svmlight(path, zero_based="yes")  # type: ignore[arg-type]


def test_the_caller_may_widen_but_not_narrow(tmp_path: Path) -> None:
    path = write(tmp_path, "0 1:5\n1 4:1\n")
    data = read_svmlight(path, n_features=9, n_labels=5)
    assert (data.n_features, data.n_labels) == (9, 5)
    with pytest.raises(ReadError, match=r":2: .*promises 3 features; got number 3"):
        read_svmlight(path, n_features=3)
    with pytest.raises(ReadError, match=r":2: .*promises 1 labels; got number 1"):
        read_svmlight(path, n_labels=1)


def test_xc_text_with_and_without_header(tmp_path: Path) -> None:
    rows = "0,1 0:1 2:0.25\n\n 1:3\n"
    with_header = read_xc(write(tmp_path, "3 5 4\n" + rows, "a.txt"))
    assert with_header.X.shape == (3, 5)
    assert with_header.Y.shape == (3, 4)
    without = read_xc(write(tmp_path, rows, "b.txt"))
    assert without.X.toarray().tolist() == [[1, 0, 0.25], [0, 0, 0], [0, 3, 0]]
    assert without.Y.toarray().tolist() == [[1, 1], [0, 0], [0, 0]]
    assert read_xc(tmp_path / "b.txt", n_features=7, n_labels=6).X.shape == (3, 7)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("4 5 4\n0 1:1\n", 1, "promises 4 instances, the file has 1"),
        ("1000000000 5 4\n0 1:1\n", 1, "promises 1,000,000,000 instances"),
        (
            "1 1000000000 4\n0 1:1\n",
            1,
            "at most 4,194,304 features of 6 bytes of rows",
        ),
        ("1 5 1000000000\n0 1:1\n", 1, "at most 4,194,304 labels of 6 bytes of rows"),
        ("2 5 4\n0 1:1\n0 5:1\n", 3, "promises 5 features; got number 5"),
        ("2 5 4\n4 1:1\n0 2:1\n", 2, "promises 4 labels; got number 4"),
        ("2 5 4\n0 1:1\n0 3:1 1:2 3:1\n", 3, "feature 3 twice"),
        ("0 1:1\n2,0,2 1:1\n", 2, "label 2 twice"),
        ("0 1:1\nsky 1:1\n", 2, "whole numbers from 0, separated by commas; got 'sky'"),
        ("0 1:1\n0 1:\xe9\n", 2, "with a number; got '1:é'"),
    ],
)
def test_xc_errors_name_the_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        read_xc(write(tmp_path, text))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "line"), [("1 100000000 100000000\n5 3:1\n", 1), ("0 1:1\n7 99999999:1\n", 2)]
)
def test_a_few_bytes_are_no_hundred_million_columns_unless_the_user_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, line: int
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ReadError, match="set DLST_MAX_COLUMNS_PER_BYTE") as caught:
        read_xc(path)
    assert caught.value.line == line
    monkeypatch.setenv("DLST_MAX_COLUMNS_PER_BYTE", "100000000")
    assert read_xc(path).n_features == 10**8
    monkeypatch.setenv("DLST_MAX_COLUMNS_PER_BYTE", "many")
    with pytest.raises(ValueError, match="must be a whole number; got 'many'"):
        read_xc(path)


def test_a_wide_pair_is_joined_without_listing_its_columns(tmp_path: Path) -> None:
    from dlst.data import join_train_test

    wide = read_svmlight(write(tmp_path, "0 1:5\n"), n_features=10**9, n_labels=10**9)
    tracemalloc.start()
    joined = join_train_test(wide, wide)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert joined.X.shape == (2, 10**9)
    assert peak < 2**20


def test_lines_count_on_through_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = reader.text_blocks
    monkeypatch.setattr(reader, "text_blocks", lambda path: blocks(path, 64))
    rows = [f"{i % 3} {i}:{i}.5" for i in range(1, 60)]
    path = write(tmp_path, "\n".join(rows))
    data = read_svmlight(path)
    assert data.X.diagonal().tolist() == [i + 0.5 for i in range(1, 60)]
    assert data.Y.indices.tolist() == [i % 3 for i in range(1, 60)]
    rows[44] = "0 x:1"
    with pytest.raises(ReadError, match=r":45: "):
        read_svmlight(write(tmp_path, "\n".join(rows)))
    rows[44] = "0 70:1"
    with pytest.raises(ReadError, match=r":45: "):
        read_svmlight(write(tmp_path, "\n".join(rows)), n_features=65)


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n"])
def test_a_file_without_instances_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(ReadError, match="expected at least one instance"):
        read_svmlight(write(tmp_path, text))


def test_an_empty_xc_file_is_an_error_but_an_empty_data_set_is_not(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="got an empty file"):
        read_xc(write(tmp_path, ""))
    assert read_xc(write(tmp_path, "0 5 4\n")).X.shape == (0, 5)


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    assert read_xc(write(tmp_path, b"\xef\xbb\xbf1 2 3\n0 1:1\n")).X.shape == (1, 2)


def test_a_missing_file_is_a_read_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="cannot be opened"):
        read_xc(tmp_path / "none.txt")


def test_binary_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError):
        read_svmlight(write(tmp_path, bytes(range(256)) * 20))


@pytest.mark.needs_compilation
def test_a_gzip_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"
    with gzip.open(path, "wb") as stream:
        for _ in range(80):
            stream.write(b" " * 2**20)
    with pytest.raises(ReadError, match="decompression bomb"):
        read_xc(path)


@settings(max_examples=40, deadline=None)
@given(datasets)
def test_reads_what_scikit_learn_writes_as_scikit_learn_reads_it(data: Dataset) -> None:
    # An instance without anything is a blank line there, which both readers pass over.
    data = data.subset(np.flatnonzero(np.diff(data.Y.indptr)))
    assume(data.n_samples and data.n_features and np.isfinite(data.X).all())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sk.svm"
        dump_svmlight_file(data.X, data.Y.tocsr(), str(path), zero_based=False, multilabel=True)
        ours = read_svmlight(path, zero_based=False, n_features=data.n_features)
        X, labels = load_svmlight_file(
            str(path), multilabel=True, zero_based=False, n_features=data.n_features
        )
    np.testing.assert_array_equal(ours.X.toarray(), X.toarray())
    assert [tuple(map(float, row.indices)) for row in _rows(ours.Y)] == labels


def _rows(Y: sp.csr_array) -> list[sp.csr_array]:
    return [Y[[row]] for row in range(Y.shape[0])]


@settings(max_examples=60, deadline=None)
@given(datasets)
def test_written_text_reads_back_equal(data: Dataset) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a.txt", "a.txt.gz"):
            write_xc(data, Path(folder) / name)
            assert_equal(read_xc(Path(folder) / name), data)
            write_svmlight(data, Path(folder) / name)
            assert_equal(read_svmlight(Path(folder) / name), data)


def test_missing_features_survive(tmp_path: Path) -> None:
    data = Dataset([[np.nan, 1.0], [np.inf, 0.0]], [[1.0], [0.0]])
    write_svmlight(data, tmp_path / "a.svm")
    assert_equal(read_svmlight(tmp_path / "a.svm"), data)


def test_no_comment_is_written_where_none_is_needed(tmp_path: Path) -> None:
    write_svmlight(Dataset([[1.0, 2.5]], [[0, 1]]), tmp_path / "a.svm")
    assert (tmp_path / "a.svm").read_text() == "1 1:1 2:2.5\n"
    write_svmlight(Dataset([[1.0, 0.0]], [[0, 0]]), tmp_path / "b.svm")
    assert (tmp_path / "b.svm").read_text() == "# n_features=2 n_labels=2\n 1:1\n"


def test_an_absurd_shape_comment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r":1: .*at most 4,194,304 features"):
        read_svmlight(write(tmp_path, "# n_features=999999999 n_labels=2\n1 1:1\n"))


@pytest.mark.parametrize("writer", [write_svmlight, write_xc])
def test_unknown_labels_cannot_be_written(tmp_path: Path, writer) -> None:
    with pytest.raises(DataError, match="no sign for unknown labels"):
        writer(Dataset([[1.0]], [[np.nan]]), tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.real_data
def test_real_sets_survive_both_formats(real_data: Path, tmp_path: Path) -> None:
    from dlst.data.arff import read_mulan

    for name in ("yeast/yeast-test.arff", "bibtex/bibtex-test.arff"):
        data = read_mulan(real_data / name)
        write_svmlight(data, tmp_path / "a.svm")
        write_xc(data, tmp_path / "a.txt")
        assert_equal(read_svmlight(tmp_path / "a.svm"), data)
        assert_equal(read_xc(tmp_path / "a.txt"), data)
        X, labels = load_svmlight_file(str(tmp_path / "a.svm"), multilabel=True)
        np.testing.assert_array_equal(read_svmlight(tmp_path / "a.svm").X.toarray(), X.toarray())
        assert [len(row) for row in labels] == np.diff(data.Y.indptr).tolist()
