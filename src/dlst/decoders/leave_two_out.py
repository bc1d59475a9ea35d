"""Distances between codes as a new row would see them: predicted without both rows of the pair.

A ridge smoother H predicts the codes of its own training rows as HZ. The code of row l without
rows i and l is, with residuals R = Z - HZ and a = 1 - diag(H),

    c_l(i) = z_l - alpha_il r_i - gamma_il r_l,
    alpha_il = h_il / (a_i a_l - h_il²),   gamma_il = a_i / (a_i a_l - h_il²),

and the query, without row i, q_i = z_i - r_i / a_i. A code that had seen row i would lean towards
z_i, and votes would look better in calibration than they are for a new row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dlst._progress import progress_bar
from dlst.decoders._inputs import FloatArray, IntArray
from dlst.decoders.neighbours import Neighbours, row_blocks
from dlst.parts import Smoother

LEAST_LEVERAGE_GAP = 1e-10
"""Floor of 1 - leverage and of its products, against a smoother that interpolates."""


class LeaveTwoOut:
    """Distances between left-out queries and codes searched, left out with them.

    Parameters
    ----------
    smoother : Smoother
        Its hat matrix is H = U diag(shrinkage) Uᵀ + 1/n.
    targets : ndarray of shape (n, r)
        Z, the codes that the smoother was fitted to.
    searched_rows : ndarray of int
        The rows l.
    """

    def __init__(self, smoother: Smoother, targets: FloatArray, searched_rows: IntArray):
        self.targets = targets
        self.residuals = targets - _smooth(smoother, targets)
        self.gaps = np.maximum(1.0 - smoother.leverage, LEAST_LEVERAGE_GAP)
        self.U, self.shrinkage = smoother.U, smoother.shrinkage
        everything = np.array_equal(searched_rows, np.arange(len(targets)))
        self.searched_U = self.U if everything else self.U[searched_rows]
        self.searched_targets = targets[searched_rows]
        self.searched_residuals = self.residuals[searched_rows]
        self.searched_gaps = self.gaps[searched_rows]

    def distances(self, rows: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return A, B, C, each (n_rows, n_searched), of d² = A + t B + t² C, t = 1 - rho.

        d is the distance between the query q_i of each row i and (1 - rho) c_l(i) + rho z_l. The
        products are shared by all rho. Entries with i = l mean nothing.
        """
        z, r, a = self.searched_targets, self.searched_residuals, self.searched_gaps
        r_i, a_i = self.residuals[rows], self.gaps[rows, None]
        q_i = self.targets[rows] - r_i / a_i
        h = (self.U[rows] * self.shrinkage) @ self.searched_U.T
        h += 1.0 / len(self.targets)
        determinant = np.maximum(a_i * a - h**2, LEAST_LEVERAGE_GAP**2)
        alpha, gamma = h / determinant, a_i / determinant

        fixed = (q_i**2).sum(1)[:, None] + (z**2).sum(1) - 2.0 * (q_i @ z.T)
        linear = (q_i * r_i).sum(1)[:, None] - r_i @ z.T
        linear *= 2.0 * alpha
        linear += 2.0 * gamma * (q_i @ r.T - (z * r).sum(1))
        square = alpha**2 * (r_i**2).sum(1)[:, None] + gamma**2 * (r**2).sum(1)
        square += 2.0 * alpha * gamma * (r_i @ r.T)
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
    parts: list[list[tuple[IntArray, FloatArray]]] = [[] for _ in rho_grid]
    left_out = LeaveTwoOut(smoother, targets, searched_rows)
    position = np.full(targets.shape[0], -1)
    position[searched_rows] = np.arange(len(searched_rows))
    with progress_bar("calibrating on codes left out", len(rows)) as advance:
        for block in row_blocks(len(rows), len(searched_rows)):
            fixed, linear, square = left_out.distances(rows[block])
            own = position[rows[block]]
            inside = own >= 0
            for part, rho in zip(parts, rho_grid, strict=True):
                t = 1.0 - rho
                squared = np.maximum(fixed + t * (linear + t * square), 0.0)
                squared[np.flatnonzero(inside), own[inside]] = np.inf
                part.append(_nearest(squared, n_neighbors))
            advance(block.stop - block.start)
    return [
        Neighbours(*(np.concatenate(arrays) for arrays in zip(*part, strict=True)))
        for part in parts
    ]


def _smooth(smoother: Smoother, targets: FloatArray) -> FloatArray:
    """Apply H without forming it."""
    mean = targets.mean(axis=0)
    smoothed = smoother.U @ (smoother.shrinkage[:, None] * (smoother.U.T @ (targets - mean)))
    return np.asarray(smoothed + mean)


def _nearest(squared: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    nearest = np.argpartition(squared, k - 1, axis=1)[:, :k]
    nearest.sort(axis=1)
    distances = np.take_along_axis(squared, nearest, axis=1)
    order = np.argsort(distances, axis=1, kind="stable")
    return (
        np.take_along_axis(nearest, order, axis=1),
        np.take_along_axis(distances, order, axis=1),
    )
