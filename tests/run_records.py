"""Hand-made records, and what tests ask of the blocks that are built of them."""

from __future__ import annotations

import random
from dataclasses import asdict

from dlst.experiments import Cell, Plan
from dlst.methods import method_info
from dlst.reports.document import Chart, Table, Text

AP, MICRO, MACRO = "instance_average_precision_labelled", "micro_f1_top_r", "macro_f1_top_r"


def record(data, method, seed=0, *, metrics=None, labels=None, status="done", **more):
    """Make the record of an evaluated cell; ``more`` are protocol, parameters and facts of rows."""
    protocol, parameters = more.pop("protocol", {}), more.pop("parameters", {})
    made = {
        "key": f"{data}-{method}-{seed}-{protocol}-{parameters}",
        "kind": "evaluate",
        "cell": {
            "data": data,
            "method": method,
            "parameters": parameters,
            "split": "random",
            "seed": seed,
            "protocol": protocol,
            "tuning": "none",
        },
        "title": method_info(method).title,
        "status": status,
        "message": None if status == "done" else "went wrong",
    }
    if status == "done":
        made |= {"metrics": metrics or {}, "rows": {"simulated": False, **more}}
        made |= {"labels": labels} if labels else {}
    return made


def blocks(sections, kind):
    """Give the blocks of a kind by name (texts: in order)."""
    found = [block for section in sections for block in section.blocks if isinstance(block, kind)]
    if kind is Text:
        return [block.text for block in found]
    return {block.name: block for block in found}


def texts(row):
    return [cell.text for cell in row]


def row_of(table, name):
    """Give a row of a table as texts by title of the column."""
    rows = [row for row in [*table.rows, *table.references] if row[0].text == name]
    assert len(rows) == 1, [row[0].text for row in table.rows]
    return dict(zip([column.title for column in table.columns], texts(rows[0]), strict=True))


def check_shapes(sections):
    """Assert what every document needs: unique names, whole rows, series of one length."""
    names = [section.name for section in sections]
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Text):
                assert block.text
                continue
            names.append(block.name)
            assert block.name == block.name.lower().replace(" ", "-")
            if isinstance(block, Table):
                for row in [*block.rows, *block.references]:
                    assert len(row) == len(block.columns)
            if isinstance(block, Chart):
                assert block.alternative
                for series in block.series:
                    assert len(series.x) == len(series.y)
                    assert series.texts is None or len(series.texts) == len(series.x)
    assert len(set(names)) == len(names)


def scored(data, method, value, *, seed=0, split="random", protocol=None, tuning="none", **more):
    """Make the whole record of a cell whose measures follow from one value."""
    cell = Cell(data, method, {}, split, seed, protocol or {}, tuning)
    return {
        "key": cell.key,
        "kind": "evaluate",
        "cell": asdict(cell),
        "title": method_info(method).title,
        "status": "done",
        "parameters": {},
        "metrics": {AP: value, MICRO: value - 0.1, MACRO: value - 0.2, "micro_f1": value - 0.05},
        "rows": {
            "n_train": 100,
            "n_test": 50,
            "n_features": 8,
            "n_labels": 6,
            "simulated": False,
            "floor": {AP: 0.40 + 0.02 * seed, MICRO: 0.3, MACRO: 0.1},
            "ceiling": {MICRO: 0.7, MACRO: 0.9},
        },
        "split": "official" if split == "official" else f"random, repeat {seed}",
        "data_sha256": f"{data}-hash",
        "seconds": {"tune": 0.0, "fit": 1.5, "predict": 0.5},
        "wall_seconds": 2.5,
        "peak_mib": 300.0 + seed,
        "versions": {"python": "3.11.7", "machine": "Linux x86_64", "dlst": "1.0"},
        "finished": f"2026-01-01T00:{seed:02d}:10+00:00",
        **more,
    }


def failed(data, method, **more):
    lacking = {"metrics": None, "rows": None, "split": None, "seconds": None}
    error = {"status": "failed", "message": "SVD did not converge", "traceback": "line 7 of fit"}
    return {**scored(data, method, 0.5, **more), **lacking, **error}


def plan_values(data, methods, **more):
    return Plan(data, methods, **more).as_dict()


def tables_of(sections):
    return {b.name: b for section in sections for b in section.blocks if isinstance(b, Table)}


def words_of(sections):
    return " ".join(b.text for section in sections for b in section.blocks if isinstance(b, Text))


def column_of(table, title):
    place = [column.title for column in table.columns].index(title)
    return {row[0].text: row[place] for row in [*table.rows, *table.references]}


def grid(sets, methods, seeds, score, **more):
    return [
        scored(data, method, score(data, method, seed), seed=seed, **more)
        for data in sets
        for seed in range(seeds)
        for method in methods
    ]


def compared_run():
    """KRR beats DLST beats ML-kNN on three sets, by the same margin on every split."""
    level = {"dlst": 0.7, "krr": 0.75, "mlknn": 0.6}
    records = grid(
        ["emotions", "scene", "yeast"],
        list(level),
        7,
        lambda data, method, seed: level[method] + 0.001 * len(data) + 0.002 * seed,
    )
    random.Random(0).shuffle(records)
    plan = plan_values(["emotions", "scene", "yeast"], list(level), splits=["random"], seeds=7)
    return records, plan
