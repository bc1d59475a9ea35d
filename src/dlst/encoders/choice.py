"""The full code or one of half its length, whichever has the lower left-out log-loss."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY
from typing import Any

import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import FeatureMatrix, FloatArray
from dlst._parameters import (
    check_parameters,
    integer,
    one_of,
    parameter,
    with_parameters,
)
from dlst._weights import Weights
from dlst.encoders._base import CodeEncoder
from dlst.encoders._checks import COMPONENTS, checked_labels
from dlst.encoders._distances import DISTANCES
from dlst.encoders.distribution import SOLVERS, DistributionEncoder
from dlst.encoders.full import FullCode
from dlst.parts import Judge

STUDIED_ITERATIONS = 80
"""Of the half code, where it is only tried: what was studied. It need not be the end."""


@with_parameters
class ChosenCode(CodeEncoder):
    """Encode labels by the full code or by an aligned one of half its length.

    Half the length drops what varies least, which helps where that is noise and harms where labels
    rarely occur together. Both codes are made, and the judge that a composition gives (the log-loss
    of near codes' labels, every row left out) says which to keep.

    Parameters
    ----------
    n_components : int, float, None, "half" or "auto"
        ``"auto"`` chooses. Any other length asks for that code of :class:`DistributionEncoder`,
        without a choice.
    distance, solver, n_restarts
        As in :class:`DistributionEncoder`; without effect on the full code.
    min_rows : int
        With fewer rows ``"auto"`` is the full code: there is too little to judge by.
    max_label_sets : int
        With more distinct label sets ``"auto"`` is the full code: aligning them would cost more
        than all the rest of a fit.
    random_state : int, RandomState or None
        For the restarts.

    Attributes
    ----------
    encoder_ : FullCode or DistributionEncoder
        The encoder of the code that was kept.
    log_loss_ : dict of str to float
        What the judge said of ``"full"`` and ``"half"``; empty where nothing was chosen.
    n_components_, rank_, kl_divergence_, label_sets_, codes_
        Of ``encoder_``.

    Examples
    --------
    A judge that likes codes short:

    >>> import numpy as np
    >>> Y = np.random.default_rng(0).integers(0, 2, size=(40, 6))
    >>> encoder = ChosenCode()
    >>> encoder.encode(sp.csr_array(Y), None, judge=lambda codes: codes.shape[1]).shape
    (40, 3)
    >>> encoder.log_loss_
    {'full': 6, 'half': 3}
    """

    n_components: int | float | str | None = parameter(
        default="auto", must_be=COMPONENTS | one_of("auto")
    )
    _: KW_ONLY
    distance: str = parameter(default="sqeuclidean", must_be=one_of(*DISTANCES))
    solver: str = parameter(default="lbfgs", must_be=one_of(*SOLVERS))
    n_restarts: int = parameter(default=0, must_be=integer(at_least=0))
    min_rows: int = parameter(default=30, must_be=integer(at_least=0))
    max_label_sets: int = parameter(default=2000, must_be=integer(at_least=1))
    random_state: Any = None

    def fit(self, Y: Any, X: Any = None, sample_weight: Any = None) -> ChosenCode:
        """Make the code; with ``"auto"`` the full one, as there is no judge."""
        self.fit_transform(Y, X, sample_weight)
        return self

    def fit_transform(self, Y: Any, X: Any = None, sample_weight: Any = None) -> FloatArray:
        """Make the code and return it for the rows, shape (n, r)."""
        check_parameters(self)
        self.log_loss_: dict[str, float] = {}
        automatic = self.n_components == "auto"
        self.encoder_ = FullCode() if automatic else self._aligned(self.n_components)
        codes: FloatArray = self.encoder_.fit_transform(Y, X, sample_weight)
        return codes

    def encode(
        self, Y: sp.csr_array, X: FeatureMatrix, judge: Judge, weights: Weights | None = None
    ) -> FloatArray:
        """Make the code, choose it where that is asked for, and return it for the rows."""
        of_rows = None if weights is None else weights.rows
        codes = self.fit_transform(checked_labels(Y), X, of_rows)
        if self.n_components != "auto" or not self._is_worth_choosing(len(codes)):
            return codes
        half = self._aligned("half").set_params(max_iter=STUDIED_ITERATIONS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            half_codes: FloatArray = half.fit_transform(Y, X, of_rows)
        self.log_loss_ = {"full": judge(codes), "half": judge(half_codes)}
        if self.log_loss_["half"] >= self.log_loss_["full"]:
            return codes
        self.encoder_ = half
        return half_codes

    def transform(self, Y: Any) -> FloatArray:
        """Return the codes of label sets, shape (n, r)."""
        check_is_fitted(self)
        codes: FloatArray = self.encoder_.transform(Y)
        return codes

    def _is_worth_choosing(self, n_rows: int) -> bool:
        full = self.encoder_
        few = n_rows < self.min_rows or full.n_components_ < 3
        return not few and len(full.label_sets_) <= self.max_label_sets

    def _aligned(self, n_components: Any) -> DistributionEncoder:
        return DistributionEncoder(
            n_components,
            distance=self.distance,
            solver=self.solver,
            n_restarts=self.n_restarts,
            random_state=self.random_state,
        )

    @property
    def n_components_(self) -> int:
        """Dimensions that the codes span."""
        return int(self.encoder_.n_components_)

    @property
    def rank_(self) -> int:
        """Rank of the centred labels."""
        return int(self.encoder_.rank_)

    @property
    def kl_divergence_(self) -> float:
        """KL divergence of the code pairs from the label pairs."""
        return float(self.encoder_.kl_divergence_)

    @property
    def label_sets_(self) -> Any:
        """The distinct label sets."""
        return self.encoder_.label_sets_

    @property
    def codes_(self) -> FloatArray:
        """Codes of the distinct label sets."""
        codes: FloatArray = self.encoder_.codes_
        return codes
