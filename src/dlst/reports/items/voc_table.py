"""Average precision of each class of VOC 2007, beside the paper's Table IV."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dlst.experiments.published_voc import (
    TABLE,
    VOC_AP,
    VOC_CLASSES,
    VOC_LABELS,
    VOC_MAP,
    VOC_SAMPLES,
    classes_not_led,
    recomputed_map,
)
from dlst.methods import method_info
from dlst.reports.document import Cell, Column, Section, Table, Text
from dlst.reports.items._cells import Records
from dlst.reports.items._class_parts import by_class, class_frame, correlation, fact_of_class
from dlst.reports.items._parts import number, tuning_sentence
from dlst.reports.items._words import NOTHING, anchor, empty_section, listed

OURS = ("dlst1", "dlst", "dlst-paper")
MEASURES = {
    "average_precision": "AP",
    "average_precision_11": "11-point AP",
}
QUOTED = ("HCP-1000C", "CNN-RNN")
SATURATED = 99.0
"""From this mAP on there is nothing left to tell methods apart by."""


def voc_sections(records: Records, plan: Mapping[str, Any]) -> list[Section]:
    """Show each class in two kinds of AP, for each reading of the labels."""
    parts = _readings(records)
    if not parts:
        return empty_section("voc", "Pascal VOC 2007, class by class")
    text = (
        f"{listed(QUOTED)} are quoted as the paper's {TABLE} prints them (published, different "
        "input; never run here), and so are DLST₁ and DLST of the paper, which had features of a "
        "deep network. VOC 2007 measures 11-point AP. Objects marked difficult count as present "
        "or, where a title says so, as not judged. In each row the best of our columns is marked. "
        f"{tuning_sentence(records)}"
    )
    tables = [
        _table(anchor("voc", setting, measure), title, part, measure)
        for setting, title, part in parts
        for measure in MEASURES
    ]
    return [
        Section("voc", "Each class", [Text(text), *tables]),
        Section("voc-claims", "What the printed table says itself", [*map(Text, _claims(parts))]),
    ]


def voc_verdict(records: Records, plan: Mapping[str, Any]) -> str:
    """Compare DLST with DLST₁ here, and the paper's table with itself."""
    parts = _readings(records)
    if not parts:
        return NOTHING
    _, title, part = parts[0]
    printed, recomputed, lost = VOC_MAP["DLST"], recomputed_map()["DLST"], classes_not_led()
    return (
        f"{_ours_sentence(title, part)} The paper's own {TABLE} does not bear out that DLST is "
        f"higher across all classes, for in {len(lost)} of {len(VOC_CLASSES)} a quoted method is "
        f"not below it, and its printed mAP of {printed} is not the mean of its classes, "
        f"{recomputed:.1f}."
    )


def _readings(records: Records) -> list[tuple[str, str, pd.DataFrame]]:
    """Give setting, title and classes of each protocol, such as how difficult objects count."""
    frame = class_frame(records)
    if frame.empty:
        return []
    return [
        (str(setting), f"{part['shown'].iloc[0]}{f', {setting}' if setting else ''}", part)
        for setting, part in frame.groupby("setting", sort=False)
    ]


def _table(name: str, title: str, part: pd.DataFrame, measure: str) -> Table:
    methods = [method for method in OURS if method in set(part["method"])]
    ap = 100 * by_class(part, measure).reindex(index=list(VOC_CLASSES.values()), columns=methods)
    labels = 1 + fact_of_class(part, "concurrent")
    samples = fact_of_class(part, "train_positives") + fact_of_class(part, "test_positives")
    shown = ap.round(1)
    rows = []
    for position, (printed, own) in enumerate(VOC_CLASSES.items()):
        best = shown.loc[own].max()
        rows.append(
            [
                Cell(printed, note=own),
                number(labels.get(own, np.nan), 1),
                number(VOC_LABELS[position], 1),
                number(samples.get(own, np.nan), 0),
                number(VOC_SAMPLES[position], 0),
                *(number(values[position], 1) for values in VOC_AP.values()),
                *(_marked(ap.at[own, each], shown.at[own, each] == best) for each in methods),
            ]
        )
    gap = [Cell("—")] * 4
    means = [number(ap[method].mean(), 1) for method in methods]
    return Table(
        name,
        f"{MEASURES[measure]} in %: {title}",
        [
            Column("class"),
            Column("#labels", "", "of an image that has the class, here"),
            Column("#labels, paper"),
            Column("#samples", "", "images of the class among the rows used, here"),
            Column("#samples, paper"),
            *(Column(f"{who}, published" if who in QUOTED else f"{who}, paper") for who in VOC_AP),
            *(Column(f"{method_info(method).title}, here", "higher") for method in methods),
        ],
        rows,
        [
            [Cell("mAP"), *gap, *(number(VOC_MAP[who], 1) for who in VOC_AP), *means],
            [
                Cell("mean of the printed classes"),
                *gap,
                *(number(mean, 2) for mean in recomputed_map().values()),
                *[Cell("—")] * len(methods),
            ],
        ],
        note="Classes are named as in the paper.",
    )


def _marked(value: float, best: bool) -> Cell:
    return Cell(f"{value:.1f}", float(value), best=bool(best)) if np.isfinite(value) else Cell("—")


def _claims(parts: list[tuple[str, str, pd.DataFrame]]) -> list[str]:
    wrong = [f"{who} {mean:.2f} (printed {VOC_MAP[who]})" for who, mean in recomputed_map().items()]
    lost = [f"{name} ({listed(methods)})" for name, methods in classes_not_led().items()]
    return [
        f"**Means.** The classes as printed average {listed(wrong)}: the quoted rows agree with "
        "their mAP, the two rows of the paper do not.",
        f"**Consistently higher across all classes.** As printed, DLST is not ahead in {len(lost)} "
        f"of {len(VOC_CLASSES)} classes: {listed(lost)}.",
        _frequency_claim(parts),
    ]


def _frequency_claim(parts: list[tuple[str, str, pd.DataFrame]]) -> str:
    samples = pd.Series(VOC_SAMPLES, dtype=float)
    told = [f"{correlation(samples, pd.Series(VOC_AP['DLST']))} in the paper's row"]
    for _, title, part in parts:
        ap = by_class(part, "average_precision")
        if "dlst" in ap:
            found = correlation(fact_of_class(part, "train_positives"), ap["dlst"])
            told.append(f"{found or 'nothing to rank'} here on {title}")
    return (
        "**Best on the rarest class, worst on the commonest.** The paper says that DLST's AP falls "
        f"with the number of samples. Rank correlation (Spearman): {listed(told)}."
    )


def _ours_sentence(title: str, part: pd.DataFrame) -> str:
    ap = 100 * by_class(part, "average_precision")
    means = [
        f"{method_info(method).title} {ap[method].mean():.1f}"
        for method in OURS
        if method in ap.columns
    ]
    told = f"On {title}, the mAP in % is {listed(means)}"
    if {"dlst", "dlst1"} <= set(ap.columns):
        pairs = ap[["dlst", "dlst1"]].dropna().round(1)
        won = int((pairs["dlst"] > pairs["dlst1"]).sum())
        told += f", and DLST leads DLST₁ in {won} of {len(pairs)} classes"
    if ap.mean().max() >= SATURATED:
        told += ", but a score so near 100 says only that the problem is too easy"
    return f"{told}."
