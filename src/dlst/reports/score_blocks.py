"""Methods × data sets as tables and charts: marks, floor and ceiling, and the run in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dlst.metrics import metric_info
from dlst.reports.document import Chart, Direction, Series, Table, TableCell, TableColumn, Text
from dlst.reports.frames import (
    LABELLED,
    is_better_higher,
    measure_title,
    plain_measure,
    rule_of,
)
from dlst.reports.run import CEILING, FLOOR, SIZES, Run, common_words, titled
from dlst.reports.score_tables import FEWEST_PAIRS, LEVEL, ScoreTable, score_table
from dlst.reports.signed_rank import signed_rank_p
from dlst.reports.words import SIMULATED, listed, percent

BETTER, WORSE = "▲", "▼"
FEW_TUNING_ROWS = 100
"""Parameters that were chosen once, on fewer rows than these, are marked."""

TUNED_ON_FEW = "†"
OWN = "own decisions"
FLOOR_ROW = "floor: labels by frequency alone"
CEILING_ROW = "ceiling: the best ranking, top r"


def scores(frame: pd.DataFrame, measure: str) -> ScoreTable | None:
    """Summarise a measure by the columns of :func:`titled`; None where nothing was measured."""
    if measure not in frame or not frame[measure].notna().any():
        return None
    frame = titled(frame)
    return score_table(frame.assign(data=frame["column"], protocol=""), measure)


def score_block(
    frame: pd.DataFrame,
    measure: str,
    reference: str,
    *,
    name: str,
    title: str = "",
    references: Sequence[Sequence[TableCell]] = (),
    note: str = "",
) -> Table | None:
    """Lay out methods × data sets, with marks, floor and ceiling; None where nothing was measured.

    Parameters
    ----------
    frame : DataFrame
        As :attr:`dlst.reports.Run.frame`.
    measure : str
    reference : str
        Title of the method that the marks compare the others with.
    name, title, note : str
        Of the table; the title is that of the measure by default.
    references : sequence of rows
        Shown beneath, before floor and ceiling.
    """
    summary = scores(frame, measure)
    if summary is None:
        return None
    marks = _marks(titled(frame), measure, reference)
    few = _tuned_on_few(titled(frame))
    columns = list(summary.mean.columns)

    def cell(method: str, column: str) -> TableCell:
        runs, dagger = summary.count.at[method, column], (method, column) in few
        said = filter(None, [TUNED_ON_FEW if dagger else "", marks.at[method, column]])
        note = f"{runs} run{'' if runs == 1 else 's'}"
        marked = "".join(f" {each}" for each in said)
        return score_cell(summary, method, column, marks=marked, note=note)

    rows = [
        [TableCell(str(method)), *(cell(method, column) for column in columns)]
        for method in summary.mean.index
    ]
    notes = [note, _marks_note(summary, reference), _few_note(few)]
    return Table(
        name=name,
        title=title or measure_heading(measure),
        columns=[TableColumn("method"), *_columns(frame, measure, columns)],
        rows=rows,
        references=[*references, *bounds(frame, measure)],
        note=" ".join(each for each in notes if each),
    )


def score_chart(frame: pd.DataFrame, measure: str, reference: str, *, name: str) -> Chart | None:
    """Draw the means of a measure, a group of bars for each data set; None without a measure."""
    summary = scores(frame, measure)
    if summary is None:
        return None
    sets = [_axis_name(str(column)) for column in summary.mean.columns]
    if len(set(sets)) < len(sets):
        sets = [str(column) for column in summary.mean.columns]

    def bar(method: str) -> Series:
        means, half = summary.mean.loc[method], summary.std.loc[method].fillna(0.0)
        return Series(
            str(method),
            sets,
            list(map(finite, means)),
            low=list(map(finite, means - half)),
            high=list(map(finite, means + half)),
            texts=[
                f"{method} on {each}: {summary.cell(method, column)}"
                for each, column in zip(sets, summary.mean.columns, strict=True)
            ],
            emphasis=str(method) == reference,
        )

    heading = measure_heading(measure)
    best = [
        f"{listed(map(str, summary.best.index[summary.best[column]]))} on {each}"
        for each, column in zip(sets, summary.mean.columns, strict=True)
    ]
    return Chart(
        name,
        f"{heading}, method by method",
        "bars",
        y_title=heading,
        series=[bar(method) for method in summary.mean.index],
        note="Whiskers: one standard deviation over splits.",
        alternative=f"{heading}; best: {', '.join(best)}.",
    )


def _axis_name(column: str) -> str:
    """Shorten the title of a column, but for what must be said wherever it stands."""
    name, words, _ = column.partition(" (")
    return f"{name} ({SIMULATED})" if words and SIMULATED in column else name


def bounds(frame: pd.DataFrame, measure: str) -> list[list[TableCell]]:
    """Return the reference rows of a measure: floor and ceiling, means over the same splits."""
    rows = []
    for prefix, title in ((FLOOR, FLOOR_ROW), (CEILING, CEILING_ROW)):
        means = bound_means(frame, prefix + measure)
        if means.notna().any():
            rows.append([TableCell(title), *(number(value) for value in means)])
    return rows


def bound_means(frame: pd.DataFrame, bound: str) -> pd.Series:
    """Average a bound over the splits of each column; they do not depend on the method."""
    frame = titled(frame)
    columns = pd.Index(frame["column"].unique())
    if bound not in frame:
        return pd.Series(np.nan, index=columns)
    by_split = frame.groupby(["column", "split", "seed"])[bound].first()
    return by_split.groupby("column").mean().reindex(columns)


def number(value: float, decimals: int = 3, *, best: bool = False) -> TableCell:
    """Show a number; a dash where there is none."""
    if not np.isfinite(value):
        return TableCell("—")
    return TableCell(f"{value:.{decimals}f}", float(value), best=bool(best))


def percent_cell(share: float, decimals: int = 0) -> TableCell:
    """Show a share in percent; a dash where there is none."""
    return (
        TableCell(percent(share, decimals), float(share)) if np.isfinite(share) else number(share)
    )


def finite(value: float) -> float | None:
    """Give a number as charts and tables take it: None where it has no value."""
    return float(value) if np.isfinite(value) else None


def score_cell(
    table: ScoreTable, method: str, column: str, *, marks: str = "", note: str
) -> TableCell:
    """Show a score with its marks; what has no value has none."""
    value = finite(table.mean.at[method, column])
    return TableCell(
        table.cell(method, column) + (marks if value is not None else ""),
        value,
        best=bool(table.best.at[method, column]),
        tied=bool(table.tied.at[method, column]),
        note=note,
    )


def direction_of(measure: str) -> Direction:
    """Say which values of a measure are better, as tables do."""
    return "higher" if is_better_higher(measure) else "lower"


def measure_words(measure: str) -> str:
    """Name a measure in a sentence.

    Examples
    --------
    >>> measure_words("micro_f1"), measure_words("micro_f1_top_r")
    ('micro-F1 (own decisions)', 'micro-F1 (top r)')
    """
    name, _, rule = measure_heading(measure.removesuffix(LABELLED)).partition(", ")
    name = name if name.startswith("Hamming") else name[0].lower() + name[1:]
    return f"{name} ({rule})" if rule else name


def measure_heading(measure: str) -> str:
    """Name a measure above a table; one of decisions says whose they are.

    Examples
    --------
    >>> measure_heading("micro_f1"), measure_heading("macro_auc")
    ('Micro-F1, own decisions', 'Macro AUC')
    """
    title = measure_title(measure)
    own = metric_info(plain_measure(measure)).needs == "decisions" and rule_of(measure) is None
    return f"{title}, {OWN}" if own else title


def decisions_sentence(frame: pd.DataFrame, by_column: bool = False) -> str:
    """Say what methods decide by, and how rankings were corrected by the prior."""
    known = titled(frame).dropna(subset=["decision"]) if "decision" in frame else frame.iloc[:0]
    if known.empty:
        return ""
    by_rule: dict[str, list[str]] = {}
    for title, rule in known.groupby("title", sort=False)["decision"].first().items():
        by_rule.setdefault(str(rule), []).append(str(title))
    said = [
        f"{listed(titles)} {'as their authors do' if rule == 'own' else f'by the rule {rule}'}"
        for rule, titles in by_rule.items()
    ]
    taus = sorted(known["tau"].dropna().unique())
    correction = "none, for any method" if taus == [0.0] else f"τ = {', '.join(map(str, taus))}"
    suited = "in each column by the rule named above it, for all methods alike; elsewhere "
    return (
        f"Decisions: {suited if by_column else ''}{'; '.join(said)}. Prior correction of rankings: "
        f"{correction}."
    )


def run_sentences(run: Run, by_column: bool = False) -> list[Text]:
    """Say on which rows and with which parameters a run was made, and what was simulated.

    Parameters
    ----------
    run : Run
    by_column : bool
        Whether each column of label sets is decided by a rule that it names.
    """
    sentences = [
        protocol_sentence(run.frame),
        decisions_sentence(run.frame, by_column),
        run.tuning,
        simulated_sentence(run.frame),
    ]
    return [Text(sentence) for sentence in sentences if sentence]


def protocol_sentence(frame: pd.DataFrame) -> str:
    """Say on which rows the methods were trained and tested, where all cells agree."""
    words = []
    for kind, seeds in frame.groupby("drawn")["seed"].nunique().items():
        drawn = "one random split" if seeds == 1 else f"{seeds} random splits"
        words.append(drawn if kind == "random" else "the official split")
    words += common_words(frame["setting"])
    return f"Protocol: {', '.join(words)}."


def simulated_sentence(frame: pd.DataFrame) -> str:
    """Warn where features are simulated."""
    names = list(frame.loc[frame["simulated"].astype(bool), "data"].unique())
    if not names:
        return ""
    return (
        f"**{listed(names)}: {SIMULATED}.** The labels are real, the features are drawn from them: "
        "such a column compares methods on a made problem, and says nothing about the real data."
    )


def _columns(frame: pd.DataFrame, measure: str, names: Sequence[str]) -> list[TableColumn]:
    known = titled(frame).dropna(subset=["n_train"]).drop_duplicates("column").set_index("column")
    meanings = {
        name: "{:.0f} training rows, {:.0f} test rows, {:.0f} features, {:.0f} labels".format(
            *(row[size] for size in SIZES)
        )
        for name, row in known.iterrows()
    }
    return [TableColumn(name, direction_of(measure), meanings.get(name, "")) for name in names]


def _tuned_on_few(frame: pd.DataFrame) -> dict[tuple[str, str], int]:
    """Give, by method and column, the few rows on which parameters were chosen once."""
    rows = frame.groupby(["title", "column"], sort=False)["tuned_on"].max()
    return {key: int(count) for key, count in rows.items() if count < FEW_TUNING_ROWS}


def _few_note(few: Mapping[tuple[str, str], int]) -> str:
    by_column = {column: rows for (_, column), rows in few.items()}
    words = [f"{rows} rows of {column}" for column, rows in by_column.items()]
    return f"{TUNED_ON_FEW}: parameters chosen once, on {listed(words)}." if words else ""


def _marks(frame: pd.DataFrame, measure: str, reference: str) -> pd.DataFrame:
    """Say where a method differs from the reference over the same splits, and which way."""
    marks = pd.DataFrame("", index=frame["title"].unique(), columns=frame["column"].unique())
    for column, cells in frame.groupby("column"):
        runs = cells.pivot_table(index=["split", "seed"], columns="title", values=measure)
        if reference not in runs:
            continue
        for method in runs.columns.drop(reference):
            # As in score_table: equal up to rounding says nothing about which is better.
            gaps = (runs[method] - runs[reference]).dropna().round(12)
            decided = gaps[gaps != 0]
            if len(gaps) < FEWEST_PAIRS or decided.empty or signed_rank_p(decided) >= LEVEL:
                continue
            ahead = (decided.mean() > 0) == is_better_higher(measure)
            marks.at[method, column] = BETTER if ahead else WORSE
    return marks


def _marks_note(table: ScoreTable, reference: str) -> str:
    if table.count.to_numpy().max() < FEWEST_PAIRS:
        return "Marked: the best of each column. There are too few runs to test differences."
    return (
        "Marked: the best of each column and what does not differ from it; "
        f"{BETTER} and {WORSE}: better and worse than {reference}. Wilcoxon's signed-rank test "
        f"over the same splits, level {LEVEL:g}, not corrected for the number of tests; splits of "
        "one data set share rows, so it finds differences too easily."
    )
