"""A document as GitHub Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

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
    Text,
)
from dlst.reports.plain import MARKS, cell_words, heading, is_numeric, legend

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$])")
_CODE = re.compile(r"(`[^`]+`)")


def document_to_markdown(document: Document, figures: str = "") -> str:
    """Return a report as Markdown: the best of a column bold, what ties with it in italics.

    Parameters
    ----------
    document : Document
    figures : str
        What stands before the names of the figures, such as ``"figures/"``; charts and drawings
        become pictures. Empty: they are told in words.

    Returns
    -------
    str

    Examples
    --------
    >>> from dlst.reports.document import TableColumn, Section
    >>> table = Table(
    ...     "scores", "Scores", [TableColumn("method"), TableColumn("AP", "higher")],
    ...     [[TableCell("DLST"), TableCell("0.81", 0.81, best=True)],
    ...      [TableCell("BR"), TableCell("0.70", 0.70)]])
    >>> print(document_to_markdown(Document("Demo", "", {}, [Section("s", "All", [table])])))
    # Demo
    <BLANKLINE>
    Bold: the best of its column.
    <BLANKLINE>
    ## All
    <BLANKLINE>
    **Scores**
    <BLANKLINE>
    | method | AP ↑ |
    | :--- | ---: |
    | DLST | **0.81** |
    | BR | 0.70 |
    """
    parts = [f"# {_escaped(document.title)}"]
    if document.verdict:
        parts.append(_paragraph(document.verdict))
    if document.facts:
        facts = [f"- {_escaped(name)}: {_escaped(fact)}" for name, fact in document.facts.items()]
        parts.append("\n".join(facts))
    if marks := _legend(document.tables()):
        parts.append(marks)
    for section in document.sections:
        parts.append(f"## {_escaped(section.title)}")
        parts.extend(_block(block, figures) for block in section.blocks)
    return "\n\n".join(parts) + "\n"


def blocks_to_markdown(blocks: Iterable[Block], figures: str = "") -> str:
    """Return some blocks as Markdown, as :func:`document_to_markdown` does.

    Parameters
    ----------
    blocks : iterable of Block
    figures : str
        As in :func:`document_to_markdown`.

    Returns
    -------
    str

    Examples
    --------
    >>> from dlst.reports.document import Text
    >>> blocks_to_markdown([Text("Hello.")]).strip()
    'Hello.'
    """
    return "\n\n".join(_block(block, figures) for block in blocks)


def _legend(tables: Sequence[Table]) -> str:
    words = legend(tables, *MARKS)
    if any(table.references for table in tables):
        words.append("Rows with their name in italics do not compete.")
    return " ".join(words)


def _block(block: Block, figures: str) -> str:
    match block:
        case Text(text):
            return _paragraph(text)
        case Code(text):
            return _fenced(text)
        case Table():
            return _table(block)
        case Chart() | Drawing():
            return _figure(block, figures)
        case LatentMap():
            words = f"**{_escaped(block.title)}** is a map to explore on the HTML page."
            return _with_note(words, block.note)
        case Explained():
            words = (
                f"**{_escaped(block.title)}**: {len(block.rows)} rows are explained on the page."
            )
            return _with_note(words, block.note)


def _figure(figure: Chart | Drawing, figures: str) -> str:
    if figures:
        address = quote(f"{figures}{figure.name}.svg", safe="/:")
        words = f"**{_escaped(figure.title)}**\n\n"
        words += f"![{_escaped(figure.alternative or figure.title)}]({address})"
    else:
        words = f"**{_escaped(figure.title)}** (figure). {_paragraph(figure.alternative)}".rstrip()
    return _with_note(words, figure.note)


def _table(table: Table) -> str:
    sides = ["---:" if is_numeric(table, i) else ":---" for i in range(len(table.columns))]
    lines = [_line([_escaped(heading(column)) for column in table.columns]), _line(sides)]
    lines.extend(_line([_marked(cell) for cell in row]) for row in table.rows)
    for name, *cells in table.references:
        lines.append(_line([_emphasised(name.text, "*"), *(_marked(cell) for cell in cells)]))
    return _with_note(f"**{_escaped(table.title)}**\n\n" + "\n".join(lines), table.note)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _marked(cell: TableCell) -> str:
    return _emphasised(cell_words(cell), "**" if cell.best else "*" if cell.tied else "")


def _emphasised(text: str, mark: str) -> str:
    text = _escaped(text.strip())
    return f"{mark}{text}{mark}" if text else ""


def _with_note(words: str, note: str) -> str:
    return f"{words}\n\n{_paragraph(note)}" if note else words


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    body = text.strip("\n")
    return f"{fence}\n{body}\n{fence}"


def _paragraph(text: str) -> str:
    """Keep the marks of a text, which are Markdown's own, but let no HTML through."""
    parts = _CODE.split(text)
    return "".join(
        part if _CODE.fullmatch(part) else re.sub(r"([<&])", r"\\\1", part) for part in parts
    )


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
