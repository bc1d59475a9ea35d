"""Numbers as text that reads back to the same bits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import scipy.sparse as sp

from dlst._matrices import FeatureMatrix, FloatArray, as_dense
from dlst._progress import progress_bar

_ROWS_AT_ONCE = 1024


def format_numbers(values: FloatArray, missing: str = "nan") -> list[str]:
    """Write each number in its shortest exact form, whole ones without a point.

    Examples
    --------
    >>> import numpy as np
    >>> format_numbers(np.array([1.0, 0.1, -2.5e-300, np.nan]), "?")
    ['1', '0.1', '-2.5e-300', '?']
    """
    texts = [repr(value) for value in values.tolist()]
    return [
        missing if text == "nan" else text[:-2] if text.endswith(".0") else text for text in texts
    ]


def dense_rows(matrix: FeatureMatrix, missing: str = "nan") -> Iterator[list[str]]:
    """Yield every row as texts, zeros included."""
    width = matrix.shape[1]
    for block in _blocks(matrix):
        for row in as_dense(block):
            yield format_numbers(row, missing) if width else []


def sparse_rows(
    matrix: FeatureMatrix, missing: str = "nan"
) -> Iterator[tuple[list[int], list[str]]]:
    """Yield the columns and texts of every row's stored entries."""
    for block in map(sp.csr_array, _blocks(matrix)):
        columns, texts = block.indices.tolist(), format_numbers(block.data, missing)
        bounds = block.indptr.tolist()
        for begin, end in pairwise(bounds):
            yield columns[begin:end], texts[begin:end]


def _blocks(matrix: FeatureMatrix) -> Iterator[FeatureMatrix]:
    n = matrix.shape[0]
    with progress_bar("writing", n) as advance:
        for start in range(0, n, _ROWS_AT_ONCE):
            yield matrix[start : start + _ROWS_AT_ONCE]
            advance(min(_ROWS_AT_ONCE, n - start))
