"""The decoder of linear codes: the encoder's own inverse."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import as_dense
from dlst.decoders._base import CheckedDecoder
from dlst.decoders._inputs import Given, as_codes
from dlst.decoders.regressed_labels import regressed_probabilities, regressed_scores
from dlst.errors import DataError
from dlst.parts import OutOfSample, Scores


class InverseDecoder(CheckedDecoder):
    """Labels ≈ offset + codes · decoding, by a linear encoder: how PLST, CPLST, FaIE decode.

    Nothing is fitted, so no step makes a dense array of training rows by labels.

    Attributes
    ----------
    coef_ : ndarray of shape (r, K)
    intercept_ : ndarray of shape (K,)

    Examples
    --------
    >>> from dlst.encoders import PrincipalEncoder
    >>> Y = [[0, 1], [0, 1], [1, 0]]
    >>> encoder = PrincipalEncoder(1)
    >>> codes = encoder.fit_transform(Y)
    >>> decoder = InverseDecoder().fit(codes, Y, encoder=encoder)
    >>> decoder.predict_proba(codes[[0]]).round(3)
    array([[0., 1.]])
    """

    takes_weights = True

    def _fit(self, given: Given) -> None:
        if (inverse := given.inverse) is None:
            raise DataError(
                f"InverseDecoder must have a linear encoder, such as PrincipalEncoder; got "
                f"{given.encoder!r}. Use LinearDecoder, which fits a linear map to any codes."
            )
        self.codes_, self.labelled_rows_ = given.codes, given.labels.labelled_rows
        self.coef_, self.intercept_ = as_dense(inverse.decoding), np.array(inverse.offset)

    def scores(self, codes: Any, *, X: Any = None) -> Scores:
        """Return probabilities, and the decoded labels less 1/2, both (n, K)."""
        check_is_fitted(self)
        checked = as_dense(as_codes(codes, n_columns=len(self.coef_)))
        return regressed_scores(self.intercept_ + checked @ self.coef_)

    def out_of_sample(self) -> OutOfSample:
        """Return the probabilities that follow from the training rows' own out-of-sample codes."""
        rows = self.labelled_rows_
        decoded = self.intercept_ + as_dense(self.codes_[rows]) @ self.coef_
        return OutOfSample(rows, regressed_probabilities(decoded))
