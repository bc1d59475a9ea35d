"""What PLST, CPLST and FaIE share: a linear code, ridge regression, the code's own inverse."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY

import scipy.sparse as sp

from dlst._matrices import FeatureMatrix
from dlst._parameters import number, one_of, parameter, with_parameters
from dlst._unknown import known_or_mean
from dlst._weights import Weights
from dlst.decoders import InverseDecoder
from dlst.methods.code_space import CodeSpaceClassifier, Composition
from dlst.parts import Encoder
from dlst.regressors import LinearRidge
from dlst.regressors._base import times_roots
from dlst.regressors.linear_ridge import INTERCEPTS, NO_PENALTY, leave_one_out_penalty


@with_parameters
class LinearCodeClassifier(CodeSpaceClassifier):
    """Encode labels linearly, regress features onto the codes by ridge, decode linearly.

    A method gives its unfitted encoder by ``_encoder(alpha, centred)``; one with more parameters
    than these has a constructor of its own. No step makes a dense array of rows by labels, but for
    decisions that are learnt ("micro", "macro").
    """

    n_components: int | float | str | None = 0.8
    _: KW_ONLY
    alpha: float | str = parameter(default="auto", must_be=number(at_least=0) | one_of("auto"))
    intercept: str = parameter(default="free", must_be=one_of(*INTERCEPTS))

    def _composition(
        self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None
    ) -> Composition:
        # The encoders of CPLST and FaIE need the penalty of the regression before it is fitted.
        if self.alpha != "auto":
            self.alpha_ = float(self.alpha)
        elif self.intercept == "free":
            self.alpha_ = self._penalty(X, Y, weights)
        else:
            raise ValueError(NO_PENALTY)
        return Composition(
            self._encoder(self.alpha_, self.intercept == "free"),
            LinearRidge(self.alpha_, intercept=self.intercept),
            InverseDecoder(),
        )

    def _penalty(self, X: FeatureMatrix, Y: sp.csr_array, weights: Weights | None) -> float:
        if weights is None:
            return leave_one_out_penalty(X, known_or_mean(Y))
        judged = times_roots(known_or_mean(Y, weights.rows), weights.labels)
        return leave_one_out_penalty(X, judged, weights.rows)

    @abstractmethod
    def _encoder(self, alpha: float, centred: bool) -> Encoder:
        """Return the unfitted encoder, for a penalty and for features centred or as they are."""
