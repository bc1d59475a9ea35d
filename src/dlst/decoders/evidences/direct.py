"""The direct read-out: labels regressed on the features, as a logit with linear tails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dlst._kernels.ridge import (
    RidgeSmoother,
    Spectrum,
    differ_by_constants,
    leave_one_out_errors,
)
from dlst._matrices import FeatureMatrix, FloatArray, IntArray, as_dense
from dlst._parameters import with_parameters
from dlst.decoders.evidences.contract import Evidence, TrainingRows
from dlst.parts import Smoother

LABEL_BLOCK_ENTRIES = 32_000_000
"""Entries of dense label columns regressed at once: 256 MB."""

CACHED_ENTRIES = 16_000
"""Entries that the link is applied to at once: 128 kB."""

RELATIVE_PENALTIES = np.geomspace(1e-4, 1e2, 13)
"""Penalties of the ridge from codes, over the mean eigenvalue of their scatter."""


@with_parameters
class DirectReadout(Evidence):
    """Evidence: the labels regressed on the features by the codes' own smoother.

    Each label's read-out s becomes phi(s) = log softplus(s/tau) - log softplus((1-s)/tau): a logit
    that is linear outside (0, 1), so that scores there keep their order. Unknown entries are
    replaced by the mean of their label. If the codes differ from the labels by a constant, as the
    full code does, the predicted codes are reused and nothing is regressed again. Without a
    smoother the labels are regressed on the codes by ridge.

    Parameters
    ----------
    link_scale : float, optional
        tau of all labels. By default, for each label, the standard deviation of its leave-one-out
        read-outs over the rows without it, plus 0.001.

    Attributes
    ----------
    link_scale_ : ndarray of shape (K,)
    code_offset_ : ndarray of shape (K,) or None
        The constant by which read-out and codes differ, if it is one.

    Examples
    --------
    >>> DirectReadout(link_scale=0.1).get_params()
    {'link_scale': 0.1}
    """

    name = "direct"

    link_scale: float | None = None

    def fit(self, training: TrainingRows) -> FloatArray:
        """Regress the labels; return the evidence of ``training.rows``, each row left out."""
        self.from_codes_ = training.smoother is None
        self.smoother_: Smoother = training.smoother or CodeRidge.of(training)
        if not self.from_codes_ and training.X is None:
            raise ValueError("the direct read-out needs X; got X=None. Pass X, or direct=False.")
        n, K = training.labels.shape
        self.link_scale_ = np.empty(K)
        self.readouts_: list[Any] = []
        self.code_offset_ = self._offset(training)
        values = np.empty((len(training.rows), K))
        for columns in label_blocks(n, K):
            filled, absent = training.filled(columns)
            if self.code_offset_ is not None and training.targets is not None:
                coded = self.smoother_.leave_one_out(training.targets)[:, columns]
                left_out = coded + self.code_offset_[columns]
            else:
                left_out = self.smoother_.leave_one_out(filled)
                self.readouts_.append(self.smoother_.regress(filled))
            self.link_scale_[columns] = self._scale(left_out, absent)
            values[:, columns] = left_out[training.rows]
        return stretched_logit(values, self.link_scale_)

    def values(self, codes: FeatureMatrix, X: FeatureMatrix | None) -> FloatArray:
        """Return the evidence of new rows, shape (n, K)."""
        given = codes if self.from_codes_ else X
        if given is None:
            raise ValueError("the direct read-out needs X of the new rows; got X=None. Pass X.")
        if self.code_offset_ is not None:
            return stretched_logit(as_dense(codes) + self.code_offset_, self.link_scale_)
        parts = [self.smoother_.predict(given, readout) for readout in self.readouts_]
        return stretched_logit(np.hstack(parts), self.link_scale_)

    def _offset(self, training: TrainingRows) -> FloatArray | None:
        """Return labels less regressed codes; None if the difference is not constant."""
        targets, (n, K) = training.targets, training.labels.shape
        if self.from_codes_ or targets is None or targets.shape != (n, K):
            return None
        offset = np.empty(K)
        for columns in label_blocks(n, K):
            filled, _ = training.filled(columns)
            if not differ_by_constants(filled, targets[:, columns]):
                return None
            offset[columns] = filled[0] - targets[0, columns]
        return offset

    def _scale(self, left_out: FloatArray, absent: FloatArray) -> FloatArray:
        if self.link_scale is not None:
            return np.full(left_out.shape[1], float(self.link_scale))
        count = np.maximum(absent.sum(axis=0), 1.0)
        mean = (left_out * absent).sum(axis=0) / count
        variance = ((left_out - mean) ** 2 * absent).sum(axis=0) / count
        return np.asarray(np.sqrt(variance) + 1e-3)


class CodeRidge(RidgeSmoother):
    """Ridge from codes to labels, its penalty chosen by exact leave-one-out."""

    @classmethod
    def of(cls, training: TrainingRows) -> CodeRidge:
        """Decompose the codes and choose the penalty that leaves the least squared error."""
        codes = as_dense(training.codes)
        weights = training.labels.weights
        spectrum = Spectrum.of(codes, weights=training.labels.row_weights()).orthonormalised()
        scale = float(spectrum.eigenvalues.sum()) / min(codes.shape) or 1.0
        penalties = scale * RELATIVE_PENALTIES
        errors = np.zeros(len(penalties))
        for columns in label_blocks(*training.labels.shape):
            filled, _ = training.filled(columns)
            if weights is not None:
                filled *= np.sqrt(weights.labels[columns])
            errors += leave_one_out_errors(spectrum, filled, penalties)
        return cls(spectrum, float(penalties[np.argmin(errors)]))

    def regress(self, targets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return weights on the codes, and offsets."""
        return self.coefficients(targets)

    def predict(self, codes: FeatureMatrix, readout: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Predict the labels of new codes."""
        weights, offset = readout
        return np.asarray(as_dense(codes) @ weights + offset)


def stretched_logit(scores: FloatArray, scale: FloatArray) -> FloatArray:
    """Return log softplus(s/scale) - log softplus((1-s)/scale), finite for every s.

    Examples
    --------
    >>> stretched_logit(np.array([0.5, 0.9, -9.0]), np.array([0.1, 0.1, 0.1])).round(2)
    array([  0.  ,   1.92, -94.61])
    """
    if scores.ndim < 2:
        return _log_softplus(scores / scale) - _log_softplus((1.0 - scores) / scale)
    found = np.empty(scores.shape)
    # Blocks of a few rows stay in the processor's cache between steps.
    for rows in _cached_rows(*scores.shape):
        here = scores[rows]
        found[rows] = _log_softplus(here / scale)
        found[rows] -= _log_softplus((1.0 - here) / scale)
    return found


def label_blocks(n_rows: int, n_labels: int) -> list[IntArray]:
    """Cut labels into blocks of about ``LABEL_BLOCK_ENTRIES`` dense entries."""
    step = max(1, LABEL_BLOCK_ENTRIES // max(1, n_rows))
    return [np.arange(start, min(start + step, n_labels)) for start in range(0, n_labels, step)]


def _cached_rows(n: int, n_columns: int) -> Iterator[slice]:
    step = max(1, CACHED_ENTRIES // max(1, n_columns))
    for start in range(0, n, step):
        yield slice(start, start + step)


def _log_softplus(x: FloatArray) -> FloatArray:
    # Below -30 softplus equals exp to the last bit, and its logarithm is x.
    inside = np.maximum(x, -30.0)
    found = np.abs(inside)
    np.negative(found, out=found)
    np.exp(found, out=found)
    np.log1p(found, out=found)
    found += np.maximum(inside, 0.0)
    np.log(found, out=found)
    return np.where(x < -30.0, x, found)
