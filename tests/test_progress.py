"""The bar shows on a terminal when work is long, and nowhere else."""

from __future__ import annotations

import io
import sys

from dlst import _progress
from dlst._progress import progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(monkeypatch, stream, delay):
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(_progress, "DELAY_SECONDS", delay)
    with progress_bar("outer", 10) as outer, progress_bar("inner", 10) as inner:
        outer(5)
        inner(5)
    return stream.getvalue()


def test_long_work_on_a_terminal_shows_one_bar(monkeypatch):
    shown = run(monkeypatch, Terminal(), delay=0)
    assert "outer" in shown
    assert "inner" not in shown
    assert not _progress._shown


def test_short_work_shows_none(monkeypatch):
    assert run(monkeypatch, Terminal(), delay=100) == ""


def test_a_pipe_gets_none(monkeypatch):
    assert run(monkeypatch, io.StringIO(), delay=0) == ""
