"""A document as plain text, for terminals and pipes."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text as RichText

from dlst.reports.document import (
    Block,
    Chart,
    Code,
    Document,
    Drawing,
    Explained,
    LatentMap,
    Table,
    TableCell,
    TableColumn,
    Text,
)

WIDTH = 100
LONGEST_WORDS = 40
"""Words longer than this are broken into lines, so that one message does not push a table apart."""

GAP = 2
MARKS = ("Bold: the best of its column.", "Italics: not significantly worse than the best.")
"""What marks mean where letters can be bold."""

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
    >>> from dlst.reports.document import Section
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
    parts = [_underlined(document.title, "=")]
    if document.verdict:
        parts.append(_filled(document.verdict, width))
    if document.facts:
        longest = max(map(cell_len, document.facts))
        parts.append(
            "\n".join(
                name + " " * (longest - cell_len(name) + GAP) + fact
                for name, fact in document.facts.items()
            )
        )
    marks = ("* the best of its column", "~ not significantly worse than it")
    if said := legend(document.tables(), *marks):
        parts.append("\n".join(said))
    for section in document.sections:
        parts.append(_underlined(section.title, "-"))
        parts.extend(_block(block, width) for block in section.blocks)
    lines = _CONTROL.sub("", "\n\n".join(parts)).split("\n")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def heading(column: TableColumn) -> str:
    """Name a column, with an arrow that says which values are better."""
    arrow = {"higher": " ↑", "lower": " ↓", "": ""}[column.direction]
    return column.title + arrow


def is_numeric(table: Table, index: int) -> bool:
    """Say whether any cell of a column has a value; such columns are set to the right."""
    rows = (*table.rows, *table.references)
    return index > 0 and any(row[index].value is not None for row in rows)


def cell_words(cell: TableCell) -> str:
    """Say what a cell shows; a picture without words is told by its note."""
    return cell.text or (cell.note if cell.image else "")


def legend(tables: Sequence[Table], best: str, tied: str) -> list[str]:
    """Explain, in the words of a format, the marks that cells have: the best, tied with it."""
    rows = [row for table in tables for row in (*table.rows, *table.references)]
    words = [best] if any(cell.best for row in rows for cell in row) else []
    return [*words, tied] if any(cell.tied for row in rows for cell in row) else words


def _block(block: Block, width: int) -> str:
    match block:
        case Text(text):
            return _filled(text, width)
        case Code(text):
            return textwrap.indent(text.strip("\n"), "    ")
        case Table():
            return _table(block, width)
        case Chart() | Drawing():
            # An alternative that stands alone on the page often begins with the title.
            is_told = block.alternative.startswith(block.title)
            title = "" if is_told else f"{block.title.rstrip('.')}. "
            return _filled(f"[figure] {title}{block.alternative} {block.note}", width)
        case LatentMap():
            return _filled(f"[map] {block.title}. It is on the HTML page. {block.note}", width)
        case Explained():
            words = f"[rows] {block.title}: {len(block.rows)} rows explained on the HTML page."
            return _filled(f"{words} {block.note}", width)


def _table(table: Table, width: int) -> str:
    pieces = [_drawn(table, columns) for columns in _pieces(table, width)]
    parts = [_filled(table.title, width), "\n\n".join(pieces)]
    if table.note:
        parts.append(_filled(table.note, width))
    return "\n".join(parts)


def _pieces(table: Table, width: int) -> list[list[int]]:
    """Give the columns of each piece; the first column is in all of them."""
    widths = [_width(table, index) for index in range(len(table.columns))]
    pieces = [[0]]
    used = widths[0]
    for index, needed in enumerate(widths[1:], start=1):
        if used + GAP + needed > width and len(pieces[-1]) > 1:
            pieces.append([0])
            used = widths[0]
        pieces[-1].append(index)
        used += GAP + needed
    return pieces


def _width(table: Table, index: int) -> int:
    cells = [row[index] for row in (*table.rows, *table.references)]
    lines = _heading_lines(table, index).split("\n")
    widest = max(cell_len(text) for text in [*lines, *map(_marked, cells)])
    return widest if is_numeric(table, index) else min(widest, LONGEST_WORDS)


def _heading_lines(table: Table, index: int) -> str:
    """Break what stands above numbers, which are narrow, after its first comma."""
    whole = heading(table.columns[index])
    return whole.replace(", ", ",\n", 1) if is_numeric(table, index) else whole


def _drawn(table: Table, columns: Sequence[int]) -> str:
    drawing = RichTable(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_header=False)
    widths = [_width(table, index) for index in columns]
    for index, width in zip(columns, widths, strict=True):
        numeric = is_numeric(table, index)
        drawing.add_column(
            justify="right" if numeric else "left",
            width=width,
            no_wrap=numeric,
            overflow="fold",
        )

    def add(texts: Sequence[str]) -> None:
        drawing.add_row(*(RichText(text) for text in texts))

    headings = [_heading_lines(table, index) for index in columns]
    deepest = max(text.count("\n") for text in headings)
    add(["\n" * (deepest - text.count("\n")) + text for text in headings])
    for row in table.rows:
        add([_marked(row[index]) for index in columns])
    if table.references:
        add(["-" * width for width in widths])
    for row in table.references:
        add([_marked(row[index]) for index in columns])
    stream = io.StringIO()
    total = sum(widths) + GAP * len(widths)
    Console(file=stream, width=total, color_system=None, force_terminal=False).print(drawing)
    return stream.getvalue().rstrip("\n")


def _marked(cell: TableCell) -> str:
    # In front of the number, so that the digits of a column stay beneath each other.
    mark = "*" if cell.best else "~" if cell.tied else ""
    return mark + cell_words(cell)


def _underlined(title: str, line: str) -> str:
    return f"{title}\n{line * cell_len(title)}"


def _filled(text: str, width: int) -> str:
    # Asterisks inside code are part of it.
    plain = re.sub(r"(`[^`]+`)|\*\*", lambda found: found.group(1) or "", text)
    return textwrap.fill(plain, width, break_long_words=False, break_on_hyphens=False)
