"""Results to pages and words; nothing here fits, reads data or measures."""

from dlst.reports.demo_page import is_demo_page, render_demo, write_demo
from dlst.reports.demo_verdict import demo_verdict, lost_columns
from dlst.reports.frames import is_better_higher, measure_title, results_frame
from dlst.reports.score_tables import ScoreTable, score_table, to_latex, to_markdown

__all__ = [
    "ScoreTable",
    "demo_verdict",
    "is_better_higher",
    "is_demo_page",
    "lost_columns",
    "measure_title",
    "render_demo",
    "results_frame",
    "score_table",
    "to_latex",
    "to_markdown",
    "write_demo",
]
