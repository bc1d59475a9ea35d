"""A document as GitHub Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from dlst.reports._writer import Writer, cell_words, heading, marked_up, numeric_columns
from dlst.reports.document import Block, Chart, Document, Drawing, Section, Table, TableCell

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$])")


def document_to_markdown(document: Document | Iterable[Block], figures: str = "") -> str:
    """Return a report as Markdown: the best of a column bold, what ties with it in italics.

    Parameters
    ----------
    document : Document or iterable of Block
        Blocks alone are written without a head.
    figures : str
        What stands before the names of the figures, such as ``"figures/"``; charts and drawings
        become pictures. Empty: they are described in words.

    Returns
    -------
    str

    Examples
    --------
    >>> from dlst.reports.document import TableColumn
    >>> columns = [TableColumn("method"), TableColumn("AP", "higher")]
    >>> rows = [[TableCell("DLST"), TableCell("0.81", 0.81, best=True)]]
    >>> print(document_to_markdown([Table("scores", "Scores", columns, rows)]))
    **Scores**
    <BLANKLINE>
    | method | AP ↑ |
    | :--- | ---: |
    | DLST | **0.81** |
    """
    return _Markdown(figures).written(document)


class _Markdown(Writer):
    def __init__(self, figures: str):
        self.figures = figures

    def head(self, title: str) -> str:
        return f"# {_escaped(title)}"

    def facts(self, facts: Mapping[str, str]) -> str:
        return "\n".join(f"- {_escaped(name)}: {_escaped(fact)}" for name, fact in facts.items())

    def marks(self, tables: Sequence[Table]) -> list[str]:
        said = super().marks(tables)
        if any(table.references for table in tables):
            said.append("Rows with their name in italics do not compete.")
        return said

    def section(self, section: Section) -> str:
        return f"## {_escaped(section.title)}"

    def paragraph(self, text: str) -> str:
        # Marks are Markdown's own; no HTML gets through.
        return marked_up(
            text, lambda words: re.sub(r"([<&])", r"\\\1", words), "`{}`".format, ("**", "**")
        )

    def code(self, text: str) -> str:
        fence = "`" * max(3, *(len(run) + 1 for run in ["", *re.findall("`+", text)]))
        return f"{fence}\n{text}\n{fence}"

    def table(self, table: Table) -> str:
        sides = ["---:" if numeric else ":---" for numeric in numeric_columns(table)]
        lines = [_line([_escaped(heading(column)) for column in table.columns]), _line(sides)]
        lines.extend(_line(map(_marked, row)) for row in table.rows)
        for name, *cells in table.references:
            lines.append(_line([_emphasised(name.text, "*"), *map(_marked, cells)]))
        return self._noted(f"**{_escaped(table.title)}**\n\n" + "\n".join(lines), table.note)

    def figure(self, figure: Chart | Drawing) -> str:
        title = f"**{_escaped(figure.title)}**"
        if not self.figures:
            words = f"{title} (figure). {self.paragraph(figure.alternative)}".rstrip()
            return self._noted(words, figure.note)
        address = quote(f"{self.figures}{figure.name}.svg", safe="/:")
        alternative = _escaped(figure.alternative or figure.title)
        return self._noted(f"{title}\n\n![{alternative}]({address})", figure.note)

    def _noted(self, words: str, note: str) -> str:
        return f"{words}\n\n{self.paragraph(note)}" if note else words


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _marked(cell: TableCell) -> str:
    return _emphasised(cell_words(cell), "**" if cell.best else "*" if cell.tied else "")


def _emphasised(text: str, mark: str) -> str:
    text = _escaped(text.strip())
    return f"{mark}{text}{mark}" if text else ""


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
