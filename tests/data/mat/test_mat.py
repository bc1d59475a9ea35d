"""MAT files: the field's layouts, round trips, and files made to do harm."""

from __future__ import annotations

import contextlib
import struct
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dlst.data import Dataset, Split
from dlst.data.mat import guard, load_variables, read_mat, write_mat
from dlst.errors import DataError, ReadError

X = np.arange(12.0).reshape(4, 3)
Y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])


def save(folder: Path, variables: dict, **options) -> Path:
    path = folder / "toy.mat"
    scipy.io.savemat(path, variables, **options)
    return path


def cells(*texts: str) -> np.ndarray:
    return np.array(texts, dtype=object).reshape(-1, 1)


def assert_equal(ours: Dataset, theirs: Dataset) -> None:
    for a, b in ((ours.X, theirs.X), (ours.Y, theirs.Y)):
        assert sp.issparse(a) == sp.issparse(b)
        a, b = (m.toarray() if sp.issparse(m) else m for m in (a, b))
        np.testing.assert_array_equal(a, b)
    assert tuple(ours.feature_names) == tuple(theirs.feature_names)
    assert tuple(ours.label_names) == tuple(theirs.label_names)


# --- layouts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "variables",
    [
        {"X": X, "Y": Y},
        {"x": X, "y": Y.astype(bool)},
        {"data": X, "target": 2 * Y.T - 1},
        {"data": X.T, "target": Y.T.astype(np.int8)},
        {"features": X, "labels": Y.astype(np.uint8)},
        {"ft_mat": sp.csc_array(X.T), "lbl_mat": sp.csc_array(Y.T)},
        {"X": X, "Y": sp.csc_array(Y)},
        {"train_data": X, "train_target": 2 * Y.T - 1},
    ],
)
@pytest.mark.parametrize("options", [{}, {"do_compression": True}])
def test_one_pair_is_read_whatever_its_names_and_sides(
    tmp_path: Path, variables: dict, options: dict
) -> None:
    data = read_mat(save(tmp_path, variables, **options))
    found = data.X.toarray() if sp.issparse(data.X) else data.X
    np.testing.assert_array_equal(found, X)
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    assert data.split is None
    assert data.name == "toy"
    assert data.provenance.notes == ()


@pytest.mark.parametrize(
    "names",
    [
        ("train_data", "train_target", "test_data", "test_target"),
        ("Xtr", "Ytr", "Xte", "Yte"),
        ("X_train", "Y_train", "X_test", "Y_test"),
        ("trn_ft_mat", "trn_lbl_mat", "tst_ft_mat", "tst_lbl_mat"),
        ("trn_X_Xf", "trn_X_Y", "tst_X_Xf", "tst_X_Y"),
    ],
)
def test_training_and_test_parts_give_the_split(tmp_path: Path, names: tuple[str, ...]) -> None:
    parts = (X[:3], Y[:3].T, X[3:], Y[3:].T)
    data = read_mat(save(tmp_path, dict(zip(names, parts, strict=True))))
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.Y.toarray(), Y)
    assert data.split is not None
    assert data.split.train.tolist() == [0, 1, 2]
    assert data.split.test.tolist() == [3]


def test_other_names_are_given_by_the_caller(tmp_path: Path) -> None:
    path = save(tmp_path, {"A": X, "B": Y, "C": X[:1], "D": Y[:1]})
    assert read_mat(path, features="A", labels="B").X.shape == (4, 3)
    data = read_mat(path, features=("A", "C"), labels=("B", "D"))
    assert data.split is not None
    assert data.split.test.tolist() == [4]
    with pytest.raises(
        ReadError, match=r"expected variables such as X and Y.*A \(float64 4 by 3\)"
    ):
        read_mat(path)
    with pytest.raises(ReadError, match=r"expected a variable 'Q'; the file has A"):
        read_mat(path, features="Q", labels="B")
    with pytest.raises(ValueError, match="features must come with labels"):
        read_mat(path, features="A")
    with pytest.raises(ValueError, match="one name each, or a pair each"):
        read_mat(path, features=("A", "C"), labels="B")
    with pytest.raises(ValueError, match="one name each, or a pair each"):
        read_mat(path, labels=("B", "D"))


