"""The signs of labels as their code: each label a coordinate of its own, -1 or 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from dlst.encoders._base import CodeEncoder
from dlst.encoders._checks import checked_labels


class SignCode(OneToOneFeatureMixin, CodeEncoder):  # type: ignore[misc]
    """Encode labels as -1 (absent) and 1, NaN where unknown.

    For regressors that leave an unknown entry out of its own label's problem
    (:class:`~dlst.regressors.LinearMachines`), and a decoder that reads the regressed signs as
    scores of labels (:class:`~dlst.decoders.StagedDecoder`).

    Attributes
    ----------
    n_components_ : int
        Number of labels.

    Examples
    --------
    >>> SignCode().fit_transform([[1, 0], [0, np.nan]])
    array([[ 1., -1.],
           [-1., nan]])
    """

    def fit(self, Y: Any, X: Any = None) -> SignCode:
        """Count the labels; ``X`` is ignored."""
        validate_data(self, Y, skip_check_array=True)
        self.n_components_ = int(checked_labels(Y).shape[1])
        return self

    def fit_transform(self, Y: Any, X: Any = None) -> NDArray[np.float64]:
        """Return the codes of the rows, shape (n, K)."""
        return self.fit(Y, X).transform(Y)

    def transform(self, Y: Any) -> NDArray[np.float64]:
        """Return the codes of label sets, shape (n, K)."""
        check_is_fitted(self)
        validate_data(self, Y, skip_check_array=True, reset=False)
        signs: NDArray[np.float64] = checked_labels(Y).toarray()
        signs *= 2.0
        signs -= 1.0
        return signs
