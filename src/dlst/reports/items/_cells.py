"""Evaluated cells as one table in the plan's order, with what tables of scores say about them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dlst.methods import method_info
from dlst.reports.frames import results_frame

SIMULATED = "simulated features"
FLOOR, CEILING = "floor_", "ceiling_"
SIZES = ("n_train", "n_test", "n_features", "n_labels")

Records = Sequence[Mapping[str, Any]]


def ordered_frame(records: Records, plan: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row for each evaluated cell, data sets and methods in the order of the plan.

    Beside the columns of :func:`~dlst.reports.results_frame` there are ``drawn`` ("official" or
    "random", the split that was really used), ``setting`` (the protocol in words), ``simulated``,
    the sizes of the rows, and ``floor_…`` and ``ceiling_…`` of a measure where they are known.
    """
    evaluated = [record for record in records if record.get("kind", "evaluate") == "evaluate"]
    frame = results_frame(evaluated)
    more = pd.DataFrame([_beside(record) for record in evaluated], index=frame.index)
    frame = pd.concat([frame, more], axis="columns")
    if frame.empty:
        return frame
    titles = _plan_titles(plan)
    variants = [_variant_key(record["cell"]) for record in evaluated]
    frame["title"] = [
        titles.get(key, own) for key, own in zip(variants, frame["title"], strict=True)
    ]
    # A failed cell says neither what "auto" was nor whether features were simulated; others do.
    alike = frame.groupby(["data", "protocol", "split"])
    frame["simulated"] = alike["simulated"].transform("any")
    frame["drawn"] = frame["drawn"].fillna(alike["drawn"].transform("first")).fillna("random")
    data = [
        source if isinstance(source, str) else source["name"] for source in plan.get("data", ())
    ]
    places = [frame["data"].map(_places(data)), pd.Series(variants).map(_places(list(titles)))]
    order = pd.DataFrame({"data": places[0], "method": places[1], "seed": frame["seed"]})
    return frame.loc[order.sort_values(["data", "method", "seed"], kind="stable").index]


def titled(frame: pd.DataFrame) -> pd.DataFrame:
    """Name each cell's column of a table: the data set, and what tells it from the others."""
    short = frame["data"].str.rsplit("/", n=1).str[-1]
    if short.nunique() < frame["data"].nunique():
        short = frame["data"]
    common = set(common_words(frame["setting"]))
    several_splits = frame.groupby("data")["drawn"].transform("nunique") > 1
    names = []
    for name, row, split_told in zip(short, frame.itertuples(), several_splits, strict=True):
        words = [
            ", ".join(word for word in row.setting.split(", ") if word not in common),
            f"{row.drawn} split{'s' if row.drawn == 'random' else ''}" if split_told else "",
            SIMULATED if row.simulated else "",
        ]
        told = ", ".join(word for word in words if word)
        names.append(f"{name} ({told})" if told else name)
    return frame.assign(column=names)


def common_words(settings: pd.Series) -> list[str]:
    """Return what all settings of a run have in common."""
    first, *others = [setting.split(", ") for setting in settings.unique()] or [[]]
    return [word for word in first if word and all(word in words for words in others)]


def setting_words(protocol: Mapping[str, Any]) -> str:
    """Tell a protocol in words; how features are made and what is recorded is told elsewhere."""
    told = []
    if "fraction" in protocol:
        told.append(f"{_percent(protocol['fraction'])} of each class to train on")
    if "missing" in protocol:
        told.append(f"{_percent(protocol['missing'])} of the training labels dropped")
    if "rows" in protocol:
        told.append("at most {:,} training and {:,} test rows".format(*protocol["rows"]))
    if "test_size" in protocol:
        told.append(f"{_percent(protocol['test_size'])} of the rows to test on")
    if "folds" in protocol:
        told.append(f"{protocol['folds']} folds")
    if protocol.get("transductive"):
        told.append("features of the test rows known")
    told += [f"{key} {value}" for key, value in sorted(protocol.get("options", {}).items())]
    return ", ".join(told)


def _beside(record: Mapping[str, Any]) -> dict[str, Any]:
    cell, rows = record["cell"], record.get("rows") or {}
    drawn = cell["split"]
    if drawn == "auto" and record.get("split"):
        drawn = "official" if record["split"].startswith("official") else "random"
    return {
        "drawn": None if drawn == "auto" else drawn,
        "setting": setting_words(cell["protocol"]),
        "simulated": bool(rows.get("simulated")),
        **{size: rows.get(size) for size in SIZES},
        **{FLOOR + name: value for name, value in (rows.get("floor") or {}).items()},
        **{CEILING + name: value for name, value in (rows.get("ceiling") or {}).items()},
    }


def _plan_titles(plan: Mapping[str, Any]) -> dict[str, str]:
    titles = {}
    for given in plan.get("methods", ()):
        variant = {"method": given} if isinstance(given, str) else given
        own = method_info(variant["method"]).title
        titles[_variant_key(variant)] = variant.get("title") or own
    return titles


def _variant_key(cell: Mapping[str, Any]) -> str:
    return json.dumps([cell["method"], cell.get("parameters") or {}], sort_keys=True)


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
