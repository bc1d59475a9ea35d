"""DLST₁: the paper's first variant, labels regressed directly."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold

from dlst._matrices import FeatureMatrix, as_dense
from dlst._parameters import check_number
from dlst.decoders import Decision
from dlst.methods.base import MultiLabelClassifier
from dlst.methods.label_space import CROSS_FITTING_FOLDS, known_or_mean
from dlst.methods.penalties import PAPER_PENALTY, cross_validated_penalty
from dlst.methods.scaling import FeatureScaler, Scaling
from dlst.regressors import KernelLogisticRegression


class DLST1(MultiLabelClassifier):
    """Kernel logistic regression from features to each label, without a code space.

        min Σ_ij −y_ij log σ(f_j(x_i)) − (1 − y_ij) log(1 − σ(f_j(x_i))) + λ Σ_j ‖f_j‖²

    Parameters
    ----------
    kernel, gamma, n_basis, basis
        As in :class:`KernelLogisticRegression`.
    alpha : float, optional
        λ; by default chosen by cross-validation on training rows.
    decision, cardinality, scaling, random_state
        As in :class:`LabelSpaceClassifier`.

    Notes
    -----
    An unknown label is a soft target, the label's prevalence.
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "median",
        alpha: float | None = None,
        n_basis: int | str = "auto",
        basis: str = "random",
        decision: Decision = "hamming",
        cardinality: float | None = None,
        scaling: Scaling = "auto",
        random_state: Any = None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.alpha = alpha
        self.n_basis = n_basis
        self.basis = basis
        self.decision = decision
        self.cardinality = cardinality
        self.scaling = scaling
        self.random_state = random_state

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        if self.alpha is not None:
            check_number("alpha", self.alpha, above=0)
        self.decision_rule_ = self._decision_rule(self.decision, self.cardinality)
        self.scaler_ = FeatureScaler(self.scaling).fit(X)
        X = self.scaler_.transform(X)
        targets = as_dense(known_or_mean(Y))
        model = KernelLogisticRegression(
            self.kernel,
            gamma=self.gamma,
            alpha=PAPER_PENALTY if self.alpha is None else self.alpha,
            output="probability",
            fit_intercept=True,
            n_basis=self.n_basis,
            basis=self.basis,
            random_state=self.random_state,
        )
        if self.alpha is None:
            model.set_params(alpha=cross_validated_penalty(model, X, targets))
        self.regressor_ = clone(model).fit(X, targets)
        self._learn_decisions(model, X, Y, targets)

    def _learn_decisions(
        self,
        model: KernelLogisticRegression,
        X: FeatureMatrix,
        Y: sp.csr_array,
        targets: NDArray[np.float64],
    ) -> None:
        P = targets
        if self.decision in ("micro", "macro"):
            P = np.empty_like(targets)
            folds = KFold(min(CROSS_FITTING_FOLDS, len(P)), shuffle=True, random_state=0)
            for train, test in folds.split(P):
                P[test] = clone(model).fit(X[train], targets[train]).predict_proba(X[test])
        self.decision_rule_.fit(P, Y)

    def _probabilities(self, X: FeatureMatrix) -> NDArray[np.float64]:
        P = np.asarray(self.regressor_.predict_proba(self.scaler_.transform(X)))
        return P.reshape(X.shape[0], -1)
