"""What every method does alike: read targets, guard odd labels, give scores in all forms."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from dlst._cross_fitting import cross_fitted
from dlst._matrices import FeatureMatrix
from dlst._parameters import (
    Constraints,
    check_parameters,
    integer,
    number,
    one_of,
)
from dlst.data.names import NumberedNames
from dlst.decoders import Decision, DecisionRule
from dlst.errors import DataError
from dlst.methods.targets import labelled_rows, read_targets
from dlst.metrics import TopLabels
from dlst.parts import OutOfSample

ROWS_AT_ONCE = 1024
"""Rows scored at once by ``predict_top`` and ``predict``, whose memory does not grow with n·K."""

FEWEST_CROSS_FITTED = 3
"""Labelled rows of which two can be learnt from while one is judged."""

# A probability of exactly 0 or 1 has no logit.
_EPSILON = 1e-12


OutOfSampleLater: TypeAlias = Callable[[], OutOfSample | None]
"""Gives probabilities of training rows as if they were new, when a decision rule asks for them."""


class Predictions(NamedTuple):
    """What a method says of some rows: decisions, probabilities, ranking scores."""

    labels: Any
    probabilities: NDArray[np.float64]
    scores: NDArray[np.float64]


class MultiLabelClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all methods: a scikit-learn classifier for label indicators and for 1-D classes.

    A method implements ``_fit(X, Y)`` and ``_probabilities(X)``, and ``_scores(X)`` and
    ``_decide(P, S)`` where it has its own. They see float64 or CSR features, a CSR indicator
    with NaN for unknown entries, only rows with a known label and only labels that vary.

    What parameters may be stands in ``_constraints``.

    A method that has no meaning for an unknown entry sets ``_takes_unknown = False``: such entries
    are then refused. Decision rules learn on out-of-sample probabilities of the training rows: a
    method that has its own (exact leave-one-out, held-out folds) returns from ``_fit`` a function
    that gives them; those of any other come from clones fitted to four fifths of the rows. Either
    way only if a rule wants them.

    A semi-supervised method sets ``_takes_unlabelled = True`` and also sees the rows without any
    known label, which all others are spared.

    Notes
    -----
    A label whose known entries are all equal cannot be learnt: it gets the constant score of its
    prevalence, with one warning.
    """

    _takes_unknown = True
    _takes_unlabelled = False
    _constraints: ClassVar[Constraints] = {}

    # Parameters of the methods that have them; the others decide by what is likelier.
    decision: Decision | None = None
    cardinality: float | None = None

    def fit(self, X: Any, y: Any) -> Any:
        """Fit to features and targets.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
            Features.
        y : array-like, sparse or frame of shape (n, K), or array-like of shape (n,)
            Label indicator of 0, 1 and NaN (unknown), or one class for each row.
        """
        check_parameters(self)
        X = self._checked_features(X, reset=True, min_rows=2)
        Y, self._targets = read_targets(y)
        check_consistent_length(X, Y)
        names = self._targets.label_names
        self.label_names_: Sequence[str] = names or NumberedNames("label", Y.shape[1])
        self.n_labels_ = int(Y.shape[1])
        classes = self._targets.classes
        self.classes_: NDArray[Any] = np.arange(self.n_labels_) if classes is None else classes
        labelled = labelled_rows(Y)
        if not labelled.size:
            raise DataError("Y must have a known entry; got NaN only. Give some rows labels.")
        self.training_rows_ = np.arange(Y.shape[0]) if self._takes_unlabelled else labelled
        if self.training_rows_.size < Y.shape[0]:
            X, Y = X[labelled], Y[labelled]
        if not self._takes_unknown:
            self._refuse_unknown(int(np.isnan(Y.data).sum()))
        self.prevalence_, varying = _prevalence(Y)
        self._varying = np.flatnonzero(varying)
        self._warn_of_constant_labels(int((~varying).sum()))
        if self._varying.size:
            self._fit_varying(X, Y if varying.all() else Y[:, self._varying])
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each label.

        Returns
        -------
        ndarray of shape (n, K)
            For a 1-D target the probabilities of its classes, which add up to 1.
        """
        P = self._all_probabilities(self._checked_features(X))
        return P if self._targets.is_indicator else self._class_probabilities(P)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Give the scores by which labels are ranked within a row: higher is more relevant.

        Returns
        -------
        ndarray of shape (n, K)
            For a 1-D target of two classes the logit of the second, shape (n,); of more classes
            the logarithms of their probabilities.
        """
        X = self._checked_features(X)
        if self._targets.is_indicator:
            return self._all_scores(X)[1]
        P = self._class_probabilities(self._all_probabilities(X))
        logarithms: NDArray[np.float64] = np.log(np.maximum(P, _EPSILON))
        return logarithms[:, 1] - logarithms[:, 0] if P.shape[1] == 2 else logarithms

    def predict(self, X: Any) -> Any:
        """Decide by the method's own rule; indicator in, indicator out, sparse stays sparse."""
        X = self._checked_features(X)
        if not self._targets.is_indicator:
            P = self._class_probabilities(self._all_probabilities(X))
            return self.classes_[P.argmax(axis=1)]
        blocks = [sp.csr_array(self._decided(*self._all_scores(block))) for block in _row_blocks(X)]
        return self._targets.decided(sp.csr_array(sp.vstack(blocks, format="csr")))

    def predict_all(self, X: Any) -> Predictions:
        """Give decisions, probabilities and ranking scores, for little more than one of them costs.

        Returns
        -------
        Predictions
            ``labels``, ``probabilities`` and ``scores``, as :meth:`predict`, :meth:`predict_proba`
            and :meth:`decision_function` give them.
        """
        check_is_fitted(self)
        if not self._targets.is_indicator:
            return Predictions(self.predict(X), self.predict_proba(X), self.decision_function(X))
        P, S = self._all_scores(self._checked_features(X))
        return Predictions(self._targets.decided(sp.csr_array(self._decided(P, S))), P, S)

    def predict_top(self, X: Any, k: int = 5) -> TopLabels:
        """Give the k best labels of each row and their scores, best first, in memory O(n·k).

        Returns
        -------
        TopLabels
            ``labels`` (column numbers) and ``scores`` (those of :meth:`decision_function`), both
            of shape (n, k).
        """
        X = self._checked_features(X)
        integer(at_least=1).check("k", k)
        if k > self.n_labels_:
            raise ValueError(
                f"k must be at most the number of labels; got k={k} with {self.n_labels_} labels."
            )
        labels, scores = [], []
        for block in _row_blocks(X):
            S = self._all_scores(block)[1]
            best = np.argsort(-S, axis=1, kind="stable")[:, :k]
            labels.append(best)
            scores.append(np.take_along_axis(S, best, axis=1))
        return TopLabels(np.vstack(labels), np.vstack(scores))

    def explain(self, X: Any) -> Any:
        """Say what made the scores of rows; methods without such an account refuse."""
        raise DataError(
            f"{type(self).__name__} does not explain its scores. Fit DLST, which does "
            "(--method dlst in the shell)."
        )

    # What a method implements.

    @abstractmethod
    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSampleLater | None:
        """Learn from labelled rows and labels that vary; see the class about what is returned."""

    @abstractmethod
    def _probabilities(self, X: FeatureMatrix) -> NDArray[np.float64]:
        """Return the probabilities of the labels that vary."""

    def _scores(self, X: FeatureMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return probabilities and ranking scores; by default these are the logits of those."""
        P = self._probabilities(X)
        return P, logit(P)

    def _decide(self, P: NDArray[np.float64], S: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Decide from probabilities and ranking scores: by the rule learnt, or what is likelier."""
        if self.decision_rule_ is None:
            return P >= 0.5
        decided: NDArray[np.bool_] = self.decision_rule_.apply(P, S).toarray() == 1
        return decided

    # What they share.

    def _fit_varying(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        """Fit to labels that vary, then the decision rule to what is predicted out of sample."""
        rule = self._unfitted_rule()
        later = self._fit(X, Y)
        self.decision_rule_: DecisionRule | None = rule
        if rule is None:
            return
        if not rule.learns:
            counted = Y[labelled_rows(Y)]
            rule.fit(np.broadcast_to(0.0, counted.shape), counted)
            return
        known = None if later is None else later()
        rows, P = self._cross_fitted(X, Y) if known is None else known
        rule.fit(P, Y[rows])

    def _unfitted_rule(self) -> DecisionRule | None:
        """Make the rule for the labels that vary; a known cardinality counts the others too."""
        if self.decision is None:
            return None
        one_of(*get_args(Decision)).check("decision", self.decision)
        cardinality = self.cardinality
        if cardinality is not None:
            always = self.prevalence_.sum() - self.prevalence_[self._varying].sum()
            number(above=float(round(always))).check("cardinality", cardinality)
            cardinality -= round(always)
        return DecisionRule(self.decision, cardinality=cardinality)

    def _cross_fitted(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSample:
        """Return probabilities of labelled rows by clones fitted to the other four fifths."""
        rows = labelled_rows(Y)
        if len(rows) < FEWEST_CROSS_FITTED:
            return OutOfSample(rows, np.tile(self.prevalence_[self._varying], (len(rows), 1)))
        template = clone(self)
        if self.decision is not None:
            template.set_params(decision="hamming", cardinality=None)

        def predict(train: Any, held_out: Any) -> NDArray[np.float64]:
            kept = np.setdiff1d(np.arange(Y.shape[0]), rows[held_out])
            with warnings.catch_warnings():
                # Labels that are constant in a fold; what all rows have to say was said.
                warnings.simplefilter("ignore")
                model = clone(template).fit(X[kept], Y[kept])
            P: NDArray[np.float64] = model.predict_proba(X[rows[held_out]])
            return P

        return OutOfSample(rows, cross_fitted(predict, len(rows)))

    def _checked_features(self, X: Any, *, reset: bool = False, min_rows: int = 1) -> FeatureMatrix:
        if not reset:
            check_is_fitted(self)
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=np.float64,
            # A frame's array lies by columns, and BLAS rounds by how an array lies.
            order="C",
            ensure_min_samples=min_rows,
        )
        return sp.csr_array(X) if sp.issparse(X) else X

    def _all_probabilities(self, X: FeatureMatrix) -> NDArray[np.float64]:
        """Probabilities of all labels; those that did not vary have their prevalence."""
        n = X.shape[0]
        if self._varying.size == self.n_labels_:
            return self._probabilities(X)
        P = np.tile(self.prevalence_, (n, 1))
        if self._varying.size:
            P[:, self._varying] = self._probabilities(X)
        return P

    def _all_scores(self, X: FeatureMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        P = np.tile(self.prevalence_, (X.shape[0], 1))
        S = logit(P)
        if self._varying.size:
            P[:, self._varying], S[:, self._varying] = self._scores(X)
        return P, S

    def _decided(self, P: NDArray[np.float64], S: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Decide for all labels; those that did not vary by their prevalence."""
        decided = P >= 0.5
        if self._varying.size:
            decided[:, self._varying] = self._decide(P[:, self._varying], S[:, self._varying])
        return decided

    def _class_probabilities(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(self.classes_) == 1:
            return np.ones((P.shape[0], 1))
        if len(self.classes_) == 2:
            return np.hstack([1.0 - P, P])
        total = P.sum(axis=1, keepdims=True)
        shares: NDArray[np.float64] = np.where(
            total > 0, P / np.where(total > 0, total, 1.0), self.prevalence_
        )
        return shares

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


def logit(P: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log p/(1-p), finite for 0 and 1."""
    P = np.clip(P, _EPSILON, 1.0 - _EPSILON)
    logits: NDArray[np.float64] = np.log(P) - np.log1p(-P)
    return logits


def _row_blocks(X: FeatureMatrix) -> Iterator[FeatureMatrix]:
    for start in range(0, X.shape[0], ROWS_AT_ONCE):
        yield X[start : start + ROWS_AT_ONCE]


def _prevalence(Y: sp.csr_array) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Share of positives among the known entries of each label, and whether both values occur."""
    n, K = Y.shape
    unknown = np.isnan(Y.data)
    positive = np.bincount(Y.indices[~unknown], minlength=K)
    known = n - np.bincount(Y.indices[unknown], minlength=K)
    return positive / np.maximum(known, 1), (positive > 0) & (positive < known)
