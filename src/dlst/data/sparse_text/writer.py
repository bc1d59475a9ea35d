"""Data sets as sparse text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._files import PathLike, atomic_write
from dlst.data.dataset import Dataset
from dlst.data.text.number_writing import sparse_rows
from dlst.errors import DataError


def write_svmlight(dataset: Dataset, path: PathLike) -> None:
    """Write LIBSVM multi-label text, features counted from 1; a name in ``.gz`` is compressed.

    Reading gives the same arrays. Names are not kept. A first line ``# n_features=d n_labels=K`` is
    written only when the last feature or label never occurs, because LIBSVM's own programs know
    no comments.

    Parameters
    ----------
    dataset : Dataset
    path : path-like

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.data import load_multidigits, read_svmlight
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "few.svm"
    >>> write_svmlight(load_multidigits().subset(slice(0, 3)), path)
    >>> read_svmlight(path).Y.shape
    (3, 10)
    """
    _check_labels_known(dataset)
    used = _last_used(dataset.X), _last_used(dataset.Y)
    with atomic_write(path) as stream:
        if used != (dataset.n_features, dataset.n_labels):
            comment = f"# n_features={dataset.n_features} n_labels={dataset.n_labels}\n"
            stream.write(comment.encode())
        stream.writelines(_lines(dataset, 1, "1:0" if dataset.n_features else "qid:0"))


def write_xc(dataset: Dataset, path: PathLike) -> None:
    """Write XC text with its ``n d K`` header; a name in ``.gz`` is compressed.

    Reading gives the same arrays. Names are not kept.

    Parameters
    ----------
    dataset : Dataset
    path : path-like

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.data import load_multidigits, read_xc
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "few.xc"
    >>> write_xc(load_multidigits().subset(slice(0, 3)), path)
    >>> read_xc(path).Y.shape
    (3, 10)
    """
    _check_labels_known(dataset)
    with atomic_write(path) as stream:
        header = f"{dataset.n_samples} {dataset.n_features} {dataset.n_labels}\n"
        stream.write(header.encode())
        stream.writelines(_lines(dataset, 0, ""))


def _check_labels_known(dataset: Dataset) -> None:
    if np.isnan(dataset.Y.data).any():
        raise DataError(
            "this text format has no sign for unknown labels; got NaN in Y. "
            "Write CSV or MAT, which keep them, or set them to 0 first."
        )


def _last_used(matrix: Any) -> int:
    """Return one more than the last column that holds something."""
    if sp.issparse(matrix):
        return int(matrix.indices.max(initial=-1)) + 1
    return int(np.flatnonzero((matrix != 0).any(axis=0)).max(initial=-1)) + 1


def _lines(dataset: Dataset, counts_from: int, empty: str) -> Iterator[bytes]:
    rows = zip(sparse_rows(dataset.X), sparse_rows(dataset.Y), strict=True)
    for (columns, values), (labels, _) in rows:
        pairs = [
            f"{column + counts_from}:{value}" for column, value in zip(columns, values, strict=True)
        ]
        if not pairs and not labels:
            pairs = [empty]
        yield f"{','.join(map(str, labels))} {' '.join(pairs)}\n".encode()
