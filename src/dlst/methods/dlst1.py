"""DLST₁: the paper's first variant, labels regressed directly."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FeatureMatrix, as_dense
from dlst._parameters import with_parameters
from dlst._unknown import known_or_mean
from dlst.methods.answers import with_logits
from dlst.methods.base import MultiLabelClassifier, OutOfSampleLater
from dlst.parts import OutOfSample, Scores
from dlst.regressors import KernelLogisticRegression


@with_parameters
class DLST1(MultiLabelClassifier):
    """Kernel logistic regression from features to each label, without a code space.

        min Σ_ij −y_ij log σ(f_j(x_i)) − (1 − y_ij) log(1 − σ(f_j(x_i))) + λ Σ_j ‖f_j‖²

    Parameters
    ----------
    kernel, gamma, n_basis, basis
        As in :class:`KernelLogisticRegression`.
    alpha : float or "auto"
        λ; ``"auto"`` is chosen by cross-validation on training rows.
    decision, cardinality, tau, scaling, random_state
        As in :class:`LabelSpaceClassifier`.

    Notes
    -----
    An unknown label is a soft target, the label's prevalence.

    References
    ----------
    Lyu, Yan, Wu (2018). Distribution-based label space transformation for multi-label learning.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> model = DLST1(alpha=0.1, random_state=0).fit(data.train.X[:200], data.train.Y[:200])
    >>> model.predict(data.test.X[:2]).shape
    (2, 10)
    """

    _: KW_ONLY
    kernel: Any = "rbf"
    gamma: float | str = "median"
    alpha: float | str = "auto"
    n_basis: int | str = "auto"
    basis: str = "random"
    random_state: Any = None

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> OutOfSampleLater:
        X = self._fit_scaler(X)
        labels = as_dense(known_or_mean(Y))
        self.regressor_ = KernelLogisticRegression(
            self.kernel,
            gamma=self.gamma,
            alpha=self.alpha,
            output="probability",
            fit_intercept=True,
            n_basis=self.n_basis,
            basis=self.basis,
            random_state=self.random_state,
        )
        regression = self.regressor_.prepare(X, labels)
        regression.regress(labels)
        return lambda: OutOfSample(np.arange(len(labels)), regression.out_of_sample(labels))

    def _scores(self, X: FeatureMatrix) -> Scores:
        P = np.asarray(self.regressor_.predict_proba(self.scaler_.transform(X)))
        return with_logits(P.reshape(X.shape[0], -1))
