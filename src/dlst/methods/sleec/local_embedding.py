"""One cluster of SLEEC: codes of label sets, features regressed onto them, neighbours there."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize

from dlst._kernels.feature_rows import FeatureRows, ridge_whitening
from dlst._kernels.proximal import admm
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst._parameters import with_parameters
from dlst.decoders.neighbours import nearest_neighbours
from dlst.encoders.labelsets import distinct_label_sets
from dlst.methods.sleec.inner_products import codes_of_products, near_inner_products
from dlst.regressors.linear_ridge import LinearRidge

SPLIT_TOL, SPLIT_STEPS = 1e-4, 1000


@with_parameters
class LocalEmbedding(BaseEstimator):  # type: ignore[misc]
    """Codes that keep the inner products of near label sets, regressed linearly on features.

    Parameters
    ----------
    n_components, n_label_neighbors, n_neighbors, alpha, l1_penalty, max_iter, tol
        As in :class:`~dlst.methods.sleec.SLEEC`.

    Attributes
    ----------
    codes_ : ndarray of shape (n, r)
        Fitted codes of the training rows.
    regressor_ : LinearRidge
    n_iter_ : int
    converged_, sparse_converged_ : bool
        Whether the codes, and the regression with ``l1_penalty``, met their tolerances.
    """

    n_components: int
    n_label_neighbors: int
    n_neighbors: int
    alpha: float | str
    l1_penalty: float
    max_iter: int
    tol: float

    def fit(self, X: FeatureMatrix, Y: sp.csr_array) -> LocalEmbedding:
        """Embed the label sets of the rows, and regress the rows onto their codes."""
        label_sets = distinct_label_sets(Y)
        products = near_inner_products(
            sp.csr_array(normalize(label_sets.sets)), self.n_label_neighbors
        )
        r = min(self.n_components, len(label_sets))
        found = codes_of_products(products, r, tol=self.tol, max_iter=self.max_iter)
        self.n_iter_, self.converged_ = found.n_iter, found.converged
        targets = found.point[label_sets.inverse]
        self.regressor_ = LinearRidge(self.alpha).fit(X, targets)
        self.sparse_converged_ = True
        if self.l1_penalty > 0:
            self.regressor_, self.sparse_converged_ = sparse_code_regression(
                X, targets, self.regressor_.alpha_, self.l1_penalty
            )
        self.codes_ = self.regressor_.predict(X)
        return self

    def neighbours(self, X: FeatureMatrix) -> IntArray:
        """Return the training rows with the nearest fitted codes, shape (n', k)."""
        k = min(self.n_neighbors, len(self.codes_))
        return nearest_neighbours(self.codes_, k, self.regressor_.predict(X)).indices


def sparse_code_regression(
    X: FeatureMatrix, Z: FloatArray, alpha: float, l1: float
) -> tuple[LinearRidge, bool]:
    """Minimise ‖Z − A‖² + α ‖V‖² + μ ‖A‖₁ over A = X V + 1 bᵀ, by ADMM on A.

    With the split's weight ρ = 2, the smooth half is a ridge regression with penalty α/2 of the
    mean of Z and what A should be. So is the solution: the regression of the last such targets.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    Z : ndarray of shape (n, r)
    alpha, l1 : float
        α and μ.

    Returns
    -------
    LinearRidge, bool
        And whether ADMM met its tolerance.
    """
    rows = FeatureRows.centred(X)
    F = rows.times(ridge_whitening(rows, alpha / 2.0))
    targets = Z

    def solve(wanted: FloatArray) -> FloatArray:
        nonlocal targets
        targets = 0.5 * (Z + wanted)
        mean = targets.mean(axis=0)
        return np.asarray(F @ (F.T @ (targets - mean)) + mean)

    def shrink(A: FloatArray, step: float) -> FloatArray:
        return np.asarray(np.sign(A) * np.maximum(np.abs(A) - l1 * step, 0.0))

    found = admm(solve, shrink, Z, 2.0, tol=SPLIT_TOL, max_iter=SPLIT_STEPS)
    return LinearRidge(alpha / 2.0).fit(X, targets), found.converged
