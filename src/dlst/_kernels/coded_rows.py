"""Squared distances of one row to many rows stored as small integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled


@compiled()
def coded_squares(
    rows: NDArray[np.int16], squares: NDArray[np.int32], query: NDArray[np.int16]
) -> NDArray[np.int32]:
    """Return the squared distance of each row (n, d), of known squared length, to a query (d,).

    In integer arithmetic; the caller keeps the numbers small enough that no sum overflows.
    """
    own = np.int32(0)
    for f in range(len(query)):
        own += np.int32(query[f]) * np.int32(query[f])
    found = np.empty(rows.shape[0], np.int32)
    for i in range(rows.shape[0]):
        product = np.int32(0)
        for f in range(rows.shape[1]):
            product += np.int32(rows[i, f]) * np.int32(query[f])
        found[i] = squares[i] + own - 2 * product
    return found