def test_labels_alone_are_enough_beside_one_matrix_of_their_rows(tmp_path: Path) -> None:
    path = save(tmp_path, {"A": X, "B": Y, "row": np.arange(4.0), "other": np.ones((7, 9))})
    np.testing.assert_array_equal(read_mat(path, labels="B").X, X)
    with pytest.raises(ReadError, match=r"one matrix that belongs to the labels 'other', got none"):
        read_mat(path, labels="other")
    both = save(tmp_path, {"A": X, "B": Y, "C": X})
    with pytest.raises(ReadError, match=r"belongs to the labels 'B', got A, C of A \("):
        read_mat(both, labels="B")


def test_all_rows_may_be_named_so(tmp_path: Path) -> None:
    np.testing.assert_array_equal(read_mat(save(tmp_path, {"X_all": X, "Y_all": Y})).X, X)


def test_square_matrices_follow_the_usual_sides_with_a_note(tmp_path: Path) -> None:
    square = np.array([[1.0, 0.0], [1.0, 1.0]])
    rows = read_mat(save(tmp_path, {"X": square, "Y": square}))
    np.testing.assert_array_equal(rows.Y.toarray(), square)
    assert rows.provenance.notes == (
        "orientation ambiguous: instances read as rows of X and rows of Y",
    )
    columns = read_mat(save(tmp_path, {"data": square, "target": square}))
    np.testing.assert_array_equal(columns.Y.toarray(), square.T)
    np.testing.assert_array_equal(columns.X, square)


def test_sizes_that_do_not_agree_are_told(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"agree in the number of instances; got X float64 4 by 3"):
        read_mat(save(tmp_path, {"X": X, "Y": np.ones((5, 2))}))


def test_zero_beside_minus_one_means_unknown(tmp_path: Path) -> None:
    data = read_mat(save(tmp_path, {"X": X[:3, :2], "Y": np.array([[1.0], [-1.0], [0.0]])}))
    np.testing.assert_array_equal(data.Y.toarray(), [[1], [0], [np.nan]])
    assert data.provenance.notes == ("labels -1/0/+1: 0 read as unknown",)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"X": X, "Y": Y + 1}, "must be 0/1 or -1/"),
        ({"X": X, "Y": sp.csc_array(2 * Y - 1)}, "sparse labels 'Y' must be 0/1; got -1"),
        ({"X": X, "Y": "text"}, "'Y' must be a real matrix; got <U4 1"),
        ({"X": X, "Y": cells("a", "b")}, "'Y' must be a real matrix; got cell 2 by 1"),
        ({"X": X * 1j, "Y": Y}, "'X' must be a real matrix; got complex128 4 by 3"),
        ({"X": np.ones((2, 2, 2)), "Y": Y}, "'X' must be a real matrix"),
        ({"Q": 1.0}, r"got Q \(.* 1 by 1\)"),
        ({}, "got no variables"),
        ({f"v{i}": 1.0 for i in range(15)}, "and 3 more"),
    ],
)
def test_variables_that_are_no_data_are_an_error(
    tmp_path: Path, variables: dict, message: str
) -> None:
    with pytest.raises(ReadError, match=message):
        read_mat(save(tmp_path, variables))


def test_names_are_taken_from_cells_and_char_matrices(tmp_path: Path) -> None:
    variables = {"X": X, "Y": Y, "label_names": cells("sky", "sea")}
    variables["featureNames"] = np.array(["ab", "c", "d"])
    data = read_mat(save(tmp_path, variables))
    assert data.label_names == ("sky", "sea")
    assert data.feature_names == ("ab", "c", "d")


@pytest.mark.parametrize("names", [cells("a"), cells("a", "a"), 3.0, np.ones((2, 1)), sp.eye(2)])
def test_names_that_do_not_fit_are_not_used(tmp_path: Path, names) -> None:
    data = read_mat(save(tmp_path, {"X": X, "Y": Y, "label_names": names}))
    assert data.label_names[0] == "label0"


def test_cells_of_numbers_are_no_names(tmp_path: Path) -> None:
    numbers = np.empty((2, 1), dtype=object)
    numbers[:, 0] = [np.arange(2.0), "b"]
    data = read_mat(save(tmp_path, {"X": X, "Y": Y, "label_names": numbers}))
    assert data.label_names[0] == "label0"


@pytest.mark.parametrize(
    ("train", "test"),
    [([1, 2], [2, 3]), ([0, 1], [2, 3]), ([1.5, 2], [3]), ([1, 2], [9]), ("ab", "cd"), (X, X)],
)
def test_variables_train_and_test_that_are_no_rows_are_left_out(
    tmp_path: Path, train, test
) -> None:
    data = read_mat(save(tmp_path, {"X": X, "Y": Y, "train": train, "test": test}))
    assert data.split is None
    assert "left out" in data.provenance.notes[0]


