"""Principal axes of label sets, and the one pose among all rotations and shifts of their codes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from dlst._matrices import FloatArray


class PrincipalAxes(NamedTuple):
    """The weighted mean (K,), principal axes (K, r), and the scatter (rank,), widest first."""

    mean: FloatArray
    axes: FloatArray
    scatter: FloatArray

    @property
    def rank(self) -> int:
        """Number of directions in which the sets differ."""
        return len(self.scatter)

    def first(self, n_axes: int) -> FloatArray:
        """Leading axes, shape (K, n_axes); columns of zeros where there are not so many."""
        axes = np.zeros((len(self.mean), n_axes))
        kept = min(n_axes, self.rank)
        axes[:, :kept] = self.axes[:, :kept]
        return axes

    def regression(self, moments: FloatArray) -> FloatArray:
        """Least-squares weights (K, r), given the products of points and centred targets."""
        return np.asarray(self.axes @ ((self.axes.T @ moments) / self.scatter[:, None]))

    def project(self, points: sp.csr_array) -> FloatArray:
        """Coordinates on the axes, shape (m, r)."""
        return np.asarray(points @ self.axes - self.mean @ self.axes)


def label_points(sets: sp.csr_array, distance: str) -> sp.csr_array:
    """Place label sets in R^K so that their squared Euclidean distance is the chosen one.

    For ``distance="euclidean"`` it is the square of the chosen one. NaN entries stay NaN.
    """
    if distance == "normalized":
        return sets * (1.0 / np.sqrt(sets.shape[1]))
    if distance == "cosine":
        present = _present(sets)
        sizes = np.asarray(present.sum(axis=1)).ravel()
        return sp.csr_array(sp.diags_array(1.0 / np.sqrt(2.0 * np.maximum(sizes, 1.0))) @ sets)
    return sets


def principal_axes(
    points: sp.csr_array, weights: FloatArray, n_axes: int | None = None
) -> PrincipalAxes:
    """Weighted principal axes of complete points: all of them, or the widest ``n_axes``.

    The sign of an axis makes the point farthest out on it positive.
    """
    total = weights.sum()
    if total == 0.0:
        return PrincipalAxes(np.zeros(points.shape[1]), np.zeros((points.shape[1], 0)), np.zeros(0))
    mean = np.asarray(weights @ points).ravel() / total
    if points.shape[0] < points.shape[1]:
        centred = np.sqrt(weights)[:, None] * (points.toarray() - mean)
        _, lengths, rows = scipy.linalg.svd(centred, full_matrices=False)
        variances, axes = lengths**2, rows.T
    else:
        # Points stay sparse: only the K × K scatter is dense.
        scatter = (points.T @ (sp.diags_array(weights) @ points)).toarray()
        scatter -= total * np.outer(mean, mean)
        variances, axes = scipy.linalg.eigh(scatter)
        variances, axes = variances[::-1], axes[:, ::-1]
    # The size of the uncentred scatter bounds its rounding, also when all points coincide.
    size = variances.max() + total * float(mean @ mean)
    tolerance = size * max(points.shape) * np.finfo(np.float64).eps
    kept = variances > tolerance
    found = PrincipalAxes(mean, np.ascontiguousarray(axes[:, kept][:, :n_axes]), variances[kept])
    return found._replace(axes=found.axes * outward_signs(found.project(points)))


def pose(codes: FloatArray, weights: FloatArray) -> FloatArray:
    """Centre codes, turn them to their principal axes, and fix the signs.

    Codes are defined up to rotation, reflection and shift; this is the one representative in which
    each coordinate can be regressed on its own.
    """
    centred = codes - weights @ codes / weights.sum()
    _, axes = scipy.linalg.eigh((centred.T * weights) @ centred)
    turned = centred @ axes[:, ::-1]
    return np.asarray(turned * outward_signs(turned))


def outward_signs(codes: FloatArray) -> FloatArray:
    """Return the sign of each column that makes its entry of largest size positive."""
    sizes = np.abs(codes)
    # Mirrored sets are equally far out but for rounding: the last of them decides. In
    # lexicographic order that makes a single label positive where it is present.
    far_out = sizes >= sizes.max(axis=0) * (1.0 - 1e-9)
    farthest = len(codes) - 1 - np.argmax(far_out[::-1], axis=0)
    entries = codes[farthest, np.arange(codes.shape[1])]
    return np.where(entries < 0, -1.0, 1.0)


def _present(points: sp.csr_array) -> Any:
    data = np.where(np.isnan(points.data), 0.0, points.data)
    return sp.csr_array((data, points.indices, points.indptr), shape=points.shape)
