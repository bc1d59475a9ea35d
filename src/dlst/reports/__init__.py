"""Results to pages and words; nothing here fits, reads data or measures."""

from dlst.reports.demo_page import is_demo_page, render_demo, write_demo
from dlst.reports.demo_verdict import demo_verdict, lost_columns

__all__ = ["demo_verdict", "is_demo_page", "lost_columns", "render_demo", "write_demo"]
