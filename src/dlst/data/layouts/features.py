"""Feature files that users keep beside the official labels: .npy, .mat, text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._files import PathLike, text_blocks
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst.data.text.number_lines import read_table_of_numbers
from dlst.errors import ReadError

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat")
SUFFIXES = (".npy", ".mat", *TEXT_SUFFIXES)

_PREFERRED_VARIABLES = ("features", "feature", "gist", "X", "x", "data")


def read_features(path: PathLike, n_samples: int, ids: IntArray | None = None) -> FeatureMatrix:
    """Read the features of ``n_samples`` images.

    Parameters
    ----------
    path : path-like
        - ``.npy``: array of shape (n, d).
        - ``.mat``: the variable ``features``, ``gist``, ``X`` or ``data``, else the only matrix
          with n rows; (d, n) is transposed.
        - ``.csv``, ``.tsv``, ``.txt``, ``.dat``, also ``.gz``: one line per image, numbers
          separated by blanks or commas.
    n_samples : int
        Number of images; rows are in the order of the images.
    ids : ndarray of shape (n_samples,), optional
        Image numbers. With them a text file may begin with a header line whose first cell is
        ``id``: then the first column names the image of each line and the order is free.

    Returns
    -------
    ndarray or csr_array of shape (n_samples, d)
        CSR when a text file holds mostly zeros.

    Raises
    ------
    ReadError
        When the file is none of these or has another number of rows.
    """
    path = Path(path)
    suffix = Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()
    if suffix == ".npy":
        table: FeatureMatrix = _read_npy(path)
    elif suffix == ".mat":
        table = _read_mat(path, n_samples)
    elif suffix in TEXT_SUFFIXES:
        keyed = ids is not None and _has_id_header(path)
        table = read_table_of_numbers(path, header=keyed)
        if keyed:
            assert ids is not None  # noqa: S101  # for the type checker: keyed implies it
            table = _in_order_of_ids(path, table, ids)
    else:
        raise ReadError(
            path, f"expected a features file ending in {', '.join(SUFFIXES)}, got {suffix!r}."
        )
    if table.shape[0] != n_samples:
        raise ReadError(
            path,
            f"expected features of {n_samples} images, one per row, got {table.shape[0]} rows.",
        )
    return table


def _read_npy(path: Path) -> FloatArray:
    try:
        # Mapped, because a mapping is refused when the header promises more than the file holds,
        # while a plain load would allocate it first.
        array = np.lib.format.open_memmap(path, mode="r")
    except Exception as error:
        # Broad, because the header is parsed as Python and fails in as many ways as Python does.
        raise ReadError(path, f"expected a whole .npy file, got {error}.") from error
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise ReadError(
            path,
            f"expected a numeric array of shape (n, d), got {array.dtype} of shape {array.shape}.",
        )
    return np.array(array, dtype=np.float64)


def _read_mat(path: Path, n_samples: int) -> FeatureMatrix:
    from dlst.data.mat import load_variables

    variables = load_variables(path)
    matrices = {
        name: value
        for name, value in variables.items()
        if getattr(value, "ndim", 0) == 2 and value.dtype.kind in "fiub"
    }
    fitting = [name for name, value in matrices.items() if n_samples in value.shape]
    chosen = next((name for name in _PREFERRED_VARIABLES if name in fitting), None)
    if chosen is None and len(fitting) == 1:
        chosen = fitting[0]
    if chosen is None:
        found = ", ".join(f"{name} {value.shape}" for name, value in matrices.items()) or "none"
        raise ReadError(
            path,
            f"expected one matrix of {n_samples} rows, got these matrices: {found}. "
            "Name the right one 'features'.",
        )
    table = matrices[chosen]
    if table.shape[0] != n_samples:
        table = table.T
    return sp.csr_array(table, dtype=np.float64) if sp.issparse(table) else np.asarray(table, float)


def _has_id_header(path: Path) -> bool:
    first = next(iter(text_blocks(path)), None)
    if first is None:
        return False
    words = first.text.partition(b"\n")[0].replace(b",", b" ").replace(b'"', b"").split(None, 1)
    return bool(words) and words[0].lstrip(b"\xef\xbb\xbf").lower() == b"id"


def _in_order_of_ids(path: Path, table: Any, ids: IntArray) -> FloatArray:
    dense = np.asarray(table.toarray() if sp.issparse(table) else table)
    order = np.argsort(dense[:, 0], kind="stable")
    keys = dense[order, 0]
    place = np.minimum(np.searchsorted(keys, ids), len(keys) - 1)
    missing = np.flatnonzero(keys[place] != ids)
    if len(missing):
        raise ReadError(
            path,
            f"expected a line for each of {len(ids)} images, got none for image "
            f"{ids[missing[0]]:06d} and {len(missing) - 1} more.",
        )
    if len(np.unique(keys)) < len(keys):
        twice = int(keys[1:][keys[1:] == keys[:-1]][0])
        raise ReadError(path, f"expected one line for each image, got image {twice:06d} twice.")
    return dense[order[place], 1:]
