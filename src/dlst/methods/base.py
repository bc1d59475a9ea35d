"""The base of all methods: reads targets, sets constant labels aside, learns decisions."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from functools import cache
from typing import Any, ClassVar, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_consistent_length

from dlst._checked_rows import checked_training_rows
from dlst._cross_fitting import cross_fitted
from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, refuse_huge
from dlst._parameters import Constraints, check_parameters, number, with_parameters
from dlst._unknown import known_means
from dlst._weights import Weights, read_weights
from dlst.data.names import NumberedNames
from dlst.decisions import DecisionLayer, OwnOrRule, Tau
from dlst.errors import DataError
from dlst.methods.answers import Answers
from dlst.methods.elsewhere import also_on_a_cluster
from dlst.methods.scaling import FeatureScaler, Scaling
from dlst.methods.targets import labelled_rows, read_targets
from dlst.parts import OutOfSample

FEWEST_CROSS_FITTED = 3
"""Labelled rows of which two can be learnt from while one is judged."""


OutOfSampleLater: TypeAlias = Callable[[], OutOfSample | None]
"""Gives probabilities of training rows as if they were new, when a decision asks for them."""


@with_parameters
class MultiLabelClassifier(ClassifierMixin, Answers, BaseEstimator):  # type: ignore[misc]
    """Base of all methods: a scikit-learn classifier for label indicators and for 1-D classes.

    A method implements ``_fit(X, Y)`` and ``_scores(X)``, and ``_own_decisions(X, P, S)`` and
    ``_row_votes(X)`` where it has its own. They see float64 or CSR
    features, a CSR indicator with NaN for unknown entries, only rows with a known label and only
    labels that vary. Its parameters are annotated attributes of the class
    (``dlst._parameters.with_parameters``); those below it has from here.

    A method that has no meaning for an unknown entry sets ``_takes_unknown = False``: such entries
    are then refused. Decisions are learnt on out-of-sample probabilities of the training rows: a
    method that has its own (exact leave-one-out, held-out folds) returns from ``_fit`` a function
    that gives them; those of any other come from clones fitted to four fifths of the rows. Either
    way only if ``decision`` or ``tau`` wants them.

    A semi-supervised method sets ``_takes_unlabelled = True`` and also sees the rows without any
    known label, which all others are spared.

    Parameters
    ----------
    decision, cardinality, tau, scaling
        As in :class:`LabelSpaceClassifier`.

    Notes
    -----
    A label whose known entries are all equal cannot be learnt: it gets the constant score of its
    prevalence, with one warning.

    Examples
    --------
    >>> from dlst.methods import available, make
    >>> all(isinstance(make(name), MultiLabelClassifier) for name in available())
    True
    """

    _takes_unknown = True
    _takes_unlabelled = False
    _constraints: ClassVar[Constraints]

    _: KW_ONLY
    decision: OwnOrRule = "own"
    cardinality: float | None = None
    tau: Tau = 0.0
    scaling: Scaling = "auto"

    @also_on_a_cluster
    def fit(self, X: Any, y: Any, **weights: Any) -> Any:
        """Fit to features and targets.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
            Features; for DLST also a Dask array cut by rows, with ``y`` another.
        y : array-like, sparse or frame of shape (n, K), or array-like of shape (n,)
            Label indicator of 0, 1 and NaN (unknown), or one class for each row.
        weights
            ``sample_weight`` and ``label_weight`` are refused by methods without a place for them.
        """
        self._fit_labels(X, y, **weights)
        return self

    def fit_out_of_sample(self, X: Any, y: Any, **weights: Any) -> OutOfSample:
        """Fit, and give the probabilities of training rows as if each were new.

        Returns
        -------
        OutOfSample
            ``rows``, numbered as given, and their ``probabilities`` of all labels: by exact
            leave-one-out where the method has it, else cross-fitted in five folds.
        """
        rows, P, _ = self._fit_labels(X, y, **weights)()
        return OutOfSample(self.training_rows_[rows], self._over_all(P, self.prevalence_))

    # What a method implements.

    @abstractmethod
    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSampleLater | None:
        """Learn from labelled rows and labels that vary; see the class about what is returned."""

    def _fit_weighted(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> OutOfSampleLater | None:
        """Learn by weight, which :class:`~dlst.methods.weighted.WeightedClassifier` can do."""
        if weights is None:
            return self._fit(X, Y)
        raise DataError(
            f"{type(self).__name__} must be fitted without sample_weight and label_weight, for "
            "which it has no place; got one. Leave them out, or take a method that weighs rows: "
            "DLST, LinearDLST, KRR, BR, PLST or CPLST."
        )

    # What they share.

    def _fit_labels(
        self, X: Any, y: Any, *, sample_weight: Any = None, label_weight: Any = None
    ) -> Callable[[], OutOfSample]:
        check_parameters(self)
        X = checked_training_rows(self, X)
        refuse_huge(X)
        Y, self._targets = read_targets(y)
        check_consistent_length(X, Y)
        names = self._targets.label_names
        self.label_names_: Sequence[str] = names or NumberedNames("label", Y.shape[1])
        self.n_labels_ = int(Y.shape[1])
        classes = self._targets.classes
        self.classes_: NDArray[Any] = np.arange(self.n_labels_) if classes is None else classes
        weights = read_weights(sample_weight, label_weight, Y.shape)
        labelled = labelled_rows(Y)
        if weights is not None:
            labelled = labelled[weights.rows[labelled] > 0]
        if not labelled.size:
            raise DataError("Y must have a known entry; got NaN only. Give some rows labels.")
        self.training_rows_ = np.arange(Y.shape[0]) if self._takes_unlabelled else labelled
        if self.training_rows_.size < Y.shape[0]:
            X, Y = X[labelled], Y[labelled]
            weights = None if weights is None else weights.of_rows(labelled)
        if not self._takes_unknown:
            self._refuse_unknown(int(np.isnan(Y.data).sum()))
        self.prevalence_, varying = _prevalence(Y, weights)
        self._varying = np.flatnonzero(varying)
        self._warn_of_constant_labels(int((~varying).sum()))
        if self._varying.size:
            weights = None if weights is None else weights.of_labels(self._varying)
            return self._fit_varying(X, Y if varying.all() else Y[:, self._varying], weights)
        return lambda: OutOfSample(np.arange(Y.shape[0]), np.empty((Y.shape[0], 0)))

    def _fit_varying(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> Callable[[], OutOfSample]:
        """Fit to labels that vary, then decisions to what is predicted out of sample."""
        layer = self._decision_layer()
        later = self._fit_weighted(X, Y, weights)

        @cache
        def out_of_sample() -> OutOfSample:
            known = None if later is None else later()
            return self._cross_fitted(X, Y, weights) if known is None else known

        self.decisions_ = layer.fit(out_of_sample() if layer.learns else None, Y, weights)
        return out_of_sample

    def _fit_scaler(self, X: FeatureMatrix, weights: FloatArray | None = None) -> FeatureMatrix:
        """Learn the scale of the features; return them on it."""
        self.scaler_ = FeatureScaler(self.scaling).fit(X, sample_weight=weights)
        return self.scaler_.transform(X)

    def _decision_layer(self) -> DecisionLayer:
        """Make the layer for the labels that vary; a known cardinality counts the others too."""
        decision, tau = self._decision_settings()
        layer = DecisionLayer(decision, self.cardinality, tau).check()
        if layer.cardinality is not None:
            always = round(self.prevalence_.sum() - self.prevalence_[self._varying].sum())
            number(above=float(always)).check("cardinality", layer.cardinality)
            layer.cardinality -= always
        return layer

    def _cross_fitted(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> OutOfSample:
        """Return probabilities of labelled rows by clones fitted to the other four fifths."""
        rows = labelled_rows(Y)
        if len(rows) < FEWEST_CROSS_FITTED:
            return OutOfSample(rows, np.tile(self.prevalence_[self._varying], (len(rows), 1)))
        template = clone(self).set_params(decision="own", cardinality=None, tau=0.0)

        def predict(train: Any, held_out: Any) -> FloatArray:
            kept = np.setdiff1d(np.arange(Y.shape[0]), rows[held_out])
            with warnings.catch_warnings():
                # Labels that are constant in a fold; what all rows have to say was said.
                warnings.simplefilter("ignore")
                model = clone(template).fit(X[kept], Y[kept], **_keywords(weights, kept))
            P: FloatArray = model.predict_proba(X[rows[held_out]])
            return P

        return OutOfSample(rows, cross_fitted(predict, len(rows)))

    def _refuse_unknown(self, count: int) -> None:
        if count:
            raise DataError(
                f"{type(self).__name__} must know every label of a labelled row; got {count} "
                "unknown entries (NaN). Fill them (0: absent), leave those rows out, or take a "
                "method with a meaning for them, such as DLST, LEML or MRV."
            )

    def _warn_of_constant_labels(self, count: int) -> None:
        if count and self._targets.is_indicator:
            warnings.warn(
                f"{count} of {self.n_labels_} labels have only one value in the training rows; "
                "they get the constant score of their prevalence.",
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


def _prevalence(Y: sp.csr_array, weights: Weights | None) -> tuple[FloatArray, BoolArray]:
    """Share of positives among the known entries of each label, and whether both values occur."""
    n, K = Y.shape
    unknown = np.isnan(Y.data)
    positive = np.bincount(Y.indices[~unknown], minlength=K)
    known = n - np.bincount(Y.indices[unknown], minlength=K)
    varying = (positive > 0) & (positive < known)
    share = positive / np.maximum(known, 1)
    if weights is None:
        return share, varying
    return np.where(varying, known_means(Y, weights.rows), share), varying


def _keywords(weights: Weights | None, rows: Any) -> dict[str, Any]:
    if weights is None:
        return {}
    return {"sample_weight": weights.rows[rows], "label_weight": weights.labels}
