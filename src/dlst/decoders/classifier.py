"""Any scikit-learn classifier as a decoder: one for each label, on the codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import as_dense
from dlst._parameters import with_parameters
from dlst.decoders._base import CheckedDecoder
from dlst.decoders._inputs import Given, as_codes, clipped_logit
from dlst.parts import Decoder, Scores


@with_parameters
class ClassifierDecoder(CheckedDecoder):
    """Each label classified by the codes of the rows where it is known.

    A composition wraps a classifier: ``LabelSpaceClassifier(decoder=GaussianNB())``.

    Parameters
    ----------
    estimator : classifier
        Binary, with ``predict_proba``.

    Attributes
    ----------
    estimators_ : list of classifier
        One for each label; None for a label whose known entries are all equal.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> codes = [[-2.0], [-1.0], [1.0], [2.0]]
    >>> decoder = ClassifierDecoder(LogisticRegression()).fit(codes, [[0], [0], [1], [1]])
    >>> (decoder.predict_proba([[3.0]]) > 0.5).tolist()
    [[True]]
    """

    estimator: Any

    def _fit(self, given: Given) -> None:
        codes, labels = as_dense(given.codes), given.labels
        self.n_codes_ = codes.shape[1]
        self.prevalence_ = labels.prevalence
        present, known = labels.dense()
        self.estimators_: list[Any] = []
        for label, constant in enumerate(labels.constant):
            rows = slice(None) if known is None else known[:, label]
            fitted = None
            if not constant:
                fitted = clone(self.estimator).fit(codes[rows], present[rows, label].astype(int))
            self.estimators_.append(fitted)

    def scores(self, codes: Any, *, X: Any = None) -> Scores:
        """Return the classifiers' probabilities and their logits, both (n, K)."""
        check_is_fitted(self)
        checked = as_dense(as_codes(codes, n_columns=self.n_codes_))
        P = np.tile(self.prevalence_, (len(checked), 1))
        for label, fitted in enumerate(self.estimators_):
            if fitted is not None:
                P[:, label] = fitted.predict_proba(checked)[:, 1]
        return Scores(P, clipped_logit(P, 1e-12))


def as_decoder(part: Any) -> Decoder:
    """Return a decoder unchanged, and wrap a classifier in :class:`ClassifierDecoder`.

    Parameters
    ----------
    part : decoder or classifier
        A decoder of dlst, or any scikit-learn classifier with ``predict_proba``.

    Returns
    -------
    Decoder

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> as_decoder(GaussianNB())
    ClassifierDecoder(estimator=GaussianNB())
    """
    if hasattr(part, "scores"):
        return part  # type: ignore[no-any-return]
    if not (hasattr(part, "fit") and hasattr(part, "predict_proba")):
        raise ValueError(
            f"decoder must be a decoder, or a classifier with predict_proba; got {part!r}. "
            "CalibratedClassifierCV adds predict_proba to classifiers without it."
        )
    return ClassifierDecoder(part)
