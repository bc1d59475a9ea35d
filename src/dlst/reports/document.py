"""The model of a report, before it is text, LaTeX or a page: sections of plain blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

Direction = Literal["higher", "lower", ""]
ChartKind = Literal["lines", "bars", "scatter", "heatmap"]


@dataclass(frozen=True)
class Text:
    """A paragraph; code stands between backticks, and what matters between double asterisks."""

    text: str


@dataclass(frozen=True)
class Code:
    """Commands or configuration, shown as they are."""

    text: str


@dataclass(frozen=True)
class TableCell:
    """One cell of a table."""

    text: str
    value: float | None = None
    """What the cell sorts by; None sorts by the text."""
    best: bool = False
    """Whether it is the best of its column."""
    tied: bool = False
    """Whether it is not significantly worse than that."""
    note: str = ""
    """More about the cell, shown where the pointer rests."""
    image: str = ""
    """A ``data:`` address of a picture to show above the text."""


@dataclass(frozen=True)
class TableColumn:
    """Title of a column, which values are better, and what it means in a line."""

    title: str
    direction: Direction = ""
    meaning: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells; the first cell of a row names it."""

    name: str
    """Unique in its document, of letters, digits and hyphens: file names and anchors use it."""
    title: str
    columns: Sequence[TableColumn]
    rows: Sequence[Sequence[TableCell]]
    references: Sequence[Sequence[TableCell]] = ()
    """Rows that do not compete, shown below: floor, ceiling, published values."""
    note: str = ""


@dataclass(frozen=True)
class Series:
    """Named values of a chart."""

    name: str
    x: Sequence[Any]
    y: Sequence[float | None]
    """A gap is None."""
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None
    """A band or whiskers around y."""
    texts: Sequence[str] | None = None
    """What each point says where the pointer rests."""
    emphasis: bool = False
    """Whether it is drawn stronger than the others."""

    @property
    def band(self) -> tuple[Sequence[float | None], Sequence[float | None]] | None:
        """Both ends of the band, where there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True)
class Chart:
    """Something to look at; names are unique as those of tables."""

    name: str
    title: str
    kind: ChartKind
    x_title: str = ""
    y_title: str = ""
    series: Sequence[Series] = ()
    grid: Sequence[Sequence[float | None]] | None = None
    """Of a heat map: rows from top to bottom."""
    log_x: bool = False
    second_x: Mapping[Any, str] = field(default_factory=dict)
    """Second lines of tick labels, such as the effective rate at each nominal one."""
    note: str = ""
    alternative: str = ""
    """The picture in a sentence, for readers who cannot see it."""


@dataclass(frozen=True)
class Drawing:
    """A finished SVG, such as a critical-difference diagram."""

    name: str
    title: str
    svg: str
    note: str = ""
    alternative: str = ""


@dataclass(frozen=True)
class LatentMap:
    """Codes in the plane: what :mod:`dlst.experiments.probes.latent_map` found."""

    name: str
    title: str
    result: Mapping[str, Any]
    note: str = ""


@dataclass(frozen=True)
class Explained:
    """Some test rows of a latent map, each with who voted on it and how its labels come about."""

    name: str
    title: str
    map: LatentMap
    """A block of the same document."""
    rows: Sequence[int]
    """Positions among its test rows."""
    note: str = ""


Block = Text | Code | Table | Chart | Drawing | LatentMap | Explained
Kind = TypeVar("Kind", bound=Block)


@dataclass(frozen=True)
class Section:
    """A title, an anchor of letters, digits and hyphens, and blocks."""

    name: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Document:
    """A whole report.

    Attributes
    ----------
    title : str
    verdict : str
        What the records say, in two sentences.
    facts : mapping of str to str
        A few figures for the head of the page, such as cells and minutes.
    sections : sequence of Section

    Examples
    --------
    >>> Document("Demo", "All is well.", {}, [Section("words", "Words", [Text("Hello.")])]).title
    'Demo'
    """

    title: str
    verdict: str
    facts: Mapping[str, str]
    sections: Sequence[Section]

    def blocks(self, kind: type[Kind]) -> list[Kind]:
        """Return all blocks of a kind, in order.

        Parameters
        ----------
        kind : type
            Such as :class:`Table`.

        Returns
        -------
        list
        """
        blocks = (block for section in self.sections for block in section.blocks)
        return [block for block in blocks if isinstance(block, kind)]
