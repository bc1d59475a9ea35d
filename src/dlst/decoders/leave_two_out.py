"""Distances between codes, each predicted without both rows of the pair.

A ridge smoother H predicts the codes of its own training rows as HZ. The code of row l without
rows i and l is, with residuals R = Z - HZ and a = 1 - diag(H),

    c_l(i) = z_l - alpha_il r_i - gamma_il r_l,
    alpha_il = h_il / (a_i a_l - h_il²),   gamma_il = a_i / (a_i a_l - h_il²),

and the query, without row i, q_i = z_i - r_i / a_i. A code that had seen row i would be biased
towards z_i, and votes would look better in calibration than they are for a new row. With weights w
of the rows, H is that of rows times w^(1/2), and r_i is multiplied by (w_i / w_l)^(1/2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils import gen_batches

from dlst._matrices import BoolArray, FloatArray, IntArray
from dlst._progress import progress_bar
from dlst.decoders.neighbours import Neighbours
from dlst.parts import Smoother

LEAST_LEVERAGE_GAP = 1e-10
"""Lower bound of 1 - leverage and of its products, for smoothers that interpolate."""

QUERY_ROWS = 2048
PAIRS_AT_ONCE = 1_000_000
"""Distances of one block; its arrays fit a processor's caches."""


class LeaveTwoOut:
    """Distances between left-out queries and codes searched, each predicted without both rows.

    Parameters
    ----------
    smoother : Smoother
        With hat matrix H.
    targets : ndarray of shape (n, r)
        Z, the codes that the smoother was fitted to.
    """

    def __init__(self, smoother: Smoother, targets: FloatArray):
        self.smoother, self.targets, self.root = smoother, targets, smoother.root
        self.residuals = targets - smoother.smooth(targets)
        self.gaps = np.maximum(1.0 - smoother.leverage, LEAST_LEVERAGE_GAP)

    def queries(self, rows: IntArray) -> LeftOutQueries:
        """Return the queries of some rows i, ready to be compared with others."""
        return LeftOutQueries(self, rows)


class LeftOutQueries:
    """Rows i whose codes are predicted without them."""

    def __init__(self, left_out: LeaveTwoOut, rows: IntArray):
        self._all, self._rows = left_out, rows
        self._hat = left_out.smoother.hat(rows)
        self.r, self.a = left_out.residuals[rows], left_out.gaps[rows, None]
        self.q = left_out.targets[rows] - self.r / self.a
        self.q_square = (self.q**2).sum(1)[:, None]
        self.r_square = (self.r**2).sum(1)[:, None]
        self.q_r = (self.q * self.r).sum(1)[:, None]

    def distances(self, searched: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return A, B, C, each (queries, searched), of d² = A + t B + t² C, t = 1 - rho.

        d is the distance between the query q_i and (1 - rho) c_l(i) + rho z_l of each row l that is
        searched. The products are shared by all rho. Entries with i = l are undefined.
        """
        known = self._all
        z, r, a = known.targets[searched], known.residuals[searched], known.gaps[searched]
        h = self._hat(searched)
        determinant = np.maximum(self.a * a - h**2, LEAST_LEVERAGE_GAP**2)
        alpha, gamma = h / determinant, self.a / determinant
        if known.root is not None:
            alpha *= known.root[self._rows, None] / known.root[searched]

        fixed = self.q_square + (z**2).sum(1) - 2.0 * (self.q @ z.T)
        linear = self.q_r - self.r @ z.T
        linear *= 2.0 * alpha
        linear += 2.0 * gamma * (self.q @ r.T - (z * r).sum(1))
        square = alpha**2 * self.r_square + gamma**2 * (r**2).sum(1)
        square += 2.0 * alpha * gamma * (self.r @ r.T)
        return fixed, linear, square


def leave_two_out_neighbours(
    smoother: Smoother,
    targets: FloatArray,
    rows: IntArray,
    searched_rows: IntArray,
    n_neighbors: int,
    rho_grid: Sequence[float],
) -> list[Neighbours]:
    """Find for each rho the nearest rows searched by leave-two-out distance.

    Indices are positions in ``searched_rows``; a row is no neighbour of itself.
    """
    parts: list[list[NearestSoFar]] = [[] for _ in rho_grid]
    left_out = LeaveTwoOut(smoother, targets)
    with progress_bar("calibrating on codes left out", len(rows) * len(searched_rows)) as advance:
        for batch in gen_batches(len(rows), QUERY_ROWS):
            queries = left_out.queries(rows[batch])
            nearest = [NearestSoFar(batch.stop - batch.start, n_neighbors) for _ in rho_grid]
            for block in gen_batches(len(searched_rows), max(1, PAIRS_AT_ONCE // len(queries.q))):
                searched = searched_rows[block]
                fixed, linear, square = queries.distances(searched)
                itself = rows[batch][:, None] == searched
                for found, rho in zip(nearest, rho_grid, strict=True):
                    t = 1.0 - rho
                    squared = np.maximum(fixed + t * (linear + t * square), 0.0)
                    squared[itself] = np.inf
                    found.offer(squared, block.start)
                advance(itself.size)
            for part, found in zip(parts, nearest, strict=True):
                part.append(found)
    return [
        Neighbours(
            np.concatenate([found.indices for found in part]),
            np.concatenate([found.squared for found in part]),
        )
        for part in parts
    ]


class NearestSoFar:
    """The k nearest rows of blocks seen so far; ties by the first."""

    def __init__(self, n_queries: int, k: int):
        self.k = k
        self.indices = np.full((n_queries, k), -1)
        self.squared = np.full((n_queries, k), np.inf)

    def offer(self, squared: FloatArray, start: int) -> None:
        """Add squared distances (queries, m) of places start, start + 1 and so on."""
        near = squared < self.squared[:, -1:]
        most = int(near.sum(axis=1).max(initial=0))
        if most == 0:
            return
        # After some blocks, few rows are near enough; before that, a partition is faster.
        places = _first_true(near, most) if most <= self.k else _smallest(squared, self.k)
        found = np.take_along_axis(squared, places, axis=1)
        if most <= self.k:
            found = np.where(np.take_along_axis(near, places, axis=1), found, np.inf)
        indices = np.hstack([self.indices, places + start])
        squared = np.hstack([self.squared, found])
        order = np.argsort(squared, axis=1, kind="stable")[:, : self.k]
        self.indices = np.take_along_axis(indices, order, axis=1)
        self.squared = np.take_along_axis(squared, order, axis=1)


def _first_true(chosen: BoolArray, most: int) -> IntArray:
    """Return the columns of true entries of each row, ascending; the rest is padding."""
    places = np.zeros((len(chosen), most), dtype=np.int64)
    rows, columns = np.nonzero(chosen)
    first = np.searchsorted(rows, np.arange(len(chosen)))
    places[rows, np.arange(len(rows)) - first[rows]] = columns
    counts = np.bincount(rows, minlength=len(chosen))
    # Padded with a column that is not true, so that none is taken twice.
    refused = np.argmin(chosen, axis=1)
    return np.where(np.arange(most) < counts[:, None], places, refused[:, None])


def _smallest(squared: FloatArray, k: int) -> IntArray:
    if squared.shape[1] <= k:
        return np.tile(np.arange(squared.shape[1]), (len(squared), 1))
    nearest = np.argpartition(squared, k - 1, axis=1)[:, :k]
    nearest.sort(axis=1)
    return nearest
