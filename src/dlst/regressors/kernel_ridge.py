"""Kernel ridge regression with width and penalty chosen by exact leave-one-out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from dlst._kernels.ridge import Spectrum, leave_one_out_errors
from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import with_parameters
from dlst._progress import progress_bar
from dlst._threads import in_threads
from dlst._weights import Weights
from dlst.errors import DataError
from dlst.regressors._base import KernelRegressor, counting_weights, times_roots
from dlst.regressors.basis import KernelBasis
from dlst.regressors.kernels import check_kernel, has_width
from dlst.regressors.smoother import Smoother
from dlst.regressors.streamed import StreamedSmoother
from dlst.regressors.streamed_search import search_streamed

HELD_ENTRIES = 10_000_000
"""Features of training rows are held up to so many numbers, 80 MB; of more, sums are made."""


@with_parameters
class KernelRidge(KernelRegressor):
    """Ridge regression in a kernel's feature space, on a basis of sampled training rows.

    Minimises Σ‖z_i − f(x_i)‖² + α‖f‖² with an intercept that is not penalised. One width and one
    penalty serve all targets: those with the least total squared error of leave-one-out
    predictions, which a ridge regression has in closed form. Of more than ten million kernels
    between rows and basis only sums are made, in a memory that does not grow with them; the choice
    is then by some rows, checked on all.

    Parameters
    ----------
    kernel : {"rbf", "linear", "polynomial", "cosine", "chi2", "precomputed"} or callable
        See :func:`~dlst.regressors.kernels.kernel_matrix`.
    gamma : float or {"auto", "median", "scale"}
        Width of the kernel; ``"auto"`` tries the multiples of ``"median"``.
    alpha : float or "auto"
        Penalty; ``"auto"`` tries ``alphas``.
    n_basis : int or "auto"
        Rows in the basis; ``"auto"`` is 1000. With all n rows the solution is exact.
    basis : {"random", "kmeans++", "leverage"}
        How its rows are drawn; see :class:`~dlst.regressors.basis.KernelBasis`.
    gamma_multiples, alphas : sequence of float
        What is tried.
    degree, coef0 : float
        Of the polynomial kernel.
    random_state : int, RandomState or None
        For the draw of the basis.

    Attributes
    ----------
    loo_predictions_ : ndarray of shape (n, r) or (n,)
        Prediction of each training row by the other rows, for the same basis, width and penalty.
    leverage_ : ndarray of shape (n,)
        Weight of each row's own target in its fitted value.
    gamma_ : float or None
        The width; None for kernels without one.
    alpha_ : float
        The penalty.
    loo_error_ : float
        Total squared leave-one-out error of the selection targets.
    selection_ : dict of ndarray
        What was tried: ``gamma`` (NaN where the kernel has none), ``alpha``, ``loo_error``; of
        many rows an estimate by some of them.
    smoother_ : Smoother or StreamedSmoother
        The same regression, ready for other targets of the same rows.
    basis_ : KernelBasis
        The sampled rows and their features.
    readout_ : Readout
        Weights of the basis rows' kernels, and offset.

    References
    ----------
    Saunders, Gammerman, Vovk (1998). Ridge regression learning algorithm in dual variables.
    Rifkin, Lippert (2007). Notes on regularized least squares.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(200, 1))
    >>> Z = np.hstack([np.sin(X), np.cos(X)]) + 0.1 * rng.normal(size=(200, 2))
    >>> model = KernelRidge(random_state=0).fit(X, Z)
    >>> model.predict([[1.57]]).round(1)
    array([[1., 0.]])
    >>> model.loo_predictions_.shape
    (200, 2)
    """

    _: KW_ONLY
    gamma: float | str = "auto"
    alpha: float | str = "auto"
    gamma_multiples: Sequence[float] = (0.25, 0.5, 1, 2)
    alphas: Sequence[float] = (0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, selection_targets: Any = None
    ) -> KernelRidge:
        """Choose width and penalty, and fit.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
            Training rows; the (n, n) kernel between them for ``kernel="precomputed"``.
        y : array-like or sparse of shape (n, r) or (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            How often each row counts, in errors that are left out too; a row is left out whole.
        selection_targets : array-like or sparse of shape (n, t), optional
            What the leave-one-out error is measured on; ``y`` by default. For codes of labels, the
            labels themselves.

        Returns
        -------
        KernelRidge
        """
        X, Z = self._check_training(X, y, least_rows=2)
        judged = Z if selection_targets is None else _targets(selection_targets, len(Z))
        self._select(X, judged, counting_weights(sample_weight, X))
        RidgeRegression(self).regress(Z)
        return self

    def prepare(
        self, X: FeatureMatrix, labels: Any, weights: Weights | None = None
    ) -> RidgeRegression:
        """Choose width and penalty by the labels of training rows; codes may follow.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n, d)
            Training rows.
        labels : ndarray or sparse of shape (n, K)
            What is to be predicted well in the end, known everywhere.
        weights : Weights, optional
            Of rows, and of labels, by which the choice is made.
        """
        X = self._check_features(X, least_rows=2)
        self._one_dimensional = False
        judged = _targets(labels, X.shape[0])
        if weights is None:
            self._select(X, judged)
        else:
            self._select(X, times_roots(judged, weights.labels), weights.rows)
        return RidgeRegression(self)

    def predict(self, X: Any) -> FloatArray:
        """Predict the targets of rows.

        Parameters
        ----------
        X : array-like or sparse of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n, r) or (n,)
        """
        rows = self._check_rows(X)
        return self._like_targets(self.smoother_.predict(rows, self.readout_))

    def held_numbers(self, n: int, s: int) -> int:
        """Return how many numbers of features are held: none of many rows."""
        return n * s if n * s <= HELD_ENTRIES else 0

    def _select(self, X: FeatureMatrix, judged: Any, weights: FloatArray | None = None) -> None:
        alphas, bases = self.penalties(), self._bases(X)
        held = self.held_numbers(X.shape[0], len(bases[0].indices_))
        choose: Any = _choose_among_held if held else search_streamed
        chosen = choose(bases, X, judged, alphas, weights)
        self.smoother_: Smoother | StreamedSmoother = chosen.smoother
        self.loo_error_ = chosen.error
        self.basis_, self.alpha_ = self.smoother_.basis, self.smoother_.alpha
        self.gamma_ = self.basis_.gamma_
        names = ("gamma", "alpha", "loo_error")
        self.selection_ = dict(zip(names, np.array(chosen.tried).T, strict=True))

    def penalties(self) -> FloatArray:
        """Return the penalties that are tried."""
        if isinstance(self.alpha, str) and self.alpha == "auto":
            return _positive("alphas", self.alphas)
        return _positive("alpha", [self.alpha])

    def width_multiples(self) -> FloatArray:
        """Return the multiples of the first width that are tried."""
        check_kernel(self.kernel, self.gamma)
        searched = self.gamma == "auto" and has_width(self.kernel)
        return _positive("gamma_multiples", self.gamma_multiples) if searched else np.ones(1)

    def first_basis(self) -> KernelBasis:
        """Return the unfitted basis of the first width."""
        return self._unfitted_basis("median" if self.gamma == "auto" else self.gamma)

    def _bases(self, X: FeatureMatrix) -> list[KernelBasis]:
        """Return one basis for each width."""
        multiples = self.width_multiples()
        first = self.first_basis().fit(X)

        def widened(multiple: float) -> KernelBasis:
            return first if multiple == 1 else first.widened(multiple, X)

        return list(in_threads(widened, multiples))


class RidgeRegression:
    """A kernel ridge that has chosen its width and penalty, for any codes of its rows."""

    _regressed: FloatArray | None = None
    _left_out: FloatArray

    def __init__(self, ridge: KernelRidge):
        self.ridge = ridge

    @property
    def smoother(self) -> Smoother | StreamedSmoother:
        """Exact leave-one-out, and leave-two-out, for any targets."""
        return self.ridge.smoother_

    def regress(self, Z: FloatArray) -> FloatArray:
        """Fit the ridge to codes (n, r); they are its targets."""
        self._regressed, self._left_out = Z, self.smoother.leave_one_out(Z)
        self.ridge.loo_predictions_ = self.ridge._like_targets(self._left_out)
        self.ridge.leverage_ = self.smoother.leverage
        self.ridge.readout_ = self.smoother.regress(Z)
        return Z

    def out_of_sample(self, Z: FloatArray) -> FloatArray:
        """Return leave-one-out predictions of codes (n, r)."""
        return self._left_out if Z is self._regressed else self.smoother.leave_one_out(Z)


class _Chosen(NamedTuple):
    smoother: Smoother | StreamedSmoother
    error: float
    tried: list[tuple[float, float, float]]


def _choose_among_held(
    bases: list[KernelBasis],
    X: FeatureMatrix,
    judged: Any,
    alphas: FloatArray,
    weights: FloatArray | None,
) -> _Chosen:
    """Choose width and penalty by the errors of all rows, features of all rows in memory."""
    tried: list[tuple[float, float, float]] = []
    # A generator: the decompositions are large and only the best one is kept.
    best = min(_attempts(bases, X, judged, alphas, weights, tried), key=lambda found: found.error)
    return _Chosen(Smoother(best.basis, best.spectrum, best.alpha), best.error, tried)


class _Attempt(NamedTuple):
    error: float
    alpha: float
    basis: KernelBasis
    spectrum: Spectrum


def _attempts(
    bases: list[KernelBasis],
    X: FeatureMatrix,
    judged: Any,
    alphas: FloatArray,
    weights: FloatArray | None,
    tried: list[tuple[float, float, float]],
) -> Iterator[_Attempt]:
    """Yield the best penalty for each width, and append to ``tried`` all that were tried."""

    def decomposed(basis: KernelBasis) -> tuple[Spectrum, FloatArray]:
        spectrum = Spectrum.of(basis.features(X), weights=weights)
        return spectrum, leave_one_out_errors(spectrum, judged, alphas)

    with progress_bar("kernel widths", len(bases)) as advance:
        found = zip(bases, in_threads(decomposed, bases), strict=True)
        for basis, (spectrum, errors) in found:
            width = np.nan if basis.gamma_ is None else basis.gamma_
            tried += [(width, *pair) for pair in zip(alphas, errors, strict=True)]
            least = int(np.argmin(errors))
            yield _Attempt(float(errors[least]), float(alphas[least]), basis, spectrum)
            advance(1)


def _positive(name: str, values: Any) -> FloatArray:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.array([])
    if found.ndim != 1 or not found.size or not ((found > 0) & np.isfinite(found)).all():
        raise ValueError(f"{name} must be positive numbers; got {values!r}.")
    return found


def _targets(T: Any, n: int) -> Any:
    """Check selection targets; keep sparse ones sparse."""
    T = check_array(
        T,
        accept_sparse=True,
        dtype=np.float64,
        ensure_2d=False,
        ensure_all_finite=False,
        input_name="selection_targets",
    )
    if T.ndim == 1:
        T = T.reshape(-1, 1)
    if T.shape[0] != n:
        raise DataError(
            f"selection_targets must have one row for each of the {n} rows of X; got {T.shape[0]}."
        )
    if not np.isfinite(T.data if sp.issparse(T) else T).all():
        raise DataError(
            "selection_targets must be known everywhere; got NaN or infinite entries. "
            "Fill unknown labels first, for example with the label's frequency."
        )
    return T
