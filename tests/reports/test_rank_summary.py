"""A summary bundles the tests of one metric, in the metric's direction, and tells them in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dlst.errors import DataError
from dlst.reports import document_to_markdown
from dlst.reports.paired_tests import bayesian_signed_rank, wilcoxon_against
from dlst.reports.rank_blocks import TEST_COLUMNS, rank_blocks
from dlst.reports.rank_summary import rank_summary
from dlst.reports.ranks import friedman_test, mean_ranks, nemenyi
from dlst.reports.score_tables import ScoreTable


def score_table_of(mean, measure="micro_f1", count=None):
    count = pd.DataFrame(3, mean.index, mean.columns) if count is None else count
    nothing = pd.DataFrame(False, mean.index, mean.columns)
    return ScoreTable(measure, mean, mean * 0, count, nothing, nothing)


@pytest.fixture
def mean():
    rng = np.random.default_rng(0)
    base = rng.uniform(0.4, 0.8, size=10)
    return pd.DataFrame(
        [base + 0.1, base + 0.02 * rng.normal(size=10), base - 0.05],
        index=["DLST", "ML-kNN", "a|b"],
        columns=[f"d{i}" for i in range(10)],
    )


@pytest.mark.parametrize(("measure", "higher"), [("micro_f1", True), ("hamming_loss", False)])
def test_the_parts_are_those_of_the_single_functions(mean, measure, higher):
    summary = rank_summary(score_table_of(mean, measure), "DLST", level=0.1, n_draws=500)
    scores = mean.T
    expected = mean_ranks(scores, higher_is_better=higher).mean
    pd.testing.assert_series_equal(summary.ranks.mean, expected)
    assert summary.friedman == friedman_test(scores)
    assert summary.nemenyi.level == 0.1
    pd.testing.assert_frame_equal(summary.nemenyi.p_values, nemenyi(scores).p_values)
    pd.testing.assert_frame_equal(
        summary.wilcoxon, wilcoxon_against(scores, "DLST", higher_is_better=higher)
    )
    pair = bayesian_signed_rank(
        mean.loc["DLST"],
        mean.loc["a|b"],
        n_draws=500,
        random_state=0,
        higher_is_better=higher,
    )
    found = summary.bayesian.loc["a|b"]
    assert (found["better"], found["equal"], found["worse"]) == (
        pair.better,
        pair.equal,
        pair.worse,
    )
    assert (summary.ranks.mean["DLST"] == 1) == higher


def test_a_mean_over_fewer_runs_than_others_does_not_count(mean):
    count = pd.DataFrame(3, mean.index, mean.columns)
    count.loc["ML-kNN", "d4"] = 2
    mean.loc["a|b", "d7"], count.loc["a|b", "d7"] = np.nan, 0
    summary = rank_summary(score_table_of(mean, count=count), "DLST", n_draws=100)
    assert summary.ranks.left_out == ("d4", "d7")
    assert summary.friedman.n_data == 8
    assert "Left out, as a method has no result there: d4, d7." in " ".join(summary.sentences())


def test_markdown_goes_from_the_best_to_the_worst(mean):
    summary = rank_summary(score_table_of(mean), "ML-kNN", n_draws=100)
    text = document_to_markdown(rank_blocks(summary))
    table = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(table[0].strip("| ").split(" | ")) == len(TEST_COLUMNS)
    names = [line.split(" | ")[0] for line in table[2:]]
    assert names == ["| DLST", "| ML-kNN", r"| a\|b"]
    cells = table[2].strip("| ").split(" | ")
    assert len(cells) == len(TEST_COLUMNS)
    assert cells[1] == "**1.00**"
    assert cells[3] == "0/0/10"
    assert cells[4].startswith("-0.1")
    assert "**Micro-F1** of 3 methods on 10 data sets" in text
    assert "the methods differ (level 0.050)" in text
    assert "cannot fall below" not in text


def test_markdown_owns_up_to_weak_evidence(mean):
    few = mean.iloc[:2, :4].copy()
    few.loc["ML-kNN", ["d0", "d1"]] = 1.0
    summary = rank_summary(score_table_of(few), "DLST", n_draws=100)
    text = " ".join(summary.sentences())
    assert not summary.differs
    assert "no difference is shown" in text
    assert "With 4 data sets Wilcoxon's p-value cannot fall below 0.125" in text


def test_the_diagram_is_that_of_the_ranks(mean):
    svg = rank_summary(score_table_of(mean), "DLST", n_draws=100).diagram()
    assert "<title>Micro-F1: mean ranks on 10 data sets</title>" in svg
    assert svg.count('class="method"') == 3


def test_the_same_seed_gives_the_same_summary(mean):
    one, other = (
        rank_summary(score_table_of(mean), "DLST", n_draws=300, random_state=4) for _ in range(2)
    )
    assert rank_blocks(one) == rank_blocks(other)
    pd.testing.assert_frame_equal(one.bayesian, other.bayesian)


def test_a_reference_that_is_no_method_is_refused(mean):
    with pytest.raises(ValueError, match="got 'BR'"):
        rank_summary(score_table_of(mean), "BR")
    with pytest.raises(DataError, match="at least 2 methods"):
        rank_summary(score_table_of(mean.iloc[:1]), "DLST")
