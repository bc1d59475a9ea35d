"""A run as stored: its records and plan, and the tables that reports are made of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import pandas as pd

from dlst.reports.frames import record_title, results_frame
from dlst.reports.words import SIMULATED, anchor, setting_words

FLOOR, CEILING = "floor_", "ceiling_"
SIZES = ("n_train", "n_test", "n_features", "n_labels")

TUNING = {
    "none": "default parameters",
    "once": "parameters chosen once for each data set and method, on the training rows of the "
    "first split, then fixed",
    "cell": "parameters chosen in each cell, on its training rows",
}
"""For records that do not say themselves what tuning meant."""

Record = Mapping[str, Any]
Result = Mapping[str, Any]


class Run:
    """Records and the plan that they carry out.

    Parameters
    ----------
    records : iterable of mapping
        As :meth:`dlst.experiments.RecordFolder.read` gives them.
    plan : mapping, optional
        As :meth:`dlst.experiments.RecordFolder.plan` gives it. Its titles go before those of the
        records, and its order is that of tables.

    Examples
    --------
    >>> asked = {"probe": "sizes", "data": "yeast"}
    >>> record = {"kind": "probe", "probe": asked, "status": "done", "result": {"n": 2417}}
    >>> Run([record]).probes("sizes")
    {'sizes-yeast': {'n': 2417}}
    """

    def __init__(self, records: Iterable[Record], plan: Mapping[str, Any] | None = None):
        self.plan: Mapping[str, Any] = plan or {}
        self._titles = _titles(self.plan)
        self.records: list[Record] = [self._titled(record) for record in records]

    @cached_property
    def evaluated(self) -> list[Record]:
        """The records of evaluated cells, failed ones too."""
        return [each for each in self.records if each.get("kind", "evaluate") == "evaluate"]

    @property
    def has_results(self) -> bool:
        """Whether any cell has ended well."""
        return any(record["status"] == "done" for record in self.evaluated)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A row for each evaluated cell, data sets and methods in the order of the plan.

        Beside the columns of :func:`~dlst.reports.results_frame` there are ``drawn`` ("official"
        or "random", the split that was really used), ``setting`` (the protocol in words),
        ``simulated``, the sizes of the rows, ``tuned_on`` (rows on which parameters were chosen
        once for all splits), and ``floor_…`` and ``ceiling_…`` of a measure where they are known.
        Data whose bytes were changed between two cells are told apart by their names.
        Its index numbers :attr:`evaluated`.
        """
        frame = results_frame(self.evaluated)
        more = pd.DataFrame([_facts(record) for record in self.evaluated], index=frame.index)
        frame = pd.concat([frame, more], axis="columns")
        if frame.empty:
            return frame
        # A failed cell says neither what "auto" was nor whether features were simulated.
        alike = frame.groupby(["data", "protocol", "split"])
        frame["simulated"] = alike["simulated"].transform("any").astype(bool)
        frame["drawn"] = frame["drawn"].fillna(alike["drawn"].transform("first")).fillna("random")
        frame["tuned_on"] = self._tuned_on()
        planned = self.plan.get("data", ())
        data = [each if isinstance(each, str) else each["name"] for each in planned]
        variants = pd.Series([_variant(record["cell"]) for record in self.evaluated])
        order = frame[["seed"]].assign(
            data=frame["data"].map(_places(data)), method=variants.map(_places(self._titles))
        )
        # Data may have been changed between two starts of a run; their numbers are not one sample.
        known = frame["data_sha256"].where(frame["data_sha256"] != "")
        several = (known.groupby(frame["data"]).transform("nunique") > 1) & known.notna()
        frame.loc[several, "data"] += " (bytes " + known.str[:8] + ")"
        return frame.loc[order.sort_values(["data", "method", "seed"], kind="stable").index]

    @property
    def tuning(self) -> str:
        """How the parameters of the evaluated cells were chosen, as a sentence."""
        words: dict[str, None] = {}
        for record in self.records:
            if "cell" in record:
                kind = str(record["cell"].get("tuning", "none"))
                words.setdefault(record.get("tuning_meaning") or TUNING.get(kind, kind))
        return f"Tuning: {'; '.join(words)}." if words else ""

    def title(self, method: str) -> str:
        """Return the title of a method without fixed parameters; its name where it was not run."""
        key = _variant({"method": method})
        own = (each for each in self.evaluated if _variant(each["cell"]) == key)
        return self._titles.get(key) or next(map(record_title, own), method)

    def meaning(self, method: str) -> str:
        """Return a method in a line, where records say it."""
        own = (each for each in self.evaluated if each["cell"]["method"] == method)
        return next((str(each["meaning"]) for each in own if each.get("meaning")), "")

    def probes(self, probe: str) -> dict[str, Result]:
        """Return what a probe answered, each by a name for anchors and files.

        Examples
        --------
        >>> asked = {"probe": "codes", "data": "yeast"}
        >>> record = {"kind": "probe", "probe": asked, "status": "done", "result": {}}
        >>> list(Run([record, record]).probes("codes"))
        ['codes-yeast', 'codes-yeast-2']
        """
        found: dict[str, Result] = {}
        for record in self.records:
            if record["status"] != "done":
                continue
            asked = record.get("probe", {})
            # A cell may have answered with the model that it fitted.
            answers = record.get("answers") or {asked.get("probe"): record.get("result")}
            if (result := answers.get(probe)) is not None:
                name = anchor(probe, short_name(asked.get("data") or record["cell"]["data"]))
                # The same data may have been probed with several settings.
                same = sum(other == name or other.startswith(f"{name}-") for other in found)
                found[f"{name}-{same + 1}" if same else name] = result
        return found

    def _tuned_on(self) -> list[float]:
        def alike(cell: Mapping[str, Any]) -> str:
            return json.dumps([cell["data"], _variant(cell), cell["protocol"]], sort_keys=True)

        rows = {
            alike(each["cell"]): float(each["rows"]["n_train"])
            for each in self.records
            if each.get("kind") == "tune" and each.get("tried") and each.get("rows")
        }
        return [rows.get(alike(each["cell"]), float("nan")) for each in self.evaluated]

    def _titled(self, record: Record) -> Record:
        title = self._titles.get(_variant(record["cell"])) if "cell" in record else None
        return {**record, "title": title} if title else record


