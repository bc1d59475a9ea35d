"""Reports from records; nothing here fits, reads data or measures."""

from dlst.reports.document import Document
from dlst.reports.exports import write_everything, write_results
from dlst.reports.frames import is_better_higher, measure_title, results_frame
from dlst.reports.latex import document_to_latex
from dlst.reports.markdown import document_to_markdown
from dlst.reports.page import is_report_page, render_page, write_page
from dlst.reports.paired_tests import (
    BayesianComparison,
    bayesian_signed_rank,
    holm,
    wilcoxon_against,
)
from dlst.reports.plain import document_to_text
from dlst.reports.rank_blocks import rank_blocks
from dlst.reports.rank_diagram import critical_difference_svg
from dlst.reports.rank_summary import RankSummary, rank_summary
from dlst.reports.ranks import Friedman, Nemenyi, Ranks, friedman_test, mean_ranks, nemenyi
from dlst.reports.report import Layout, build_document, register_layout
from dlst.reports.run import Run
from dlst.reports.score_tables import ScoreTable, score_table
from dlst.reports.times import wall_seconds

__all__ = [
    "BayesianComparison",
    "Document",
    "Friedman",
    "Layout",
    "Nemenyi",
    "RankSummary",
    "Ranks",
    "Run",
    "ScoreTable",
    "bayesian_signed_rank",
    "build_document",
    "critical_difference_svg",
    "document_to_latex",
    "document_to_markdown",
    "document_to_text",
    "friedman_test",
    "holm",
    "is_better_higher",
    "is_report_page",
    "mean_ranks",
    "measure_title",
    "nemenyi",
    "rank_blocks",
    "rank_summary",
    "register_layout",
    "render_page",
    "results_frame",
    "score_table",
    "wall_seconds",
    "wilcoxon_against",
    "write_everything",
    "write_page",
    "write_results",
]