# --- safe loading -----------------------------------------------------------------------------


def test_variables_of_all_kinds_are_loaded(tmp_path: Path) -> None:
    nested = np.empty((1, 2), dtype=object)
    nested[0] = [cells("a", "b"), sp.csc_array(Y)]
    variables = {
        "n": X.astype(np.float32),
        "z": X * 1j,
        "e": np.empty((0, 3)),
        "t": "text",
        "b": Y.astype(bool),
        "sb": sp.csc_array(Y.astype(bool)),
        "sz": sp.csc_array(Y * 1j),
        "c": nested,
        "s": {"one": X, "two": {"three": "deep"}},
        "h": np.ones((2, 3, 4)),
    }
    for options in ({}, {"do_compression": True}):
        found = load_variables(save(tmp_path, variables, **options))
        assert found.keys() == variables.keys()
        np.testing.assert_array_equal(found["n"], X)
        np.testing.assert_array_equal(found["z"], X * 1j)
        np.testing.assert_array_equal(found["sb"].toarray(), Y)
        assert isinstance(found["sb"], sp.csc_array)
        assert found["s"]["two"][0, 0]["three"][0, 0].item() == "deep"
        assert found["h"].shape == (2, 3, 4)


def test_version_4_is_read(tmp_path: Path) -> None:
    path = save(tmp_path, {"X": X, "Y": sp.coo_array(Y), "t": "ab", "z": X * 1j}, format="4")
    data = read_mat(path)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.Y.toarray(), Y)


def test_a_name_with_a_line_end_is_told_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "f.mat"
    # Version 4: type, rows, columns, imaginary, length of the name; then the name and a number.
    file.write_bytes(struct.pack("<5i", 0, 1, 1, 0, 4) + b"a\nb\0" + struct.pack("<d", 1.0))
    with pytest.raises(ReadError, match=r"got 'a\\nb' \(float64 1 by 1\)") as caught:
        read_mat(file)
    assert "\n" not in str(caught.value)


def test_big_endian_files_are_read(tmp_path: Path) -> None:
    matrix = _matrix(X, order=">")
    path = tmp_path / "big.mat"
    path.write_bytes(b"MATLAB 5.0".ljust(124) + b"\x01\x00MI" + matrix)
    np.testing.assert_array_equal(load_variables(path)["v"], X)


def test_version_73_is_refused_with_the_remedy(tmp_path: Path) -> None:
    for content in (b"MATLAB 7.3".ljust(124) + b"\x00\x02IM", b"\x89HDF\r\n\x1a\n" + bytes(200)):
        (tmp_path / "a.mat").write_bytes(content)
        with pytest.raises(ReadError, match=r"version 7.3 \(HDF5\). Save it .* '-v7'"):
            read_mat(tmp_path / "a.mat")


def test_a_missing_file_or_a_folder_is_a_read_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none.mat", tmp_path):
        with pytest.raises(ReadError, match="cannot be opened"):
            load_variables(path)


# The bytes of a file, made by hand.


def _element(kind: int, data: bytes, order: str = "<", size: int | None = None) -> bytes:
    size = len(data) if size is None else size
    return struct.pack(f"{order}2I", kind, size) + data + bytes(-len(data) % 8)


def _head(array_class: int, shape: tuple[int, ...], name: bytes = b"v", order: str = "<") -> bytes:
    flags = _element(6, struct.pack(f"{order}2I", array_class, 0), order)
    dims = _element(5, struct.pack(f"{order}{len(shape)}i", *shape), order)
    return flags + dims + _element(1, name, order)


def _matrix(values: np.ndarray, order: str = "<", name: bytes = b"v") -> bytes:
    data = values.T.astype(f"{order}f8").tobytes()
    return _element(14, _head(6, values.shape, name, order) + _element(9, data, order), order)


def _file(*elements: bytes) -> bytes:
    return b"MATLAB 5.0".ljust(124) + b"\x00\x01IM" + b"".join(elements)


def _packed(element: bytes) -> bytes:
    data = zlib.compress(element)
    return struct.pack("<2I", 15, len(data)) + data  # without padding, as the format wants


