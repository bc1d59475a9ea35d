"""Output of the model commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from dlst.cli.views import columns_view, facts_table, numbers, plain_table
from dlst.metrics import metric_info

LABELS_SHOWN = 20
_BAR = 12


def methods_view(methods: Sequence[Any]) -> Table:
    """List methods by name."""
    table = plain_table("name", "in tables", "what it is")
    for method in methods:
        table.add_row(method.name, method.title, method.meaning)
    return table


def method_view(method: Any, parameters: Mapping[str, str]) -> RenderableType:
    """Show what a method is, its parameters and defaults, and its grid for cross-validation."""
    table = plain_table("--set", "default")
    parts = {name.partition(".")[0] for name in parameters if "." in name}
    for name, value in parameters.items():
        # A part is shown by what can be set of it.
        if name not in parts:
            table.add_row(name, value)
    grid = "; ".join(
        f"{name.replace('__', '.')} in {', '.join(map(str, values))}"
        for name, values in method.param_grid.items()
    )
    about = Text(f"{method.title}: {method.meaning}.\n")
    return Group(about, table, Text(f"\ntuned by default: {grid or 'nothing'}", "dim"))


def measures_view(name: str, n_samples: int, found: dict[str, Any]) -> RenderableType:
    """Show metrics with direction and meaning, and the ceiling of the top-r rule."""
    title = f"{name}, {n_samples:,} {'row' if n_samples == 1 else 'rows'}"
    table = plain_table("metric", "", numbers("value"), "meaning", title=title)
    r = found["top_r"]["r"]
    groups = {
        "scores": "ranking and probabilities",
        "top": "the first labels of each row's ranking",
        "decisions": f"decisions of the model, by {decided_words(found['decision'])}",
        "top_r": f"the {'best label' if r == 1 else f'{r} best labels'} of each row (the paper's "
        "rule)",
    }
    for group, title in groups.items():
        if not found[group]:
            continue
        table.add_row(Text(title, "italic"))
        for metric, value in found[group].items():
            if metric != "r":
                meaning = metric_info(metric).meaning
                table.add_row(f"  {metric}", _arrow(metric), f"{value:.4f}", meaning)
    ceiling = found["top_r_ceiling"]
    note = (
        f"\nNo ranking can exceed micro-F1 {ceiling['micro_f1']:.4f} or macro-F1 "
        f"{ceiling['macro_f1_upper_bound']:.4f} with {r} {'label' if r == 1 else 'labels'} "
        "for each row of these data."
    )
    return Group(table, Text(note, "dim"), rules_view(found["rules"], found["decision"]))


def decided_words(decision: str) -> str:
    """Name what decisions are made by."""
    return "its authors' rule" if decision == "own" else f"the rule {decision}"


def rules_view(rules: Mapping[str, Mapping[str, float]], decision: str) -> RenderableType:
    """Show what decisions by each rule reach, side by side; the best of a column in bold."""
    shown = {rule: rules[rule] for rule in rules if rule != "top"}
    if len(shown) < 2:
        return Text("\nFit with --decision f1 to see the rules side by side.", "dim")
    measures = list(next(iter(shown.values())))
    table = plain_table(
        "decision",
        *(numbers(f"{measure} {_arrow(measure)}") for measure in measures),
        title="\nthe same model by other rules",
        caption="* what `dlst predict` decides by",
    )
    for rule, values in shown.items():
        cells = [
            Text(f"{values[measure]:.4f}", "bold" if _is_best(shown, rule, measure) else "")
            for measure in measures
        ]
        table.add_row(f"{rule} *" if rule == decision else rule, *cells)
    return table


def _arrow(metric: str) -> str:
    return "↑" if metric_info(metric).direction == "higher" else "↓"


def _is_best(rules: Mapping[str, Mapping[str, float]], rule: str, measure: str) -> bool:
    best = max if metric_info(measure).direction == "higher" else min
    return rules[rule][measure] == best(values[measure] for values in rules.values())


def scores_line(scores: Mapping[str, Any]) -> str:
    """Write the scores on test rows in one line."""
    ranking, decisions = scores["scores"], scores["decisions"]
    return (
        f"on {scores['n_samples']:,} test rows: "
        f"instance AP {ranking['instance_average_precision']:.3f}, "
        f"label-macro AP {ranking['macro_average_precision']:.3f}, "
        f"micro-F1 {decisions['micro_f1']:.3f}, macro-F1 {decisions['macro_f1']:.3f}"
    )


def explanation_view(facts: Mapping[str, Any]) -> RenderableType:
    """Show the best labels of one row, what spoke for each, and who voted."""
    title = f"row {facts['row']}" + (f" ({facts['id']})" if facts["id"] else "")
    parts: list[RenderableType] = [Text(title, "italic")]
    parts += [Text(facts["text"])] if facts["text"] else []
    parts.append(_labels(facts))
    if any(label["because"] for label in facts["labels"]):
        parts.append(_reasons(facts))
    parts += [_voters(source, votes) for source, votes in facts["voters"].items() if votes]
    if not facts["voters"]:
        parts.append(Text("\nNo training row voted: this model decides without votes.", "dim"))
    return Group(*parts)


def _labels(facts: Mapping[str, Any]) -> Table:
    sources = list(facts["labels"][0]["contributions"]) if facts["labels"] else []
    columns = map(numbers, ("p", "start", *sources, "= logit"))
    table = plain_table("label", *columns, *([] if facts["true"] is None else ["true"]))
    for label in facts["labels"]:
        terms = [label["start"], *label["contributions"].values(), label["logit"]]
        cells: list[RenderableType] = [Text(label["tag"]), f"{label['probability']:.3f}"]
        cells += [f"{term:+.2f}" for term in terms]
        if facts["true"] is not None:
            cells.append("yes" if label["tag"] in facts["true"] else "no")
        table.add_row(*cells)
    return table


def _reasons(facts: Mapping[str, Any]) -> Table:
    table = plain_table(show_header=False, title="\nwhat the direct evidence loses without it")
    for label in facts["labels"]:
        reasons = (f"{reason['what']} {reason['contribution']:+.2f}" for reason in label["because"])
        table.add_row(Text(label["tag"], "bold"), Text(", ".join(reasons)))
    return table


def _voters(source: str, votes: Sequence[Mapping[str, Any]]) -> Table:
    named = any(vote["tags"] is not None for vote in votes)
    texts = (
        Column(name, no_wrap=True, max_width=60) for name in ("", "labels" if named else "", "")
    )
    columns = map(numbers, ("row", "distance", "weight"))
    table = plain_table(*columns, *texts, title=f"\n{source}: nearest training rows")
    largest = max(max(vote["weight"] for vote in votes), 1e-12)
    for vote in votes:
        bar = "█" * max(1, round(_BAR * vote["weight"] / largest))
        table.add_row(
            vote["id"] or str(vote["row"]),
            f"{vote['distance']:.3f}",
            f"{vote['weight']:.3f}",
            Text(bar, "cyan"),
            Text(", ".join(vote["tags"] or ())),
            Text(" ".join((vote["text"] or "").split())),
        )
    return table


def labels_line(names: Sequence[str]) -> Text:
    """Count labels, and name the first."""
    more = f", … ({len(names):,} in all)" if len(names) > LABELS_SHOWN else ""
    count = "1 label" if len(names) == 1 else f"{len(names):,} labels"
    # A name that holds what stands between names is quoted.
    shown = [repr(name) if "," in name or "\n" in name else name for name in names[:LABELS_SHOWN]]
    return Text(f"{count}: {', '.join(shown)}{more}")


def info_view(facts: Mapping[str, Any]) -> RenderableType:
    """Show what a model file holds."""
    table, data = facts_table(facts["model"]), facts["data"]
    table.add_row("method", facts["method"])
    if data:
        table.add_row("trained on", Text(f"{data['name']}, {data['n_samples']:,} rows"))
        table.add_row("source", Text(data["source"]))
    table.add_row(*map(Text, labels_line(facts["labels"]).plain.split(": ", 1)))
    if facts["scores"]:
        table.add_row("scores", scores_line(facts["scores"]))
    table.add_row("size", f"{facts['bytes'] / 2**20:.1f} MiB, saved {facts['saved']}")
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    table.add_row("versions", versions)
    return Group(table, Text(), columns_view(facts["columns"])) if facts["columns"] else table
