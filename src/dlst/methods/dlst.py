"""DLST: distribution-based label space transformation, as found best, as sound, and as printed."""

from __future__ import annotations

import warnings
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from dlst._matrices import FeatureMatrix
from dlst._parameters import check_choice, check_integer, check_number
from dlst.decoders import Decision, EvidenceDecoder, MLkNNDecoder, VoteDecoder
from dlst.encoders import DistributionEncoder, FullCode
from dlst.methods.label_space import SEARCHES, LabelSpaceClassifier
from dlst.methods.penalties import PAPER_PENALTY, cross_validated_penalty
from dlst.methods.scaling import Scaling
from dlst.regressors import KernelLogisticRegression, KernelRidge

Preset: TypeAlias = Literal["evidence", "paper", "literal"]

REGRESSIONS = ("ridge", "soft", "printed", "binary", "binary-median")
MAX_COMPONENTS = 100
STUDIED_ITERATIONS = 80
MOST_ALIGNED_SETS = 2000
"""Beyond so many distinct label sets aligning them costs more than all the rest of a fit."""


class DLST(LabelSpaceClassifier):
    """Encode labels by aligning pairwise distributions, regress onto the codes, decode them.

    The codes Z of the label vectors minimise the divergence between two distributions over pairs,

        KL(Q ‖ U),  Q_ij ∝ 1 / (1 + d(y_i, y_j)),  U_ij ∝ 1 / (1 + ‖z_i − z_j‖²);

    features are regressed onto the codes, and predicted codes are decoded to label scores.

    *The paper's*: the objective, the three steps, kernel regression onto codes, and deciding by
    the labels of near training codes. *Ours* in the default: kernel ridge with exact leave-one-out
    in place of logistic regression, soft calibrated votes in place of ML-kNN, and, added to the
    vote, the direct read-out and a vote in feature space, where most of the gain comes from.

    Parameters
    ----------
    preset : {"evidence", "paper", "literal"}
        ``"evidence"``: the default above. ``"paper"``: the sound reading of the paper: KL
        codes, kernel logistic regression on soft targets, ML-kNN on fitted codes. ``"literal"``:
        as printed, for the record: the printed loss, probabilities searched among the codes
        themselves; it is worse than ranking by frequency on some sets.
    n_components : int, float, None, "half" or "auto"
        Code dimension r; None is the rank of the labels (the full code), ``"half"`` is ⌈K/2⌉, at
        most 100, a float a share of K. ``"auto"``: with ``"evidence"`` the better of ``"half"`` and
        the full code by leave-one-out log-loss of the code vote, the full code where there are
        more than 2000 distinct label sets; else min(K, 100).
    distance, solver, n_restarts
        Of the encoder; see :class:`DistributionEncoder`.
    kernel, gamma, alpha, n_basis, basis
        Of the regressor; ``alpha=None`` is chosen by leave-one-out (ridge) or cross-validation
        (soft logistic), and is the paper's 0.01 for the printed loss.
    regression : {"ridge", "soft", "printed", "binary", "binary-median"}, optional
        Kernel ridge; logistic on soft targets; the printed logistic loss; logistic on codes made
        0 or 1 at zero, or at their median.
    output : {"code", "probability", "margin", "signed"}, optional
        What a logistic regressor predicts.
    penalty : {"rkhs", "ridge"}
        Of a logistic regressor.
    search : {"out-of-sample", "fitted", "targets"}, optional
        Which training codes are searched for neighbours.
    n_neighbors, smoothing : int, float
        k and s of ML-kNN, where that decodes.
    tau, enrichment : float
        Prior correction of the ranking, and label enrichment; see :class:`EvidenceDecoder`.
    decision, cardinality, scaling, random_state
        As in :class:`LabelSpaceClassifier`.
    n_jobs : int, optional
        Threads of the neighbour searches.

    Attributes
    ----------
    n_components_ : int
        Code dimension.
    kl_divergence_ : float
        KL(Q ‖ U) of the codes, 0 for the full code.
    component_choice_ : dict of str to float
        With ``n_components="auto"``: what was tried, and its log-loss.

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = DLST(random_state=0).fit(data.train.X, data.train.Y)
    >>> [data.label_names[label] for label in model.predict(data.test.X[[10]]).indices]
    ['0', '1', '2']
    >>> [data.label_names[label] for label in data.test.Y[[10]].indices]
    ['0', '1', '2']
    """

    def __init__(
        self,
        preset: Preset = "evidence",
        *,
        n_components: Any = "auto",
        distance: str = "sqeuclidean",
        solver: str = "lbfgs",
        n_restarts: int = 0,
        kernel: Any = "rbf",
        gamma: float | str = "auto",
        alpha: float | None = None,
        n_basis: int | str = "auto",
        basis: str = "random",
        regression: str | None = None,
        output: str | None = None,
        penalty: str = "rkhs",
        search: str | None = None,
        n_neighbors: int = 10,
        smoothing: float = 1.0,
        tau: float = 0.2,
        enrichment: float = 0.0,
        decision: Decision = "hamming",
        cardinality: float | None = None,
        scaling: Scaling = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.preset = preset
        self.n_components = n_components
        self.distance = distance
        self.solver = solver
        self.n_restarts = n_restarts
        self.kernel = kernel
        self.gamma = gamma
        self.alpha = alpha
        self.n_basis = n_basis
        self.basis = basis
        self.regression = regression
        self.output = output
        self.penalty = penalty
        self.search = search
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.tau = tau
        self.enrichment = enrichment
        self.decision = decision
        self.cardinality = cardinality
        self.scaling = scaling
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def n_components_(self) -> int:
        """Code dimension r."""
        return int(self.encoder_.n_components_)

    @property
    def kl_divergence_(self) -> float:
        """KL(Q ‖ U) of the codes."""
        return float(self.encoder_.kl_divergence_)

    def _search(self) -> str:
        check_choice("preset", self.preset, get_args(Preset))
        if self.search is None:
            return {"evidence": "out-of-sample", "paper": "fitted", "literal": "targets"}[
                self.preset
            ]
        check_choice("search", self.search, SEARCHES)
        return self.search

    def _encode(self, X: FeatureMatrix, Y: sp.csr_array) -> NDArray[np.float64]:
        self.component_choice_: dict[str, float] = {}
        if isinstance(self.decoder_, MLkNNDecoder):
            # With fewer rows than neighbours, all other rows are neighbours.
            self.decoder_.n_neighbors = min(self.n_neighbors, Y.shape[0] - 1)
        if self.n_components != "auto" or self.preset != "evidence":
            most = min(Y.shape[1], MAX_COMPONENTS)
            r = most if self.n_components == "auto" else self.n_components
            self.encoder_.set_params(n_components=r)
            return super()._encode(X, Y)
        return self._chosen_codes(X, Y)

    def _chosen_codes(self, X: FeatureMatrix, Y: sp.csr_array) -> NDArray[np.float64]:
        """Choose between the full code and half of it by what the code vote makes of them."""
        half = self.encoder_.set_params(n_components="half", max_iter=STUDIED_ITERATIONS)
        self.encoder_ = full = FullCode()
        Z = np.asarray(full.fit_transform(Y, X))
        few = Y.shape[0] < self.decoder_.min_rows or full.n_components_ < 3
        many = len(full.label_sets_.counts) > MOST_ALIGNED_SETS
        if few or many or not isinstance(self.regressor_, KernelRidge):
            return Z
        self._regress(X, Y, Z)
        smoother = self.regressor_.smoother_
        with warnings.catch_warnings():
            # Eighty iterations are what was studied; they need not be the end.
            warnings.simplefilter("ignore", ConvergenceWarning)
            Z_half = np.asarray(half.fit_transform(Y, X))
        for name, codes in (("full", Z), ("half", Z_half)):
            vote = VoteDecoder(random_state=self.decoder_.random_state, n_jobs=self.n_jobs)
            vote.fit(smoother.leave_one_out(codes), Y, targets=codes, X=X, smoother=smoother)
            self.component_choice_[name] = vote.log_loss_
        if self.component_choice_["half"] >= self.component_choice_["full"]:
            return Z
        self.encoder_ = half
        found = {"gamma": self.regressor_.gamma_, "alpha": self.regressor_.alpha_}
        self.regressor_.set_params(**{k: v for k, v in found.items() if v is not None})
        return Z_half

    def _regression_targets(self, Z: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._regression() == "binary":
            return (Z > 0).astype(np.float64)
        if self._regression() == "binary-median":
            return (np.median(Z, axis=0) < Z).astype(np.float64)
        return Z

    def _regression(self) -> str:
        if self.regression is None:
            return {"evidence": "ridge", "paper": "soft", "literal": "printed"}[self.preset]
        check_choice("regression", self.regression, REGRESSIONS)
        return self.regression

    def _regress(self, X: FeatureMatrix, Y: sp.csr_array, Z: NDArray[np.float64]) -> None:
        if isinstance(self.encoder_, FullCode) and hasattr(self.regressor_, "readout_"):
            return  # the choice of components has regressed the full code already
        if getattr(self.regressor_, "loss", None) == "soft" and self.alpha is None:
            self.regressor_.set_params(alpha=cross_validated_penalty(self.regressor_, X, Z))
        super()._regress(X, Y, Z)

    def _parts(self) -> tuple[Any, Any, Any]:
        check_integer("n_neighbors", self.n_neighbors, at_least=1)
        check_number("smoothing", self.smoothing, at_least=0)
        check_number("tau", self.tau)
        check_number("enrichment", self.enrichment, at_least=0, at_most=1)
        if self.alpha is not None:
            check_number("alpha", self.alpha, above=0)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=3)
        return self._encoder(seeds[0]), self._regressor(seeds[1]), self._decoder(seeds[2])

    def _encoder(self, seed: Any) -> Any:
        return DistributionEncoder(
            distance=self.distance,
            solver=self.solver,
            n_restarts=self.n_restarts,
            random_state=int(seed),
        )

    def _regressor(self, seed: Any) -> Any:
        regression = self._regression()
        shared = {
            "kernel": self.kernel,
            "n_basis": self.n_basis,
            "basis": self.basis,
            "random_state": int(seed),
        }
        if regression == "ridge":
            return KernelRidge(
                gamma=self.gamma, alpha="auto" if self.alpha is None else self.alpha, **shared
            )
        return KernelLogisticRegression(
            loss="printed" if regression == "printed" else "soft",
            gamma="median" if self.gamma == "auto" else self.gamma,
            alpha=PAPER_PENALTY if self.alpha is None else self.alpha,
            output=self.output or ("probability" if regression == "printed" else "code"),
            penalty=self.penalty,
            **shared,
        )

    def _decoder(self, seed: Any) -> Any:
        if self.preset != "evidence":
            return MLkNNDecoder(self.n_neighbors, self.smoothing, n_jobs=self.n_jobs)
        return EvidenceDecoder(
            tau=self.tau,
            enrichment=self.enrichment,
            random_state=int(seed),
            n_jobs=self.n_jobs,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # As printed the method does not learn even easy problems; see the class's docstring.
        tags.classifier_tags.poor_score = self.preset == "literal"
        return tags
