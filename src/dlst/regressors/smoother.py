"""The smoother of a kernel regression: ridge on a basis, ready for any targets of its rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlst._kernels.ridge import RidgeSmoother, Spectrum
from dlst._matrices import FeatureMatrix
from dlst.regressors.basis import KernelBasis


class Readout(NamedTuple):
    """A ridge regression: k(x, B) @ weights + offset."""

    weights: NDArray[np.float64]
    offset: NDArray[np.float64]


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

    def regress(self, T: Any) -> Readout:
        """Fit the ridge regression of targets (n, t), for :meth:`predict`."""
        weights, offset = self.coefficients(T)
        return Readout(self.basis.whitening_ @ weights, offset)

    def predict(self, X: FeatureMatrix, readout: Readout) -> NDArray[np.float64]:
        """Predict the targets of new rows (n', d), as an array (n', t)."""
        return self.basis.combine(X, readout.weights) + readout.offset
