"""A document as LaTeX that needs only packages of every distribution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dlst.reports._latex_text import breakable, escaped, latex_of
from dlst.reports._writer import (
    LONGEST_WORDS,
    Writer,
    all_rows,
    cell_words,
    heading,
    numeric_columns,
)
from dlst.reports.document import Block, Chart, Document, Drawing, Section, Table, TableCell

ROWS_OF_A_PAGE = 40
"""A float is never broken; a table with more rows runs over pages."""

TABLE_PREAMBLE = r"""\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage{array}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{longtable}
\newcolumntype{P}{>{\raggedright\arraybackslash}p{6cm}}
% A table as it is, or shrunk to the width of the text.
\newsavebox{\dlstbox}
\newenvironment{dlstfitted}{\begin{lrbox}{\dlstbox}}{\end{lrbox}%
  \ifdim\wd\dlstbox>\linewidth\resizebox{\linewidth}{!}{\usebox{\dlstbox}}%
  \else\usebox{\dlstbox}\fi}"""
"""What tables need in the preamble of any document."""

PREAMBLE = rf"""\documentclass{{article}}
\usepackage[margin=2.2cm]{{geometry}}
{TABLE_PREAMBLE}
% A figure's file, or the words of the second argument while there is none.
\newcommand{{\dlstfigure}}[2]{{\IfFileExists{{#1}}%
  {{\includegraphics[width=\linewidth,height=.85\textheight,keepaspectratio]{{#1}}}}%
  {{\fbox{{\parbox{{.8\linewidth}}{{#2}}}}}}}}"""


def document_to_latex(document: Document | Iterable[Block], figures: str = "") -> str:
    r"""Return a report as a whole LaTeX document: booktabs tables, and figures as PDF files.

    A figure whose file is missing when the document is compiled is described in words.

    Parameters
    ----------
    document : Document or iterable of Block
        Blocks alone are for a document that has the preamble of a whole one.
    figures : str
        What stands before the names of the figures, such as ``"figures/"``.

    Returns
    -------
    str

    Examples
    --------
    >>> from dlst.reports.document import Text
    >>> document_to_latex([Text("50 %")])
    '50 \\%'
    """
    return _Latex(figures).written(document)


class _Latex(Writer):
    # Floats that wait for room must not pile up: LaTeX holds only so many.
    end = (r"\clearpage",)
    last = "\n\n\\end{document}\n"
    separator = ""

    def __init__(self, figures: str):
        self.figures = figures

    def head(self, title: str) -> str:
        lines = [PREAMBLE, rf"\title{{{escaped(title)}}}", r"\author{}", r"\date{}"]
        return "\n\n".join([*lines, r"\begin{document}", r"\maketitle"])

    def facts(self, facts: Mapping[str, str]) -> str:
        items = [rf"\item[{{{escaped(name)}}}] {escaped(fact)}" for name, fact in facts.items()]
        return "\n".join(_inside("description", *items))

    def section(self, section: Section) -> str:
        return rf"\section{{{escaped(section.title)}}}\label{{sec:{section.name}}}"

    def paragraph(self, text: str) -> str:
        return latex_of(text)

    def code(self, text: str) -> str:
        # Not verbatim, which knows no accents and ends at its own name.
        lines = [r"\small\ttfamily\raggedright\setlength{\parskip}{0pt}"]
        for line in text.split("\n"):
            indent = len(line) - len(line.lstrip())
            lines.append(rf"\strut{{}}{'~' * indent}{escaped(line.strip())}\par")
        return "\n".join(_inside("quote", *lines))

    def table(self, table: Table) -> str:
        words = [escaped(table.title).rstrip(".") + ".", *self.marks([table])]
        words += [latex_of(table.note)] if table.note else []
        caption = rf"\caption{{{' '.join(words)}}}\label{{tab:{table.name}}}"
        lines = _long_table if len(all_rows(table)) > ROWS_OF_A_PAGE else _float
        return "\n".join(lines(table, caption))

    def figure(self, figure: Chart | Drawing) -> str:
        words = escaped(figure.alternative or figure.title)
        caption = f"{escaped(figure.title).rstrip('.')}. {latex_of(figure.note)}".strip()
        place = rf"\dlstfigure{{{self.figures}{figure.name}.pdf}}{{{words}}}"
        caption = rf"\caption{{{caption}}}\label{{fig:{figure.name}}}"
        return "\n".join(_inside("figure", r"\centering", place, caption, options="[htbp]"))


def _inside(name: str, *lines: str, options: str = "") -> list[str]:
    return [rf"\begin{{{name}}}{options}", *lines, rf"\end{{{name}}}"]


def _float(table: Table, caption: str) -> list[str]:
    lines = [*_head(table), *_body(table), r"\bottomrule"]
    fitted = _inside("dlstfitted", *_inside("tabular", *lines, options=f"{{{_sides(table)}}}"))
    return _inside("table", r"\centering", caption, *fitted, options="[htbp]")


def _long_table(table: Table, caption: str) -> list[str]:
    heads = [*_head(table), r"\endfirsthead", *_head(table), r"\endhead"]
    lines = [caption + r" \\", *heads, r"\bottomrule", r"\endlastfoot", *_body(table)]
    whole = _inside("longtable", *lines, options=f"{{{_sides(table)}}}")
    return [r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}", *whole, r"\endgroup"]


def _sides(table: Table) -> str:
    def side(index: int, numeric: bool) -> str:
        longest = max((len(cell_words(row[index])) for row in all_rows(table)), default=0)
        return "r" if numeric else "P" if longest > LONGEST_WORDS else "l"

    return "".join(side(*column) for column in enumerate(numeric_columns(table)))


def _head(table: Table) -> list[str]:
    return [r"\toprule", _line([escaped(heading(column)) for column in table.columns]), r"\midrule"]


def _body(table: Table) -> list[str]:
    lines = [_line(map(_marked, row)) for row in all_rows(table)]
    if table.references:
        lines.insert(len(table.rows), r"\midrule")
    return lines


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _marked(cell: TableCell) -> str:
    text = breakable(cell_words(cell))
    if cell.best:
        return rf"\textbf{{{text}}}"
    return rf"\textit{{{text}}}" if cell.tied else text
