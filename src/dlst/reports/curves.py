"""Measures along a setting, such as the share of labels dropped: frames, lines and tables.

All measures here are better when higher.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from dlst.reports.document import Block, Chart, Section, Series, Table, TableCell, TableColumn
from dlst.reports.frames import measure_heading
from dlst.reports.run import FLOOR, Run
from dlst.reports.score_blocks import FLOOR_ROW, score_cell, series_of, simulated_sentence
from dlst.reports.score_tables import ScoreTable, score_table
from dlst.reports.words import DASH, anchor, columns, data_title, finite, grid, listed, number

Part = tuple[str, str, pd.DataFrame]
"""Name and title of a data set, and its rows of a frame."""

LastColumn = tuple[TableColumn, Mapping[str, TableCell]]
"""One more column, its cells by title of the method."""

BANDS = "Bands: one standard deviation."


def curve_frame(run: Run, position: Callable[[Mapping[str, Any]], float | None]) -> pd.DataFrame:
    """Return :attr:`dlst.reports.Run.frame` in order of a setting, with one more column, ``x``.

    ``position`` takes a cell and returns its place on the x axis; None leaves the cell out.
    """
    frame = run.frame
    places = [position(run.evaluated[index]["cell"]) for index in frame.index]
    placed = frame.assign(x=pd.Series(places, index=frame.index, dtype=float))
    return placed[placed["x"].notna()].sort_values("x", kind="stable")


def parts_of(frame: pd.DataFrame) -> list[Part]:
    """Split by data set, in order of appearance; what never ended is out."""
    return [
        (str(name), data_title(str(name), bool(part.loc[done, "simulated"].any())), part)
        for name, part in (frame.groupby("data", sort=False) if len(frame) else ())
        if (done := part["status"] == "done").any()
    ]


def scores_along(part: pd.DataFrame, measure: str) -> ScoreTable:
    """Summarise a measure of one data set, with places on the x axis, as text, for columns."""
    return score_table(part.assign(data=part["x"].map(place), protocol=""), measure)


def place(x: float) -> str:
    """Write a place on the x axis so that ``float`` reads it back."""
    return f"{x:g}"


def curve_section(
    topic: str,
    title: str,
    part: Part,
    measures: Iterable[str],
    *,
    x_title: str,
    along: str,
    second_x: Mapping[float, str],
    places: Callable[[ScoreTable], Mapping[str, str]],
    last: Callable[[ScoreTable], LastColumn] | None = None,
) -> Section:
    """Show one data set: for each measure the curves of all methods, and the same as a table.

    Names of blocks begin with the topic, and their titles with the title. ``along`` says what the x
    axis counts, for the sentence that tells the picture; ``second_x`` has words beneath places.
    ``places`` takes scores and returns which places the table shows, with their titles; ``last``
    returns one more column.
    """
    name, data, frame = part
    blocks: list[Block] = []
    for measure, words in titles_of(measures).items():
        table, floor = scores_along(frame, measure), _floor(frame, measure)
        heading = f"{title}, {data}: {words}"
        drawn = []
        if floor is not None:
            drawn = [Series(FLOOR_ROW, [*map(float, floor.index)], [*map(finite, floor)])]
        low, high = table.mean.columns[[0, -1]]
        ends = table.mean[[low, high]].dropna()
        lines = [f"{method} from {a:.3f} to {b:.3f}" for method, a, b in ends.itertuples()]
        chart = Chart(
            anchor(topic, name, measure),
            heading,
            "lines",
            x_title,
            words,
            [*line_series(table), *drawn],
            second_x=second_x,
            note=BANDS,
            alternative=f"{heading}; from {low} to {high} {along}: {listed(lines)}.",
        )
        beneath = anchor(topic, name, measure, "table")
        one_more = None if last is None else last(table)
        blocks += [chart, _table(beneath, heading, table, places(table), floor, one_more)]
    return Section(anchor(topic, name), data, blocks)


def line_series(table: ScoreTable) -> list[Series]:
    """Draw each method's mean, with a band of one standard deviation; the first stronger."""
    x, places = [float(each) for each in table.mean], [f"at {each}" for each in table.mean]
    return [
        series_of(table, title, x, places, not order)
        for order, title in enumerate(table.mean.index)
    ]


def _floor(part: pd.DataFrame, measure: str) -> pd.Series | None:
    """Average what ranking by frequency alone gives at each place, where records tell."""
    name = f"{FLOOR}{measure}"
    if name not in part or part[name].isna().all():
        return None
    return part.groupby(part["x"].map(place), sort=False)[name].mean()


def _table(
    name: str,
    title: str,
    table: ScoreTable,
    places: Mapping[str, str],
    floor: pd.Series | None,
    last: LastColumn | None,
) -> Table:
    """Show methods × places, the floor below."""
    titles = [*columns("method"), *columns(*places.values(), direction="higher")]

    def cell(method: str, x: str) -> TableCell:
        return score_cell(table, method, x, note=f"{table.count.at[method, x]} runs")

    rows = grid(table.mean.index, places, cell)
    if last is not None:
        titles.append(last[0])
        for row in rows:
            row.append(last[1].get(row[0].text, DASH))
    references = []
    if floor is not None:
        shown = [number(floor.get(x)) for x in places]
        references = [[TableCell(FLOOR_ROW), *shown, *[TableCell("")] * (last is not None)]]
    return Table(name, title, titles, rows, references)


def how_measured(run: Run, parts: Iterable[Part]) -> str:
    """Say over what means are taken, how parameters were chosen and what was simulated."""
    frame = pd.concat([part for _, _, part in parts])
    runs = frame.groupby(["data", "title", "x"]).size()
    count = f"{runs.min()}" if runs.min() == runs.max() else f"{runs.min()} to {runs.max()}"
    sentences = [
        f"Means and standard deviations are over {count} runs each.",
        run.tuning,
        simulated_sentence(frame),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def titles_of(measures: Iterable[str]) -> dict[str, str]:
    """Name measures, those on the methods' own decisions as such."""
    return {name: measure_heading(name) for name in measures}
