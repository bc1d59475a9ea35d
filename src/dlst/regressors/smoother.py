"""The smoother of a kernel regression: ridge on a basis, ready for any targets of its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import ref

from dlst._kernels.ridge import RidgeSmoother, Spectrum
from dlst._matrices import FeatureMatrix, FloatArray
from dlst.regressors.basis import KernelBasis


class Readout(NamedTuple):
    """A ridge regression: k(x, B) @ weights + offset.

    Attributes
    ----------
    weights : ndarray of shape (m, r)
        Of the kernel's values at the m basis rows.
    offset : ndarray of shape (r,)

    Examples
    --------
    >>> import numpy as np
    >>> readout = Readout(np.array([[2.0]]), np.array([1.0]))
    >>> (np.array([[0.5]]) @ readout.weights + readout.offset).tolist()
    [[2.0]]
    """

    weights: FloatArray
    offset: FloatArray


class LastResult:
    """The left-out predictions of the targets that were asked for last, while both are alive.

    Codes are left out when they are regressed, and once more when they vote.
    """

    def __init__(self) -> None:
        self._targets: Callable[[], Any] = _nothing
        self._found: Callable[[], Any] = _nothing

    def of(self, T: Any) -> FloatArray | None:
        """Return what is known of these very targets."""
        found: FloatArray | None = self._found()
        return found if T is not None and self._targets() is T else None

    def keep(self, T: Any, found: FloatArray) -> FloatArray:
        """Remember what was found for targets, and return it."""
        self._targets, self._found = ref(T), ref(found)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]


def _nothing() -> None:
    return None


class Smoother(RidgeSmoother):
    """A ridge smoother on the features of a kernel's basis.

    Parameters
    ----------
    basis : KernelBasis
        Fitted; turns new rows into features.
    spectrum : Spectrum
        Of the training rows' centred features on this basis.
    alpha : float
        Penalty λ of the squared norm, beside the sum of squared errors.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, T = rng.normal(size=(30, 2)), rng.normal(size=(30, 4))
    >>> basis = KernelBasis().fit(X)
    >>> smoother = Smoother(basis, Spectrum.of(basis.transform(X)), alpha=0.1)
    >>> fitted = smoother.predict(X, smoother.regress(T))
    >>> left_out = smoother.leave_one_out(T)
    >>> np.allclose(T - left_out, (T - fitted) / (1 - smoother.leverage[:, None]))
    True
    """

    def __init__(self, basis: KernelBasis, spectrum: Spectrum, alpha: float):
        super().__init__(spectrum, alpha)
        self.basis = basis
        self._last = LastResult()

    def leave_one_out(self, T: Any) -> FloatArray:
        """Predict each row's targets (n, t) from all other rows, exactly, for the given basis."""
        known = self._last.of(T)
        return self._last.keep(T, super().leave_one_out(T)) if known is None else known

    def regress(self, T: Any) -> Readout:
        """Fit the ridge regression of targets (n, t), for :meth:`predict`."""
        weights, offset = self.coefficients(T)
        return Readout(self.basis.whitening_ @ weights, offset)

    def predict(self, X: FeatureMatrix, readout: Readout) -> FloatArray:
        """Predict the targets of new rows (n', d), as an array (n', t)."""
        return self.basis.combine(X, readout.weights) + readout.offset
