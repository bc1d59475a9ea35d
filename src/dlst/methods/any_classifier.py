"""Any classifier of scikit-learn's kind, with what every method here has."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils import get_tags

from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, as_dense
from dlst._parameters import one_of, parameter, with_parameters
from dlst._seeds import give_seed
from dlst.errors import DataError
from dlst.methods.answers import with_logits
from dlst.methods.base import MultiLabelClassifier
from dlst.methods.scaling import Scaling
from dlst.parts import Scores


@with_parameters
class AnyClassifier(MultiLabelClassifier):
    """Make a method of a classifier, with rankings, decision rules and a place in comparisons.

    A classifier of label indicators is fitted to them as it is; one of single labels is fitted
    to each by scikit-learn's :class:`~sklearn.multiclass.OneVsRestClassifier`.

    Parameters
    ----------
    estimator : classifier
        What is cloned and fitted. Labels are ranked by its ``predict_proba``, else by its
        ``decision_function``, else by what it predicts, which leaves ties.
    one_vs_rest : {"auto", "always", "never"}
        Whether a clone is fitted to each label. ``"auto"``: where scikit-learn's tags do not say
        that the classifier takes label indicators; ``"never"`` is for those that do without saying
        so.
    decision, cardinality, tau, scaling
        As in :class:`LabelSpaceClassifier`; ``decision="own"`` is what the classifier predicts, and
        features are not scaled unless asked for.
    random_state : int or RandomState, optional
        For the classifier and its parts, where they have no seed of their own.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to the labels that vary.

    Notes
    -----
    Sparse features are made dense for a classifier whose tags do not say that it takes them.
    NaN has no general meaning for a classifier and is refused; rows without labels are not used.

    See Also
    --------
    make : Takes ``module:name`` for a classifier in a file of yours.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, Y = [[0], [1], [2], [10], [11], [12]], [[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]]
    >>> model = AnyClassifier(RandomForestClassifier(20), random_state=0).fit(X, Y)
    >>> model.predict([[0.5], [11.5]])
    array([[1, 0],
           [0, 1]])
    >>> model.predict_top([[11.5]], k=1).labels
    array([[1]])
    """

    estimator: Any
    _: KW_ONLY
    one_vs_rest: str = parameter(default="auto", must_be=one_of("auto", "always", "never"))
    scaling: Scaling = "none"
    random_state: Any = None

    _takes_unknown = False

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        from sklearn.multiclass import OneVsRestClassifier  # slow to import

        model = clone(self.estimator)
        if not hasattr(model, "predict"):
            raise DataError(f"estimator must be a classifier; got {type(model).__name__}.")
        told = get_tags(model)
        takes_many = told.target_tags.multi_output or (
            told.classifier_tags is not None and told.classifier_tags.multi_label
        )
        each = not takes_many if self.one_vs_rest == "auto" else self.one_vs_rest == "always"
        self.takes_sparse_ = bool(told.input_tags.sparse)
        _give_seeds(model, self.random_state)
        self.estimator_ = OneVsRestClassifier(model) if each else model
        target = Y.toarray().astype(np.int64)
        only_many = not each and not told.target_tags.single_output
        X = self._seen(self._fit_scaler(X))
        self.estimator_.fit(X, target if target.shape[1] > 1 or only_many else target.ravel())

    def _scores(self, X: FeatureMatrix) -> Scores:
        X, K = self._seen(self.scaler_.transform(X)), self._varying.size
        if hasattr(self.estimator_, "predict_proba"):
            return with_logits(_by_labels(self.estimator_.predict_proba(X), K))
        if hasattr(self.estimator_, "decision_function"):
            S = _by_labels(self.estimator_.decision_function(X), K)
            return Scores(expit(S), S)
        return with_logits(_by_labels(self.estimator_.predict(X), K))

    def _own_decisions(self, X: FeatureMatrix, P: FloatArray, S: FloatArray) -> BoolArray:
        predicted = self.estimator_.predict(self._seen(self.scaler_.transform(X)))
        decided: BoolArray = _by_labels(predicted, self._varying.size) == 1
        return decided

    def _seen(self, X: FeatureMatrix) -> FeatureMatrix:
        return X if self.takes_sparse_ else as_dense(X)


def _give_seeds(model: Any, seed: Any) -> None:
    """Seed the classifier and its parts, where they have none; the outer ones first."""
    give_seed(model, seed)
    for part in model.get_params().values():
        if hasattr(part, "get_params") and not isinstance(part, type):
            give_seed(part, seed)


def _by_labels(answer: Any, K: int) -> FloatArray:
    """Bring what classifiers answer to a column for each label: that of its positive class."""
    if isinstance(answer, list):
        answer = np.column_stack([np.asarray(each)[:, -1] for each in answer])
    values = np.asarray(answer.toarray() if sp.issparse(answer) else answer, dtype=np.float64)
    if K == 1:
        values = values.reshape(len(values), -1)[:, -1:]
    if values.ndim != 2 or values.shape[1] != K:
        raise DataError(
            f"the classifier must answer with a column for each of {K} labels; got shape "
            f"{values.shape}. Take one of label indicators, or set one_vs_rest='always'."
        )
    return values
