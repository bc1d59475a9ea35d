"""MC: labels completed together with features, as one matrix of low rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.extmath import randomized_svd

from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, as_dense
from dlst._parameters import NONE, integer, number, one_of, parameter, with_parameters
from dlst.methods.answers import logit
from dlst.methods.base import MultiLabelClassifier, OutOfSampleLater
from dlst.methods.mc.fold_in import Factors, chi2_scores, factors, linear_rule
from dlst.methods.mc.objective import FEATURE_LOSSES, LABEL_LOSSES, VARIANTS, Completion
from dlst.methods.mc.search import (
    SHARES,
    USUAL_SHARE,
    Found,
    HiddenRows,
    hidden_rows,
    probability_slope,
    search,
)
from dlst.methods.mc.solvers import Completed, exact_path, fixed_point_path
from dlst.methods.scaling import FeatureScaler, Scaling
from dlst.methods.shared.convergence import warn_not_converged
from dlst.parts import OutOfSample, Scores

SOLVERS = {"exact": exact_path, "fpc": fixed_point_path}


@with_parameters
class MC(MultiLabelClassifier):
    """Fill the holes of one matrix of labels, features and ones so that its rank is low.

        min μ ‖Z‖_* + λ/|Ω_Y| Σ_Ω log(1 + exp(−γ y_ij z_ij))/γ + 1/|Ω_X| Σ c_x(z_ij, x_ij)

    over Z = [Y | X | 1] whose last column must stay 1. If labels are linear in features, Z has the
    rank of the features and no more; the ones are the intercept.

    Parameters
    ----------
    label_weight : float
        λ, what labels weigh against features.
    nuclear_penalty : float or "auto"
        μ itself, what the rank costs. ``"auto"``: the best of ten halvings, judged on labels of
        training rows that were hidden.
    variant : {"mc1", "pos", "simplex"}
        MC-1; MC-Pos, completed features of at least 0; MC-Simplex, completed features that are
        histograms. The last two need features of at least 0.
    feature_loss : {"squared", "chi2"}
        c_x = (z − x)²/2, or (z − x)²/(z + x) for ``"pos"`` and ``"simplex"``.
    label_loss : {"logistic", "squared"}
        As above, or (z − y)²/2 with y = ±1.
    slope : float
        γ (ρ in the program).
    solver : {"exact", "fpc"}
        The optimum of the constrained problem, or the published fixed-point continuation, which
        comes near it.
    n_feature_components : int, optional
        MC-1 keeps at most so many principal directions of the features; None keeps all.
    held_out : float
        Share of the labelled rows whose labels are hidden in the search for μ.
    tol : float
        The solver stops when its two copies of Z agree, and change, by no more than this share
        (``"exact"``), or when the objective changes by no more than this share (``"fpc"``).
    max_iter : int
        Most iterations of the solver at one μ.
    decision, cardinality, tau
        As in :class:`LabelSpaceClassifier`; ``"own"`` is the paper's z > 0. Rules are learnt
        on the hidden rows of the search.
    scaling : str
        See :class:`FeatureScaler`; ``"auto"`` is maxabs for MC-Pos. Except with ``"none"``, and
        for MC-Simplex, features are then multiplied by one number that makes their mean square 1,
        for λ to mean the same on all data.
    random_state : None, int or RandomState
        Seed of the rows that take part in the search, and of the principal directions.

    Attributes
    ----------
    nuclear_penalty_ : float
        μ that was chosen, or given.
    selection_ : dict of str to ndarray
        ``nuclear_penalty`` and ``score`` of the search; empty when there was none.
    transduction_ : ndarray of shape (n, K)
        The completed labels of all rows given to fit, unlabelled ones included, above 0 for a yes.
    coef_, intercept_ : ndarray
        What gives the scores of new rows from scaled features (squared feature loss).
    probability_slope_ : float
        a of the probabilities σ(a z).
    n_iter_ : int
        Iterations at the last μ.

    Notes
    -----
    An iteration costs O(n m² + m³) with m = K + min(d, n_feature_components) + 1. Memory is O(n m).

    An unknown label is outside Ω_Y and gets completed. Rows without any known label take part with
    their features: give test rows so, and read ``transduction_``, for what the paper does.

    Objective, losses and ``fpc`` are the paper's and its public program's, with the step divided by
    γ: the program's is too long for γ above 1.9. The program overwrites the ones after each
    shrinkage, which ends .01 to .3 % above the optimum; ``exact`` (alternating direction method of
    multipliers) keeps them as a constraint and takes fewer iterations. The program picks the μ
    that is best on the test rows; here it is the best on hidden labels of at most 1000 training
    rows, by instance-wise average precision (of a single label: by the loss). The hidden rows are
    completed if there are unlabelled rows to complete, else folded in like new rows; where
    rows are few, the first wants a larger μ than the second. Rotating features changes nothing, so
    that principal directions are exact when they are all there.

    Probabilities are σ(a z) with the a most likely on the hidden rows, γ when μ was given. What is
    above 0 is above ½, but rare labels seldom are: rank by scores, or use ``decision="micro"``.

    New rows are a reading of ours. ‖Z‖_* is the least (‖A‖² + ‖B‖²)/2 over Z = B Aᵀ, so a new row
    is folded in by its b of least feature loss + μ/2 ‖b‖² with A fixed and its one kept; the
    constraints of its features are left out. For an unlabelled row of the fit this is exactly the
    completion.

    References
    ----------
    Cabral, De la Torre, Costeira, Bernardino (2011). Matrix completion for multi-label image
    classification.
    Goldberg, Zhu, Recht, Xu, Nowak (2010). Transduction with matrix completion: three birds with
    one stone.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = MC(nuclear_penalty=1e-4, random_state=0).fit(data.train.X[:200], data.train.Y[:200])
    >>> model.transduction_.shape, model.predict_proba(data.test.X).shape
    ((200, 10), (500, 10))
    """

    _takes_unlabelled = True

    label_weight: float = parameter(default=0.1, must_be=number(above=0))
    _: KW_ONLY
    nuclear_penalty: float | str = parameter(
        default="auto", must_be=number(above=0) | one_of("auto")
    )
    variant: str = parameter(default="mc1", must_be=one_of(*VARIANTS))
    feature_loss: str = parameter(default="squared", must_be=one_of(*FEATURE_LOSSES))
    label_loss: str = parameter(default="logistic", must_be=one_of(*LABEL_LOSSES))
    slope: float = parameter(default=1.0, must_be=number(above=0))
    solver: str = parameter(default="exact", must_be=one_of(*SOLVERS))
    n_feature_components: int | None = parameter(default=200, must_be=integer(at_least=1) | NONE)
    held_out: float = parameter(default=0.2, must_be=number(above=0, at_most=0.9))
    tol: float = parameter(default=1e-4, must_be=number(above=0))
    max_iter: int = parameter(default=500, must_be=integer(at_least=1))
    random_state: Any = None

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSampleLater | None:
        self._check_parameters()
        random = check_random_state(self.random_state)
        self._learn_scale(X)
        features, axes = self._principal(self._scaled(X), random)
        labels = _signs(Y)
        held_out = self._choose_mu(labels, features, random)
        problem = self._problem(labels, features)
        self._keep(problem, self._completed(problem), axes)
        return held_out

    def _check_parameters(self) -> None:
        if self.feature_loss == "chi2" and self.variant == "mc1":
            raise ValueError(
                "feature_loss='chi2' needs completed features of at least 0; got variant='mc1'. "
                "Use variant='pos' or 'simplex'."
            )

    # Features as the solver sees them.

    def _learn_scale(self, X: FeatureMatrix) -> None:
        usual: dict[str, Scaling] = {"mc1": "auto", "pos": "maxabs", "simplex": "none"}
        scaling = usual[self.variant] if self.scaling == "auto" else self.scaling
        self.scaler_ = FeatureScaler(scaling).fit(X)
        self.factor_ = 1.0
        scaled = self.scaler_.transform(X)
        smallest = float(scaled.min())
        if self.variant != "mc1" and smallest < 0:
            raise ValueError(
                f"variant={self.variant!r} needs scaled features of at least 0; got "
                f"{smallest:g}. Use variant='mc1', or bring the features to [0, 1] first."
            )
        size = float(sp.linalg.norm(scaled) if sp.issparse(scaled) else np.linalg.norm(scaled))
        if self.scaling != "none" and self.variant != "simplex" and size > 0:
            self.factor_ = float(np.sqrt(scaled.shape[0] * scaled.shape[1]) / size)

    def _scaled(self, X: FeatureMatrix) -> FeatureMatrix:
        scaled = self.scaler_.transform(X) * self.factor_
        if self.variant == "mc1":
            return scaled
        counts = np.maximum(as_dense(scaled), 0.0)
        return _shares(counts) if self.variant == "simplex" else counts

    def _principal(self, X: FeatureMatrix, random: Any) -> tuple[FloatArray, FloatArray | None]:
        """Turn features to their principal directions where there are too many of them."""
        wanted = self.n_feature_components
        if self.variant != "mc1" or wanted is None or X.shape[1] <= wanted:
            return as_dense(X), None
        wanted = min(wanted, X.shape[0])
        axes = randomized_svd(X, wanted, random_state=random)[2].T
        return np.asarray(X @ axes), np.ascontiguousarray(axes)

    # Completion.

    def _problem(self, labels: FloatArray, features: FloatArray) -> Completion:
        return Completion(
            labels,
            features,
            label_weight=self.label_weight,
            slope=self.slope,
            variant=self.variant,
            feature_loss=self.feature_loss,
            label_loss=self.label_loss,
            # Directions that were left out stay in the mean.
            n_feature_entries=len(features) * self.n_features_in_,
        )

    def _choose_mu(
        self, labels: FloatArray, features: FloatArray, random: Any
    ) -> OutOfSampleLater | None:
        """Choose μ on labels of training rows that are hidden; return what was said of those."""
        largest = self._problem(labels, features).largest_mu()
        given = None if isinstance(self.nuclear_penalty, str) else float(self.nuclear_penalty)
        self.nuclear_penalty_ = USUAL_SHARE * largest if given is None else given
        self.selection_: dict[str, FloatArray] = {}
        self.probability_slope_ = float(self.slope)
        learns = self.decision in ("micro", "macro")
        rows = hidden_rows(labels, self.held_out, random) if learns or given is None else None
        found = None
        if rows is not None:
            shares = SHARES if given is None else (given / largest,)
            found = self._searched(labels, features, rows, shares)
        if found is None or rows is None:
            return lambda: OutOfSample(
                np.arange(len(labels)), np.where(labels == 0, 0.5, labels > 0)
            )
        if given is None:
            self.nuclear_penalty_ = found.share * largest
            self.selection_ = {
                "nuclear_penalty": np.array(found.mus),
                "score": np.array(found.scores),
            }
            self.probability_slope_ = probability_slope(
                labels[rows.hidden], found.predicted, self.slope
            )
        predicted = self._as_probabilities(found.predicted)
        return lambda: OutOfSample(rows.hidden, predicted)

    def _searched(
        self, labels: FloatArray, features: FloatArray, rows: HiddenRows, shares: Sequence[float]
    ) -> Found | None:
        """Predict the hidden rows as the user's rows will be: completed or folded in."""
        follow, truth = SOLVERS[self.solver], labels[rows.hidden]
        if (labels == 0).all(axis=1).any():
            some = np.concatenate([rows.hidden, rows.shown])
            shown = labels[some]
            shown[: len(truth)] = 0.0
            return search(
                self._problem(shown, features[some]), truth, None, shares, follow, self.tol
            )
        problem = self._problem(labels[rows.shown], features[rows.shown])
        return search(problem, truth, features[rows.hidden], shares, follow, self.tol)

    def _completed(self, problem: Completion) -> Completed:
        mus = [self.nuclear_penalty_]
        if self.solver == "fpc":
            largest = problem.largest_mu()
            while mus[0] < 0.25 * largest:
                mus.insert(0, 4.0 * mus[0])
        path = list(SOLVERS[self.solver](problem, mus, tol=self.tol, max_iter=self.max_iter))
        if not path:
            raise ValueError(
                "nuclear_penalty must leave something of the matrix; got "
                f"{self.nuclear_penalty_:g}, which shrinks it to 0. Lower it, or use "
                "solver='exact'."
            )
        last = path[-1]
        if not last.converged:
            warn_not_converged(
                f"MC did not converge in max_iter={self.max_iter}; raise max_iter, or tol "
                f"(now {self.tol:g}), or nuclear_penalty (now {self.nuclear_penalty_:g}).",
                stacklevel=5,
            )
        return last

    def _keep(self, problem: Completion, found: Completed, axes: FloatArray | None) -> None:
        self.n_iter_ = found.n_iter
        self.transduction_ = np.tile(logit(self.prevalence_), (len(found.matrix), 1))
        self.transduction_[:, self._varying] = found.matrix[:, problem.label_columns]
        shared = factors(problem, found.matrix)
        self.feature_weight_ = problem.per_feature
        if self.feature_loss == "chi2":
            self.label_factor_, self.feature_factor_, self.ones_factor_ = shared
            return
        rule = linear_rule(shared, problem.per_feature, self.nuclear_penalty_)
        self.coef_ = rule.coef if axes is None else axes @ rule.coef
        self.intercept_ = rule.intercept

    # New rows.

    def _new_scores(self, X: FeatureMatrix) -> FloatArray:
        X = self._scaled(X)
        if self.feature_loss == "chi2":
            shared = Factors(self.label_factor_, self.feature_factor_, self.ones_factor_)
            return chi2_scores(as_dense(X), shared, self.feature_weight_, self.nuclear_penalty_)
        return np.asarray(X @ self.coef_ + self.intercept_)

    def _scores(self, X: FeatureMatrix) -> Scores:
        S = self._new_scores(X)
        return Scores(self._as_probabilities(S), S)

    def _as_probabilities(self, S: FloatArray) -> FloatArray:
        return np.asarray(expit(self.probability_slope_ * S))

    def _own_decisions(self, X: FeatureMatrix, P: FloatArray, S: FloatArray) -> BoolArray:
        return S > 0


def _signs(Y: sp.csr_array) -> FloatArray:
    """Return -1 and +1, and 0 where a label is unknown."""
    dense = as_dense(Y)
    return np.where(np.isnan(dense), 0.0, np.where(dense > 0, 1.0, -1.0))


def _shares(counts: FloatArray) -> FloatArray:
    """Make rows sum to 1; an empty row has equal shares."""
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), 1.0 / counts.shape[1])
