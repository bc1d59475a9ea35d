"""The page of benchmarks/decisions.py: label sets by own decisions and by rules, ranks, tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from dlst.experiments.measures import LABELLED_AP
from dlst.methods import method_info
from dlst.reports.paired_tests import wilcoxon_against
from dlst.reports.ranks import mean_ranks

DEVELOPMENT = (
    "emotions",
    "scene",
    "yeast",
    "birds",
    "enron",
    "medical",
    "mediamill-2000",
    "cal500",
    "corel5k",
    "multidigits",
)
CONFIRMATION = ("msrc", "bibtex", "tmc2007-500")
MISSING_SETS = ("emotions", "scene", "yeast", "enron", "medical")

# Measure, the rule that decides, and how it is named.
F1 = (("micro_f1", "f1"), ("macro_f1", "f1"), ("instance_f1", "f1"))
SUITED = (
    ("micro_f1", "micro"),
    ("macro_f1", "macro"),
    ("instance_f1", "instance"),
    ("subset_accuracy", "subset"),
    ("hamming_loss", "hamming"),
)
BUDGET = (("micro_f1", "budget"), ("macro_f1", "budget"), ("micro_f1", "top"), ("macro_f1", "top"))
OWN = tuple((measure, "own") for measure, _ in SUITED)
TITLES = {
    "micro_f1": "micro-F1",
    "macro_f1": "macro-F1",
    "instance_f1": "instance-F1",
    "subset_accuracy": "subset accuracy",
    "hamming_loss": "Hamming loss",
}
ADDED = {
    "micro-F1": ("micro_f1", "f1"),
    "macro-F1": ("macro_f1", "f1"),
    "instance-F1": ("instance_f1", "f1"),
    "subset accuracy, *subset*": ("subset_accuracy", "subset"),
}
"""What the table of evidences shows of decisions."""

INTRODUCTION = """# Decisions: the right rule for each measure

Written by `python benchmarks/decisions.py --write`: {cells} cells (one method on one data set
each), {failed} of them not measured because they failed, ran out of time (a cell may take {limit} s
of CPU time, including the folds on which rules are learnt) or were not run. They are listed at the
end. A method is included in a table of means, or in a test, only if it was measured on all of its
data sets.

Each method is fitted once with its defaults and no prior correction (τ = 0 for all). That fit
gives its *own* decisions, made the way its authors make them (p ≥ ½, a sign, the nearest label set;
for DLST p ≥ ½), and those by each rule of `dlst.decisions`, learnt on out-of-sample probabilities
of the training rows: exact leave-one-out where the method has it, otherwise five-fold
cross-fitting. By default, DLST's `predict` uses the rule *f1*, and the other methods use *own*.

Official splits (cal500, msrc: a random half), at most 2,000 training and 2,000 test rows. The rules
were developed on the ten development sets and confirmed on bibtex, tmc2007-500 and msrc. One run
with one seed: differences below .01 mean little.
"""


def page(
    rules: list[dict[str, Any]],
    corrected: list[dict[str, Any]],
    missing: list[dict[str, Any]],
    evidences: list[dict[str, Any]],
    seconds: int,
) -> Iterator[str]:
    """Give the page line by line, from the records of each part."""
    failed = [record for record in rules if record["status"] != "done"]
    yield INTRODUCTION.format(cells=len(rules), failed=len(failed), limit=seconds)
    scores = frame(rules)
    for title, sets in (("Ten development sets", DEVELOPMENT), ("Confirmation", CONFIRMATION)):
        part = scores[scores["data"].isin(sets)]
        if part.empty:
            continue
        yield f"## {title}: {', '.join(dict.fromkeys(part['data']))}\n"
        yield "(a) Own decisions; DLST also by its default rule.\n"
        yield from own_table(part)
        yield "\n(b) The same rules for all: *f1*, the rule of each measure, exactly r labels.\n"
        yield from means(part, (*F1, *SUITED, *BUDGET))
        yield ""
    yield from elsewhere(scores, frame(corrected), frame(missing))
    yield from tests(scores)
    yield from single_sets(scores)
    yield from label_sets(rules)
    yield from added(rules, evidences)
    yield "## Not measured\n"
    without: dict[tuple[str, str], list[str]] = {}
    for record in failed:
        key = record["cell"]["method"], record["status"]
        without.setdefault(key, []).append(record["cell"]["data"])
    for (method, status), sets in without.items():
        everywhere = len(sets) == len(DEVELOPMENT) + len(CONFIRMATION)
        yield f"- {method}: {status} on {'every set' if everywhere else ', '.join(sets)}"


def frame(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Give a row for each method, set, rule and measure."""
    rows = [
        {
            "data": record["cell"]["data"],
            "method": method_info(record["cell"]["method"]).title,
            "rule": rule,
            "measure": measure,
            "value": value,
        }
        for record in records
        if record["status"] == "done"
        for rule, found in {**record["rules"], "ranking": record["metrics"]}.items()
        for measure, value in found.items()
    ]
    return pd.DataFrame(rows, columns=["data", "method", "rule", "measure", "value"])


