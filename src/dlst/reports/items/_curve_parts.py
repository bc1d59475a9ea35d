"""Measures along a setting, such as the share of labels dropped: frames, lines and tables.

All measures here are better when higher.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dlst.methods import method_info
from dlst.reports.document import Cell, Column, Series, Table
from dlst.reports.frames import measure_title, results_frame
from dlst.reports.items._cells import Records
from dlst.reports.items._parts import FLOOR_ROW, number, simulated_sentence, tuning_sentence
from dlst.reports.items._words import data_title
from dlst.reports.score_tables import DECIMALS, ScoreTable, score_table

OURS = method_info("dlst").title
PAPER = method_info("dlst-paper").title

AP = "instance_average_precision_labelled"
MACRO_F1 = "macro_f1_top_r"


def curve_frame(
    records: Records, position: Callable[[Mapping[str, Any]], float | None]
) -> pd.DataFrame:
    """Return a :func:`~dlst.reports.results_frame` in order of a setting.

    Parameters
    ----------
    records : sequence of mapping
    position : callable
        Takes a cell and returns its place on the x axis; None leaves the cell out.

    Returns
    -------
    DataFrame
        With further columns ``x``, ``simulated``, ``n_train``, ``labels_kept``,
        ``labels_complete``, ``effective_missing`` and a ``floor_…`` for each measure that has one.
    """
    kept = [
        record
        for record in records
        if record.get("kind", "evaluate") == "evaluate" and position(record["cell"]) is not None
    ]
    rows = [record.get("rows") or {} for record in kept]
    floors = pd.DataFrame([each.get("floor") or {} for each in rows]).add_prefix("floor_")
    frame = results_frame(kept).assign(
        x=[position(record["cell"]) for record in kept],
        simulated=[bool(each.get("simulated")) for each in rows],
        n_train=[each.get("n_train", np.nan) for each in rows],
        labels_kept=[each.get("cardinality", np.nan) for each in rows],
        labels_complete=[each.get("cardinality_complete", np.nan) for each in rows],
        effective_missing=[each.get("effective_missing") or 0.0 for each in rows],
    )
    return pd.concat([frame, floors], axis=1).sort_values("x", kind="stable")


def parts_of(frame: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Split by data set, in order of appearance: name, title and rows; what never ended is out."""
    parts = []
    for name, part in frame.groupby("data", sort=False):
        done = part[part["status"] == "done"]
        if len(done):
            parts.append((str(name), data_title(str(name), bool(done["simulated"].any())), part))
    return parts


def scores_along(part: pd.DataFrame, measure: str) -> ScoreTable:
    """Summarise a measure of one data set, with places on the x axis, as text, for columns."""
    return score_table(part.assign(data=part["x"].map(place), protocol=""), measure)


def place(x: float) -> str:
    """Write a place on the x axis so that ``float`` reads it back."""
    return f"{x:g}"


def rivals_of(part: pd.DataFrame) -> list[str]:
    """List the titles of all methods that are not DLST or a variant of it."""
    others = part[~part["method"].str.startswith("dlst")]
    return list(others["title"].unique())


def line_series(table: ScoreTable) -> list[Series]:
    """Draw each method's mean, with a band of one standard deviation."""
    return [_line(table, title) for title in table.mean.index]


def floor_series(part: pd.DataFrame, measure: str) -> list[Series]:
    """Draw what ranking by frequency alone gives, where records tell."""
    floor = floor_along(part, measure)
    if floor is None:
        return []
    return [Series(FLOOR_ROW, [float(x) for x in floor.index], _plain(floor))]


def floor_along(part: pd.DataFrame, measure: str) -> pd.Series | None:
    """Average the floor of a measure at each place, where records tell."""
    name = f"floor_{measure}"
    if name not in part or part[name].isna().all():
        return None
    return part.groupby(part["x"].map(place), sort=False)[name].mean()


def table_along(
    name: str,
    title: str,
    table: ScoreTable,
    places: Mapping[str, str],
    *,
    floor: pd.Series | None = None,
    last: tuple[Column, Mapping[str, Cell]] | None = None,
    note: str = "",
) -> Table:
    """Show methods × places.

    Parameters
    ----------
    name, title, note : str
    table : ScoreTable
        Of :func:`scores_along`.
    places : mapping of str to str
        Which places to show, and their titles.
    floor : Series, optional
        Of :func:`floor_along`, as a row beneath.
    last : tuple of Column and mapping of str to Cell, optional
        One more column, by title of the method.
    """
    columns = [Column("method"), *(Column(words, "higher") for words in places.values())]
    rows = [[Cell(title), *score_cells(table, title, places)] for title in table.mean.index]
    if last is not None:
        columns.append(last[0])
        for row in rows:
            row.append(last[1].get(row[0].text, Cell("—")))
    references = []
    if floor is not None:
        shown = [number(floor.get(x, np.nan), DECIMALS) for x in places]
        references = [[Cell(FLOOR_ROW), *shown, *([Cell("")] if last is not None else [])]]
    return Table(name, title, columns, rows, references, note)


def score_cells(table: ScoreTable, title: str, places: Iterable[str]) -> list[Cell]:
    """Show a row of a score table, with its marks."""
    return [
        Cell(
            table.cell(title, x),
            _finite(table.mean.at[title, x]),
            best=bool(table.best.at[title, x]),
            tied=bool(table.tied.at[title, x]),
            note=f"{table.count.at[title, x]} runs",
        )
        for x in places
    ]


def how_measured(frame: pd.DataFrame, records: Records) -> str:
    """Say over what means are taken, how parameters were chosen and what was simulated."""
    runs = frame.groupby(["data", "title", "x"]).size()
    told = f"{runs.min()}" if runs.min() == runs.max() else f"{runs.min()} to {runs.max()}"
    sentences = [
        f"Means and standard deviations are over {told} runs each.",
        tuning_sentence(records),
        simulated_sentence(frame),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def titles_of(measures: Iterable[str]) -> dict[str, str]:
    """Name measures, those on the methods' own decisions as such."""
    own = {"micro_f1", "macro_f1"}
    return {
        name: measure_title(name) + (", own decisions" if name in own else "") for name in measures
    }


def _line(table: ScoreTable, title: str) -> Series:
    mean, std = table.mean.loc[title], table.std.loc[title]
    return Series(
        title,
        [float(x) for x in mean.index],
        _plain(mean),
        low=_plain(mean - std),
        high=_plain(mean + std),
        texts=[f"{title} at {x}: {table.cell(title, x)}" for x in mean.index],
        emphasis=title == OURS,
    )


def _plain(values: pd.Series) -> list[float | None]:
    return [_finite(value) for value in values]


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