def titled(frame: pd.DataFrame) -> pd.DataFrame:
    """Name each cell's column of a table: the data set, and what tells it from the others."""
    short = frame["data"].map(short_name)
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
        apart = ", ".join(word for word in words if word)
        names.append(f"{name} ({apart})" if apart else name)
    return frame.assign(column=names)


def common_words(settings: pd.Series) -> list[str]:
    """Return what all settings of a run have in common."""
    first, *others = [setting.split(", ") for setting in settings.unique()] or [[]]
    return [word for word in first if word and all(word in words for words in others)]


def real(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out what has simulated features: it counts in no verdict."""
    return frame if frame.empty else frame[~frame["simulated"]]


def short_name(name: str) -> str:
    """Return the last part of a path; a registry name is its own."""
    return name.rsplit("/", 1)[-1]


def _facts(record: Record) -> dict[str, Any]:
    cell, rows = record["cell"], record.get("rows") or {}
    drawn = cell["split"]
    if drawn == "auto" and record.get("split"):
        drawn = "official" if record["split"].startswith("official") else "random"
    return {
        "drawn": None if drawn == "auto" else drawn,
        "setting": setting_words(cell["protocol"]),
        "simulated": bool(rows.get("simulated")),
        **{size: rows.get(size) for size in SIZES},
        "labels_kept": rows.get("cardinality"),
        "labels_complete": rows.get("cardinality_complete"),
        "effective_missing": rows.get("effective_missing") or 0.0,
        "redrawn": record.get("redrawn") or {},
        **{FLOOR + name: value for name, value in (rows.get("floor") or {}).items()},
        **{CEILING + name: value for name, value in (rows.get("ceiling") or {}).items()},
    }


def _titles(plan: Mapping[str, Any]) -> dict[str, str]:
    variants = [{"method": m} if isinstance(m, str) else m for m in plan.get("methods", ())]
    return {_variant(each): str(each.get("title") or "") for each in variants}


def _variant(cell: Mapping[str, Any]) -> str:
    return json.dumps([cell["method"], cell.get("parameters") or {}], sort_keys=True)


def _places(names: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}
