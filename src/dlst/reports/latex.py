"""A document as LaTeX that needs only packages of every distribution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dlst.reports._latex_text import escaped, marked_up
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
from dlst.reports.plain import LONGEST_WORDS, MARKS, cell_words, heading, is_numeric, legend

ROWS_OF_A_PAGE = 40
"""A float is never broken; a table with more rows runs over pages."""

PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage[margin=2.2cm]{geometry}
\usepackage{array}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{longtable}
\newcolumntype{P}{>{\raggedright\arraybackslash}p{6cm}}
% A table as it is, or shrunk to the width of the text.
\newsavebox{\dlstbox}
\newenvironment{dlstfitted}{\begin{lrbox}{\dlstbox}}{\end{lrbox}%
  \ifdim\wd\dlstbox>\linewidth\resizebox{\linewidth}{!}{\usebox{\dlstbox}}%
  \else\usebox{\dlstbox}\fi}
% A figure's file, or the words of the second argument while there is none.
\newcommand{\dlstfigure}[2]{\IfFileExists{#1}%
  {\includegraphics[width=\linewidth,height=.85\textheight,keepaspectratio]{#1}}%
  {\fbox{\parbox{.8\linewidth}{#2}}}}"""


def document_to_latex(document: Document, figures: str = "") -> str:
    """Return a report as a whole LaTeX document: booktabs tables, and figures as PDF files.

    A figure whose file is missing when the document is compiled is told in words.

    Parameters
    ----------
    document : Document
    figures : str
        What stands before the names of the figures, such as ``"figures/"``.

    Returns
    -------
    str

    Examples
    --------
    >>> from dlst.reports.document import Document, Section, Text
    >>> section = Section("words", "Words", [Text("Hello.")])
    >>> document = Document("Demo", "All is well.", {}, [section])
    >>> "All is well." in document_to_latex(document)
    True
    """
    parts = [
        PREAMBLE,
        rf"\title{{{escaped(document.title)}}}",
        r"\author{}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
    ]
    if document.verdict:
        parts.append(marked_up(document.verdict))
    if document.facts:
        facts = [
            rf"\item[{{{escaped(name)}}}] {escaped(fact)}" for name, fact in document.facts.items()
        ]
        parts.append("\n".join([r"\begin{description}", *facts, r"\end{description}"]))
    for section in document.sections:
        parts.append(rf"\section{{{escaped(section.title)}}}\label{{sec:{section.name}}}")
        parts.extend(_block(block, figures) for block in section.blocks)
        # Floats that wait for room must not pile up: LaTeX holds only so many.
        parts.append(r"\clearpage")
    return "\n\n".join([*parts, r"\end{document}"]) + "\n"


def blocks_to_latex(blocks: Iterable[Block], figures: str = "") -> str:
    """Return some blocks as LaTeX for a document with the preamble of a whole one.

    Parameters
    ----------
    blocks : iterable of Block
    figures : str
        As in :func:`document_to_latex`.

    Returns
    -------
    str

    Examples
    --------
    >>> from dlst.reports.document import Text
    >>> blocks_to_latex([Text("50 %")]).strip() != "50 %"
    True
    """
    return "\n\n".join(_block(block, figures) for block in blocks)


def _block(block: Block, figures: str) -> str:
    match block:
        case Text(text):
            return marked_up(text)
        case Code(text):
            return _code(text)
        case Table() if len(block.rows) + len(block.references) > ROWS_OF_A_PAGE:
            return _long_table(block)
        case Table():
            return _table(block)
        case Chart() | Drawing():
            return _figure(block, figures)
        case LatentMap():
            words = f"**{block.title}** is a map to explore on the HTML page. {block.note}"
            return marked_up(words.strip())
        case Explained():
            words = f"**{block.title}**: {len(block.rows)} rows are explained on the HTML page."
            return marked_up(f"{words} {block.note}".strip())


def _code(text: str) -> str:
    # Not verbatim, which knows no accents and ends at its own name.
    lines = []
    for line in text.strip("\n").split("\n"):
        indent = len(line) - len(line.lstrip())
        lines.append(rf"\strut{{}}{'~' * indent}{escaped(line.strip())}\par")
    begin, end = (
        r"\begin{quote}\small\ttfamily\raggedright\setlength{\parskip}{0pt}",
        r"\end{quote}",
    )
    return "\n".join([begin, *lines, end])


def _table(table: Table) -> str:
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            _caption(table),
            r"\begin{dlstfitted}",
            rf"\begin{{tabular}}{{{_sides(table)}}}",
            *_head(table),
            *_body(table),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{dlstfitted}",
            r"\end{table}",
        ]
    )


def _long_table(table: Table) -> str:
    return "\n".join(
        [
            r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}",
            rf"\begin{{longtable}}{{{_sides(table)}}}",
            _caption(table) + r" \\",
            *_head(table),
            r"\endfirsthead",
            *_head(table),
            r"\endhead",
            r"\bottomrule",
            r"\endlastfoot",
            *_body(table),
            r"\end{longtable}",
            r"\endgroup",
        ]
    )


def _caption(table: Table) -> str:
    words = [escaped(table.title).rstrip(".") + ".", *legend([table], *MARKS)]
    if table.note:
        words.append(marked_up(table.note))
    return rf"\caption{{{' '.join(words)}}}\label{{tab:{table.name}}}"


def _sides(table: Table) -> str:
    return "".join(_side(table, index) for index in range(len(table.columns)))


def _side(table: Table, index: int) -> str:
    if is_numeric(table, index):
        return "r"
    cells = [cell_words(row[index]) for row in (*table.rows, *table.references)]
    return "P" if max(map(len, cells), default=0) > LONGEST_WORDS else "l"


def _head(table: Table) -> list[str]:
    return [r"\toprule", _line([escaped(heading(column)) for column in table.columns]), r"\midrule"]


def _body(table: Table) -> list[str]:
    lines = [_line([_marked(cell) for cell in row]) for row in table.rows]
    if table.references:
        lines.append(r"\midrule")
        lines.extend(_line([_marked(cell) for cell in row]) for row in table.references)
    return lines


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _marked(cell: TableCell) -> str:
    text = escaped(cell_words(cell))
    if cell.best:
        return rf"\textbf{{{text}}}"
    return rf"\textit{{{text}}}" if cell.tied else text


def _figure(figure: Chart | Drawing, figures: str) -> str:
    words = escaped(figure.alternative or figure.title)
    caption = " ".join([escaped(figure.title).rstrip(".") + ".", marked_up(figure.note)]).strip()
    return "\n".join(
        [
            r"\begin{figure}[htbp]",
            r"\centering",
            rf"\dlstfigure{{{figures}{figure.name}.pdf}}{{{words}}}",
            rf"\caption{{{caption}}}\label{{fig:{figure.name}}}",
            r"\end{figure}",
        ]
    )
