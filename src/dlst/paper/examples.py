"""figure-examples: the labels that regression, neighbours and codes give, row by row and in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dlst.paper.item import Claim, Item, Judged, judged_by_share
from dlst.reports import Run
from dlst.reports.document import Block, Section, Table, TableCell, TableColumn, Text
from dlst.reports.page import png_address
from dlst.reports.run import Result
from dlst.reports.words import DASH, columns, listed, number

VARIANTS = ("dlst1", "dlst2")
"""What the paper compares its label sets with."""

BEYOND_CHANCE = 2.0
"""A mean difference of less than so many standard errors is put down to chance."""

SCORES = {
    "right": TableColumn("right", "higher", "right labels per row"),
    "recall": TableColumn("recall", "higher", "share of the true labels that are given"),
    "precision": TableColumn("precision", "higher", "share of the given labels that are true"),
    "exact": TableColumn("exact", "higher", "share of the rows whose label set is exactly right"),
    "recall_top_r": TableColumn(
        "recall at equal length", "higher", "recall when every row gets its best r labels"
    ),
}


def _settings(_quick: bool) -> Mapping[str, Any]:
    return {"probes": [{"probe": "examples", "data": name} for name in ("multidigits", "msrc")]}


def _sections(run: Run) -> list[Section]:
    sections = []
    for name, result in run.probes("examples").items():
        text = (
            f"Methods learn from {result['n_train']:,} rows ({result['split']} split) and decide "
            f"by themselves how many labels each of {result['n_test']:,} unseen rows gets. The "
            "rows shown stand at even distances among these: nobody picked them."
        )
        tables = _example_table(result, name), _summary_table(result, name)
        blocks: list[Block] = [Text(text), *tables, Text(_words(result))]
        sections.append(Section(name, f"{result['data']}: label sets", blocks))
    return sections


def _verdict(run: Run) -> str:
    results = list(run.probes("examples").values())
    codes = "; ".join(
        f"{standing(result)} on {result['data']} ({_method(result)['right']:.2f} right labels per "
        f"row, {_method(result, 'dlst1')['right']:.2f} and {_method(result, 'dlst2')['right']:.2f})"
        for result in results
    )
    winners: dict[str, list[str]] = {}
    for result in results:
        winners.setdefault(_most(result, "recall_top_r")["title"], []).append(result["data"])
    equal = "; ".join(f"{title} on {listed(where)}" for title, where in winners.items())
    ahead = [result["data"] for result in results if ranks_best(result)]
    return (
        "The paper says that neighbours in codes give the most comprehensive label sets; against "
        f"its variants DLST₁ and DLST₂ this {codes}. When all methods give every row equally many "
        "labels, neighbours in codes find more than both variants on "
        f"{listed(ahead or ['no data set'])}, and the highest recall is that of {equal}."
    )


def _example_table(result: Result, name: str) -> Table:
    names = result["label_names"]
    titles = [f"{method['title']}: {method['source']}" for method in result["methods"]]
    return Table(
        name=f"{name}-rows",
        title=f"{len(result['examples'])} test rows",
        columns=[
            TableColumn("row", meaning="its place among the test rows"),
            *columns("truth", *titles),
        ],
        rows=[
            [
                TableCell(str(example["row"]), example["row"], image=picture),
                TableCell(_names(example["truth"], names)),
                *(_given(example, method["name"], names) for method in result["methods"]),
            ]
            for example in result["examples"]
            for ink in [example["image"]]
            for picture in ["" if ink is None else png_address(np.array(ink) / 255)]
        ],
        note="Right labels plain; (✗ wrong); ○ missed; (? not judged, for the truth is unknown).",
    )


def _given(example: Mapping[str, Any], method: str, names: Sequence[str]) -> TableCell:
    truth, unknown, given = map(
        set, (example["truth"], example["unknown"], example["given"][method])
    )
    right, wrong, missed = given & truth, given - truth - unknown, truth - given
    marked = {"(✗ {})": wrong, "(? {})": given & unknown, "○ {}": missed}
    parts = [_names(right, names)] if right or not given else []
    parts += [mark.format(_names(labels, names)) for mark, labels in marked.items() if labels]
    note = f"{len(right)} right, {len(wrong)} wrong, {len(missed)} missed"
    return TableCell(" ".join(parts), note=note)


def _names(labels: Any, names: Sequence[str]) -> str:
    return ", ".join(names[label] for label in sorted(labels)) or "none"


def _summary_table(result: Result, name: str) -> Table:
    methods = result["methods"]
    best = {key: max(round(method[key], 3) for method in methods) for key in SCORES}
    return Table(
        name=f"{name}-summary",
        title=f"All {result['n_test']:,} test rows",
        columns=[
            *columns("method", "labels by"),
            TableColumn("given", meaning="labels given per row"),
            *SCORES.values(),
            TableColumn(
                "lead", "higher", "right labels per row beyond those by neighbours in codes"
            ),
            TableColumn("seconds", "lower", "time to fit and to decide on the test rows"),
        ],
        rows=[
            [
                TableCell(method["title"]),
                TableCell(method["source"]),
                number(method["given"], 2),
                *(number(method[key], best=round(method[key], 3) == best[key]) for key in SCORES),
                DASH if method["name"] == result["papers_choice"] else _lead(method),
                number(method["seconds"], 1),
            ]
            for method in methods
        ],
        references=[
            [
                TableCell("truth"),
                TableCell("labels that the rows have"),
                number(result["cardinality"], 2),
                *[DASH] * (len(SCORES) + 2),
            ]
        ],
        note="By each method's own decisions, but for recall at equal length, where every row gets "
        f"r = {result['r']} labels. Lead: mean ± standard error over the test rows.",
    )


def _lead(method: Mapping[str, Any]) -> TableCell:
    return TableCell(f"{method['lead']:+.3f}{_doubt(method)}", method["lead"])


def _words(result: Result) -> str:
    paper, ours = _method(result), _method(result, "dlst")
    most, precise = _most(result, "given"), _most(result, "precision")
    return (
        f"{most['title']} gives most labels, {most['given']:.2f} per row, where the truth has "
        f"{result['cardinality']:.2f}. Label sets by neighbours in codes, the paper's DLST, have a "
        f"recall of {paper['recall']:.3f} at a precision of {paper['precision']:.3f}; the most "
        f"precise is {precise['title']}, {precise['precision']:.3f}. The default DLST finds "
        f"{abs(ours['lead']):.3f}{_doubt(ours)} right labels per row "
        f"{'fewer' if ours['lead'] < 0 else 'more'} than the paper's. Recall at equal length "
        "compares rankings alone, whatever number of labels a method decides on."
    )


def standing(result: Result) -> str:
    """Return whether the paper's label sets hold more right labels than both variants'."""
    rival = max((_method(result, name) for name in VARIANTS), key=lambda method: method["right"])
    error = rival["lead_error"]
    if error is None or abs(rival["lead"]) <= BEYOND_CHANCE * error:
        return "is within chance"
    return "holds" if rival["lead"] < 0 else "does not hold"


def ranks_best(result: Result) -> bool:
    """Return whether the paper's ranking finds more than both variants' at equal length."""
    key = "recall_top_r"
    return all(_method(result)[key] > _method(result, name)[key] for name in VARIANTS)


def _doubt(method: Mapping[str, Any]) -> str:
    return "" if method["lead_error"] is None else f" ± {method['lead_error']:.3f}"


def _method(result: Result, name: str = "") -> Mapping[str, Any]:
    """Return a method's figures; by default those of the paper's choice."""
    wanted = name or result["papers_choice"]
    return next(method for method in result["methods"] if method["name"] == wanted)


def _most(result: Result, key: str) -> Mapping[str, Any]:
    return max(result["methods"], key=lambda method: method[key])


def _most_comprehensive(run: Run) -> Judged:
    """Judge whether neighbours in codes name the most true labels, and rank them best."""
    results = run.probes("examples").values()
    holds = [standing(result) == "holds" for result in results]
    holds += [ranks_best(result) for result in results]
    return judged_by_share(sum(holds), len(holds)), _verdict(run)


EXAMPLES = Item(
    name="figure-examples",
    title="Labels found in three spaces",
    where="Figure of MSRC",
    make_settings=_settings,
    make_sections=_sections,
    make_verdict=_verdict,
    claims=(
        Claim(
            15, "Neighbours in codes give the most comprehensive label sets.", _most_comprehensive
        ),
    ),
    summary=r".*summary.*",
    probe="examples",
)
