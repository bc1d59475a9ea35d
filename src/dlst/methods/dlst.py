"""DLST: distribution-based label space transformation, by default and in two readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from math import inf
from typing import Any, Literal, TypeAlias, get_args

import scipy.sparse as sp

from dlst._matrices import FeatureMatrix
from dlst._parameters import Constraint, one_of, parameter, with_parameters
from dlst._weights import Weights
from dlst.decoders import (
    CountPosterior,
    Evidence,
    EvidenceDecoder,
    ExtraTreesVote,
    MLkNNDecoder,
    RandomForestVote,
)
from dlst.encoders import ChosenCode, DistributionEncoder
from dlst.methods.base import MultiLabelClassifier, OutOfSampleLater
from dlst.methods.code_space import Composition
from dlst.methods.label_space import LabelSpaceClassifier
from dlst.methods.linear_dlst import MANY_LABELS, LinearDLST, has_many_labels
from dlst.methods.scaling import are_thin
from dlst.metrics import log_loss
from dlst.parts import Decoder
from dlst.regressors import KernelLogisticRegression, KernelRidge

Regression: TypeAlias = Literal["auto", "kernel", "linear"]

EVIDENCES: dict[str, type[Evidence]] = {
    part.name: part for part in (ExtraTreesVote, RandomForestVote, CountPosterior)
}
"""What ``evidences`` may add."""

KERNEL_ROWS = 1000
"""Up to so many rows of thin features, all of which span the kernel, both compositions are tried.
Of 2000 rows of bibtex, tmc2007-500, delicious and GoEmotions the linear one left out better."""

PAPER_COMPONENTS = 100
"""Longest code where r is left open; it is never longer than the rank of the labels."""

PAPER_PENALTY = 0.01
"""The paper's λ, for the printed loss; the sound one needs more on most sets."""