def values(scores: pd.DataFrame, measure: str, rule: str) -> pd.DataFrame:
    """Give one measure by one rule: sets by methods."""
    chosen = scores[(scores["measure"] == measure) & (scores["rule"] == rule)]
    table = chosen.pivot_table(index="data", columns="method", values="value", sort=False)
    return table.dropna(axis=1)


def own_table(scores: pd.DataFrame) -> Iterator[str]:
    columns = [(measure, "own") for measure, _ in SUITED]
    found = {key: values(scores, *key).mean() for key in columns}
    by_rule = {key: values(scores, key[0], "f1").mean() for key in columns}
    ap = values(scores, LABELLED_AP, "ranking").mean()
    table = pd.DataFrame({TITLES[measure]: found[measure, "own"] for measure, _ in SUITED})
    table["instance AP"] = ap
    default = {TITLES[measure]: by_rule[measure, "own"].get("DLST") for measure, _ in SUITED}
    default["instance AP"] = ap.get("DLST")
    table.loc["**DLST, f1 (default)**"] = pd.Series(default)
    yield from shown(table.sort_values("micro-F1", ascending=False), lower=("Hamming loss",))


def means(scores: pd.DataFrame, columns: tuple[tuple[str, str], ...]) -> Iterator[str]:
    table = pd.DataFrame(
        {f"{TITLES[m]}, *{rule}*": values(scores, m, rule).mean() for m, rule in columns}
    )
    first = table.columns[0]
    yield from shown(table.sort_values(first, ascending=False), lower=("Hamming loss, *hamming*",))


def shown(table: pd.DataFrame, lower: tuple[str, ...] = ()) -> Iterator[str]:
    """Give lines of Markdown, the best of each column bold."""
    best = {c: table[c].min() if c in lower else table[c].max() for c in table.columns}
    yield f"| method | {' | '.join(table.columns)} |"
    yield "|---" * (1 + len(table.columns)) + "|"
    for method, row in table.iterrows():
        cells = [
            f"**{short(row[c], c)}**" if short(row[c], c) == short(best[c], c) else short(row[c], c)
            for c in table.columns
        ]
        yield f"| {method} | {' | '.join(cells)} |"


def elsewhere(
    scores: pd.DataFrame, corrected: pd.DataFrame, missing: pd.DataFrame
) -> Iterator[str]:
    yield "## With missing labels, and with prior correction\n"
    if not missing.empty:
        half, ruled = (values(missing, "macro_f1", rule)["DLST"].mean() for rule in ("own", "f1"))
        yield (
            "DLST's macro-F1 when 70 % of the positive training labels are missing, mean of "
            f"{', '.join(MISSING_SETS)}: {short(half)} by p ≥ ½, {short(ruled)} by *f1*."
        )
    if corrected.empty:
        yield ""
        return
    sets = list(values(corrected, LABELLED_AP, "ranking").index)
    scores = scores[scores["data"].isin(sets)]
    yield (
        "\nInstance AP without prior correction for any method, and with τ learnt for each "
        f"method, on {len(sets)} sets:\n"
    )
    both = pd.DataFrame(
        {
            "τ = 0": values(scores, LABELLED_AP, "ranking").mean(),
            "τ learnt": values(corrected, LABELLED_AP, "ranking").mean(),
        }
    ).dropna()
    yield from shown(both)
    yield ""


def tests(scores: pd.DataFrame) -> Iterator[str]:
    yield "## Mean ranks over all sets, and Wilcoxon's tests of DLST, Holm-corrected\n"
    yield (
        "Methods measured on every set. In (a), DLST decides by its default rule and all others as "
        "their authors do; in (b), all decide by the rule named. Better / worse: tests with "
        "p < .05.\n"
    )
    yield "| measure | DLST's mean rank | best other | better | worse | of |"
    yield "|---|---|---|---|---|---|"
    for measure, rule in (*OWN, *F1, *SUITED, *BUDGET[:2]):
        table = values(scores, measure, rule).dropna(axis=1)
        if "DLST" not in table:
            continue
        if rule == "own":
            table["DLST"] = values(scores, measure, "f1")["DLST"]
        higher = measure != "hamming_loss"
        if table.shape[1] < 2:
            continue
        ranks = mean_ranks(table, higher_is_better=higher).mean
        against = wilcoxon_against(table, "DLST", higher_is_better=higher)
        sure = against[against["p_holm"] < 0.05]
        other = ranks.drop("DLST").idxmin()
        yield (
            f"| {'(a)' if rule == 'own' else '(b)'} {TITLES[measure]}, *{rule}* | "
            f"{ranks['DLST']:.2f} | {other} {ranks[other]:.2f} | "
            f"{(sure['mean_difference'] > 0).sum()} | {(sure['mean_difference'] < 0).sum()} | "
            f"{len(against)} |"
        )
    yield ""


