"""What the model commands print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dlst.metrics import metric_info

VOTERS_SHOWN = 5
_BAR = 12


def methods_view(methods: Sequence[Any]) -> Table:
    """List methods by name."""
    table = Table("name", "in tables", "what it is", box=None, header_style="bold")
    for method in methods:
        table.add_row(method.name, method.title, method.meaning)
    return table


def method_view(method: Any, parameters: Mapping[str, str]) -> RenderableType:
    """Show what a method is, its parameters and defaults, and its grid for cross-validation."""
    table = Table("--set", "default", box=None, header_style="bold")
    own = [name for name in parameters if "." not in name]
    parts = [name for name in parameters if "." in name]
    for name in (*own, *sorted(parts, key=lambda name: name.partition(".")[0])):
        table.add_row(name, parameters[name])
    grid = "; ".join(
        f"{name.replace('__', '.')} in {', '.join(map(str, values))}"
        for name, values in method.param_grid.items()
    )
    about = Text(f"{method.title}: {method.meaning}.\n")
    return Group(about, table, Text(f"\ntuned by default: {grid or 'nothing'}", "dim"))


def measures_view(name: str, n_samples: int, found: dict[str, Any]) -> RenderableType:
    """Show metrics with direction and meaning, and the ceiling of the top-r rule."""
    table = Table(box=None, header_style="bold", title=f"{name}, {n_samples:,} rows")
    table.title_justify = "left"
    for column in ("metric", "", "value", "meaning"):
        table.add_column(column, justify="right" if column == "value" else "left")
    r = found["top_r"]["r"]
    groups = {
        "scores": "ranking and probabilities",
        "decisions": "the model's own decisions",
        "top_r": f"the {r} best labels of each row (the paper's rule)",
    }
    for group, title in groups.items():
        table.add_row(Text(title, "italic"))
        for metric, value in found[group].items():
            if metric != "r":
                about = metric_info(metric)
                arrow = "↑" if about.direction == "higher" else "↓"
                table.add_row(f"  {metric}", arrow, f"{value:.4f}", about.meaning)
    ceiling = found["top_r_ceiling"]
    note = (
        f"\nNo ranking can exceed micro-F1 {ceiling['micro_f1']:.4f} or macro-F1 "
        f"{ceiling['macro_f1_upper_bound']:.4f} with {r} labels for each row of these data."
    )
    return Group(table, Text(note, "dim"))


def explanation_view(
    explanation: Any, names: Sequence[str], row: int, shown: int, truth: set[int] | None
) -> RenderableType:
    """Show the best labels of one row, what spoke for each, and who voted."""
    logits, probability = explanation.logit[0], explanation.probability[0]
    table = Table(box=None, header_style="bold", title=f"row {row}")
    table.title_justify = "left"
    table.add_column("label")
    table.add_column("p", justify="right")
    for source in ("start", *explanation.sources, "= logit"):
        table.add_column(source, justify="right")
    if truth is not None:
        table.add_column("true")
    for label in np.argsort(-logits, kind="stable")[:shown]:
        parts = [explanation.intercept[label], *explanation.contributions[0, label]]
        cells = [names[label], f"{probability[label]:.3f}", *(f"{part:+.2f}" for part in parts)]
        cells.append(f"{logits[label]:+.2f}")
        if truth is not None:
            cells.append("yes" if int(label) in truth else "no")
        table.add_row(*cells)
    return Group(table, *(_voters(*pair) for pair in explanation.neighbours.items()))


def _voters(source: str, votes: Any) -> RenderableType:
    table = Table(box=None, header_style="bold", title=f"\n{source}: nearest training rows")
    table.title_justify = "left"
    for column in ("row", "distance", "weight"):
        table.add_column(column, justify="right")
    table.add_column("")
    weights = votes.weights[0]
    for place in range(min(VOTERS_SHOWN, len(weights))):
        bar = "█" * max(1, round(_BAR * weights[place] / max(weights.max(), 1e-12)))
        table.add_row(
            str(votes.indices[0, place]),
            f"{votes.distances[0, place]:.3f}",
            f"{weights[place]:.3f}",
            Text(bar, "cyan"),
        )
    table.caption, table.caption_justify = f"{len(weights)} rows voted", "left"
    return table


def explanation_facts(
    explanation: Any, names: Sequence[str], row: int, shown: int
) -> dict[str, Any]:
    """Collect the same as plain values."""
    logits = explanation.logit[0]
    best = np.argsort(-logits, kind="stable")[:shown]
    return {
        "row": row,
        "labels": [
            {
                "label": names[label],
                "probability": float(explanation.probability[0, label]),
                "logit": float(logits[label]),
                "start": float(explanation.intercept[label]),
                "contributions": dict(
                    zip(
                        explanation.sources,
                        explanation.contributions[0, label].tolist(),
                        strict=True,
                    )
                ),
            }
            for label in best
        ],
        "neighbours": {
            source: [
                {"row": int(index), "distance": float(distance), "weight": float(weight)}
                for index, distance, weight in zip(
                    votes.indices[0], votes.distances[0], votes.weights[0], strict=True
                )
            ]
            for source, votes in explanation.neighbours.items()
        },
    }
