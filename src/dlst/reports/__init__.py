"""Results to pages and words; nothing here fits, reads data or measures."""

from dlst.reports.demo_page import is_demo_page, render_demo, write_demo
from dlst.reports.demo_verdict import demo_verdict, lost_columns
from dlst.reports.frames import is_better_higher, measure_title, results_frame
from dlst.reports.paired_tests import (
    BayesianComparison,
    bayesian_signed_rank,
    holm,
    wilcoxon_against,
)
from dlst.reports.rank_diagram import critical_difference_svg
from dlst.reports.rank_summary import RankSummary, rank_summary
from dlst.reports.ranks import Friedman, Nemenyi, Ranks, friedman_test, mean_ranks, nemenyi
from dlst.reports.score_tables import ScoreTable, score_table, to_latex, to_markdown

__all__ = [
    "BayesianComparison",
    "Friedman",
    "Nemenyi",
    "RankSummary",
    "Ranks",
    "ScoreTable",
    "bayesian_signed_rank",
    "critical_difference_svg",
    "demo_verdict",
    "friedman_test",
    "holm",
    "is_better_higher",
    "is_demo_page",
    "lost_columns",
    "mean_ranks",
    "measure_title",
    "nemenyi",
    "rank_summary",
    "render_demo",
    "results_frame",
    "score_table",
    "to_latex",
    "to_markdown",
    "wilcoxon_against",
    "write_demo",
]
