"""The data sets: what they hold here, beside the paper's Tables I and V."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dlst.paper.item import Item
from dlst.paper.published import DATASETS
from dlst.paper.setting import WITH_FEATURES
from dlst.reports import Run
from dlst.reports.document import Block, Chart, Section, Series, Table, TableCell, TableColumn, Text
from dlst.reports.score_blocks import number
from dlst.reports.words import NOTHING, data_title, empty_section, listed

FACTS = {"n": "n", "d": "d", "K": "K", "cardinality": "card"}
"""Facts that the paper prints: their names here and in :data:`DATASETS`."""

DECIMALS = {"n": 0, "d": 0, "K": 0, "cardinality": 3}
FEW_LABELS = 10.0
"""Data sets with more labels per row than this would flatten the chart of the others."""


def asks(quick: bool) -> Mapping[str, Any]:
    """Say what to run."""
    names = WITH_FEATURES[:6] if quick else (*WITH_FEATURES, "sunattribute", "voc2007", "nus-wide")
    return {"probes": [{"probe": "describe", "data": name} for name in names]}


def sections(run: Run) -> list[Section]:
    """Show the paper's data sets beside its figures, then more about all of them."""
    found = _described(run)
    if not found:
        return empty_section("datasets", "Data sets")
    blocks: list[Block] = [
        Text(
            "n rows, d features, K labels; the cardinality is the mean number of labels of a row. "
            "d = 0 says that only the labels are at hand: experiments then draw features."
        ),
        _beside_the_paper(found),
    ]
    more: list[Block] = [_all_sets(found), *_labels_per_row(found)]
    return [
        Section("datasets", "Beside the paper", blocks),
        Section("datasets-more", "More about each data set", more),
    ]


def verdict(run: Run) -> str:
    """Say which data sets are those of the paper, and which differ in what."""
    found = _described(run)
    if not found:
        return NOTHING
    same, differ = [], []
    for name in (name for name in DATASETS if name in found):
        facts = [_difference(name, fact, found[name]) for fact in _differing(name, found[name])]
        if facts:
            differ.append(f"{name} in {listed(facts)}")
        else:
            same.append(name)
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


def _differing(name: str, result: Mapping[str, Any]) -> list[str]:
    """List the facts that are not as printed; features that are not at hand do not count."""
    return [
        fact
        for fact, printed in FACTS.items()
        if not (fact == "d" and not _has_features(result))
        and round(result[fact], DECIMALS[fact]) != DATASETS[name][printed]
    ]


def _has_features(result: Mapping[str, Any]) -> bool:
    return bool(result["d"]) and not result.get("simulated")


def _difference(name: str, fact: str, result: Mapping[str, Any]) -> str:
    ours, printed = _fact_words(fact, result[fact]), _fact_words(fact, DATASETS[name][FACTS[fact]])
    return f"{fact} ({ours} here, {printed} printed)"


def _fact_words(fact: str, value: Any) -> str:
    return f"{value:,.{DECIMALS[fact]}f}"


def _beside_the_paper(found: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = []
    for name, printed in DATASETS.items():
        result = found.get(name)
        row = [TableCell(str(printed["title"]), note=name), TableCell(str(printed["type"]))]
        for fact, key in FACTS.items():
            row.append(TableCell("—") if result is None else _fact(fact, result[fact]))
            row.append(_fact(fact, printed[key]))
        differs = "not described in this run"
        if result is not None:
            differs = listed(_differing(name, result))
            differs = "nothing" if differs == "none" else differs
        rows.append([*row, TableCell(differs)])
    facts = [TableColumn(title) for fact in FACTS for title in (fact, f"{fact}, paper")]
    return Table(
        "datasets-paper",
        "The paper's data sets, here and as printed",
        [TableColumn("data set"), TableColumn("type"), *facts, TableColumn("differs in")],
        rows,
        note="Features that are not at hand are not compared.",
    )


def _fact(fact: str, value: Any) -> TableCell:
    return TableCell(_fact_words(fact, value), float(value))


def _all_sets(found: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = []
    for name, result in found.items():
        frequency = result["frequency"]
        split = "—" if result["n_train"] is None else f"{result['n_train']:,}/{result['n_test']:,}"
        rows.append(
            [
                TableCell(data_title(name, bool(result.get("simulated"))), note=result["note"]),
                *(_fact(fact, result[fact]) for fact in FACTS),
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
    columns = [
        TableColumn("data set"),
        *(TableColumn(fact) for fact in FACTS),
        TableColumn("density", "", "cardinality over K"),
        TableColumn("train/test", "", "rows of the official split"),
        TableColumn("label sets", "", "distinct ones"),
        TableColumn("no label", "", "rows without a label"),
        TableColumn("rarest label", "", "rows of it"),
        TableColumn("median label", "", "rows of it"),
        TableColumn("commonest label", "", "rows of it"),
        TableColumn("never", "", "labels that no row has"),
        TableColumn("features"),
        TableColumn("note"),
    ]
    return Table("datasets-all", "All data sets", columns, rows)


def _count(value: float) -> TableCell:
    return TableCell(
        f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}", float(value)
    )


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
    asks=asks,
    sections=sections,
    verdict=verdict,
    summary=r"data-?sets?.*",
)
