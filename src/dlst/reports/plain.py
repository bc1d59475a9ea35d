"""A document as plain text, for terminals and pipes."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Mapping, Sequence
from itertools import takewhile

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text as RichText

from dlst.reports._writer import (
    LONGEST_WORDS,
    Writer,
    all_rows,
    cell_words,
    heading,
    marked_up,
    numeric_columns,
)
from dlst.reports.document import Chart, Document, Drawing, Section, Table, TableCell

WIDTH = 100
GAP = 2

# Names come from files; what moves a terminal's cursor or colours it is not theirs to say.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def document_to_text(document: Document, width: int = WIDTH) -> str:
    """Return a report as text without escape codes.

    The best of a column is marked ``*``, what ties with it ``~``. A table that is wider than
    ``width`` is shown in pieces, each with the names of its rows; a single number is never broken,
    so a very small ``width`` may be exceeded.

    Parameters
    ----------
    document : Document
    width : int
        Signs in a line.

    Returns
    -------
    str

    Examples
    --------
    >>> from dlst.reports.document import Section, TableColumn
    >>> table = Table(
    ...     "scores", "Scores", [TableColumn("method"), TableColumn("AP", "higher")],
    ...     [[TableCell("DLST"), TableCell("0.81", 0.81, best=True)],
    ...      [TableCell("BR"), TableCell("0.7", 0.7)]])
    >>> print(document_to_text(Document("Demo", "", {}, [Section("s", "All", [table])])))
    Demo
    ====
    <BLANKLINE>
    * the best of its column
    <BLANKLINE>
    All
    ---
    <BLANKLINE>
    Scores
    method   AP ↑
    DLST    *0.81
    BR        0.7
    """
    lines = _CONTROL.sub("", _Plain(width).written(document)).split("\n")
    return "\n".join(line.rstrip() for line in lines)


class _Plain(Writer):
    best, tied = "* the best of its column", "~ not significantly worse than it"
    separator = "\n"

    def __init__(self, width: int):
        self.width = width

    def head(self, title: str) -> str:
        return _underlined(title, "=")

    def facts(self, facts: Mapping[str, str]) -> str:
        longest = max(map(cell_len, facts)) + GAP
        return "\n".join(
            name + " " * (longest - cell_len(name)) + fact for name, fact in facts.items()
        )

    def section(self, section: Section) -> str:
        return _underlined(section.title, "-")

    def paragraph(self, text: str) -> str:
        plain = marked_up(text, str, "`{}`".format, ("", ""))
        return textwrap.fill(plain, self.width, break_long_words=False, break_on_hyphens=False)

    def code(self, text: str) -> str:
        return textwrap.indent(text, "    ")

    def table(self, table: Table) -> str:
        widths = _widths(table)
        pieces = "\n\n".join(
            _drawn(table, widths, each) for each in _pieces(table, widths, self.width)
        )
        title, note = self.paragraph(table.title), self.paragraph(table.note)
        return "\n".join([title, pieces, note] if note else [title, pieces])

    def figure(self, figure: Chart | Drawing) -> str:
        # An alternative that stands alone on the page often begins with the title.
        is_told = figure.alternative.startswith(figure.title)
        title = "" if is_told else f"{figure.title.rstrip('.')}. "
        return self.paragraph(f"[figure] {title}{figure.alternative} {figure.note}")


def _pieces(table: Table, widths: Sequence[int], width: int) -> list[list[int]]:
    """Return the columns of each piece; those that name the rows are in all of them."""
    naming = _naming(table)
    taken = sum(widths[:naming]) + GAP * (naming - 1)
    pieces, used = [list(range(naming))], taken
    for index, needed in enumerate(widths[naming:], start=naming):
        if used + GAP + needed > width and len(pieces[-1]) > naming:
            pieces.append(list(range(naming)))
            used = taken
        pieces[-1].append(index)
        used += GAP + needed
    return pieces


def _naming(table: Table) -> int:
    """Count the first columns of words that tell all rows apart; 1 where none do."""
    rows = all_rows(table)
    words = list(takewhile(lambda numeric: not numeric, numeric_columns(table)))
    for count in range(1, len(words) + 1):
        if len({tuple(map(cell_words, row[:count])) for row in rows}) == len(rows):
            return count
    return 1


def _widths(table: Table) -> list[int]:
    lines = [_headings(table), *([_marked(cell) for cell in row] for row in all_rows(table))]
    widths = [
        max(cell_len(part) for text in texts for part in text.split("\n"))
        for texts in zip(*lines, strict=True)
    ]
    return [
        widest if numeric else min(widest, LONGEST_WORDS)
        for widest, numeric in zip(widths, numeric_columns(table), strict=True)
    ]


def _headings(table: Table) -> list[str]:
    """Name the columns; what stands above numbers, which are narrow, breaks at its first comma."""
    return [
        heading(column).replace(", ", ",\n", 1) if numeric else heading(column)
        for column, numeric in zip(table.columns, numeric_columns(table), strict=True)
    ]


def _drawn(table: Table, widths: Sequence[int], columns: Sequence[int]) -> str:
    drawing = RichTable(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="")
    headings, numeric = _headings(table), numeric_columns(table)
    for index in columns:
        drawing.add_column(
            RichText(headings[index]),
            justify="right" if numeric[index] else "left",
            width=widths[index],
            no_wrap=numeric[index],
            overflow="fold",
        )

    def add(texts: Sequence[str]) -> None:
        drawing.add_row(*(RichText(texts[index]) for index in columns))

    for number, row in enumerate(all_rows(table)):
        if number == len(table.rows):
            add(["-" * width for width in widths])
        add([_marked(cell) for cell in row])
    stream = io.StringIO()
    total = sum(widths[index] + GAP for index in columns)
    Console(file=stream, width=total, color_system=None, force_terminal=False).print(drawing)
    return stream.getvalue().rstrip("\n")


def _marked(cell: TableCell) -> str:
    # In front of the number, so that the digits of a column stay beneath each other.
    mark = "*" if cell.best else "~" if cell.tied else ""
    return mark + cell_words(cell)


def _underlined(title: str, line: str) -> str:
    return f"{title}\n{line * cell_len(title)}"
