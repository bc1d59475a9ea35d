"""`dlst info`, and model cards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dlst.cli.data_commands import Json
from dlst.cli.model_options import Model


def info(model_file: Model, json: Json = False) -> None:
    """Say what a model was trained on, its columns, labels, scores, size and versions."""
    from dlst.cli import model_views, views
    from dlst.cli.models import open_model

    facts = _facts(open_model(model_file), model_file)
    views.show(json, facts, lambda: model_views.info_view(facts))


def write_card(model: Any, model_file: Path, card_file: Path) -> None:
    """Write a model card in Markdown, by skops."""
    from skops.card import Card

    from dlst._files import atomic_write

    facts = _facts(model, model_file)
    card = Card(model.method, template=None, model_diagram=False)
    name = model_file.stem

    def add_table(title: str, table: dict[str, Any], *, folded: bool = False) -> None:
        card.add_table(folded=folded, **{f"{name}/{title}": table})
        # skops would print where the section stands as well.
        card.select(f"{name}/{title}").title = title

    card.add(**{name: _purpose(facts)})
    card.add(**{f"{name}/Training data": _data(facts)})
    if facts["columns"]:
        rows = {key: [column[key] for column in facts["columns"]] for key in _COLUMN_PARTS}
        add_table("How the columns were read", rows)
    card.add(**{f"{name}/Labels": ", ".join(facts["labels"])})
    if facts["scores"]:
        groups = ("scores", "decisions")
        metrics = {m: v for group in groups for m, v in facts["scores"][group].items()}
        table = {"metric": list(metrics), "value": [f"{value:.4f}" for value in metrics.values()]}
        add_table(f"Scores on {facts['scores']['n_samples']:,} test rows", table)
    parameters = facts["parameters"]
    table = {"parameter": list(parameters), "value": list(parameters.values())}
    add_table("Parameters", table, folded=True)
    card.add(**{f"{name}/How to use it": _USE.format(file=model_file.name)})
    with atomic_write(card_file, text=True) as stream:
        stream.write(card.render())


_COLUMN_PARTS = ("name", "kind", "reason")
_USE = """```
dlst predict {file} new.csv -o out.csv
```

```python
import dlst
model = dlst.load_model("{file}")
```

Loading runs no code of the file's."""


def _facts(model: Any, model_file: Path) -> dict[str, Any]:
    from dlst.persistence import describe_model

    header = describe_model(model_file)
    about = header.get("about") or {}
    return {
        "model": str(model_file),
        "bytes": model_file.stat().st_size,
        "method": type(model.method).__name__,
        "parameters": {
            key: repr(value) for key, value in model.method.get_params(deep=False).items()
        },
        "saved": header["saved"],
        "data": header.get("data"),
        "columns": model.columns(),
        "labels": model.label_names,
        "scores": about.get("scores"),
        "versions": {"dlst": header["dlst"], **header["versions"]},
    }


def _purpose(facts: dict[str, Any]) -> str:
    what = "rows of a table" if facts["columns"] else "rows of features"
    return f"Tags {what} with {len(facts['labels'])} labels, by {facts['method']} of dlst."


def _data(facts: dict[str, Any]) -> str:
    data = facts["data"] or {}
    files = "".join(f"\n- `{name}`, sha256 `{digest}`" for name, digest in data["files"].items())
    return f"{data['name']}: {data['n_samples']:,} rows, {data['n_labels']:,} labels.{files}"
