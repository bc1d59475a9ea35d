"""Precision and recall of each class on NUS-WIDE, with published values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from dlst.paper.item import DEFAULT, HARD, PIPELINE, Claim, Item
from dlst.paper.published import NUSWIDE_CLASSES, NUSWIDE_GAINS, NUSWIDE_MEANS
from dlst.reports import Run
from dlst.reports.class_scores import (
    RUN,
    by_class,
    class_frame,
    over_classes,
    rows_of_class,
    titles_in,
)
from dlst.reports.document import Block, Chart, Section, Series, Table, TableCell, Text
from dlst.reports.words import DASH, anchor, columns, finite, number, percent

BOTH = ("precision", "recall")
RULES = {"": "own decisions", "_top_r": "top r"}
COMPARABLE = 0.05
"""Precision and recall that differ by no more than this are called comparable here."""

HERE = {True: "as the paper says", False: "not so here"}
PUBLISHED = "published, different input and split"


def _settings(quick: bool) -> Mapping[str, Any]:
    rows = [1000, 1000] if quick else [8000, 8000]
    return {
        "data": ["nus-wide"],
        "methods": [DEFAULT, PIPELINE],
        "splits": ["auto"],
        "seeds": 1 if quick else 10,
        "protocols": [{"rows": rows, "simulate": HARD, "per_label": True}],
    }


def _sections(run: Run) -> list[Section]:
    shown = []
    for name, part in class_frame(run).groupby("data", sort=False):
        title, method = str(part["shown"].iloc[0]), _shown_method(part)
        draws = part.groupby(RUN).ngroups
        text = (
            f"{draws} {'draw' if draws == 1 else 'draws'} of rows, "
            f"{part['label'].nunique()} classes. Two rules decide which labels count as found: the "
            "method's own, and the r labels with the highest scores of each row, where r is the "
            f"mean number of labels of a training row. {run.tuning}"
        )
        named = _named_classes(str(name), title, part, method)
        blocks: list[Block] = [
            Text(text),
            _means(str(name), title, part),
            *(_bars(str(name), title, part, method, rule) for rule in RULES),
            _scatter(str(name), title, part),
            *([named] if named.rows else []),
        ]
        shown.append(Section(anchor("nuswide", name), title, blocks))
    return shown


def _verdict(run: Run) -> str:
    printed = NUSWIDE_MEANS["DLST"]
    if run.frame["simulated"].any():
        return (
            "The features are simulated, so what was measured here counts in no verdict; the paper "
            f"printed a mean precision of {printed[0]:.4f} and a mean recall of {printed[1]:.4f}."
        )
    part = next(part for _, part in class_frame(run).groupby("data", sort=False))
    method, title = _shown_method(part), part["shown"].iloc[0]
    means = [over_classes(part, name).at[method, "mean"] for name in BOTH]
    n_judged = int(by_class(part, "precision")[method].notna().sum())
    judged = _judged_classes(part, method)
    agree = sum(holds for *_, holds in judged)
    return (
        f"On {title}, the mean precision and recall over {n_judged} classes of "
        f"{run.title(method)}'s own decisions are {means[0]:.3f} and {means[1]:.3f}, where "
        f"the paper printed {printed[0]:.4f} and {printed[1]:.4f} for features that are not these. "
        f"Of the {len(judged)} classes at hand of which the paper says how precision and recall "
        f"compare, {agree or 'none'} behave so here."
    )


def _shown_method(part: pd.DataFrame) -> str:
    methods = list(part["method"].unique())
    return DEFAULT if DEFAULT in methods else str(methods[0])


def _means(name: str, title: str, part: pd.DataFrame) -> Table:
    keys = [f"{measure}{rule}" for rule in RULES for measure in BOTH]
    found = {key: over_classes(part, key) for key in keys}
    rows = [
        [TableCell(method_title), *(_mean_cell(found[key], method) for key in keys)]
        for method, method_title in titles_in(part).items()
    ]
    references = [
        [TableCell(f"{who} ({PUBLISHED})"), DASH, DASH, *(number(value, 4) for value in pair)]
        for who, pair in NUSWIDE_MEANS.items()
    ]
    ours, theirs = NUSWIDE_MEANS["DLST"], NUSWIDE_MEANS["CNN-RNN"]
    ratios = [percent(a / b - 1, 1) for a, b in zip(ours, theirs, strict=True)]
    printed = [percent(gain, 1) for gain in NUSWIDE_GAINS]
    titles = [f"{measure}, {words}" for words in RULES.values() for measure in BOTH]
    undefined = int(part[keys].isna().any(axis=1).sum())
    left_out = f" Left out: {undefined} of {len(part)} classes, counting each run, for they have "
    left_out += "no test row or no value."
    return Table(
        anchor("nuswide", name, "means"),
        f"Mean precision and recall over classes: {title}",
        [*columns("method"), *columns(*titles, direction="higher")],
        rows,
        references,
        note="The paper does not say which labels count as found; CNN-RNN takes the three best of "
        f"each image. The printed gains over CNN-RNN, {printed[0]} and {printed[1]}, are the "
        f"ratios of these figures ({ratios[0]} and {ratios[1]}): CNN-RNN was not run on the "
        f"paper's rows or features.{left_out if undefined else ''}",
    )


def _mean_cell(found: pd.DataFrame, method: str) -> TableCell:
    mean, std = found.loc[method]
    cell = number(mean, best=mean == found["mean"].max())
    return replace(cell, text=f"{cell.text} ± {std:.3f}") if np.isfinite(std) else cell


def _bars(name: str, title: str, part: pd.DataFrame, method: str, rule: str) -> Chart:
    frequency = rows_of_class(part).sort_values(ascending=False, kind="stable")
    heading = f"{titles_in(part)[method]}, {RULES[rule]}: precision and recall of each class"
    series = []
    for measure in BOTH:
        values = by_class(part, f"{measure}{rule}")[method].reindex(frequency.index)
        texts = [
            f"{label}: {measure} {value:.3f}, {frequency[label]:.0f} rows"
            for label, value in values.items()
        ]
        series.append(
            Series(measure, values.index.tolist(), list(map(finite, values)), texts=texts)
        )
    return Chart(
        anchor("nuswide", name, "bars", RULES[rule]),
        f"{heading}: {title}",
        "bars",
        "class, the most frequent first",
        "precision, recall",
        series,
        alternative=f"{heading}, in order of frequency, from {frequency.index[0]} to "
        f"{frequency.index[-1]}.",
    )


def _scatter(name: str, title: str, part: pd.DataFrame) -> Chart:
    series = []
    for method, method_title in titles_in(part).items():
        for rule, words in RULES.items():
            pairs = pd.DataFrame({each: by_class(part, f"{each}{rule}")[method] for each in BOTH})
            pairs = pairs.dropna()
            series.append(
                Series(
                    f"{method_title}, {words}",
                    pairs["recall"].tolist(),
                    pairs["precision"].tolist(),
                    texts=[f"{label}: P {p:.3f}, R {r:.3f}" for label, p, r in pairs.itertuples()],
                    emphasis=method == DEFAULT and not rule,
                )
            )
    return Chart(
        anchor("nuswide", name, "scatter"),
        f"Precision against recall of each class: {title}",
        "scatter",
        "recall",
        "precision",
        series,
        alternative=f"Each point is one of {part['label'].nunique()} classes; further to the upper "
        "right is better.",
    )


def _named_classes(name: str, title: str, part: pd.DataFrame, method: str) -> Table:
    rows = [
        [TableCell(label), TableCell(claim), *map(number, pair), TableCell(HERE[holds])]
        for label, claim, pair, holds in _judged_classes(part, method)
    ]
    return Table(
        anchor("nuswide", name, "named"),
        f"The classes that the paper names, {titles_in(part)[method]}'s own decisions: {title}",
        [*columns("class", "the paper"), *columns(*BOTH, direction="higher"), *columns("here")],
        rows,
        note=f"Precision and recall that differ by at most {COMPARABLE:g} count as comparable.",
    )


def _judged_classes(part: pd.DataFrame, method: str) -> list[tuple[str, str, list[float], bool]]:
    """Return class, claim, precision and recall, and whether they compare as claimed."""
    values = [by_class(part, each)[method] for each in BOTH]
    return [
        (label, claim, pair, claim == _compared(*pair))
        for claim, labels in NUSWIDE_CLASSES.items()
        for label in labels
        if np.isfinite(pair := [each.get(label, np.nan) for each in values]).all()
    ]


def _compared(precision: float, recall: float) -> str:
    """Compare in the words of the paper; a class that is never found compares with nothing."""
    if max(precision, recall) == 0:
        return "never found"
    if abs(precision - recall) <= COMPARABLE:
        return "comparable"
    higher = precision > recall
    return "high precision, low recall" if higher else "low precision, high recall"


NUSWIDE = Item(
    name="figure-nuswide",
    title="NUS-WIDE, class by class",
    where="Figure of NUS-WIDE",
    make_settings=_settings,
    make_sections=_sections,
    make_verdict=_verdict,
    claims=(
        Claim(
            18,
            "On NUS-WIDE DLST's mean precision and recall are 32.6 % and 47.6 % above CNN-RNN's.",
            lambda run: ("cannot be judged", _verdict(run)),
        ),
    ),
    summary=r".*means.*",
)
