"""MATLAB files of versions 4 to 7, in the layouts that multi-label data are shared in.

=====================================  =======================================================
variables                              usual shapes
=====================================  =======================================================
``X``, ``Y`` (also ``features``,       n × d and n × K
``labels`` and the like)
``data``, ``target``                   n × d and K × n, labels −1/+1
``ft_mat``, ``lbl_mat``                d × n and K × n, sparse
the same names with ``train``/``test``, ``trn``/``tst``, ``tr``/``te`` before or after, such as
``train_data``, ``train_target``, ``test_data``, ``test_target``: gives the official split
=====================================  =======================================================

Names match in any case and with or without underscores. Which side is n follows from the shapes.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from dlst._files import PathLike, atomic_write
from dlst.data._origin import name_of, origin_of
from dlst.data.dataset import Dataset, Split
from dlst.data.mat.guard import scan
from dlst.data.mat.variables import (
    Variables,
    choose_variables,
    describe_variable,
    list_variables,
    orient,
)
from dlst.data.names import NumberedNames
from dlst.errors import DataError, ReadError

_MAX_SPARSE_ROWS = 2**24
_LABEL_NAMES = (
    "labelnames",
    "labelname",
    "labels",
    "label",
    "targetnames",
    "classnames",
    "classes",
)
_FEATURE_NAMES = ("featurenames", "featurename", "features", "attributenames")


def load_variables(path: PathLike) -> Variables:
    """Read all variables of a MAT file of version 4 to 7, safely.

    The file is walked by our own guard first, so that sizes that its bytes cannot back,
    decompression bombs and damaged tags never reach scipy. Function handles and objects are left
    out. Sparse matrices come as ``csc_array`` with checked indices, cell arrays as object arrays.

    Raises
    ------
    ReadError
        For anything that is wrong with the file.
    """
    try:
        with open(path, "rb") as stream:
            names = scan(path, stream)
            stream.seek(0)
            found = _scipy_variables(path, stream, names) if names else {}
    except OSError as error:
        raise ReadError(path, f"cannot be opened: {error.strerror}.") from error
    return {name: _checked_sparse(path, name, found[name]) for name in names}


def read_mat(
    path: PathLike,
    *,
    features: str | Sequence[str] | None = None,
    labels: str | Sequence[str] | None = None,
) -> Dataset:
    """Read a multi-label MAT file of version 4 to 7.

    Parameters
    ----------
    path : path-like
        The file.
    features, labels : str or pair of str, optional
        Names of the variables, when they are not among the known ones; a pair names training
        and test part. Labels alone are enough where one other matrix has as many instances.

    Returns
    -------
    Dataset
        With ``split`` when the file has a training and a test part, or the row numbers ``train``
        and ``test`` (counted from 1) that :func:`write_mat` writes. Names are taken from
        a cell array such as ``label_names`` that has one text per column.

    Notes
    -----
    Labels are 0/1 or −1/+1; next to −1, a 0 means unknown. Instances may be rows or columns: the
    orientation is the one in which features and labels agree in n. When several do (square
    matrices), the usual one of the layout is taken, then rows before columns, and a note in the
    provenance says so.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.data import load_multidigits
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "few.mat"
    >>> write_mat(load_multidigits().subset(slice(0, 3)), path)
    >>> read_mat(path).Y.shape
    (3, 10)
    """
    variables = load_variables(path)
    pairs, layout = choose_variables(path, variables, features, labels)
    parts = [
        (_matrix(path, variables, x_name), _matrix(path, variables, y_name))
        for x_name, y_name in pairs
    ]
    parts, notes = orient(path, parts, pairs, layout)
    X = _stacked([X for X, _ in parts])
    Y, label_notes = _indicator(path, pairs[0][1], _stacked([Y for _, Y in parts]))
    used = {name for pair in pairs for name in pair}
    split, split_notes = _split(variables, [X.shape[0] for X, _ in parts], used)
    return Dataset(
        X,
        Y,
        feature_names=_names(variables, _FEATURE_NAMES, X.shape[1], used),
        label_names=_names(variables, _LABEL_NAMES, Y.shape[1], used),
        name=name_of(path),
        split=split,
        provenance=origin_of(path, *notes, *label_notes, *split_notes),
    )


def write_mat(dataset: Dataset, path: PathLike) -> None:
    """Write a data set as a MAT file of version 7 that :func:`read_mat` reads back equal.

    The variables are ``X`` (n × d), ``Y`` (n × K, sparse, NaN for unknown), the cell arrays
    ``feature_names`` and ``label_names`` unless they are the numbered default, and ``train`` and
    ``test``, row numbers counted from 1 as MATLAB does, when there is a split.

    Parameters
    ----------
    dataset : Dataset
    path : path-like

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.data import load_multidigits
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "few.mat"
    >>> write_mat(load_multidigits().subset(slice(0, 3)), path)
    >>> read_mat(path).Y.shape
    (3, 10)
    """
    if Path(path).suffix.lower() != ".mat":
        raise ValueError(f"the name of a MAT file must end in .mat; got {os.fspath(path)!r}.")
    variables: Variables = {
        "X": sp.csc_array(dataset.X) if sp.issparse(dataset.X) else dataset.X,
        "Y": sp.csc_array(dataset.Y),
    }
    for what, names, default in (
        ("feature_names", dataset.feature_names, "x"),
        ("label_names", dataset.label_names, "label"),
    ):
        if not isinstance(names, NumberedNames) or names.prefix != default:
            variables[what] = np.array(list(names), dtype=object).reshape(-1, 1)
    if dataset.split is not None:
        variables["train"] = (dataset.split.train + 1.0).reshape(1, -1)
        variables["test"] = (dataset.split.test + 1.0).reshape(1, -1)
    with atomic_write(path) as stream:
        try:
            scipy.io.savemat(stream, variables, do_compression=True)
        except (scipy.io.matlab.MatWriteError, OverflowError) as error:
            raise DataError(
                f"a variable of a MAT file of version 7 must be below 4 GiB; got a larger one "
                f"({error}). Write XC text instead."
            ) from error
        # scipy puts the time here; without it equal data give equal bytes.
        stream.seek(0)
        stream.write(b"MATLAB 5.0 MAT-file, written by dlst".ljust(116))


def _scipy_variables(path: PathLike, stream: Any, names: list[str]) -> Variables:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found: Variables = scipy.io.loadmat(
                stream, variable_names=names, appendmat=False, spmatrix=False
            )
    except Exception as error:  # a parser of damaged bytes may raise anything
        raise ReadError(
            path,
            f"expected a MAT file of version 4 to 7, got one that scipy cannot read ({error}).",
        ) from error
    lost = [name for name in names if name not in found]
    if lost:
        raise ReadError(path, f"expected the variable {lost[0]!r}, got a damaged one.")
    return found


def _checked_sparse(path: PathLike, name: str, value: Any) -> Any:
    """Return ``value``; if sparse, as CSC whose indices stay within its shape."""
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        for cell in value.flat:
            fields: Any = cell if isinstance(cell, np.void) else (cell,)
            for item in fields:
                _checked_sparse(path, name, item)
        return value
    if not sp.issparse(value):
        return value
    # Row pointers are as long as the shape says, whatever the file's size.
    if max(value.shape) > max(_MAX_SPARSE_ROWS, value.nnz):
        raise ReadError(
            path,
            f"sparse {name!r} must have at most {_MAX_SPARSE_ROWS:,} rows and columns or as many "
            f"as entries; got shape {value.shape} with {value.nnz} entries.",
        )
    try:
        if value.format == "csc":
            value.check_format(full_check=True)
        return sp.csc_array(value)
    except (ValueError, IndexError) as error:
        raise ReadError(path, f"sparse {name!r} has damaged indices ({error}).") from error


def _matrix(path: PathLike, variables: Variables, name: str) -> Any:
    if name not in variables:
        raise ReadError(
            path, f"expected a variable {name!r}; the file has {list_variables(variables)}."
        )
    value = variables[name]
    numeric = getattr(value, "dtype", np.dtype(object)).kind in "buif"
    if not numeric or value.ndim != 2:
        raise ReadError(path, f"{name!r} must be a real matrix; got {describe_variable(value)}.")
    return value


def _stacked(blocks: list[Any]) -> Any:
    if any(sp.issparse(block) for block in blocks):
        return sp.csr_array(sp.vstack(blocks, format="csr"))
    return np.vstack(blocks)


def _indicator(path: PathLike, name: str, Y: Any) -> tuple[Any, tuple[str, ...]]:
    """Turn −1/+1 labels, with 0 for unknown, into 0/1 and NaN."""
    values = Y.data if sp.issparse(Y) else Y
    allowed = (values == 0) | (values == 1) | (values == -1)
    if values.dtype.kind == "f":
        allowed |= np.isnan(values)
    if not allowed.all():
        raise ReadError(
            path,
            f"labels {name!r} must be 0/1 or -1/+1 (NaN for unknown); "
            f"got the value {values[~allowed].flat[0]:g}.",
        )
    if values.dtype.kind in "bu" or not (values == -1).any():
        return Y, ()
    if sp.issparse(Y):
        raise ReadError(
            path,
            f"sparse labels {name!r} must be 0/1; got -1, beside which a zero would mean unknown. "
            "Save them as a full matrix, or as Y > 0.",
        )
    signed = np.asarray(Y, dtype=np.float64)
    if not (signed == 0).any():
        return np.where(signed == -1, 0.0, signed), ()
    unknown_as_nan = np.where(signed == 0, np.nan, signed)
    return np.where(signed == -1, 0.0, unknown_as_nan), ("labels -1/0/+1: 0 read as unknown",)


def _names(
    variables: Variables, candidates: tuple[str, ...], count: int, used: set[str]
) -> tuple[str, ...]:
    """Find a cell array of ``count`` distinct texts; () when there is none."""
    for candidate in candidates:
        for name, value in variables.items():
            if name not in used and name.casefold().replace("_", "") == candidate:
                texts = _texts(value)
                if len(texts) == count == len(set(texts)):
                    return texts
    return ()


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, np.ndarray):
        return ()
    if value.dtype.kind == "U":
        return tuple(str(text).rstrip() for text in value.flat)
    if value.dtype != object:
        return ()
    cells = [np.asarray(cell) for cell in value.flat]
    if not all(cell.size == 0 or (cell.dtype.kind == "U" and cell.size == 1) for cell in cells):
        return ()
    return tuple(str(cell.flat[0]) if cell.size else "" for cell in cells)


def _split(
    variables: Variables, counts: list[int], used: set[str]
) -> tuple[Split | None, tuple[str, ...]]:
    if len(counts) == 2:
        n_train, n = counts[0], sum(counts)
        return Split(np.arange(n_train), np.arange(n_train, n)), ()
    if not {"train", "test"} <= variables.keys() - used:
        return None, ()
    rows = [_row_numbers(variables[side], counts[0]) for side in ("train", "test")]
    if rows[0] is None or rows[1] is None or np.intersect1d(rows[0], rows[1]).size:
        return None, ("variables train and test are no disjoint row numbers: left out",)
    return Split(rows[0], rows[1]), ()


def _row_numbers(value: Any, n: int) -> Any:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "uif":
        return None
    flat = value.ravel()
    if flat.size != max(value.shape, default=0) and flat.size:
        return None
    whole = (flat >= 1) & (flat <= n) & (flat == np.floor(flat))
    return flat.astype(np.intp) - 1 if whole.all() else None
