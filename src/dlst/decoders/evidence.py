"""The default decoder: direct read-out, code vote and feature vote, weighed by log-loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from dlst._matrices import FloatArray
from dlst._parameters import number, one_of, parameter, with_parameters
from dlst._seeds import give_seed
from dlst.decoders.approximate import Search
from dlst.decoders.evidences import (
    K_GRID,
    RHO_GRID,
    CodeVote,
    DirectReadout,
    Evidence,
    FeatureVote,
    TrainingRows,
)
from dlst.decoders.stack import PLAIN_LINK_SCALE, StackedDecoder

RARE = 10.0
"""Positives of a label for which both slopes count equally."""


@with_parameters
class EvidenceDecoder(StackedDecoder):
    """Logistic combination of evidences, each available out of sample for training rows.

    logit p_ij = a_j + Σ_m b_m · evidence_m(i, j), with slopes b >= 0 shared by all labels, learnt
    on left-out training rows. Evidences: the labels regressed directly, the weighted votes of
    neighbours by codes and by features, and those in ``extra``.

    Parameters
    ----------
    direct, code_vote, feature_vote : bool
        Which of the three to use.
    extra : sequence of Evidence
        Additional evidences; see :class:`~dlst.decoders.evidences.Evidence`.
    slopes : {"shared", "by frequency"}
        ``"by frequency"``: two slopes for each evidence, one for frequent and one for rare labels,
        b_mj = u_m s_j + v_m (1 − s_j), s_j = n_j/(n_j + 10) for a label of n_j positives.
    k_grid, rho_grid : sequence
        Candidate values of k and rho for the votes.
    n_queries : int, "auto" or "all"
        Training rows to calibrate on; "auto" takes all of up to 5000, at least 1000 of more.
    min_rows : int
        With fewer labelled rows only the direct read-out is used: there are too few to learn
        weights.
    enrichment : float
        Above 0 (0.3 was studied): a second round in which each known zero votes with this share of
        the probability that the first round gave it. Helps rare labels (macro-F1) when positives
        are missing; calibration stays on the observed labels.
    random_state : int, RandomState or None
        Draws the calibration rows when they are not all.
    n_jobs : int, optional
        Threads of the neighbour searches.
    search : {"exact", "approximate"}
        How votes find the neighbours of new rows: exactly, or, faster with hundreds of thousands
        of rows, at least 95 % of them, with the extra ``dlst[ann]``; see ``recall_`` of a vote.
        Training always uses exact neighbours.

    Attributes
    ----------
    evidences_ : list
        Fitted evidences; votes have ``k_``, ``rho_``, ``recall_`` and ``log_loss_``.
    slopes_, intercept_, calibration_rows_, out_of_sample_proba_
        As in :class:`~dlst.decoders.stack.StackedDecoder`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> decoder = EvidenceDecoder().fit(X, X > 0, X=X)
    >>> (decoder.predict_proba([[2.0, -2.0]], X=[[2.0, -2.0]]) > 0.5).tolist()
    [[True, False]]
    >>> [evidence.name for evidence in decoder.evidences_]
    ['direct', 'code vote', 'feature vote']
    """

    direct: bool = True
    code_vote: bool = True
    feature_vote: bool = True
    extra: Sequence[Evidence] = ()
    slopes: Literal["shared", "by frequency"] = parameter(
        default="shared", must_be=one_of("shared", "by frequency")
    )
    k_grid: Sequence[int] = K_GRID
    rho_grid: Sequence[float] = RHO_GRID
    n_queries: int | Literal["auto", "all"] = "auto"
    min_rows: int = 30
    enrichment: float = parameter(default=0.0, must_be=number(at_least=0, at_most=1))
    random_state: Any = None
    n_jobs: int | None = None
    search: Search = parameter(default="exact", must_be=one_of(*get_args(Search)))

    def _make_evidences(self, training: TrainingRows) -> list[Evidence]:
        if self._is_small(training):
            return [DirectReadout(link_scale=PLAIN_LINK_SCALE)]
        evidences: list[Evidence] = []
        if self.direct:
            evidences.append(DirectReadout())
        if self.code_vote:
            evidences.append(CodeVote(self.k_grid, self.rho_grid, self.search))
        if self.feature_vote:
            evidences.append(FeatureVote(self.k_grid, self.search))
        for part in self.extra:
            random = check_random_state(self.random_state)
            evidences.append(give_seed(clone(part, safe=False), random))
        names = [evidence.name for evidence in evidences]
        if not names:
            raise ValueError(
                "an evidence is needed; got direct, code_vote and feature_vote all False and "
                "no extra."
            )
        if len(set(names)) < len(names):
            raise ValueError(f"evidences must have different names; got {names}.")
        return evidences

    def _learn(self, training: TrainingRows) -> None:
        evidences = self._make_evidences(training)
        if self._is_small(training):
            self._stack(training, evidences, weigh=False)
            return
        if self.enrichment > 0:
            every = replace(training, rows=training.labels.labelled_rows)
            guessed = self._stack(every, evidences)
            training = replace(training, enriched=self._enrich(training, guessed))
        self._stack(training, evidences)

    def _weigh(self, evidence: FloatArray, training: TrainingRows) -> None:
        if self.slopes == "shared":
            super()._weigh(evidence, training)
            return
        positives = training.labels.n_positive
        frequent = positives / (positives + RARE)
        super()._weigh(np.concatenate([evidence * frequent, evidence * (1.0 - frequent)]), training)
        of_frequent, of_rare = np.split(self.slopes_, 2)
        self.slopes_ = np.outer(of_frequent, frequent) + np.outer(of_rare, 1.0 - frequent)

    def _is_small(self, training: TrainingRows) -> bool:
        return len(training.labels.labelled_rows) < self.min_rows

    def _enrich(self, training: TrainingRows, guessed: FloatArray) -> FloatArray:
        rows = training.labels.labelled_rows
        present, known = training.labels.dense()
        share = self.enrichment * (1.0 - present[rows]) * guessed
        present[rows] += share if known is None else share * known[rows]
        return present
