"""The base of document writers: the order of blocks, marks inside a text, legends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from dlst.reports.document import (
    Block,
    Chart,
    Code,
    Document,
    Drawing,
    LatentMap,
    Section,
    Table,
    TableCell,
    TableColumn,
    Text,
)

LONGEST_WORDS = 40
"""Words longer than this are broken into lines, so that one message does not push a table apart."""


class Writer:
    """A language to write documents in: how it says each kind of block."""

    best, tied = "Bold: the best of its column.", "Italics: not significantly worse than the best."
    """What its marks mean."""

    separator = " "
    """Between their meanings at the head of the document; empty where captions say them."""

    end: tuple[str, ...] = ()
    """What stands at the end of a section."""

    last = "\n"
    """What stands at the end of the document."""

    head: Callable[[str], str]
    facts: Callable[[Mapping[str, str]], str]
    section: Callable[[Section], str]
    paragraph: Callable[[str], str]
    code: Callable[[str], str]
    table: Callable[[Table], str]
    figure: Callable[[Chart | Drawing], str]

    def written(self, document: Document | Iterable[Block]) -> str:
        """Write a document, or some blocks of one."""
        if not isinstance(document, Document):
            return "\n\n".join(map(self.block, document))
        parts = [self.head(document.title)]
        if document.verdict:
            parts.append(self.paragraph(document.verdict))
        if document.facts:
            parts.append(self.facts(document.facts))
        if self.separator and (said := self.marks(document.blocks(Table))):
            parts.append(self.separator.join(said))
        for section in document.sections:
            parts += [self.section(section), *map(self.block, section.blocks), *self.end]
        return "\n\n".join(parts) + self.last

    def block(self, block: Block) -> str:
        """Write a block; of what only the page can show, where it is."""
        match block:
            case Text(text):
                return self.paragraph(text)
            case Code(text):
                return self.code(text.strip("\n"))
            case Table():
                return self.table(block)
            case Chart() | Drawing():
                return self.figure(block)
            case LatentMap():
                words = f"**{block.title}** is a map to explore on the HTML page."
            case _:
                words = f"**{block.title}**: {len(block.rows)} rows are explained on the HTML page."
        return self.paragraph(f"{words} {block.note}".strip())

    def marks(self, tables: Sequence[Table]) -> list[str]:
        """Say what marks mean, as far as the tables have them."""
        cells = [cell for table in tables for row in all_rows(table) for cell in row]
        best = [self.best] if any(cell.best for cell in cells) else []
        return [*best, self.tied] if any(cell.tied for cell in cells) else best


def marked_up(
    text: str, plain: Callable[[str], str], code: Callable[[str], str], strong: tuple[str, str]
) -> str:
    """Write a text whose code stands between backticks, and what matters between asterisks.

    Examples
    --------
    >>> marked_up("**`r` < K** as usual", str.upper, "<{}>".format, ("[", "]"))
    '[<r> < K] AS USUAL'
    """
    pieces = re.split(r"(`[^`]+`|\*\*)", text)
    # The last of an odd number of asterisks opens nothing.
    left = pieces.count("**") // 2 * 2
    parts = []
    for piece in pieces:
        if piece == "**" and left:
            parts.append(strong[left % 2])
            left -= 1
        elif len(piece) > 2 and piece[0] == piece[-1] == "`":
            parts.append(code(piece[1:-1]))
        else:
            parts.append(plain(piece))
    return "".join(parts)


def heading(column: TableColumn) -> str:
    """Name a column, with an arrow that says which values are better."""
    return column.title + {"higher": " ↑", "lower": " ↓", "": ""}[column.direction]


def all_rows(table: Table) -> Sequence[Sequence[TableCell]]:
    """Return the rows that compete, and the reference rows."""
    return (*table.rows, *table.references)


def numeric_columns(table: Table) -> list[bool]:
    """Say of each column whether a cell of it has a value; such columns are set to the right."""
    return [
        index > 0 and any(row[index].value is not None for row in all_rows(table))
        for index in range(len(table.columns))
    ]


def cell_words(cell: TableCell) -> str:
    """Say what a cell shows; a picture without words is described by its note."""
    return cell.text or (cell.note if cell.image else "")
