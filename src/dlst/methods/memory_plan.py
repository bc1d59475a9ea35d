"""The memory that a fit needs, estimated before it starts; an error says what would fit.

Counted are arrays that grow with the rows, those that have the size of the basis, and blocks. What
the caller holds already, such as the features given, is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import scipy.sparse as sp

from dlst._matrices import FeatureMatrix
from dlst._memory import (
    BLOCK_BYTES,
    BLOCKS_IN_BUDGET,
    as_bytes,
    free_memory,
    memory_budget,
    readable,
)
from dlst._parameters import NONE, Constraint
from dlst.errors import MemoryPlanError
from dlst.regressors import KernelRegressor

ARRAYS_OF_FEATURES = 1.5
"""Of (n, d) float64: scaled features, and a copy in single precision that votes search."""

ARRAYS_OF_LABELS = 8.5
"""Of (n, K) float64: codes, left-out codes, residuals, what is searched, evidence in the making."""

HELD_ARRAYS = 5
"""Of (n, s) float64, where the features of all rows on the basis are held."""

ARRAYS_OF_BASIS = 20
"""Of (s, s) float64: a whitening for each width, sums, eigenvectors, projections."""

READOUTS = 6
"""Of (s, K) float64: products with targets and weights."""

LEAST_BLOCK_BYTES = 2**20

CALIBRATION_ROWS = 5000
CALIBRATION_ARRAYS = 12
"""Of rows that votes are weighed on, times K."""


class Shape(NamedTuple):
    """Rows, features, labels, rows of the basis, and numbers held for each row of it."""

    n: int
    d: int
    K: int
    s: int
    held: int = 0

    @classmethod
    def of(cls, X: FeatureMatrix, Y: sp.csr_array, regressor: Any) -> Shape | None:
        """Return the shape of a fit by a kernel regressor; None for others."""
        if not isinstance(regressor, KernelRegressor):
            return None
        (n, d), K = X.shape, Y.shape[1]
        s = regressor.n_basis_of(n)
        return cls(n, d, K, s, regressor.held_numbers(n, s))


def fixed_bytes(shape: Shape) -> int:
    """Return what a kernel composition holds at its peak besides blocks.

    Examples
    --------
    >>> readable(fixed_bytes(Shape(n=200_000, d=100, K=81, s=1000)))
    '1.4 GiB'
    """
    n, d, K, s, held = shape
    numbers = n * (ARRAYS_OF_FEATURES * d + ARRAYS_OF_LABELS * K)
    numbers += s * (ARRAYS_OF_BASIS * s + READOUTS * K) + HELD_ARRAYS * held
    numbers += CALIBRATION_ARRAYS * min(n, CALIBRATION_ROWS) * K
    return int(8 * numbers)


@contextmanager
def planned(shape: Shape | None, max_memory: Any) -> Iterator[None]:
    """Let a fit of this shape work in blocks that keep to the memory, or refuse it.

    Parameters
    ----------
    shape : Shape or None
        None is not planned.
    max_memory : int, str or None
        What may be taken; None is what the machine has free.
    """
    if shape is None:
        yield
        return
    allowed = free_memory() if max_memory is None else as_bytes(max_memory)
    needed = fixed_bytes(shape)
    least = needed + BLOCKS_IN_BUDGET * LEAST_BLOCK_BYTES
    if allowed is not None and least > allowed:
        raise MemoryPlanError(_refusal(shape, least, allowed, max_memory is None))
    for_blocks = BLOCKS_IN_BUDGET * BLOCK_BYTES if allowed is None else allowed - needed
    with memory_budget(for_blocks):
        yield


def _refusal(shape: Shape, least: int, allowed: int, is_free: bool) -> str:
    n, d, K, s, held = shape
    of_a_row = 8 * (ARRAYS_OF_FEATURES * d + ARRAYS_OF_LABELS * K + HELD_ARRAYS * held / n)
    fewer = max(0, int((allowed - (least - n * of_a_row)) / of_a_row))
    whose = "are free" if is_free else "max_memory allows"
    return (
        f"fitting {n} rows of {d} features and {K} labels on a basis of {s} rows needs about "
        f"{readable(least)}; {readable(allowed)} {whose}. Fit {fewer} of the rows, lower "
        "regressor__n_basis, leave out rare labels, raise max_memory, or spread the rows over "
        "machines (dlst[dask])."
    )


def _is_size(value: Any) -> bool:
    try:
        as_bytes(value)
    except ValueError:
        return False
    return True


MAX_MEMORY = NONE | Constraint("bytes, or a size such as '4GiB'", _is_size)
