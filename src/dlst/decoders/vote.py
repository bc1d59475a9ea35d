"""The calibrated vote of neighbours in the code space: encode, regress, vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from dlst._parameters import with_parameters
from dlst.decoders.evidences import K_GRID, RHO_GRID, CodeVote, TrainingRows
from dlst.decoders.stack import StackedDecoder


@with_parameters
class VoteDecoder(StackedDecoder):
    """Labels of the nearest training codes, weighted by distance and calibrated.

    A smooth version of ML-kNN's Bayes step: the weighted share v of the neighbours that have a
    label goes through logit p = a_j + b · logit v, b >= 0, learnt on left-out training rows.
    :class:`~dlst.decoders.evidences.CodeVote` describes how neighbours and k are chosen.

    Parameters
    ----------
    k_grid : sequence of int
        Numbers of neighbours to choose from.
    rho_grid : sequence of float
        Shares of the target in the codes searched to choose from.
    n_queries : int, "auto" or "all"
        Training rows to calibrate on; "auto" takes all of up to 5000, at least 1000 of more.
    random_state : int, RandomState or None
        Draws these rows when they are not all.
    n_jobs : int, optional
        Threads of the neighbour search.

    Attributes
    ----------
    vote_ : CodeVote
        The fitted vote, with ``k_``, ``rho_`` and ``log_loss_``.
    log_loss_ : float
        Left-out log-loss of the chosen vote, before calibration.

    Examples
    --------
    >>> codes = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> decoder = VoteDecoder(k_grid=[2]).fit(codes, [[1], [1], [1], [0], [0], [0]])
    >>> decoder.predict_proba([[0.15], [5.05]]).round(2)
    array([[0.93],
           [0.07]])
    """

    k_grid: Sequence[int] = K_GRID
    rho_grid: Sequence[float] = RHO_GRID
    n_queries: int | Literal["auto", "all"] = "auto"
    random_state: Any = None
    n_jobs: int | None = None

    @property
    def vote_(self) -> Any:
        """The fitted vote; None when all labels are constant."""
        return self.evidences_[0] if self.evidences_ else None

    @property
    def log_loss_(self) -> float:
        """Left-out log-loss of the chosen vote, for comparing codes; 0 without a vote."""
        return 0.0 if self.vote_ is None else float(self.vote_.log_loss_.min())

    def _learn(self, training: TrainingRows) -> None:
        self._stack(training, [CodeVote(self.k_grid, self.rho_grid)])
