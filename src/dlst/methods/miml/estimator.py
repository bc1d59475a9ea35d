"""MIML: sparse Bayesian labels behind a linear-Gaussian code, and which rows to label next."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, as_dense, as_features
from dlst._parameters import BOOLEAN, integer, number, one_of, parameter, with_parameters
from dlst._unknown import known_or_mean
from dlst.decoders.regressed_labels import regressed_probabilities, regressed_scores
from dlst.errors import DataError
from dlst.methods.base import MultiLabelClassifier, OutOfSampleLater
from dlst.methods.miml.alternation import alternate_weights, choose_model
from dlst.methods.miml.compression import compression_matrix
from dlst.methods.miml.inference import Posterior, SparseLabels
from dlst.methods.miml.query import greedy_information, signal_strengths
from dlst.methods.miml.regression import Regression, chosen_regression
from dlst.methods.shared.convergence import warn_not_converged
from dlst.parts import OutOfSample, Scores
from dlst.regressors.kernels import check_kernel

KERNELS = ("rbf", "linear", "cosine")
TRAININGS = ("closed", "iterated")
NOISE_SHARES = (0.003, 0.01, 0.03, 0.1, 0.2, 0.5, 1.0)
"""Noise that is tried, in shares of the codes' mean squared leave-one-out error."""

LEAST_NOISE = 1e-6
"""Labels that are predicted perfectly would have none, and nothing to divide by."""
CUT = 0.01
"""Less than this is what the last round leaves of a label that the prior cuts to zero."""


