"""From left-out scores of labels to probabilities: votes are added while they help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import BoolArray, FeatureMatrix, FloatArray, IntArray, as_dense
from dlst._parameters import BOOLEAN, integer, number, parameter, with_parameters
from dlst._seeds import drawn_rows, give_seed
from dlst.decoders._inputs import Given, as_codes
from dlst.decoders.calibration import fit_logistic, mean_log_loss
from dlst.decoders.evidences import Evidence, TrainingRows
from dlst.decoders.evidences.contract import OfferingEvidence
from dlst.decoders.evidences.label_scores import (
    MOST_AXES,
    LabelScores,
    ProbabilityCodes,
    SecondOpinion,
)
from dlst.decoders.evidences.offered_votes import (
    WIDE_RHO_GRID,
    CosineVote,
    ProbabilityVote,
    offered_neighbourhoods,
    votes_within,
)
from dlst.decoders.stack import PLAIN_LINK_SCALE, StackedDecoder
from dlst.errors import DataError

STACK_ENTRIES = 12_000_000
PILOT_ENTRIES = 1_000_000
"""Entries (rows times labels) that weights are learnt on, and that choices of votes are made on."""

LEAST_ROWS = 1000

JUDGED_PRECISION = 1e-6
"""Precision of the log-losses that choices are compared by; the least gain is a thousandth."""


@with_parameters
class StagedDecoder(StackedDecoder):
    """Scores of labels turned into probabilities; votes are added stage by stage if they help.

    For codes of a linear encoder, such as :class:`~dlst.encoders.SignCode`: its inverse turns
    them into scores of labels, which go through a link. The resulting probabilities are codes in
    turn, by which near rows vote; with many labels, the nearest of these vote a second time; then
    rows with similar features vote. Each vote takes the k (and rho) that improve on the evidence
    before it most, and is dropped if the log-loss falls by less than ``least_gain``. The weights of
    the evidences that are kept are learnt together,

        logit p_ij = a_j + Σ_m b_m · evidence_m(i, j),  b >= 0.

    Designed for tens of thousands of rows, sparse features, hundreds to thousands of labels.

    Parameters
    ----------
    second : regressor, optional
        A second predictor of the labels' signs from the features, such as machines with another
        loss; it is tried first, and if kept is part of the codes. For one of scikit-learn's use
        :func:`~dlst.regressors.as_regressor`. See
        :class:`~dlst.decoders.evidences.label_scores.SecondOpinion`.
    code_vote, feature_vote : bool
        Whether to try these votes.
    k_grid : sequence of int, optional
        Numbers of voters to choose from. Default: 20 to 320; with more than 100 labels 20 to 1280,
        where the nearest have most of the vote.
    rho_grid : sequence of float
        Shares of a voter's own labels in its code to choose from.
    n_axes : int
        Maximum dimension of the codes.
    n_queries : int
        Maximum number of training rows that weights are learnt on; fewer if rows times labels would
        exceed 12 million.
    n_pilots : int
        Maximum number of these rows that choices are made on; at most a million entries.
    least_gain : float
        Share of the log-loss that a vote must save to be kept; a tenth of it for the second vote of
        the nearest voters, which needs no search.
    min_rows : int
        With fewer labelled rows only the scores are used: there are too few to learn weights.
    random_state : int, RandomState or None
        Draws the rows.
    n_jobs : int, optional
        Threads of the neighbour searches.

    Attributes
    ----------
    evidence_choice_ : dict of str to dict
        For each evidence that was tried, in order: its choice, the log-loss of the pilot rows with
        it, its gain, and whether it was kept.
    evidences_, slopes_, intercept_, calibration_rows_, out_of_sample_proba_
        As in :class:`~dlst.decoders.stack.StackedDecoder`.

    Examples
    --------
    >>> from dlst.encoders import SignCode
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> Y = X + 0.3 * rng.normal(size=X.shape) > 0
    >>> decoder = StagedDecoder(random_state=0).fit(X, Y, X=X, encoder=SignCode().fit(Y))
    >>> (decoder.predict_proba([[2.0, -2.0]], X=[[2.0, -2.0]]) > 0.5).tolist()
    [[True, False]]
    >>> list(decoder.evidence_choice_)
    ['direct', 'code vote', 'feature vote']
    """

    second: Any = None
    code_vote: bool = parameter(default=True, must_be=BOOLEAN)
    feature_vote: bool = parameter(default=True, must_be=BOOLEAN)
    k_grid: Sequence[int] | None = None
    rho_grid: Sequence[float] = WIDE_RHO_GRID
    n_axes: int = parameter(default=MOST_AXES, must_be=integer(at_least=1))
    n_queries: int = parameter(default=6_000, must_be=integer(at_least=1))
    n_pilots: int = parameter(default=1_000, must_be=integer(at_least=1))
    least_gain: float = parameter(default=0.001, must_be=number())
    min_rows: int = parameter(default=30, must_be=integer(at_least=0))
    random_state: Any = None
    n_jobs: int | None = None

    def _fit(self, given: Given) -> None:
        if (inverse := given.inverse) is None:
            raise DataError(
                "StagedDecoder must have a linear encoder, such as SignCode; got "
                f"{given.encoder!r}. Use EvidenceDecoder, which takes any codes."
            )
        self.decoding_, self.offset_ = inverse
        super()._fit(given.as_scores(self._decoded(given.codes)))

    def _decoded(self, codes: FeatureMatrix) -> FloatArray:
        decoding: Any = self.decoding_
        if sp.issparse(decoding) and np.array_equal(decoding.indices, np.arange(codes.shape[1])):
            # One label for each code: no product of matrices, whose result would be column-major.
            return np.asarray(as_dense(codes) * decoding.data + self.offset_)
        return np.asarray(codes @ decoding + self.offset_)

    def _check_new(self, codes: Any, X: Any) -> tuple[FeatureMatrix, FeatureMatrix | None]:
        check_is_fitted(self, "intercept_")
        checked = as_codes(codes, n_columns=self.decoding_.shape[0])
        return super()._check_new(self._decoded(checked), X)

    def _learn(self, training: TrainingRows) -> None:
        self.evidence_choice_: dict[str, dict[str, Any]] = {}
        self.evidences_: list[Evidence] = []
        self._start_from_prevalence()
        self.slopes_ = np.ones(0)
        training = self._with_fewer_rows(training)
        evidence = [] if self.constant_.all() else self._gather(training)
        self._added_up(evidence, training)

    def _gather(self, training: TrainingRows) -> list[FloatArray]:
        """Add evidence by evidence; return the values of those kept for the calibration rows."""
        if len(training.labels.labelled_rows) < self.min_rows:
            scores = LabelScores(PLAIN_LINK_SCALE)
            self.evidences_, self.slopes_ = [scores], np.ones(1)
            return [self._on_varying(scores.fit(training))]
        scores = LabelScores()
        self.evidences_ = [scores]
        gathered = [self._on_varying(scores.fit(training))]
        judge = _Judge(training, self._draw_pilots(training), ~self.constant_)
        judge.join(gathered[0][judge.places])
        self.evidence_choice_["direct"] = {"log_loss": judge.log_loss, "kept": True}
        for part in self._candidates(scores, training, gathered):
            part.prepare(training)
            choice, kept = self._tried(part, judge)
            if kept:
                self.evidences_.append(part)
                gathered.append(self._on_varying(part.settle(training, choice)))
        self._weigh(np.stack(gathered), training)
        for part in self.evidences_:
            part.forget()
        return gathered

    def _candidates(
        self, direct: LabelScores, training: TrainingRows, gathered: list[FloatArray]
    ) -> Iterator[OfferingEvidence]:
        """Yield the evidences to try, in order; codes are computed from the scores kept so far."""
        scores = [direct]
        k_grid = self.k_grid
        if k_grid is None:
            k_grid = offered_neighbourhoods(training.labels.shape[1])
        if self.second is not None:
            random = check_random_state(self.random_state)
            second = SecondOpinion(give_seed(clone(self.second), random))
            yield second
            scores += [second] if self.evidence_choice_[second.name]["kept"] else []
        if self.code_vote:
            self._weigh(np.stack(gathered), training)
            codes = ProbabilityCodes(scores, self.intercept_.copy(), self.slopes_, self.n_axes)
            vote = ProbabilityVote(codes, k_grid, self.rho_grid)
            yield vote
            if self.evidence_choice_[vote.name]["kept"]:
                yield from votes_within(vote)
        if self.feature_vote:
            yield CosineVote(k_grid)

    def _tried(self, part: OfferingEvidence, judge: _Judge) -> tuple[dict[str, Any], bool]:
        """Find the best choice of a part, add it if it gains enough, and record the result."""
        log_loss, choice = climbed(
            part.choices(), lambda choice: judge.with_one_more(part.offered(judge.rows, choice))
        )
        gain = 1.0 - log_loss / judge.log_loss
        kept = gain >= self.least_gain * part.cost
        found = {"log_loss": log_loss, "gain": gain, "kept": kept}
        self.evidence_choice_[part.name] = {**choice, **found}
        if kept:
            judge.join(part.offered(judge.rows, choice))
        return choice, kept

    def _with_fewer_rows(self, training: TrainingRows) -> TrainingRows:
        most = max(LEAST_ROWS, STACK_ENTRIES // training.labels.shape[1])
        if len(training.rows) > most:
            drawn = drawn_rows(training.rows, most, self.random_state)
            training = replace(training, rows=drawn)
            self.calibration_rows_ = training.rows
        return training

    def _draw_pilots(self, training: TrainingRows) -> IntArray:
        most = max(LEAST_ROWS, PILOT_ENTRIES // training.labels.shape[1])
        places = np.arange(len(training.rows))
        return drawn_rows(places, min(self.n_pilots, most), self.random_state)

    def _on_varying(self, values: FloatArray) -> FloatArray:
        return np.where(self.constant_, 0.0, values)


class _Judge:
    """The pilot rows, and the log-loss on them of the evidence kept so far."""

    def __init__(self, training: TrainingRows, places: IntArray, varying: BoolArray):
        self.places, self.varying = places, varying
        self.rows = replace(training, rows=training.rows[places])
        present, known = training.labels.dense(self.rows.rows)
        self.present = present[:, varying]
        self.known = None if known is None else known[:, varying]
        weights = self.rows.weights()
        self.weights = None if weights is None else weights.of_labels(varying)
        self.evidence = np.empty((0, *self.present.shape))
        self.start: tuple[FloatArray, FloatArray] | None = None

    def join(self, values: FloatArray) -> None:
        """Keep evidence (n_pilots, K)."""
        self.log_loss = self.with_one_more(values)
        self.evidence = np.concatenate([self.evidence, values[None, :, self.varying]])

    def with_one_more(self, values: FloatArray) -> float:
        """Return the log-loss with evidence (n_pilots, K) added."""
        more = np.concatenate([self.evidence, values[None, :, self.varying]])
        start = self.start if self.start and len(self.start[1]) == len(more) else None
        # Choices of one vote have nearly the same weights.
        self.start = fit_logistic(
            more,
            self.present,
            self.known,
            self.weights,
            start=start,
            precision=JUDGED_PRECISION,
        )
        return mean_log_loss(*self.start, more, self.present, self.known, self.weights)


def climbed(
    grids: Mapping[str, Sequence[Any]], loss: Callable[[dict[str, Any]], float]
) -> tuple[float, dict[str, Any]]:
    """Search ordered grids by coordinate descent from their middle, while the loss falls.

    Examples
    --------
    >>> climbed({"k": [1, 2, 4, 8], "r": [0, 1]}, lambda at: abs(at["k"] - 7) + at["r"])
    (1, {'k': 8, 'r': 0})
    """
    place = {name: len(grid) // 2 for name, grid in grids.items()}
    losses: dict[tuple[int, ...], float] = {}

    def at(here: dict[str, int]) -> float:
        key = tuple(here.values())
        if key not in losses:
            losses[key] = loss({name: grids[name][spot] for name, spot in here.items()})
        return losses[key]

    moved = True
    while moved:
        moved = False
        for name, step in ((name, step) for name in grids for step in (1, -1)):
            there = {**place, name: place[name] + step}
            while 0 <= there[name] < len(grids[name]) and at(there) < at(place):
                place, moved = there, True
                there = {**place, name: place[name] + step}
    return at(place), {name: grids[name][spot] for name, spot in place.items()}
