"""Ranks and tests of one metric over many data sets, as values and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from dlst.reports.frames import is_better_higher, measure_title
from dlst.reports.paired_tests import N_DRAWS, ROPE, bayesian_signed_rank, wilcoxon_against
from dlst.reports.rank_diagram import critical_difference_svg
from dlst.reports.ranks import (
    Friedman,
    Nemenyi,
    Ranks,
    complete_scores,
    friedman_test,
    mean_ranks,
    nemenyi,
)
from dlst.reports.score_tables import LEVEL, ScoreTable


@dataclass(frozen=True)
class RankSummary:
    """Ranks and tests of one metric.

    Attributes
    ----------
    measure : str
        The metric.
    reference : str
        The method that ``wilcoxon`` and ``bayesian`` compare with each other one.
    ranks : Ranks
    friedman : Friedman
    nemenyi : Nemenyi
    wilcoxon : DataFrame
        As :func:`~dlst.reports.paired_tests.wilcoxon_against` returns it.
    bayesian : DataFrame of shape (n_methods - 1, 3)
        Probabilities that the reference is practically ``better``, ``equal`` or ``worse``.
    rope : float
        Largest difference that counts as none in ``bayesian``.

    Examples
    --------
    >>> from dlst.reports import score_table
    >>> frame = pd.DataFrame({"title": ["a", "b"] * 3, "data": list("xxyyzz"), "seed": 0})
    >>> frame = frame.assign(protocol="", split="", status="done", micro_f1=[9, 5, 8, 6, 7, 6.5])
    >>> summary = rank_summary(score_table(frame, "micro_f1"), "a", n_draws=1000)
    >>> summary.reference, summary.friedman.n_data
    ('a', 3)
    """

    measure: str
    reference: str
    ranks: Ranks
    friedman: Friedman
    nemenyi: Nemenyi
    wilcoxon: pd.DataFrame
    bayesian: pd.DataFrame
    rope: float

    @property
    def title(self) -> str:
        """For people."""
        return measure_title(self.measure)

    @property
    def differs(self) -> bool:
        """Whether the methods differ at the level, by Iman and Davenport's form of the test."""
        return self.friedman.f_p < self.nemenyi.level

    def diagram(self) -> str:
        """Return the critical-difference diagram as SVG."""
        heading = f"{self.title}: mean ranks on {self.friedman.n_data} data sets"
        return critical_difference_svg(
            self.ranks.mean, self.nemenyi.critical_difference, title=heading
        )

    def sentences(self) -> list[str]:
        """Return the tests in words, a paragraph each."""
        test, level = self.friedman, p_words(self.nemenyi.level)
        freedom = test.n_methods - 1
        alike = "no difference is shown, so the pairs below are no evidence of one either"
        verdict = "the methods differ" if self.differs else alike
        words = [
            f"**{self.title}** of {test.n_methods} methods on {test.n_data} data sets; rank 1 is "
            "the best.",
            f"Friedman χ²({freedom}) = {test.chi_square:.2f}, p {_p(test.chi_square_p)}; "
            f"Iman-Davenport F({freedom}, {freedom * (test.n_data - 1)}) = {test.f:.2f}, "
            f"p {_p(test.f_p)}: {verdict} (level {level}).",
            f"By Nemenyi's test mean ranks that lie {self.nemenyi.critical_difference:.2f} apart "
            f"differ (level {level}). "
            f"The columns after it compare {self.reference} with the method of the row: "
            "Wilcoxon's signed-rank test, two-sided, and the Bayesian signed-rank test, which "
            f"counts differences up to {self.rope:g} as none.",
        ]
        smallest = 2.0 ** (1 - test.n_data)
        if smallest >= self.nemenyi.level:
            words.append(
                f"With {test.n_data} data sets Wilcoxon's p-value cannot fall below "
                f"{p_words(smallest)}, whatever the scores."
            )
        if self.ranks.left_out:
            names = ", ".join(self.ranks.left_out)
            words.append(f"Left out, as a method has no result there: {names}.")
        return words


def rank_summary(
    table: ScoreTable,
    reference: str,
    *,
    level: float = LEVEL,
    rope: float = ROPE,
    n_draws: int = N_DRAWS,
    random_state: Any = 0,
) -> RankSummary:
    """Rank the methods of a table over its data sets, and test the differences.

    Parameters
    ----------
    table : ScoreTable
        Each column counts as one independent data set: build it from one protocol. A method
        that ended fewer runs on a data set than others has no comparable mean there, so that
        data set is left out, and named.
    reference : str
        Title of the method to compare with each other one.
    level : float
        Of the tests.
    rope, n_draws, random_state
        Of :func:`~dlst.reports.paired_tests.bayesian_signed_rank`; the same draws for each pair.

    Returns
    -------
    RankSummary

    Examples
    --------
    >>> from dlst.reports import score_table
    >>> frame = pd.DataFrame({"title": ["a", "b"] * 3, "data": list("xxyyzz"), "seed": 0})
    >>> frame = frame.assign(protocol="", split="", status="done", micro_f1=[9, 5, 8, 6, 7, 6.5])
    >>> summary = rank_summary(score_table(frame, "micro_f1"), "a", n_draws=1000)
    >>> summary.ranks.mean.tolist()
    [1.0, 2.0]
    """
    runs = table.count.T
    scores = table.mean.T.where(runs.eq(runs.max(axis=1), axis=0))
    higher = is_better_higher(table.measure)
    complete, _ = complete_scores(scores)
    paired = wilcoxon_against(scores, reference, higher_is_better=higher)
    draws = {"n_draws": n_draws, "random_state": random_state, "higher_is_better": higher}
    chances = [
        asdict(bayesian_signed_rank(complete[reference], complete[other], rope, **draws))
        for other in paired.index
    ]
    return RankSummary(
        measure=table.measure,
        reference=reference,
        ranks=mean_ranks(scores, higher_is_better=higher),
        friedman=friedman_test(scores),
        nemenyi=nemenyi(scores, level),
        wilcoxon=paired,
        bayesian=pd.DataFrame(chances, paired.index)[["better", "equal", "worse"]],
        rope=rope,
    )


def _p(value: float) -> str:
    text = p_words(value)
    return text if text.startswith("<") else f"= {text}"


def p_words(value: float) -> str:
    """Write a p-value."""
    return f"{value:.3f}" if value >= 0.001 else "< 0.001"
