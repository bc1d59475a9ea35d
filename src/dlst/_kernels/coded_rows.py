"""Squared distances of one row to many that are kept in a byte for each number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dlst._compiled import compiled


@compiled()
def byte_squares(
    rows: NDArray[np.int8], squares: NDArray[np.int32], query: NDArray[np.int16]
) -> NDArray[np.int32]:
    """Return the squared distance of each row (n, d), of known squared length, to a query (d,).

    Sums are whole numbers, exact while d is below 30,000.
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
