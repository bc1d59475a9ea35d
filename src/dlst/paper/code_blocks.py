"""The pictures and tables of figure-codes, each from one result of the probe "codes"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dlst.reports import words
from dlst.reports.document import Chart, Direction, Series, Table, TableCell, TableColumn
from dlst.reports.run import Result


def label_picture(result: Result, name: str) -> Chart:
    """Draw the labels of the rows shown."""
    grid = [
        [float(label in row) for label in range(result["n_labels"])]
        for row in map(set, result["labels"])
    ]
    return Chart(
        name=f"{name}-labels",
        title=f"Labels of {len(grid)} rows",
        kind="heatmap",
        x_title="label",
        y_title="training row",
        grid=grid,
        alternative=f"Label matrix of {len(grid)} training rows with a mark for each label that a "
        f"row has; {words.percent(result['density']['labels'])} of all entries are marked.",
    )


def code_picture(result: Result, name: str, which: str, title: str) -> Chart:
    """Draw the codes of the rows shown: "aligned" or "principal"."""
    return Chart(
        name=f"{name}-{which}",
        title=title,
        kind="heatmap",
        x_title="dimension of the code, widest first",
        y_title="training row",
        grid=result[which],
        alternative=f"Codes of the same rows in the same order, {len(result[which][0])} numbers "
        f"each; {words.percent(at_shown(result, which, 'density'))} of all entries differ from 0.",
    )


def density_table(result: Result, name: str) -> Table:
    """Build a table of the density of labels and codes."""
    full = result["steps"][-1]
    K, r, rank = result["n_labels"], result["shown_components"], result["rank"]
    entries = [
        ("labels", K, result["density"]["labels"]),
        ("labels, each minus its mean", K, result["density"]["centred"]),
        (f"PLST codes, r = {r}", r, at_shown(result, "principal", "density")),
        (f"aligned codes, r = {r}", r, at_shown(result, "aligned", "density")),
        (f"PLST codes, r = {rank}: the labels rotated", rank, full["principal"]["density"]),
        (f"aligned codes, r = {rank}", rank, full["aligned"]["density"]),
    ]
    return Table(
        name=f"{name}-density",
        title="Density before and after",
        columns=[
            TableColumn("matrix"),
            TableColumn("columns", meaning="labels, or dimensions of the code"),
            TableColumn("density", meaning="share of the entries that are not near 0"),
        ],
        rows=[
            [TableCell(matrix), words.number(columns, 0), words.share(density)]
            for matrix, columns, density in entries
        ],
        note=f"All {result['n_train']:,} training rows. Near 0 is at most {result['near_zero']:g} "
        "away from it, where having a label or not differs by 1.",
    )


def divergence_chart(result: Result, name: str) -> Chart:
    """Draw the divergence against the length of the code, before and after alignment."""
    lengths = [step["n_components"] for step in result["steps"]]
    kinds = {"principal": "PLST, the start", "aligned": "after alignment"}
    values = {which: [step[which]["kl"] for step in result["steps"]] for which in kinds}
    first, last = (number(values["aligned"][end]) for end in (0, -1))
    return Chart(
        name=f"{name}-divergence",
        title="Divergence of code pairs from label pairs",
        kind="lines",
        x_title="length r of the code",
        y_title="KL(Q ‖ U), nats",
        series=[
            Series(title, lengths, values[which], emphasis=which == "aligned")
            for which, title in kinds.items()
        ],
        alternative=f"KL divergence against r, from {first} after alignment at r = {lengths[0]} to "
        f"{last} at r = {lengths[-1]}.",
    )


def distance_chart(result: Result, name: str) -> Chart:
    """Draw code distances against label distances for a few lengths."""
    steps = {step["n_components"]: step for step in result["steps"]}
    shown = result["shown_components"]
    short = next((r for r in steps if r > 1), shown)
    lines = [("aligned", r) for r in sorted({short, shown, result["rank"]})]
    lines.append(("principal", shown))
    return Chart(
        name=f"{name}-distances",
        title="Distance of codes against distance of labels",
        kind="lines",
        x_title="labels in which two rows differ",
        y_title="squared distance of their codes",
        series=[_distance_line(which, r, steps[r], emphasis=r == shown) for which, r in lines],
        note=f"Median, and the band of the middle half, over {result['n_pairs']:,} pairs of "
        f"training rows; distances with fewer than {result['fewest_pairs']} pairs are left out.",
        alternative="Squared code distance against the number of differing labels, for codes of "
        "several lengths; the line of the longest code is that of equal distances.",
    )


def _distance_line(which: str, r: int, step: Mapping[str, Any], *, emphasis: bool) -> Series:
    curve = step[which]["curve"]
    return Series(
        f"{'PLST' if which == 'principal' else which}, r = {r}",
        [point["label_distance"] for point in curve],
        [point["median"] for point in curve],
        low=[point["low"] for point in curve],
        high=[point["high"] for point in curve],
        texts=[f"mean {point['mean']:.3g} over {point['pairs']:,} pairs" for point in curve],
        emphasis=emphasis and which == "aligned",
    )


def length_table(result: Result, name: str) -> Table:
    """Build a table of what codes of every length keep of the labels."""
    measures: dict[str, tuple[str, Direction, str]] = {
        "kl": ("KL", "lower", "divergence of code pairs from label pairs, in nats"),
        "spearman": ("rank correlation", "higher", "Spearman's, of code and label distances"),
        "pearson": ("correlation", "higher", "Pearson's, of the same"),
        "variance_read": (
            "read",
            "higher",
            "share of the labels' variance that an affine read-out gives back",
        ),
        "density": ("density", "", "share of the code's entries that are not near 0"),
        "seconds": ("seconds", "lower", "time to find the codes"),
    }
    kinds = {"principal": "PLST", "aligned": "aligned"}
    columns = [
        TableColumn(f"{title}, {kind}", direction, meaning)
        for title, direction, meaning in measures.values()
        for kind in kinds.values()
    ]
    rows = [
        [
            words.number(step["n_components"], 0),
            *(
                TableCell(number(step[which][key]), step[which][key])
                for key in measures
                for which in kinds
            ),
        ]
        for step in result["steps"]
    ]
    first = TableColumn("r", meaning="length of the code")
    return Table(f"{name}-lengths", "Codes of growing length", [first, *columns], rows)


def at_shown(result: Result, which: str, key: str) -> Any:
    """Return what was found of the codes shown, "aligned" or "principal"."""
    return shown_step(result)[which][key]


def shown_step(result: Result) -> Mapping[str, Any]:
    """Return what was found at the length shown."""
    length = result["shown_components"]
    return next(step for step in result["steps"] if step["n_components"] == length)


def number(value: float | None) -> str:
    """Show three digits; a dash where there is no value."""
    return "—" if value is None else f"{value:.3g}"
