"""Features to codes: linear, or in a kernel's feature space on sampled training rows."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.regressors._base import KernelRegressor
    from dlst.regressors.basis import KernelBasis
    from dlst.regressors.cross_fitting import CrossFitted, as_regressor
    from dlst.regressors.kernel_logistic import KernelLogisticRegression
    from dlst.regressors.kernel_ridge import KernelRidge
    from dlst.regressors.kernels import KERNELS, kernel_matrix
    from dlst.regressors.linear_machines import LinearMachines
    from dlst.regressors.linear_ridge import LinearRidge
    from dlst.regressors.smoother import Readout, Smoother
    from dlst.regressors.sparse_machines import SparseMachines
    from dlst.regressors.streamed import StreamedSmoother
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "KERNELS",
    "CrossFitted",
    "KernelBasis",
    "KernelLogisticRegression",
    "KernelRegressor",
    "KernelRidge",
    "LinearMachines",
    "LinearRidge",
    "Readout",
    "Smoother",
    "SparseMachines",
    "StreamedSmoother",
    "as_regressor",
    "kernel_matrix",
]
