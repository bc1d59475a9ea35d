"""ML-LOC: a code of local label correlation for each row, appended to its features."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from dlst._kernels.rounding import rounding_share
from dlst._kernels.simplex import project_onto_simplex
from dlst._matrices import FeatureMatrix, FloatArray, as_dense
from dlst._parameters import BOOLEAN, integer, number, one_of, parameter, with_parameters
from dlst._progress import progress_bar
from dlst._seeds import draw_seed
from dlst._unknown import known_or_mean
from dlst.decoders.regressed_labels import regressed_probabilities
from dlst.methods.base import MultiLabelClassifier
from dlst.methods.mlloc.objective import LOSSES, Alternation, State
from dlst.methods.shared.convergence import warn_not_converged
from dlst.parts import Scores, Smoother
from dlst.regressors import KernelRidge

CODES = ("targets", "out-of-sample")


@with_parameters
class MLLOC(MultiLabelClassifier):
    """Large-margin scorers of features and of a code that says which label sets are near (ML-LOC).

        min_{W, C, P}  Σ_il loss(y_il f_l(x_i, c_i)) + λ₁ Σ_l ‖w_l‖² + λ₂ Σ_ij c_ij ‖y_i − p_j‖²
        f_l(x, c) = ⟨w_l, [φ(x); c]⟩ + b_l,   c_ij ≥ 0,  Σ_j c_ij = 1,  y_il ∈ {−1, 1}

    Each of m prototypes p_j stands for a group of label vectors that occur together; the code c_i
    says how much row i belongs to each. Codes of new rows are regressed from their features.

    Parameters
    ----------
    n_prototypes : int
        m; at most as many as there are distinct label vectors.
    alpha : float or "auto"
        λ₁; ``"auto"`` is the ridge penalty with the least leave-one-out error of the labels.
    prototype_penalty : float
        λ₂. As high as the default it makes nearly all codes name one prototype.
    loss : {"squared_hinge", "hinge"}
        [1 − y f]₊² or [1 − y f]₊; the latter is the original's, to our knowledge.
    codes : {"targets", "out-of-sample"}
        Which codes of the training rows the scorers of new rows have learnt from: those of the
        objective, which know the labels (the original), or in a last W-step the codes regressed
        without the row itself, which err as those of new rows do.
    project_codes : bool
        Whether regressed codes are brought to the simplex.
    kernel, gamma, n_basis
        φ, for scorers and regression alike; as in :class:`KernelRidge`, whose leave-one-out error
        of the labels chooses the width with ``gamma="auto"``. More than ``n_basis`` rows
        are sampled (1000 by default).
    tol : float
        The rounds end when one lowers the objective by at most this share of it.
    max_iter : int
        Most rounds of a W-, a C- and a P-step.
    decision, cardinality, tau, scaling, random_state
        As in :class:`LabelSpaceClassifier`; ``"own"`` is the sign of f.

    Attributes
    ----------
    objective_ : ndarray of shape (1 + 3 n_iter_,)
        Objective at the start and after each step; it never rises.
    n_iter_ : int
        Rounds.
    prototypes_ : ndarray of shape (m, K)
        P, in −1 … 1.
    codes_ : ndarray of shape (n, m)
        C.
    alpha_, gamma_ : float
        λ₁ and the kernel's width (None for kernels without).
    basis_ : KernelBasis
        The rows that span φ.
    dual_coef_ : ndarray of shape (s, K)
        Weights of the basis rows' kernels in the scores.
    code_coef_ : ndarray of shape (m, K)
        Weights of the code in the scores.
    intercept_ : ndarray of shape (K,)
    code_dual_coef_, code_intercept_ : ndarray of shape (s, m) and (m,)
        The regression of the codes.

    Notes
    -----
    Rounds start from a k-means clustering of the label vectors. The W-step is convex for each
    label: for the squared hinge accelerated gradients on all labels at once, O(n q K) for each of
    some tens of iterations with q ≤ min(n, ``n_basis``) features, after a decomposition in O(n q²);
    for the hinge K support vector machines on one n × n kernel. The C-step is convex for each row:
    all rows at once, O(n m K) for an iteration. The P-step is a weighted mean. The memory is
    O(n (q + K)), with the hinge O(n²).

    An unknown label counts neither as a loss nor in a distance. Unlabelled rows are left out.

    From the paper's abstract: codes appended to the features, global fit and local sensitivity in
    one objective, an alternating solution. Readings, as the paper's details could not be seen: the
    hinge, λ₁ = 1, λ₂ = 100, m = 15, codes on the simplex, kernel ridge as the regression. The
    squared hinge is ours: it is smooth, ranked as well or better with the same λ₁ on held-out
    training rows of six sets, and its f estimates 2 P(y = 1) − 1, so that (1 + f)/2, bent into
    (0, 1), is a probability. With the hinge that number gives no more than an order.

    References
    ----------
    Huang, Zhou (2012). Multi-label learning by exploiting label correlations locally. AAAI.

    Examples
    --------
    Two groups of label vectors, two prototypes; a row's code says which is its own:

    >>> X, Y = [[0], [1], [2], [9], [10], [11]], [[1, 1], [1, 1], [1, 0], [0, 0], [0, 0], [0, 0]]
    >>> model = MLLOC(2, random_state=0).fit(X, Y)
    >>> sorted(model.prototypes_.round(2).tolist())
    [[-1.0, -1.0], [1.0, 0.33]]
    >>> model.codes_.argmax(axis=1)[[1, 4]] == model.codes_.argmax(axis=1)[[2, 5]]
    array([ True,  True])
    >>> model.predict([[1.5], [9.5]])
    array([[1, 1],
           [0, 0]])
    """

    n_prototypes: int = parameter(default=15, must_be=integer(at_least=1))
    _: KW_ONLY
    alpha: float | str = parameter(default=1.0, must_be=number(above=0) | one_of("auto"))
    prototype_penalty: float = parameter(default=100.0, must_be=number(at_least=0))
    loss: str = parameter(default="squared_hinge", must_be=one_of(*LOSSES))
    codes: str = parameter(default="targets", must_be=one_of(*CODES))
    project_codes: bool = parameter(default=False, must_be=BOOLEAN)
    kernel: Any = "rbf"
    gamma: float | str = "auto"
    n_basis: int | str = "auto"
    tol: float = parameter(default=1e-3, must_be=number(at_least=0))
    max_iter: int = parameter(default=20, must_be=integer(at_least=1))
    random_state: Any = None

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        X = self._fit_scaler(X)
        random = check_random_state(self.random_state)
        smoother = self._choose_kernel(X, Y, random)
        T = np.nan_to_num(2.0 * as_dense(Y) - 1.0, nan=0.0)
        problem = Alternation(
            self.basis_.features(X), T, self.alpha_, self.prototype_penalty, self.loss
        )
        state = self._alternate(problem, problem.start(self.n_prototypes, random))
        self._learn_to_score(problem, state, smoother)

    def _choose_kernel(self, X: FeatureMatrix, Y: sp.csr_array, random: Any) -> Smoother:
        """Choose width and ridge penalty by the leave-one-out error of the labels."""
        ridge = KernelRidge(
            self.kernel,
            gamma=self.gamma,
            n_basis=self.n_basis,
            random_state=draw_seed(random),
        ).fit(X, as_dense(known_or_mean(Y)))
        self.basis_, self.gamma_ = ridge.basis_, ridge.gamma_
        self.alpha_ = ridge.alpha_ if isinstance(self.alpha, str) else float(self.alpha)
        return ridge.smoother_

    def _alternate(self, problem: Alternation, state: State) -> State:
        steps = (problem.with_best_scorers, problem.with_best_codes, problem.with_best_prototypes)
        values, settled = [problem.objective(state)], False
        rounding = rounding_share(*problem.T.shape)
        with progress_bar("rounds of ML-LOC", self.max_iter) as advance:
            while not settled and len(values) <= len(steps) * self.max_iter:
                for step in steps:
                    state = step(state)
                    values.append(problem.objective(state))
                before = values[-1 - len(steps)]
                settled = before - values[-1] <= max(self.tol, rounding) * before
                advance(1)
        self.objective_ = np.array(values)
        self.n_iter_ = len(values) // len(steps)
        if not settled:
            warn_not_converged(
                f"ML-LOC did not converge in max_iter={self.max_iter} rounds; raise max_iter, tol "
                "or prototype_penalty.",
                stacklevel=4,
            )
        return state

    def _learn_to_score(self, problem: Alternation, state: State, smoother: Smoother) -> None:
        """Keep what gives new rows their codes and scores."""
        self.codes_, self.prototypes_ = state.codes, state.prototypes
        self.code_dual_coef_, self.code_intercept_ = smoother.regress(state.codes)
        if self.codes == "out-of-sample":
            regressed = self._admissible(smoother.leave_one_out(state.codes))
            state = problem.with_best_scorers(replace(state, codes=regressed))
        self.dual_coef_ = self.basis_.whitening_ @ state.scorers.weights
        self.code_coef_, self.intercept_ = state.scorers.code_weights, state.scorers.intercept

    def _scores(self, X: FeatureMatrix) -> Scores:
        # One kernel serves the regression of the codes and the scorers.
        both = np.hstack([self.code_dual_coef_, self.dual_coef_])
        found = self.basis_.combine(self.scaler_.transform(X), both)
        m = len(self.code_intercept_)
        C = self._admissible(found[:, :m] + self.code_intercept_)
        S = found[:, m:] + C @ self.code_coef_ + self.intercept_
        return Scores(regressed_probabilities(0.5 * (1.0 + S)), S)

    def _admissible(self, regressed: FloatArray) -> FloatArray:
        return project_onto_simplex(regressed) if self.project_codes else regressed
