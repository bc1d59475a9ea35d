"""Regressors without leave-one-out: any of scikit-learn's, with cross-fitted codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from dlst._cross_fitting import cross_fitted
from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import with_parameters
from dlst._weights import Weights, no_place
from dlst.errors import DataError
from dlst.parts import Regressor, Smoother


class CrossFittedRegression:
    """A regression of training rows whose out-of-sample codes come from five folds.

    Parameters
    ----------
    regressor : scikit-learn regressor
        Fitted by ``regress``.
    X : ndarray or csr_array of shape (n, d)
        The training rows.
    weights : Weights, optional
        Those of the rows go to the regressor as ``sample_weight``.
    """

    smoother: Smoother | None = None

    def __init__(self, regressor: Any, X: FeatureMatrix, weights: Weights | None = None):
        self.regressor = regressor
        self.X = X
        self.weights = weights
        self._known: list[tuple[FloatArray, FloatArray]] = []

    def regress(self, Z: FloatArray) -> FloatArray:
        """Fit the regressor to codes (n, r); they are its targets."""
        self.regressor.fit(self.X, Z, **self._weights_of(slice(None)))
        return Z

    def out_of_sample(self, Z: FloatArray) -> FloatArray:
        """Return codes (n, r), each predicted by a clone that was fitted to the other folds."""
        for codes, predicted in self._known:
            # Whoever chose these codes by their predictions has paid for the folds already.
            if codes is Z:
                return predicted
        predicted = self._out_of_sample(Z)
        self._known.append((Z, predicted))
        return predicted

    def _out_of_sample(self, Z: FloatArray) -> FloatArray:
        return cross_fitted_codes(self.regressor, self.X, Z, self._weights_of)

    def _weights_of(self, rows: Any) -> dict[str, Any]:
        return {} if self.weights is None else {"sample_weight": self.weights.rows[rows]}


@with_parameters
class CrossFitted(MultiOutputMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Any scikit-learn regressor as the regressor of a composition.

    A composition does this wrapping; the class is public for inspection.

    Parameters
    ----------
    estimator : regressor
        Multi-output.

    Attributes
    ----------
    estimator_ : regressor
        Fitted.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> model = CrossFitted(Ridge(alpha=1e-9)).fit([[0.0], [1.0]], [[1.0], [3.0]])
    >>> model.predict([[2.0]]).round(3)
    array([[5.]])
    """

    estimator: Any

    def fit(self, X: Any, y: Any, **weights: Any) -> CrossFitted:
        """Fit a clone of the estimator; weights go on to those that take ``sample_weight``."""
        try:
            self.estimator_ = clone(self.estimator).fit(X, y, **weights)
        except ValueError as error:
            if np.ndim(y) < 2 or get_tags(self.estimator).target_tags.multi_output:
                raise
            raise DataError(
                f"regressor must predict codes of {np.shape(y)[1]} dimensions; got "
                f"{self.estimator!r}, which was not fitted to them ({error}). If it predicts one "
                "number only, put it into scikit-learn's MultiOutputRegressor."
            ) from error
        return self

    def prepare(
        self, X: FeatureMatrix, labels: Any, weights: Weights | None = None
    ) -> CrossFittedRegression:
        """Remember the rows; scikit-learn's regressors choose nothing by labels."""
        if weights is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise no_place(self.estimator)
        return CrossFittedRegression(self, X, weights)

    def predict(self, X: Any) -> FloatArray:
        """Predict codes, shape (n, r)."""
        check_is_fitted(self)
        return two_dimensional(self.estimator_.predict(X))


def as_regressor(part: Any) -> Regressor:
    """Return a part that keeps the contract as it is, any other as :class:`CrossFitted`.

    Parameters
    ----------
    part : regressor
        Ours, or any of scikit-learn's.

    Returns
    -------
    Regressor

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> as_regressor(Ridge())
    CrossFitted(estimator=Ridge())
    """
    if hasattr(part, "prepare"):
        return part  # type: ignore[no-any-return]
    if not (hasattr(part, "fit") and hasattr(part, "predict")) or is_classifier(part):
        raise ValueError(f"regressor must be a regressor of dlst or scikit-learn; got {part!r}.")
    return CrossFitted(part)


def cross_fitted_codes(
    regressor: Any,
    X: FeatureMatrix,
    Z: FloatArray,
    weights_of: Callable[[Any], dict[str, Any]] = lambda rows: {},
) -> FloatArray:
    """Return codes (n, r) of rows predicted by clones that were fitted to the other four folds."""

    def predict(train: Any, held_out: Any) -> FloatArray:
        model = clone(regressor).fit(X[train], Z[train], **weights_of(train))
        return two_dimensional(model.predict(X[held_out]))

    return cross_fitted(predict, len(Z))


def two_dimensional(codes: Any) -> FloatArray:
    """Return codes as an array (n, r), also where there is one code for each row."""
    found: FloatArray = np.asarray(codes, dtype=np.float64)
    return found.reshape(len(found), -1)