def single_sets(scores: pd.DataFrame) -> Iterator[str]:
    part = scores[scores["method"] == "DLST"]
    if part.empty:
        return
    yield "## DLST set by set\n"
    columns = [("micro_f1", "own"), ("macro_f1", "own"), *F1, *SUITED, ("macro_f1", "budget")]
    table = pd.DataFrame(
        {f"{TITLES[m]}, *{rule}*": values(part, m, rule)["DLST"] for m, rule in columns}
    )
    yield f"| set | {' | '.join(table.columns)} |"
    yield "|---" * (1 + len(table.columns)) + "|"
    for name, row in table.iterrows():
        yield f"| {name} | {' | '.join(short(row[c], c) for c in table.columns)} |"
    yield ""


def label_sets(rules: list[dict[str, Any]]) -> Iterator[str]:
    """Give how right DLST's likeliest label sets are beside what they are said to be."""
    known = {
        record["cell"]["data"]: record
        for record in rules
        if record["cell"]["method"] == "dlst" and "set_calibration" in record
    }
    if not known:
        return
    yield "## How far the probabilities of DLST's label sets can be trusted\n"
    yield (
        "`predict_sets(X, k=1)`: the share of test rows whose most likely set is right, the mean "
        "probability that it was given, and the expected calibration error (ECE, ten bins of equal "
        "counts) on test rows and on left-out training rows, which is the one that a user can "
        "compute.\n"
    )
    yield "| set | right | stated | ECE, test | ECE, left out |\n|---|---|---|---|---|"
    for name, record in known.items():
        found = record["set_calibration"]
        right = record["rules"]["subset"]["subset_accuracy"]
        cells = (right, found["mean_confidence"], found["test"], found["left_out"])
        yield f"| {name} | {' | '.join(map(short, cells))} |"
    yield ""


def added(rules: list[dict[str, Any]], evidences: list[dict[str, Any]]) -> Iterator[str]:
    """Give what more evidences add to DLST on each set, and what they cost."""
    plain = [record for record in rules if record["cell"]["method"] == "dlst"]
    rows = {
        (_added(record), record["cell"]["data"]): {
            **{title: record["rules"][rule][measure] for title, (measure, rule) in ADDED.items()},
            "instance AP": record["metrics"][LABELLED_AP],
            "log-loss": record["metrics"]["log_loss"],
            "time": record["cpu_seconds"],
        }
        for record in (*plain, *evidences)
        if record["status"] == "done"
    }
    if not any(name for name, _ in rows):
        return
    table = pd.DataFrame(rows).T
    complete = table.groupby(level=1).size() == table.index.get_level_values(0).nunique()
    sets = [name for name in (*DEVELOPMENT, *CONFIRMATION) if complete.get(name, False)]
    yield "## What additional evidences add to DLST\n"
    yield (
        "`DLST(evidences=[...])`: leaves of extra trees and of a random forest (200 trees each, "
        "grown on at most 32 principal axes of the labels, rows judged out of bag), ML-kNN's "
        "counts among left-out codes; with any of them, each evidence has one slope for frequent "
        "labels and one for rare ones. They use the kernel composition, even where DLST would "
        "choose the linear one. Off by default, because fits take longer and most of the gain "
        f"comes from a few sets. Means over {len(sets)} sets, decisions by *f1*; the last column "
        "is the CPU time of a whole cell relative to no additional evidence (median).\n"
    )
    chosen = table[table.index.get_level_values(1).isin(sets)]
    means = chosen.groupby(level=0, sort=False).mean()
    # The first cells of a run compile what they call: a median does not mind a few.
    took = chosen["time"].unstack(level=0)
    means["time over none"] = took.div(took[""], axis=0).median()
    means = means.drop(columns="time")
    means.index = [name or "none" for name in means.index]
    yield from shown(means, lower=("log-loss", "time over none"))
    yield "\nSet by set, instance AP and macro-F1 by *f1*:\n"
    names = [name for name in means.index if name != "none"]
    yield f"| set | none | {' | '.join(names)} |"
    yield "|---" * (2 + len(names)) + "|"
    for name in sets:
        cells = [
            " / ".join(short(table.at[(each, name), of]) for of in ("instance AP", "macro-F1"))
            for each in ("", *names)
        ]
        yield f"| {name} | {' | '.join(cells)} |"
    yield ""


def _added(record: dict[str, Any]) -> str:
    return " + ".join(record["cell"]["parameters"].get("evidences", ()))


def short(value: float, column: str = "") -> str:
    if value is None or not np.isfinite(value):
        return "—"
    return (f"{value:.4f}" if column.startswith("Hamming") else f"{value:.3f}").lstrip("0")
