"""What PLST, CPLST and FaIE share: a linear code, ridge regression, the code's own inverse."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import FeatureMatrix
from dlst._parameters import check_choice, check_number
from dlst.decoders import Decision, LinearDecoder
from dlst.methods._regressed_labels import regressed_probabilities, regressed_scores
from dlst.methods.label_space import LabelSpaceClassifier, known_or_mean
from dlst.methods.scaling import FeatureScaler, Scaling
from dlst.regressors import LinearRidge
from dlst.regressors.ridge import INTERCEPTS, leave_one_out_penalty


class LinearCodeClassifier(LabelSpaceClassifier):
    """Encode labels linearly, regress features onto the codes by ridge, decode linearly.

    A method gives its unfitted encoder by ``_encoder(alpha, centred)``; one with more parameters
    than these has a constructor of its own. No step makes a dense array of rows by labels, but for
    decisions that are learnt ("micro", "macro").
    """

    def __init__(
        self,
        n_components: int | float | str | None = 0.8,
        *,
        alpha: float | None = None,
        intercept: str = "free",
        decision: Decision = "hamming",
        cardinality: float | None = None,
        scaling: Scaling = "auto",
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.intercept = intercept
        self.decision = decision
        self.cardinality = cardinality
        self.scaling = scaling

    def _fit(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        self._check_penalty()
        self.decision_rule_ = self._decision_rule(self.decision, self.cardinality)
        self.scaler_ = FeatureScaler(self.scaling).fit(X)
        X = self.scaler_.transform(X)
        self.alpha_ = self._penalty(X, Y)
        self.encoder_ = self._encoder(self.alpha_, self.intercept == "free")
        Z = self._encode(X, Y)
        self.regressor_ = LinearRidge(self.alpha_, intercept=self.intercept).fit(X, Z)
        self.codes_ = self.regressor_.loo_predictions_
        self.decoder_ = LinearDecoder().adopt(self.encoder_.decoding_, self.encoder_.offset_)
        self._learn_decisions(X, Y)
        self._place_labels(Y)

    @abstractmethod
    def _encoder(self, alpha: float, centred: bool) -> Any:
        """Return the unfitted encoder, for a penalty and for features centred or as they are."""

    def _check_penalty(self) -> None:
        check_choice("intercept", self.intercept, INTERCEPTS)
        if self.alpha is not None:
            check_number("alpha", self.alpha, at_least=0)
        elif self.intercept == "penalised":
            raise ValueError(
                "alpha must be a number with intercept='penalised'; got None. "
                "Give one, or use intercept='free'."
            )

    def _penalty(self, X: FeatureMatrix, Y: sp.csr_array) -> float:
        if self.alpha is not None:
            return float(self.alpha)
        return leave_one_out_penalty(X, known_or_mean(Y))

    def _learn_decisions(self, X: FeatureMatrix, Y: sp.csr_array) -> None:
        # The other rules look at labels only.
        P = np.broadcast_to(0.0, Y.shape)
        if self.decision in ("micro", "macro"):
            P = regressed_probabilities(self.decoder_.decision_function(self.codes_))
        self.decision_rule_.fit(P, Y)

    @property
    def n_components_(self) -> int:
        """Code dimension r."""
        return int(self.encoder_.n_components_)

    def _scores(self, X: FeatureMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return regressed_scores(self.decoder_.decision_function(self._latent(X)[0]))

    def _probabilities(self, X: FeatureMatrix) -> NDArray[np.float64]:
        return self._scores(X)[0]
