"""The linear decoder: labels by least squares from codes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import FloatArray, as_dense
from dlst._parameters import one_of, parameter, with_parameters
from dlst.decoders._base import CheckedDecoder
from dlst.decoders._inputs import Given, Labels, as_codes
from dlst.parts import OutOfSample, Scores


@with_parameters
class LinearDecoder(CheckedDecoder):
    """Labels as an affine function of the codes, fitted by least squares.

    On the codes of a linear encoder this is the encoder's own inverse. With centred labels
    Yc = A S Vᵀ and principal codes Z = Yc V_r = A_r S_r, least squares from Z gives
    (ZᵀZ)⁻¹ ZᵀYc = S_r⁻² S_r A_rᵀ A S Vᵀ = V_rᵀ: what PLST decodes with. With r = rank(Yc) it gives
    the labels back exactly.

    Parameters
    ----------
    source : {"targets", "codes"}
        What the labels are regressed on: the codes that the encoder made (the inverse of the
        encoder; ``codes`` where no targets are given), or the regressor's out-of-sample codes.

    Attributes
    ----------
    intercept_ : ndarray of shape (K,)
    coef_ : ndarray of shape (r, K)
    calibration_rows_, out_of_sample_proba_
        The labelled rows, and their probabilities from the given codes. With ``source="codes"``
        the decoder itself has seen these rows.

    Examples
    --------
    >>> decoder = LinearDecoder().fit([[0.0], [1.0], [2.0]], [[0, 1], [0, 1], [1, 0]])
    >>> decoder.decision_function([[1.0]]).round(3)
    array([[0.333, 0.667]])
    """

    source: Literal["targets", "codes"] = parameter(
        default="targets", must_be=one_of("targets", "codes")
    )

    def _fit(self, given: Given) -> None:
        codes, labels, targets = as_dense(given.codes), given.labels, given.targets
        self.n_codes_ = codes.shape[1]
        self.constant_, self.prevalence_ = labels.constant, labels.prevalence
        chosen = codes if targets is None or self.source == "codes" else targets
        self.intercept_, self.coef_ = _least_squares(chosen, labels)
        self.calibration_rows_ = labels.labelled_rows
        self.out_of_sample_proba_ = self.predict_proba(codes[self.calibration_rows_])

    def scores(self, codes: Any, *, X: Any = None) -> Scores:
        """Return the decoded labels kept within [0, 1], and as they are, both (n, K)."""
        check_is_fitted(self)
        checked = as_dense(as_codes(codes, n_columns=self.n_codes_))
        decoded = self.intercept_ + checked @ self.coef_
        decoded[:, self.constant_] = self.prevalence_[self.constant_]
        return Scores(np.clip(decoded, 0.0, 1.0), decoded)

    def out_of_sample(self) -> OutOfSample:
        """Return probabilities of the labelled rows from the codes that were given."""
        return OutOfSample(self.calibration_rows_, self.out_of_sample_proba_)


def _least_squares(codes: FloatArray, labels: Labels) -> tuple[FloatArray, FloatArray]:
    present, known = labels.dense()
    if known is None:
        return _affine_fit(codes, present)
    K = labels.shape[1]
    intercept, coef = np.zeros(K), np.zeros((codes.shape[1], K))
    # Labels known on the same rows are solved together.
    patterns, group = np.unique(known, axis=1, return_inverse=True)
    for place in range(patterns.shape[1]):
        rows, columns = patterns[:, place], np.flatnonzero(group == place)
        if rows.any():
            fitted = _affine_fit(codes[rows], present[np.ix_(rows, columns)])
            intercept[columns], coef[:, columns] = fitted
    return intercept, coef


def _affine_fit(codes: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    code_mean, value_mean = codes.mean(axis=0), values.mean(axis=0)
    coef = np.linalg.lstsq(codes - code_mean, values - value_mean, rcond=None)[0]
    return value_mean - code_mean @ coef, coef
