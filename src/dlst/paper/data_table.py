"""The data sets, compared with the paper's Tables I and V."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dlst.paper.item import WITH_FEATURES, Item
from dlst.paper.published import DATASETS
from dlst.reports import Run
from dlst.reports.document import Chart, Section, Series, Table, TableCell, TableColumn, Text
from dlst.reports.words import DASH, columns, data_title, listed, number

FACTS = {"n": 0, "d": 0, "K": 0, "cardinality": 3}
"""Facts that the paper prints, and their decimals."""

FEW_LABELS = 10.0
"""Data sets with more labels per row than this would flatten the chart of the others."""


def _settings(quick: bool) -> Mapping[str, Any]:
    names = WITH_FEATURES[:6] if quick else (*WITH_FEATURES, "sunattribute", "voc2007", "nus-wide")
    return {"probes": [{"probe": "describe", "data": name} for name in names]}


def _sections(run: Run) -> list[Section]:
    found = _described(run)
    text = (
        "n rows, d features, K labels; the cardinality is the mean number of labels of a row. "
        "d = 0 says that only the labels are at hand: experiments then draw features."
    )
    more = "More about each data set"
    return [
        Section("datasets", "Beside the paper", [Text(text), _beside_the_paper(found)]),
        Section("datasets-more", more, [_all_sets(found), *_labels_per_row(found)]),
    ]


def _verdict(run: Run) -> str:
    found = _described(run)
    facts = {name: _differing(name, found[name]) for name in DATASETS if name in found}
    same = [name for name, how in facts.items() if not how]
    differ = [f"{name} in {listed(how.values())}" for name, how in facts.items() if how]
    absent = [name for name in DATASETS if name not in found]
    others = [f"different: {'; '.join(differ)}"] if differ else ["none of the others differs"]
    others += [f"not described in this run: {listed(absent)}"] if absent else []
    rest = "; ".join(others)
    return (
        f"Of the {len(DATASETS)} data sets of the paper's Tables I and V, {len(same)} agree with "
        f"what it printed in n, K, cardinality and, where features are at hand, d "
        f"({listed(same)}). {rest[0].upper()}{rest[1:]}."
    )


def _described(run: Run) -> dict[str, Mapping[str, Any]]:
    found = run.probes("describe")
    return {name.removeprefix("describe-"): result for name, result in found.items()}


def _differing(name: str, result: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts that are not as printed; features that are not at hand do not count."""
    has_features = result["d"] and not result.get("simulated")
    return {
        fact: f"{fact} ({result[fact]:,.{decimals}f} here, {printed:,.{decimals}f} printed)"
        for fact, decimals in FACTS.items()
        for printed in [getattr(DATASETS[name], fact)]
        if (fact != "d" or has_features) and round(result[fact], decimals) != printed
    }


def _beside_the_paper(found: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = []
    for name, printed in DATASETS.items():
        result = found.get(name)
        row = [TableCell(printed.title, note=name), TableCell(printed.type)]
        for fact, decimals in FACTS.items():
            row.append(DASH if result is None else number(result[fact], decimals))
            row.append(number(getattr(printed, fact), decimals))
        differs = "not described in this run"
        if result is not None:
            differs = listed(_differing(name, result) or ["nothing"])
        rows.append([*row, TableCell(differs)])
    facts = [title for fact in FACTS for title in (fact, f"{fact}, paper")]
    return Table(
        "datasets-paper",
        "The paper's data sets, here and as printed",
        columns("data set", "type", *facts, "differs in"),
        rows,
        note="Features that are not at hand are not compared.",
    )


def _all_sets(found: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = []
    for name, result in found.items():
        frequency = result["frequency"]
        split = "—" if result["n_train"] is None else f"{result['n_train']:,}/{result['n_test']:,}"
        rows.append(
            [
                TableCell(data_title(name, bool(result.get("simulated"))), note=result["note"]),
                *(number(result[fact], decimals) for fact, decimals in FACTS.items()),
                number(result["density"], 4),
                TableCell(split, result["n_train"]),
                _count(result["label_sets"]),
                _count(result["without_label"]),
                *(_count(frequency[each]) for each in ("min", "median", "max")),
                _count(result["never"]),
                TableCell("sparse" if result["sparse"] else "dense" if result["d"] else "none"),
                TableCell(result["note"] or "—"),
            ]
        )
    titles = [
        *columns("data set", *FACTS),
        TableColumn("density", "", "cardinality over K"),
        TableColumn("train/test", "", "rows of the official split"),
        TableColumn("label sets", "", "distinct ones"),
        TableColumn("no label", "", "rows without a label"),
        TableColumn("rarest label", "", "rows of it"),
        TableColumn("median label", "", "rows of it"),
        TableColumn("commonest label", "", "rows of it"),
        TableColumn("never", "", "labels that no row has"),
        *columns("features", "note"),
    ]
    return Table("datasets-all", "All data sets", titles, rows)


def _count(value: float) -> TableCell:
    return number(value, 0 if float(value).is_integer() else 1)


def _labels_per_row(found: Mapping[str, Mapping[str, Any]]) -> list[Chart]:
    """Draw the paper's data sets; none is drawn where none was described."""
    shown = {
        name: result
        for name, result in found.items()
        if name in DATASETS and result["cardinality"] <= FEW_LABELS
    }
    series = []
    for name, result in shown.items():
        counts = result["rows_by_labels"]
        shares = [count / max(result["n"], 1) for count in counts]
        texts = [f"{name}, {k} labels: {count:,} rows" for k, count in enumerate(counts)]
        series.append(Series(name, list(range(len(counts))), shares, texts=texts))
    means = listed(f"{name} {result['cardinality']:.2f}" for name, result in shown.items())
    chart = Chart(
        "datasets-labels",
        "How many labels rows have",
        "lines",
        "labels of a row",
        "share of the rows",
        series,
        note=f"The paper's data sets with at most {FEW_LABELS:g} labels per row.",
        alternative=f"Share of the rows with 0, 1, 2 and more labels; on average {means}.",
    )
    return [chart] if series else []


DATA_SETS = Item(
    name="table-datasets",
    title="Data sets",
    where="Tables I and V",
    make_settings=_settings,
    make_sections=_sections,
    make_verdict=_verdict,
    summary=r"data-?sets?.*",
    probe="describe",
)