HUGE = 2**31 - 1
ONE = _element(9, struct.pack("<d", 1.0))
ROWS, STARTS = _element(5, struct.pack("<i", 0)), _element(5, struct.pack("<2i", 0, 1))
NAMES = _element(5, struct.pack("<i", 8)) + _element(1, b"f".ljust(8, b"\0"))


def test_the_hand_made_parts_make_a_readable_file(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    path.write_bytes(
        _file(
            _matrix(X, name=b"n"),
            _packed(_matrix(Y, name=b"p")),
            _element(14, _head(5, (1, 1), b"sparse") + ROWS + STARTS + ONE),
            _element(14, _head(2, (1, 1), b"st") + NAMES + _matrix(X)),
            _element(14, _head(1, (1, 2), b"c") + _matrix(X) + _element(14, b"")),
        )
    )
    found = load_variables(path)
    np.testing.assert_array_equal(found["n"], X)
    np.testing.assert_array_equal(found["p"], Y)
    assert found["sparse"].toarray().tolist() == [[1.0]]
    np.testing.assert_array_equal(found["st"]["f"][0, 0], X)
    assert found["c"].shape == (1, 2)


def test_functions_and_objects_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    opaque = _element(6, struct.pack("<2I", 17, 0)) + _element(1, b"o") + _element(1, b"MCOS")
    path.write_bytes(
        _file(
            _element(14, _head(16, (1, 1), b"f") + _matrix(X)),
            _element(14, _head(3, (1, 1), b"o") + _element(1, b"class") + NAMES + _matrix(X)),
            _element(14, opaque + _element(1, b"string") + _matrix(X)),
            _element(14, _head(1, (1, 1), b"c") + _element(14, _head(16, (1, 1)) + _matrix(X))),
            _matrix(X, name=b""),
            _matrix(X, name=b"kept"),
        )
    )
    assert list(load_variables(path)) == ["kept"]


def test_a_file_of_functions_only_has_no_variables(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_bytes(_file(_element(14, _head(16, (1, 1)) + _matrix(X))))
    assert load_variables(tmp_path / "a.mat") == {}


deep = _matrix(X)
for _ in range(40):
    deep = _element(14, _head(1, (1, 1)) + deep)

HOSTILE = {
    "no file at all": b"",
    "text": b"These are no data but a letter to a friend. " * 9,
    "zeros": bytes(300),
    "a cut header": b"MATLAB 5.0".ljust(100),
    "another version": b"MATLAB 5.0".ljust(124) + b"\x00\x09IM" + _matrix(X),
    "no byte order": b"MATLAB 5.0".ljust(124) + b"\x00\x01XX" + _matrix(X),
    "a cut tag": _file(_matrix(X), b"\x0e\0\0"),
    "an empty element": _file(_element(14, b"")),
    "an element beyond the end": _file(_element(14, _matrix(X), size=2**32 - 8)),
    "an unknown element": _file(_element(9, bytes(8))),
    "no array flags": _file(_element(14, _element(9, bytes(8)) + bytes(48))),
    "an unknown class": _file(_element(14, _head(99, (1, 1)) + ONE)),
    "huge numbers": _file(_element(14, _head(6, (HUGE, HUGE)) + ONE)),
    "too few numbers": _file(_element(14, _head(6, (1, 2)) + ONE)),
    "numbers of no type": _file(_element(14, _head(6, (1, 1)) + _element(40_000, bytes(8)))),
    "numbers of size 2^32": _file(
        _element(14, _head(6, (1, 1)) + _element(9, b"", size=2**32 - 1))
    ),
    "a negative side": _file(_element(14, _head(6, (-1, -1)) + ONE)),
    "one side": _file(_element(14, _head(6, (1,)) + ONE)),
    "no sides": _file(_element(14, _head(6, ()) + ONE)),
    "forty sides": _file(_element(14, _head(6, (1,) * 40) + ONE)),
    "a name of a megabyte": _file(_element(14, _head(6, (1, 1), b"v" * 2**20) + ONE)),
    "a small element too long": _file(_element(14, _head(6, (1, 1)) + b"\x09\0\x05\0" + bytes(4))),
    "huge cells": _file(_element(14, _head(1, (HUGE, HUGE)) + _matrix(X))),
    "many cells": _file(_element(14, _head(1, (HUGE, 1)) + _matrix(X))),
    "cells of numbers": _file(_element(14, _head(1, (1, 1)) + ONE)),
    "deep cells": _file(deep),
    "a struct without fields": _file(
        _element(14, _head(2, (HUGE, 1)) + _element(5, struct.pack("<i", 8)) + _element(1, b""))
    ),
    "fields of length zero": _file(
        _element(14, _head(2, (1, 1)) + _element(5, bytes(4)) + _element(1, b"f") + _matrix(X))
    ),
    "fields of no length": _file(
        _element(14, _head(2, (1, 1)) + _element(5, b"") + _element(1, b"f") + _matrix(X))
    ),
    "field names without end": _file(
        _element(14, _head(2, (1, 1)) + _element(5, struct.pack("<i", 4)) + _element(1, b"f" * 12))
    ),
    "huge text of no bytes": _file(_element(14, _head(4, (HUGE, 1)) + _element(16, b""))),
    "text of doubles": _file(_element(14, _head(4, (1, 1)) + ONE)),
    "sparse without columns": _file(_element(14, _head(5, (1, HUGE)) + ROWS + STARTS + ONE)),
    "sparse with huge rows": _file(_element(14, _head(5, (HUGE, 1)) + ROWS + STARTS + ONE)),
    "sparse of three sides": _file(_element(14, _head(5, (1, 1, 1)) + ROWS + STARTS + ONE)),
    "sparse with wild rows": _file(
        _element(14, _head(5, (1, 1)) + _element(5, struct.pack("<i", 10**6)) + STARTS + ONE)
    ),
    "sparse with wild starts": _file(
        _element(14, _head(5, (1, 1)) + ROWS + _element(5, struct.pack("<2i", 0, -5)) + ONE)
    ),
    "wild sparse in a cell": _file(
        _element(
            14,
            _head(1, (1, 1))
            + _element(14, _head(5, (1, 1)) + _element(5, struct.pack("<i", 99)) + STARTS + ONE),
        )
    ),
    "wild sparse in a struct": _file(
        _element(
            14,
            _head(2, (1, 1))
            + NAMES
            + _element(14, _head(5, (1, 1)) + _element(5, struct.pack("<i", 99)) + STARTS + ONE),
        )
    ),
    "damaged compression": _file(_element(15, b"no zlib stream at all, sorry")),
    "cut compression": _file(_element(15, zlib.compress(_matrix(np.ones((99, 99))))[:40])),
    "compressed nonsense": _file(_packed(ONE)),
    "a short compressed array": _file(_packed(_matrix(X)[:-24])),
    "the same name twice": _file(_matrix(X), _matrix(X)),
    "version 4, cut": struct.pack("<5i", 0, 1, 1, 0, 2),
    "version 4, cut header": struct.pack("<5i", 0, 0, 0, 0, 2) + b"a\0" + b"\0\0\0",
    "version 4, huge": struct.pack("<5i", 0, HUGE, HUGE, 0, 2) + b"a\0" + bytes(8),
    "version 4, negative": struct.pack("<5i", 0, -1, 1, 0, 2) + b"a\0" + bytes(8),
    "version 4, unknown": struct.pack("<5i", 4099, 1, 1, 0, 2) + b"a\0" + bytes(8),
    "version 4, no name": struct.pack("<5i", 0, 1, 1, 0, 0) + bytes(8),
    "version 4, thin sparse": struct.pack("<5i", 2, 1, 1, 0, 2) + b"a\0" + bytes(8),
    "version 4, sparse beyond": struct.pack("<5i", 2, 2, 3, 0, 2)
    + b"a\0"
    + np.array([[9.0, 1.0, 1.0], [2.0, 2.0, 0.0]]).T.tobytes(),
    "version 4, sparse absurd": struct.pack("<5i", 2, 2, 3, 0, 2)
    + b"a\0"
    + np.array([[1.0, 1.0, 1.0], [1e12, 2.0, 0.0]]).T.tobytes(),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_refused(tmp_path: Path, what: str) -> None:
    (tmp_path / "a.mat").write_bytes(HOSTILE[what])
    with pytest.raises(ReadError, match=r"a\.mat: "):
        load_variables(tmp_path / "a.mat")


def test_a_zlib_bomb_is_refused_without_being_unpacked(tmp_path: Path) -> None:
    count = 2**26  # bytes; as doubles 512 MiB out of 65 kB
    head = _head(9, (count, 1)) + struct.pack("<2I", 2, count)
    pack = zlib.compressobj(9)
    data = pack.compress(struct.pack("<2I", 14, len(head) + count) + head)
    data += b"".join(pack.compress(bytes(2**20)) for _ in range(count // 2**20)) + pack.flush()
    (tmp_path / "a.mat").write_bytes(_file(struct.pack("<2I", 15, len(data)) + data))
    with pytest.raises(ReadError, match="decompression bomb"):
        load_variables(tmp_path / "a.mat")


def test_a_bomb_of_empty_cells_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MEMORY_FLOOR", 2**20)
    count = 2**16
    cell = _element(14, _head(1, (count, 1)) + _element(14, b"") * count)
    (tmp_path / "a.mat").write_bytes(_file(_packed(cell)))
    with pytest.raises(ReadError, match="decompression bomb"):
        load_variables(tmp_path / "a.mat")


def test_a_variable_that_scipy_loses_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(tmp_path, {"X": X})
    monkeypatch.setattr(scipy.io, "loadmat", lambda *_, **__: {})
    with pytest.raises(ReadError, match="expected the variable 'X', got a damaged one"):
        load_variables(path)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_random_damage_raises_read_errors_only(data: st.DataObject) -> None:
    whole = bytearray(
        _file(_matrix(X), HOSTILE["deep cells"][128:], _packed(_matrix(Y, name=b"p")))
    )
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.mat"
        path.write_bytes(whole[: data.draw(st.integers(1, len(whole)))])
        with contextlib.suppress(ReadError):  # any other error fails the test
            load_variables(path)


# --- writing ----------------------------------------------------------------------------------

names = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=5)


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    n, d, K = draw(st.integers(1, 5)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    features = draw(arrays(np.float64, (n, d), elements=st.floats(width=64)))
    truth = st.sampled_from([0.0, 1.0, np.nan])
    return Dataset(
        sp.csr_array(features) if draw(st.booleans()) else features,
        draw(arrays(np.float64, (n, K), elements=truth)),
        draw(st.just(()) | st.lists(names, min_size=d, max_size=d, unique=True)),
        draw(st.just(()) | st.lists(names, min_size=K, max_size=K, unique=True)),
    )


@settings(max_examples=60, deadline=None)
@given(datasets())
def test_written_files_read_back_equal(data: Dataset) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_mat(data, Path(folder) / "a.mat")
        assert_equal(read_mat(Path(folder) / "a.mat"), data)


def test_the_split_survives_counted_from_one(tmp_path: Path) -> None:
    data = Dataset(X, Y).with_split(Split(np.array([3, 0]), np.array([2])))
    write_mat(data, tmp_path / "a.mat")
    assert scipy.io.loadmat(tmp_path / "a.mat", spmatrix=False)["train"].tolist() == [[4, 1]]
    found = read_mat(tmp_path / "a.mat").split
    assert found is not None
    assert found.train.tolist() == [3, 0]
    assert found.test.tolist() == [2]


def test_equal_data_give_equal_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_mat(Dataset(X, Y), tmp_path / "a.mat")
    monkeypatch.setattr("time.asctime", lambda *_: "another day")
    write_mat(Dataset(X, Y), tmp_path / "b.mat")
    assert (tmp_path / "a.mat").read_bytes() == (tmp_path / "b.mat").read_bytes()


def test_only_mat_names_are_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must end in \.mat"):
        write_mat(Dataset(X, Y), tmp_path / "a.mat.gz")


def test_what_the_format_cannot_hold_is_a_data_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_, **__):
        raise scipy.io.matlab.MatWriteError("too large")

    monkeypatch.setattr(scipy.io, "savemat", fail)
    with pytest.raises(DataError, match="below 4 GiB"):
        write_mat(Dataset(X, Y), tmp_path / "a.mat")
    assert not list(tmp_path.iterdir())


@pytest.mark.real_data
def test_real_files_are_loaded(real_data: Path, tmp_path: Path) -> None:
    from dlst.data.arff import read_mulan

    sun = real_data / "sunattribute"
    assert load_variables(sun / "attributeLabels_continuous.mat")["labels_cv"].shape == (14340, 102)
    assert load_variables(sun / "attributes.mat")["attributes"].shape == (102, 1)
    data = read_mulan(real_data / "bibtex" / "bibtex-test.arff")
    write_mat(data, tmp_path / "bibtex.mat")
    assert_equal(read_mat(tmp_path / "bibtex.mat"), data)
