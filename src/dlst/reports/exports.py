"""A report as files: text, Markdown, LaTeX, tables, records as a frame, and figures."""

from __future__ import annotations

import csv
import importlib.util
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dlst._files import atomic_write
from dlst._spreadsheets import harmless
from dlst.reports._writer import cell_words, numeric_columns
from dlst.reports.charts import FORMATS, can_draw, save_chart, save_drawing
from dlst.reports.document import Chart, Document, Drawing, Table
from dlst.reports.frames import results_frame
from dlst.reports.latex import document_to_latex
from dlst.reports.markdown import document_to_markdown
from dlst.reports.plain import document_to_text

_NAME = re.compile(r"[A-Za-z0-9-]+")


def write_everything(
    document: Document, records: Iterable[Mapping[str, Any]], folder: Path
) -> list[Path]:
    """Write all forms of a report but the HTML page; each file is written whole or not at all.

    The folder gets ``report.txt``, ``report.md`` and ``report.tex``; ``tables/NAME.csv``;
    ``results.csv`` and, where pyarrow is installed, ``results.parquet`` with a row for each
    evaluated cell; and ``figures/NAME`` as SVG, PNG and PDF, charts with their values as CSV.
    Without matplotlib there are no pictures of charts, and the Markdown tells them in words.

    Parameters
    ----------
    document : Document
    records : iterable of mapping
        What the document was built from.
    folder : Path
        Made if it does not exist.

    Returns
    -------
    list of Path
        What was written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> document = Document("Demo", "All is well.", {}, [])
    >>> written = write_everything(document, [], pathlib.Path(tempfile.mkdtemp()))
    >>> "report.md" in [path.name for path in written]
    True
    """
    _check_names(document)
    tables, figures = folder / "tables", folder / "figures"
    for place in (folder, tables, figures):
        place.mkdir(parents=True, exist_ok=True)
    pictures = "figures/" if can_draw() else ""
    written = [
        _written(folder / "report.txt", document_to_text(document)),
        _written(folder / "report.md", document_to_markdown(document, pictures)),
        _written(folder / "report.tex", document_to_latex(document, "figures/")),
    ]
    written.extend(
        _write_table(table, tables / f"{table.name}.csv") for table in document.blocks(Table)
    )
    written.extend(write_results(records, folder))
    for chart in document.blocks(Chart):
        if can_draw():
            written.extend(save_chart(chart, figures / chart.name))
        written.append(_write_values(chart, figures / f"{chart.name}.csv"))
    for drawing in document.blocks(Drawing):
        formats = FORMATS if can_draw() else ("svg",)
        written.extend(save_drawing(drawing, figures / drawing.name, formats))
    return written


def _check_names(document: Document) -> None:
    tables = Counter(table.name for table in document.blocks(Table))
    figures = Counter(chart.name for chart in document.blocks(Chart))
    figures.update(drawing.name for drawing in document.blocks(Drawing))
    for counts in (tables, figures):
        for name, times in counts.items():
            if not _NAME.fullmatch(name):
                raise ValueError(
                    "names of tables and figures must be of letters, digits and hyphens; "
                    f"got {name!r}. Rename it."
                )
            if times > 1:
                raise ValueError(
                    "each table and figure of a document must have a name of its own; "
                    f"got {name!r} {times} times. Rename all but one."
                )


def _written(path: Path, text: str) -> Path:
    with atomic_write(path, text=True) as stream:
        stream.write(text)
    return path


def _write_csv(path: Path, rows: Iterable[Sequence[Any]]) -> Path:
    with atomic_write(path, text=True) as stream:
        csv.writer(stream, lineterminator="\n").writerows(map(_no_formula, row) for row in rows)
    return path


def _no_formula(cell: Any) -> Any:
    return harmless(cell) if isinstance(cell, str) else cell


def _write_table(table: Table, path: Path) -> Path:
    """Write cells as shown and, for columns of numbers, their values to all digits."""
    numeric = numeric_columns(table)

    def line(kind: str, cells: Iterable[tuple[str, str]]) -> list[str]:
        pairs = zip(cells, numeric, strict=True)
        return [kind, *(each for pair, both in pairs for each in pair[: 1 + both])]

    rows = [line("kind", [(each.title, f"{each.title} (value)") for each in table.columns])]
    for kind, group in (("compared", table.rows), ("reference", table.references)):
        for row in group:
            values = ("" if cell.value is None else repr(float(cell.value)) for cell in row)
            rows.append(line(kind, zip(map(cell_words, row), values, strict=True)))
    return _write_csv(path, rows)


def _write_values(chart: Chart, path: Path) -> Path:
    if chart.grid is not None:
        return _write_csv(path, chart.grid)
    rows: list[Sequence[Any]] = [("series", "x", "y", "low", "high")]
    for series in chart.series:
        gaps = [None] * len(series.x)
        points = zip(series.x, series.y, series.low or gaps, series.high or gaps, strict=True)
        rows.extend((series.name, *point) for point in points)
    return _write_csv(path, rows)


def write_results(records: Iterable[Mapping[str, Any]], folder: Path) -> list[Path]:
    """Write ``results.csv`` and, where pyarrow is installed, ``results.parquet``.

    Parameters
    ----------
    records : iterable of mapping
    folder : Path
        Made if it does not exist.

    Returns
    -------
    list of Path

    Examples
    --------
    >>> import pathlib, tempfile
    >>> [path.name for path in write_results([], pathlib.Path(tempfile.mkdtemp()))][0]
    'results.csv'
    """
    frame = results_frame(records)
    text = frame.map(_no_formula).to_csv(index=False, lineterminator="\n")
    written = [_written(folder / "results.csv", text)]
    if importlib.util.find_spec("pyarrow") is not None:
        path = folder / "results.parquet"
        with atomic_write(path) as stream:
            frame.to_parquet(stream, index=False)
        written.append(path)
    return written