@with_parameters
class DLST(LabelSpaceClassifier):
    """Encode labels by aligning pairwise distributions, regress onto the codes, decode them.

    The codes Z of the label vectors minimise the divergence between two distributions over pairs,

        KL(Q ‖ U),  Q_ij ∝ 1 / (1 + d(y_i, y_j)),  U_ij ∝ 1 / (1 + ‖z_i − z_j‖²);

    features are regressed onto the codes, and predicted codes are decoded to label scores.

    *The paper's*: the objective, the three steps, kernel regression onto codes, and deciding by
    the labels of near training codes. *Ours*: kernel ridge with exact leave-one-out in place of
    logistic regression, weighted calibrated votes in place of ML-kNN, and, added to the vote, the
    direct evidence and a vote in feature space, where most of the gain comes from.
    :class:`PaperDLST` and :class:`LiteralDLST` are the paper's pipeline.

    It is ``LabelSpaceClassifier(ChosenCode(), KernelRidge(), EvidenceDecoder())``, or, for
    features that are mostly zero, such as texts, :class:`LinearDLST`; ``regression`` says when.
    These parameters of its parts are often set, with ``DLST().set_params(decoder__n_jobs=2)``,
    ``make("dlst", decoder__n_jobs=2)`` or ``dlst fit --set decoder.n_jobs=2``; setting one keeps
    the kernel:

    ============================ ===========================================================
    ``encoder__n_components``    length of the codes; by default full or half, what votes better
    ``encoder__distance``        d of label sets
    ``regressor__kernel``        kernel between features
    ``regressor__gamma``         its width; by default chosen by leave-one-out
    ``regressor__alpha``         penalty; by default chosen by leave-one-out
    ``regressor__n_basis``       training rows that span the regression
    ``decoder__enrichment``      guesses in place of zeros, where positives are missing
    ``decoder__n_jobs``          threads of the neighbour searches
    ============================ ===========================================================

    Parameters
    ----------
    encoder : encoder, optional
        Labels to codes. Default: :class:`ChosenCode`.
    regressor : regressor, optional
        Features to codes. Default: :class:`KernelRidge`.
    decoder : decoder, optional
        Codes to probabilities. Default: :class:`EvidenceDecoder`.
    evidences : sequence of {"extra trees", "random forest", "neighbour counts"}
        More evidence besides the three kinds of :class:`EvidenceDecoder`, with slopes by
        frequency: leaves of trees and ML-kNN's counts. ``docs/decisions.md`` shows what they add
        and what they cost. They need the kernel composition and its own decoder. Default: none.
    regression : {"auto", "kernel", "linear"}
        Which composition to use where no part is given. ``"auto"`` takes the kernel composition
        if a part or an evidence is given, or if at least a quarter of the features are non-zero.
        If fewer are, it takes the linear one for more than 1000 rows, because a kernel on sampled
        rows fits too little; for fewer rows, whichever has the lower log-loss on left-out rows.
        With more than 5000 labels it is always the linear one.
    codes, decision, cardinality, tau, scaling, max_memory, n_jobs, random_state
        As in :class:`LabelSpaceClassifier`.

    Attributes
    ----------
    regression_ : str
        Which composition was used.
    regression_log_loss_ : dict of str to float
        Left-out log-loss of each that was tried, where there was a choice.
    encoder_, regressor_, decoder_, scaler_ : fitted parts
        ``encoder_`` has ``kl_divergence_`` and, in ``log_loss_``, what its choice was made by.
    codes_ : ndarray of shape (n, r)
        What the decoder was fitted on.
    n_components_ : int
        Dimensions that the codes span.

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = DLST(random_state=0).fit(data.train.X, data.train.Y)
    >>> [data.label_names[label] for label in model.predict(data.test.X[[19]]).indices]
    ['4', '5', '6']
    >>> [data.label_names[label] for label in data.test.Y[[19]].indices]
    ['4', '5', '6']
    """

    _: KW_ONLY
    evidences: Sequence[str] = parameter(
        default=(),
        must_be=Constraint(
            f"names among {', '.join(EVIDENCES)}",
            lambda names: isinstance(names, list | tuple) and set(names) <= set(EVIDENCES),
        ),
    )
    regression: Regression = parameter(default="auto", must_be=one_of(*get_args(Regression)))

    @staticmethod
    def default_parts() -> Composition:
        """Return the full or the half code, kernel ridge, and three evidences."""
        return Composition(ChosenCode(), KernelRidge(), EvidenceDecoder())

    def _composition(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> Composition:
        if self.regression_ == "linear" and has_many_labels(Y) and not self._parts_given():
            return self._completed(LinearDLST.parts_for_many_labels(X, Y))
        return super()._composition(X, Y, weights)

    def _own_parts(self, *, fitting: bool) -> Composition:
        # Whatever may have been assigned: it is checked when fitting, not before.
        regression: Any = self.regression_ if fitting else self.regression
        if isinstance(regression, str) and regression == "linear":
            return LinearDLST.default_parts()
        parts = self.default_parts()
        asked_for = self.evidences if isinstance(self.evidences, list | tuple) else ()
        extra = [EVIDENCES[name]() for name in asked_for if name in EVIDENCES]
        if not extra:
            return parts
        return parts._replace(decoder=EvidenceDecoder(extra=extra, slopes="by frequency"))

    def _fit_weighted(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> OutOfSampleLater | None:
        self.regression_log_loss_: dict[str, float] = {}
        eligible = self._eligible(X, Y)
        attempts: dict[str, tuple[OutOfSampleLater | None, dict[str, Any]]] = {}
        for self.regression_ in eligible:
            later = super()._fit_weighted(X, Y, weights)
            attempts[self.regression_] = later, dict(vars(self))
            if len(eligible) > 1:
                loss = _left_out_log_loss(self.decoder_, Y, weights)
                self.regression_log_loss_[self.regression_] = loss
        best = min(eligible, key=lambda name: self.regression_log_loss_.get(name, 0.0))
        later, fitted = attempts[best]
        self.__dict__.update(fitted)
        return later

    def _eligible(self, X: FeatureMatrix, Y: sp.csr_array) -> tuple[str, ...]:
        more = len(self.evidences) > 0
        if more and (self.regression == "linear" or self.decoder is not None):
            raise ValueError(
                "evidences go with DLST's own kernel composition; got regression='linear' or a "
                "decoder. Leave evidences out, or give EvidenceDecoder(extra=...)."
            )
        if self.regression != "auto":
            return (self.regression,)
        if self._parts_given() or more:
            return ("kernel",)
        if Y.shape[1] > MANY_LABELS:
            return ("linear",)
        if not are_thin(X):
            return ("kernel",)
        return ("linear",) if X.shape[0] > KERNEL_ROWS else ("kernel", "linear")


def _left_out_log_loss(decoder: Decoder, Y: sp.csr_array, weights: Weights | None) -> float:
    found = decoder.out_of_sample()
    if found is None:
        return inf
    rows, labels = (None, None) if weights is None else weights.of_rows(found.rows)
    judged = Y[found.rows]
    return float(log_loss(judged, found.probabilities, sample_weight=rows, label_weight=labels))


@with_parameters
class PaperDLST(LabelSpaceClassifier):
    """The paper's pipeline, read soundly: KL codes, kernel logistic regression, ML-kNN.

    Codes are regressed as soft targets of a logistic loss, and the neighbours of a predicted code
    are searched among *fitted* codes of the training rows: among the codes themselves, rows with
    equal labels coincide, and every count of ML-kNN would be 0 or k. Often set are the paper's r, λ
    and k: ``encoder__n_components``, ``regressor__alpha`` and ``decoder__n_neighbors``.

    Parameters
    ----------
    encoder : encoder, optional
        Default: :class:`DistributionEncoder`, r = 100 or the rank of the labels.
    regressor : regressor, optional
        Default: :class:`KernelLogisticRegression`, λ cross-validated; its ``loss`` has the other
        readings of the paper's.
    decoder : decoder, optional
        Default: :class:`MLkNNDecoder`.
    codes : {"out-of-sample", "fitted", "targets"}, optional
        As in :class:`LabelSpaceClassifier`. Default: fitted.
    decision, cardinality, tau, scaling, max_memory, n_jobs, random_state
        As in :class:`LabelSpaceClassifier`, but for the defaults: "own" decisions, p ≥ ½, and no
        prior correction.

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    The same, written out:

    >>> written_out = LabelSpaceClassifier(
    ...     DistributionEncoder(100),
    ...     KernelLogisticRegression(alpha="auto"),
    ...     MLkNNDecoder(),
    ...     codes="fitted",
    ... )
    """

    _default_decision = "own"
    _default_tau = 0.0

    # ML-kNN counts rows, and the paper's regression knows no weights.
    fit = MultiLabelClassifier.fit  # type: ignore[assignment]

    @staticmethod
    def default_parts() -> Composition:
        """Return KL codes, logistic regression of soft targets, and ML-kNN on fitted codes."""
        return Composition(
            DistributionEncoder(PAPER_COMPONENTS),
            KernelLogisticRegression(alpha="auto"),
            MLkNNDecoder(),
            codes="fitted",
        )


@with_parameters
class LiteralDLST(PaperDLST):
    """The paper's pipeline as printed, for the record.

    The printed loss takes the sign of a code for its label, and the predicted probabilities are
    searched among the codes themselves. On some sets that is worse than ranking labels by their
    frequency.

    Parameters
    ----------
    encoder : encoder, optional
        Default: :class:`DistributionEncoder`, r = 100 or the rank of the labels.
    regressor : regressor, optional
        Default: :class:`KernelLogisticRegression` with the printed loss and the paper's λ = 0.01.
    decoder : decoder, optional
        Default: :class:`MLkNNDecoder`.
    codes : {"out-of-sample", "fitted", "targets"}, optional
        As in :class:`LabelSpaceClassifier`. Default: targets.
    decision, cardinality, tau, scaling, max_memory, n_jobs, random_state
        As in :class:`PaperDLST`.

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = LiteralDLST(random_state=0).fit(data.train.X[:200], data.train.Y[:200])
    >>> model.predict_proba(data.test.X[:2]).shape
    (2, 10)
    """

    @staticmethod
    def default_parts() -> Composition:
        """Return KL codes, the printed regression, and ML-kNN on the codes themselves."""
        return Composition(
            DistributionEncoder(PAPER_COMPONENTS),
            KernelLogisticRegression(alpha=PAPER_PENALTY, loss="printed", output="probability"),
            MLkNNDecoder(),
            codes="targets",
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # It does not learn even easy problems.
        tags.classifier_tags.poor_score = True
        return tags
