"""Shared code of random draws: seeds, sizes, checked rates, blocks of rows, positives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from dlst._matrices import as_indicator
from dlst.data.dataset import Dataset

_BLOCK_NUMBERS = 2**22
"""Numbers held at once, about: 32 MB of doubles."""


def generator_of(random_state: Any) -> np.random.Generator:
    """Return a generator for None, an int, a ``RandomState`` or a ``Generator`` (used as it is)."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    words = check_random_state(random_state).randint(0, 2**32, size=4, dtype=np.uint32)
    return np.random.default_rng(words)


def count_of(size: Any, n: int, name: str = "test_size") -> int:
    """Turn a share in (0, 1), rounded up, or a number of rows into a number of rows below n."""
    if n < 2:
        got = "1 row" if n else "none"
        raise ValueError(f"expected at least 2 rows to split, got {got}. Give more rows.")
    whole = isinstance(size, Integral) and not isinstance(size, bool)
    share = isinstance(size, Real) and not isinstance(size, Integral)
    count = int(size) if whole else math.ceil(n * size) if share and 0 < size < 1 else 0
    if not 0 < count < n:
        raise ValueError(
            f"{name} must be a share between 0 and 1 or a number of rows from 1 to {n - 1}, so "
            f"that both sides have rows; got {size!r} for {n} rows."
        )
    return count


def checked_rate(rate: float, name: str = "rate") -> float:
    """Return a share in [0, 1] or raise."""
    if not 0 <= rate <= 1:
        raise ValueError(f"{name} must lie between 0 and 1; got {rate!r}. 60 % is 0.6.")
    return float(rate)


def check_positive(**values: float) -> None:
    """Raise unless every named value is above 0."""
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name} must be above 0; got {name}={value!r}.")


def row_blocks(
    n: int, numbers_per_row: float, rng: np.random.Generator
) -> Iterator[tuple[np.random.Generator, int]]:
    """Yield a generator of its own and the number of rows of each block of bounded memory."""
    length = max(1, int(_BLOCK_NUMBERS / max(1.0, numbers_per_row)))
    for start in range(0, n, length):
        yield np.random.default_rng(rng.integers(2**63, size=2)), min(length, n - start)


def labels_of(data: Any) -> sp.csr_array:
    """Return the canonical label matrix of a data set, or of anything that is one."""
    return data.Y if isinstance(data, Dataset) else as_indicator(data)


def positives_of(Y: sp.csr_array) -> sp.csr_array:
    """Return the ones of a canonical label matrix as int64 CSR; unknown entries are left out."""
    ones = sp.csr_array((Y.data == 1, Y.indices, Y.indptr), shape=Y.shape, dtype=np.int64)
    if Y.nnz and np.isnan(Y.data).any():
        ones = ones.copy()
        ones.eliminate_zeros()
    return ones
