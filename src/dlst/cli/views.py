"""Output of the commands: tables on a terminal, JSON for machines."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from json import dumps
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from dlst.data import EMBEDDED, Dataset, Entry, cooccurrence
from dlst.experiments.record_lines import finite

MOST_SHOWN = 8
COLUMNS_SHOWN = 30

_ENTRY_FACTS = (
    "name", "title", "domain", "n_samples", "n_train", "n_test", "n_features", "n_labels",
    "cardinality", "n_label_sets", "cached", "source", "citation", "terms",
)  # fmt: skip

plain_table = partial(
    Table, box=None, header_style="bold", title_justify="left", caption_justify="left"
)
numbers = partial(Column, justify="right")


def show(json: bool, facts: Any, view: Callable[[], RenderableType]) -> None:
    """Print facts as JSON where that is asked for, else a view of them."""
    if json:
        print_json(facts)
    else:
        print_view(view())


def print_json(value: Any) -> None:
    """Print one JSON document on stdout; numbers that are none become null."""
    print(dumps(finite(value), indent=2, ensure_ascii=False, allow_nan=False))


def print_view(view: RenderableType) -> None:
    """Print on stdout; a pipe gets plain text, as wide as it needs."""
    # Names of labels and columns are no markup, whatever they look like.
    console = Console(markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(markup=False, emoji=False, width=160, no_color=True)
    console.print(_Visible(view))


class _Visible:
    """A view in which characters that would command the terminal are shown as such."""

    # Controls but the line end; those that turn the direction of writing.
    _COMMANDS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

    def __init__(self, view: RenderableType):
        self._view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for text, style, control in console.render(self._view, options):
            yield Segment(text if control else self._COMMANDS.sub("\ufffd", text), style, control)


def known_data_sets(rows: Iterable[tuple[Entry, bool]], home: Path) -> RenderableType:
    """List the registered data sets and whether they are at hand."""
    counts = map(numbers, ("n", "d", "K", "cardinality", "label sets"))
    table = plain_table("name", "domain", *counts, "here")
    for entry, cached in rows:
        split = f" = {entry.split[0]:,} + {entry.split[1]:,}" if entry.split else ""
        table.add_row(
            entry.name,
            entry.domain,
            f"{entry.n_samples:,}{split}",
            "labels only" if entry.has_optional_features else f"{entry.n_features:,}",
            str(entry.n_labels),
            f"{entry.cardinality:.3f}",
            f"{entry.n_label_sets:,}",
            Text("yes", "green") if cached else Text("no", "dim"),
        )
    embedded = Text(f"\nembedded, always here: {', '.join(EMBEDDED)}")
    hint = Text(f"data home: {home}  (set DLST_DATA to change it)", "dim")
    return Group(table, embedded, hint)


def dataset_facts(dataset: Dataset) -> dict[str, Any]:
    """Collect everything about a data set as plain values."""
    split, origin = dataset.split, dataset.provenance
    return {
        "name": dataset.name,
        **dataset.statistics().to_dict(),
        "n_train": None if split is None else len(split.train),
        "n_test": None if split is None else len(split.test),
        "sparse": not isinstance(dataset.X, np.ndarray),
        "label_names": list(dataset.label_names),
        "source": origin.source,
        "files": dict(origin.files),
        "citation": origin.citation,
        "terms": origin.terms,
        "notes": list(origin.notes),
    }


def dataset_view(dataset: Dataset, columns: Sequence[Mapping[str, str]] = ()) -> RenderableType:
    """Describe one data set: numbers, columns, commonest labels, commonest pairs, origin."""
    parts = [_numbers(dataset), *([columns_view(columns)] if columns else [])]
    parts += [_label_bars(dataset), _pairs(dataset)]
    spaced = [line for part in parts for line in (part, Text())]
    return Group(*spaced[:-1], _origin(dataset))


def columns_view(columns: Sequence[Mapping[str, str]]) -> Table:
    """Show how the columns of a table are read."""
    title = "how your columns were read"
    table = plain_table("column", "kind", "because", title=title, min_width=len(title))
    for column in columns[:COLUMNS_SHOWN]:
        table.add_row(*(Text(column[part]) for part in ("name", "kind", "reason")))
    if len(columns) > COLUMNS_SHOWN:
        kinds = Counter(column["kind"] for column in columns[COLUMNS_SHOWN:])
        rest = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        table.caption = f"and {rest}"
    return table


def facts_table(title: str | None = None) -> Table:
    """Begin a table of names and what they are."""
    return plain_table(
        Column(style="bold"), Column(overflow="fold"), title=title, show_header=False
    )


def _numbers(dataset: Dataset) -> Table:
    found, split = dataset.statistics(), dataset.split
    table = facts_table(dataset.name)
    rows = [f"{found.n_samples:,}"]
    if split is not None:
        rows.append(f"{split.name} split: {len(split.train):,} train, {len(split.test):,} test")
    table.add_row("instances n", "  ".join(rows))
    kind = "dense" if isinstance(dataset.X, np.ndarray) else "sparse"
    features = f"{found.n_features:,}  {kind}" if found.n_features else "labels only"
    if dataset.table is not None:
        features = "made of the columns below, of training rows"
    table.add_row("features d", features)
    table.add_row("labels K", f"{found.n_labels:,}")
    table.add_row("cardinality", _number(found.cardinality, ".3f", "labels per instance"))
    table.add_row("density", _number(found.density, ".4f"))
    table.add_row("distinct label sets", f"{found.n_label_sets:,}")
    table.add_row("without a label", f"{found.n_without_label:,}")
    if found.n_unknown:
        table.add_row("unknown entries", f"{found.n_unknown:,}")
    table.add_row("mean imbalance", _number(found.mean_imbalance, ".2f", "commonest label : label"))
    table.add_row("n / 2^K", f"{found.samples_per_possible_set:.3g}")
    return table


def _number(value: float, how: str, meaning: str = "") -> str:
    """Show a number, or "none" where there is nothing to take it of."""
    return f"{value:{how}}  {meaning}".rstrip() if math.isfinite(value) else "none"


def _label_bars(dataset: Dataset) -> Table:
    frequencies = dataset.statistics().label_frequencies
    names = Column("commonest labels", no_wrap=True, max_width=40)
    table = plain_table(names, numbers("n"), "")
    top = np.argsort(-frequencies, kind="stable")[:MOST_SHOWN]
    for label in top:
        bar = "█" * round(30 * frequencies[label] / max(1, frequencies[top[0]]))
        table.add_row(dataset.label_names[label], f"{frequencies[label]:,}", Text(bar, "cyan"))
    absent = int((frequencies == 0).sum())
    if absent:
        table.caption = f"{absent} labels never occur"
    return table


def _pairs(dataset: Dataset) -> Table:
    counts = cooccurrence(dataset.Y).tocoo()
    upper = counts.row < counts.col
    rows, columns, values = counts.row[upper], counts.col[upper], counts.data[upper]
    table = plain_table(Column("commonest pairs", no_wrap=True, max_width=60), numbers("n"))
    for pair in np.argsort(-values, kind="stable")[:MOST_SHOWN]:
        names = dataset.label_names[rows[pair]], dataset.label_names[columns[pair]]
        table.add_row(" + ".join(names), f"{values[pair]:,.0f}")
    return table


def _origin(dataset: Dataset) -> Table:
    origin = dataset.provenance
    table = facts_table()
    table.add_row()
    for title, value in (
        ("source", origin.source),
        ("citation", origin.citation),
        ("terms", origin.terms),
        ("notes", "; ".join(origin.notes)),
    ):
        if value:
            table.add_row(title, Text(value))
    return table


def entry_view(entry: Entry, folder: Path) -> RenderableType:
    """Describe a registered data set that is not at hand."""
    table = facts_table(f"{entry.name}, not in the data home")
    table.add_row("instances n", f"{entry.n_samples:,}")
    table.add_row("features d", f"{entry.n_features:,}")
    table.add_row("labels K", f"{entry.n_labels:,}")
    table.add_row("cardinality", f"{entry.cardinality:.3f}")
    table.add_row("source", entry.source)
    table.add_row("citation", Text(entry.citation))
    table.add_row("terms", Text(entry.terms))
    if all(file.url for file in entry.files if not file.optional):
        table.add_row("to fetch it", f"dlst datasets {entry.name} --download")
    else:
        table.add_row("to get it", Text(entry.instructions.replace("{folder}", str(folder))))
    return table


def entry_facts(entry: Entry, cached: bool) -> dict[str, Any]:
    """Collect what the registry knows of a data set as plain values."""
    n_train, n_test = entry.split or (None, None)
    facts = {"n_train": n_train, "n_test": n_test, "cached": cached}
    return {name: facts[name] if name in facts else getattr(entry, name) for name in _ENTRY_FACTS}