@with_parameters
class MIML(MultiLabelClassifier):
    """Bayesian compressed sensing of labels: regressed codes, sparse labels, missing ones latent.

        p(Y, Z, W, a | X) ∝ Π_i N(z_i; Wᵀf(x_i), σ²I) exp(−‖z_i − Φy_i‖²/2χ²)
                            · Π_ij N(y_ij; 0, 1/a_ij) Gamma(a_ij; a₀, b₀) · Π N(w; 0, τ²)

    The mutual information of the name is what :meth:`query` chooses rows to label by. The method
    has nothing to do with multi-instance learning.

    Parameters
    ----------
    compression : "identity", int, float or array of shape (r, K)
        Φ, (r, K). ``"identity"``: codes are labels. A number draws Φ, uniform in [−1, 1] with
        columns of length 1: r itself (int), or r/K (float; may exceed 1).
    noise : float or "auto"
        v = σ² + χ², the variance of a code about its regression; ``"auto"``: see Notes.
    weight_scale : float or "auto"
        τ, prior deviation of a weight; the original's is 1. Training is ridge regression with
        penalty v/τ²; with ``"auto"`` leave-one-out chooses the penalty, and τ follows.
    chi_ratio : float
        χ/σ.
    a0, b0 : float
        a₀, b₀ of the precisions' prior.
    kernel : {"rbf", "linear", "cosine"}
        What f(x) is; ``"linear"`` is the original's.
    gamma, n_basis
        As in :class:`KernelRidge`.
    fit_intercept : bool
        Whether f(x) has a constant, ten times as long as the rest; the original's has none.
    training : {"closed", "iterated"}
        ``"iterated"`` runs the single updates of the original's program until nothing moves by
        ``tol`` (there 0.01), which stops short of the solution; labels must all be known, and
        scores depend on what rows are asked for together.
    max_iter, tol
        Rounds of the inference of labels, and the change of a mean that ends them.
    decision, cardinality, tau, scaling, random_state
        As in :class:`LabelSpaceClassifier`.

    Attributes
    ----------
    weights_ : ndarray of shape (p, r)
        Mean of W.
    phi_ : ndarray of shape (r, K) or None
        Φ for the labels that vary; None is the identity.
    noise_, weight_scale_, penalty_ : float
        v, τ and v/τ².
    rows_ : ndarray or csr_array of shape (n, d)
        Scaled training rows, for :meth:`query`.
    n_iter_ : int
        Rounds of training: 1 when it was closed and all labels were known.

    Notes
    -----
    Training is closed: W = (FᵀF + v/τ² I)⁻¹ Fᵀ Y Φᵀ. Kernel width and penalty have the least
    squared leave-one-out error. ``noise`` is the share of that error with which sparse means
    predict left-out rows best. With the original's τ = 1 the penalty would be the noise as well:
    one that suits the weights cuts all labels to 0 on most data.

    For a new row t = Wᵀf(x); labels m = (A + ΦᵀΦ/v)⁻¹ Φᵀt/v and precisions A = diag E[a] are
    updated in turn. With Φ = I labels are independent, and this cuts t below about √v to 0 and
    keeps the order of t. Labels cut to 0 are ranked by Φ⁺t. A mean above ½ is a yes;
    ``decision_function`` is the mean less ½.

    An unknown label is latent, in training as in prediction: known entries are fixed, unknown ones
    and W are updated in turn. Rows without any known label are left out.

    Cost: O(n p (p + K)) to train, with p ≤ 1000 features of a kernel; a round of inference O(K)
    for a row with Φ = I, else O(q²K + q³), q = min(r, K).

    The original's: model, updates, Φ, a₀, b₀, χ/σ. A reading: kernel basis, constant, τ, choice of
    v, ranking of labels cut to 0. The original does not centre labels.

    References
    ----------
    Kapoor, Viswanathan, Jain (2012). Multilabel classification using Bayesian compressed sensing.
    Vasisht, Damianou, Varma, Kapoor (2014). Active learning for sparse Bayesian multilabel
    classification.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = MIML(random_state=0).fit(data.train.X[:200], data.train.Y[:200])
    >>> model.predict_proba(data.test.X).shape
    (500, 10)
    >>> model.query(data.train.X[200:300], 3).shape
    (3,)
    """

    compression: Any = "identity"
    _: KW_ONLY
    noise: float | str = parameter(default="auto", must_be=number(above=0) | one_of("auto"))
    weight_scale: float | str = parameter(default="auto", must_be=number(above=0) | one_of("auto"))
    chi_ratio: float = parameter(default=10.0, must_be=number(above=0))
    a0: float = parameter(default=1e-6, must_be=number(above=0))
    b0: float = parameter(default=1e-6, must_be=number(above=0))
    kernel: str = parameter(default="rbf", must_be=one_of(*KERNELS))
    gamma: float | str = "auto"
    n_basis: int | str = parameter(default="auto", must_be=integer(at_least=1) | one_of("auto"))
    fit_intercept: bool = parameter(default=True, must_be=BOOLEAN)
    training: Literal["closed", "iterated"] = parameter(
        default="closed", must_be=one_of(*TRAININGS)
    )
    max_iter: int = parameter(default=200, must_be=integer(at_least=1))
    tol: float = parameter(default=1e-3, must_be=number(above=0))
    random_state: Any = None

    def predict_std(self, X: Any, *, integrated: bool = False) -> FloatArray:
        """Return the posterior standard deviation of each label.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
            Rows.
        integrated : bool
            False: the root of diag (A + ΦᵀΦ/χ²)⁻¹, the model's own belief once its codes are
            known, which is too sure. True: with codes and weights integrated out, so that it grows
            away from the training rows: χ² becomes v + f(x)ᵀ Cov(W) f(x).

        Returns
        -------
        ndarray of shape (n, K)
            0 for labels that did not vary in training.
        """
        X = self._checked_features(X)
        deviations = np.zeros((X.shape[0], self.n_labels_))
        if self._varying.size:
            deviations[:, self._varying] = self._deviations(X, integrated)
        return deviations

    def query(self, X_pool: Any, n: int = 1, *, return_gains: bool = False) -> Any:
        """Choose rows of a pool whose labels would tell most about those of the others.

        Greedily takes the row x with the largest H(y_x | Y_A) − H(y_x | Y_rest): A are the
        training rows and the rows taken so far, the rest is what remains of the pool. All labels
        are jointly Gaussian with W and Z integrated out and E[a] shared by the rows,
        1/prevalence; a training row counts as known even where some labels are not. Beyond 12
        labels, those of similar prevalence share a mean one.

        Parameters
        ----------
        X_pool : array-like or sparse of shape (m, d)
            Rows without labels.
        n : int
            How many to take, at most m.
        return_gains : bool
            Whether to return the information gained by each as well.

        Returns
        -------
        indices : ndarray of shape (n,)
            Rows of the pool, in the order taken.
        gains : ndarray of shape (n,)
            In nats, non-increasing; only with ``return_gains``.

        Notes
        -----
        The kernel's basis is drawn again, from training rows and pool: p ≤ 1000 features. Cost:
        O(g (m p² + n m p)) with g = min(K, 12); no matrix has m K rows.
        """
        X = self._checked_features(X_pool)
        integer(at_least=1).check("n", n)
        if n > X.shape[0]:
            raise ValueError(
                f"n must be at most the number of rows in the pool; got n={n} with "
                f"{X.shape[0]} rows."
            )
        if not self._varying.size:
            raise DataError(
                "query needs a label that varies; got only constant ones in training. "
                "Label a few random rows first."
            )
        labelled, pool = self._features_with(self.scaler_.transform(X))
        # Of a label of which only the prevalence is known, E[y²] is that.
        spread = (self.b0 + 0.5 * self.prevalence_[self._varying]) / (self.a0 + 0.5)
        strengths = signal_strengths(self.phi_, spread)
        indices, gains = greedy_information(pool, labelled.T @ labelled, strengths, self.noise_, n)
        return (indices, gains) if return_gains else indices

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSampleLater:
        check_kernel(self.kernel, self.gamma)
        phi_seed, basis_seed = check_random_state(self.random_state).randint(2**31 - 1, size=2)
        self.phi_ = compression_matrix(
            self.compression, self.n_labels_, self._varying, int(phi_seed)
        )
        X = self._fit_scaler(X)
        regression = self._choose_regression(X, Y, int(basis_seed))
        labels = self._choose_noise(regression, Y)
        self.rows_ = X
        self._learn_weights(X, regression, labels)
        return lambda: self._left_out(regression, labels)

    def _choose_regression(self, X: FeatureMatrix, Y: sp.csr_array, seed: int) -> Regression:
        """Choose features and penalty by leave-one-out, as far as they are not given."""
        penalty = None
        if not isinstance(self.noise, str) and not isinstance(self.weight_scale, str):
            penalty = self.noise / self.weight_scale**2
        regression = chosen_regression(
            X,
            as_dense(known_or_mean(Y)),
            _known(Y),
            kernel=self.kernel,
            gamma=self.gamma,
            n_basis=self.n_basis,
            with_constant=self.fit_intercept,
            penalty=penalty,
            random_state=seed,
        )
        self.features_, self.gram_ = regression.features, regression.gram
        self.penalty_ = regression.penalty
        return regression

    def _choose_noise(self, regression: Regression, Y: sp.csr_array) -> FloatArray:
        """Settle v and τ; return the labels with posterior means for unknown entries."""
        known, filled = _known(Y), as_dense(known_or_mean(Y))
        if self.training == "iterated":
            self._refuse_unknown(int((~known).sum()))
        if not isinstance(self.noise, str):
            noises = [self.noise]
        elif not isinstance(self.weight_scale, str):
            noises = [self.penalty_ * self.weight_scale**2]
        else:
            error = regression.error(filled if self.phi_ is None else filled @ self.phi_.T)
            noises = [max(share * error, LEAST_NOISE) for share in NOISE_SHARES]
        models = [
            SparseLabels.of(self.phi_, noise, self.chi_ratio, self.a0, self.b0) for noise in noises
        ]
        self.model_, found = choose_model(
            models, regression, filled, known, tol=self.tol, max_iter=self.max_iter
        )
        if not found.converged:
            self._warn("unknown labels")
        self.noise_, self.n_iter_ = self.model_.noise, found.n_iter
        self.weight_scale_ = float(np.sqrt(self.noise_ / self.penalty_))
        return found.labels

    def _learn_weights(self, X: FeatureMatrix, regression: Regression, labels: FloatArray) -> None:
        codes = self.model_.codes(labels)
        if self.training == "closed":
            self.weights_ = regression.weights(codes)
            return
        F = self.weight_scale_ * self.features_.of(X)
        weights, self.n_iter_ = alternate_weights(
            self.model_, F, codes, tol=self.tol, max_iter=self.max_iter
        )
        self.weights_ = self.weight_scale_ * weights

    def _left_out(self, regression: Regression, labels: FloatArray) -> OutOfSample:
        mean = self._infer(regression.left_out(self.model_.codes(labels))).mean
        return OutOfSample(np.arange(len(labels)), regressed_probabilities(mean))

    def _infer(self, T: FloatArray) -> Posterior:
        if self.training == "iterated":
            return self.model_.alternate(T, tol=self.tol, max_iter=self.max_iter)[0]
        found, converged = self.model_.infer(T, tol=self.tol, max_iter=self.max_iter)
        if not converged:
            self._warn("labels of new rows")
        return found

    def _features(self, X: FeatureMatrix) -> FloatArray:
        return self.features_.of(self.scaler_.transform(X))

    def _features_with(self, pool: FeatureMatrix) -> tuple[FloatArray, FloatArray]:
        """Return the features of training rows and pool on a basis of both, times τ."""
        stack = sp.vstack if sp.issparse(pool) or sp.issparse(self.rows_) else np.vstack
        rows = as_features(stack([self.rows_, pool]))
        F = self.weight_scale_ * self.features_.spanning(rows).of(rows)
        n = self.rows_.shape[0]
        return F[:n], F[n:]

    def _scores(self, X: FeatureMatrix) -> Scores:
        T = self._features(X) @ self.weights_
        mean = self._infer(T).mean
        return regressed_scores(mean if self.training == "iterated" else self._ranked(mean, T))

    def _ranked(self, mean: FloatArray, T: FloatArray) -> FloatArray:
        """Rank labels that are cut to zero among each other by the plain solution Φ⁺t."""
        plain = T if self.phi_ is None else T @ np.linalg.pinv(self.phi_).T
        # They stay between what is kept above zero and what is kept below.
        return np.where(np.abs(mean) < CUT, CUT * plain / (1 + np.abs(plain)), mean)

    def _deviations(self, X: FeatureMatrix, integrated: bool) -> FloatArray:
        F = self._features(X)
        T = F @ self.weights_
        found = self._infer(T)
        if integrated:
            penalised = self.gram_ + self.penalty_ * np.eye(len(self.gram_))
            doubt = self.noise_ * (F * np.linalg.solve(penalised, F.T).T).sum(axis=1)
            found = self.model_.posterior(T, self.model_.spread(found), self.noise_ + doubt)
        return np.sqrt(found.variance)

    def _warn(self, what: str) -> None:
        warn_not_converged(
            f"MIML: {what} did not settle in max_iter={self.max_iter} rounds; raise max_iter, or "
            f"tol (now {self.tol:g})."
        )


def _known(Y: sp.csr_array) -> BoolArray:
    known: BoolArray = ~np.isnan(as_dense(Y))
    return known
