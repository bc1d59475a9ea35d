"""The bases of decoders: scores in one pass, and defaults for what is optional."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import scipy.sparse as sp
from sklearn.base import BaseEstimator

from dlst._matrices import FloatArray
from dlst._parameters import Constraints, check_parameters
from dlst._weights import Weights, no_place
from dlst.decoders._inputs import Given
from dlst.errors import DataError
from dlst.explanation import Explanation
from dlst.parts import OutOfSample, Scores, SearchedCodes, Smoother


class CodeDecoder(BaseEstimator, ABC):  # type: ignore[misc]
    """Base of decoders. Your own needs ``fit`` and ``scores``; the other methods are optional.

    Examples
    --------
    >>> from dlst.decoders import MLkNNDecoder
    >>> isinstance(MLkNNDecoder(), CodeDecoder)
    True
    """

    has_shortlist: bool = False
    """Whether it can find the labels that may rank best without scoring every label."""

    looks_at_all_labels: bool = True
    """Whether it still makes arrays of rows by labels."""

    @abstractmethod
    def fit(
        self,
        codes: Any,
        Y: Any,
        *,
        targets: Any = None,
        X: Any = None,
        smoother: Smoother | None = None,
        encoder: Any = None,
    ) -> Any:
        """Learn from codes (n, r) and labels (n, K); see :class:`dlst.parts.Decoder`."""

    @abstractmethod
    def scores(self, codes: Any, *, X: Any = None) -> Scores:
        """Return probabilities and ranking scores of new rows, both (n, K), in one pass."""

    def predict_proba(self, codes: Any, *, X: Any = None) -> FloatArray:
        """Return the probability of each label, shape (n, K)."""
        return self.scores(codes, X=X).probabilities

    def decision_function(self, codes: Any, *, X: Any = None) -> FloatArray:
        """Return the scores that labels are ranked by, shape (n, K)."""
        return self.scores(codes, X=X).ranking

    def explain(self, codes: Any, *, X: Any = None, rows: Any = None) -> Explanation:
        """Explain the probabilities, where the decoder can."""
        raise DataError(
            f"{type(self).__name__} does not explain its scores. Take EvidenceDecoder, or DLST, "
            "which has it (--method dlst in the shell)."
        )

    def out_of_sample(self) -> OutOfSample | None:
        """Return probabilities of training rows as if they were new; None if it has seen them."""
        return None

    def shortlist(
        self, codes: Any, *, X: Any = None, at_least: int = 0, handicap: FloatArray | None = None
    ) -> sp.csr_array:
        """Return logits of ``at_least`` labels or more that may rank best, as ``has_shortlist``."""
        raise DataError(f"{type(self).__name__} scores all labels.")

    def votes(self, codes: Any, *, X: Any = None) -> sp.csr_array | None:
        """Return how much each training row votes on new rows; None where none do."""
        return None

    def forget(self) -> None:
        """Drop what is needed for learning decisions only; nothing by default."""

    def searched(self) -> SearchedCodes | None:
        """Return the codes in which neighbours are searched; None where none are."""
        return None


class CheckedDecoder(CodeDecoder):
    """Base of the decoders of this package: ``fit`` checks what is given, ``_fit`` learns."""

    _constraints: ClassVar[Constraints] = {}

    takes_weights: ClassVar[bool] = False
    """Whether rows and labels can be weighted."""

    def fit(
        self,
        codes: Any,
        Y: Any,
        *,
        targets: Any = None,
        X: Any = None,
        smoother: Smoother | None = None,
        encoder: Any = None,
        weights: Weights | None = None,
    ) -> Self:
        """Learn to decode; each decoder takes what it can use.

        Parameters
        ----------
        codes : array-like or sparse of shape (n, r)
            Out-of-sample codes of the training rows.
        Y : array-like or sparse of shape (n, K)
            0, 1, NaN for unknown.
        targets : array-like of shape (n, r), optional
            The codes that the regressor was fitted to.
        X : array-like or sparse of shape (n, d), optional
            Features.
        smoother : Smoother, optional
            The regression's; makes calibration exact (leave-two-out).
        encoder : encoder, optional
            Fitted; its inverse decodes labels from codes.
        weights : Weights, optional
            How often rows and labels count.
        """
        check_parameters(self)
        if weights is not None and not self.takes_weights:
            raise no_place(self)
        self._fit(Given(codes, Y, targets, X, smoother, encoder, weights))
        return self

    @abstractmethod
    def _fit(self, given: Given) -> None:
        """Learn from checked input."""
