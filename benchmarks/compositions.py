"""DLST beside its rivals on twelve real sets.

Fits every composition on every set, prints one table for each metric, and with ``--write``
writes them to docs/compositions.md. Finished cells are kept in artefacts/compositions, so a run
that was killed goes on where it stopped.

    python benchmarks/compositions.py [--sets emotions,scene] [--quick] [--write] [--fresh]
"""

from __future__ import annotations

import argparse
import json
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dlst import metrics
from dlst._files import atomic_write
from dlst.data import Dataset, Split, random_split
from dlst.data.registry import is_cached, load_registered
from dlst.decoders import LinearDecoder, VoteDecoder
from dlst.experiments.worker import surroundings
from dlst.methods import LabelSpaceClassifier, make

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "artefacts" / "compositions" / "cells.jsonl"
PAGE = ROOT / "docs" / "compositions.md"

TIME_LIMIT = 300
# Two BLAS threads on busy cores wait for each other and can take ten times as long as one.
THREADS = 1
QUICK_SETS = ("emotions", "scene", "yeast", "birds")


class Recipe(NamedTuple):
    """How the rows of a set are chosen."""

    seeds: int = 1
    rows: tuple[int, int] | None = None
    scaling: str = "auto"


SETS = {
    "emotions": Recipe(),
    "scene": Recipe(),
    "yeast": Recipe(),
    "mediamill-2000": Recipe(),
    "birds": Recipe(),
    "cal500": Recipe(seeds=3),
    "enron": Recipe(),
    "medical": Recipe(),
    "corel5k": Recipe(rows=(1200, 500)),
    "bibtex": Recipe(rows=(2500, 1500)),
    "tmc2007-500": Recipe(rows=(3000, 2000)),
    "msrc": Recipe(seeds=3, scaling="hellinger"),
}

TITLES = {
    "dlst": "DLST",
    "dlst-paper": "DLST (paper)",
    "dlst-literal": "DLST (literal)",
    "vote": "vote",
    "dlst1": "DLST₁",
    "dlst2": "DLST₂",
    "krr": "KRR",
}


MEASURES = {
    "instance_ap": "Instance AP",
    "label_ap": "Label-macro AP",
    "micro_f1": "Micro-F1 with one learnt threshold",
    "hamming": "Hamming loss (lower is better)",
}

INTRODUCTION = f"""# Compositions compared

Written by `python benchmarks/compositions.py --write`: {{cells}} fits, {{minutes:.0f}} minutes
with {THREADS} BLAS thread, at commit {{commit}}. Cells that exceeded the limit of {TIME_LIMIT} s
({{late}}) show "—".

The best of a row is bold. The last row is the mean over the sets on which every cell was measured.

- **DLST** is the default, **DLST (paper)** the sound reading of the paper, **DLST (literal)** the
  paper as printed. **vote** combines the full code, kernel ridge and `VoteDecoder`. **DLST₁** is
  kernel logistic regression on the labels, **DLST₂** is ML-kNN on the features. **KRR** is kernel
  ridge on the labels, read out directly (`LinearDecoder` on the full code) and not calibrated.
- Splits are official where there is one. cal500, msrc: random halves with seeds 0, 1 and 2, mean of
  the three. corel5k (1200 training and 500 test rows), bibtex (2500, 1500), tmc2007-500 (3000,
  2000): random samples of the official training and test rows, seed 0.
- Scores are those of `decision_function`. Instance AP leaves out rows without a label, and
  label-macro AP leaves out labels without a positive test row; ties take the worst rank. Micro-F1
  uses `decision="micro"`, and Hamming loss p ≥ ½.
- **DLST₁** and **DLST (paper)** use the median kernel width and choose their penalty by
  cross-validation.
- Differences below about .01 on one set are noise. Seconds were measured while other work was
  running.
"""

Records = dict[tuple[str, str, int], dict[str, Any]]


def main() -> None:
    arguments = parse_arguments()
    names = arguments.sets or (QUICK_SETS if arguments.quick else tuple(SETS))
    if arguments.fresh:
        RECORDS.unlink(missing_ok=True)
    records = read_records()
    print(f"{len(records)} cells are kept from an earlier run; --fresh measures them anew.")
    seeds = {name: 1 if arguments.quick else SETS[name].seeds for name in names}
    for name in names:
        if not is_cached(name):
            raise SystemExit(f"{name} is not in the data home; set DLST_DATA to a folder with it.")
        run_set(name, range(seeds[name]), records)
    wanted = {key: found for key, found in records.items() if key[2] < seeds.get(key[0], 0)}
    figures = Figures(names, wanted)
    print("", *tables(figures), *against(figures), sep="\n")
    if arguments.write:
        with atomic_write(PAGE, text=True) as stream:
            stream.write(page(figures))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Rerun the comparison of compositions.")
    parser.add_argument("--sets", type=_set_names, help="some of " + ", ".join(SETS))
    parser.add_argument("--quick", action="store_true", help="four small sets, one seed")
    parser.add_argument("--write", action="store_true", help="write docs/compositions.md")
    parser.add_argument("--fresh", action="store_true", help="forget all finished cells")
    arguments = parser.parse_args()
    if arguments.write and (arguments.sets or arguments.quick):
        parser.error("--write needs all sets; leave out --sets and --quick.")
    return arguments


def _set_names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in SETS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(SETS)}")
    return names


def run_set(name: str, seeds: range, records: Records) -> None:
    missing = [(m, s) for s in seeds for m in TITLES if (name, m, s) not in records]
    if not missing:
        return
    data = load_registered(name, download=False)
    for method, seed in missing:
        split = chosen_rows(data, SETS[name], seed)
        train, test = data.subset(split.train), data.subset(split.test)
        record = measure(method, seed, SETS[name].scaling, train, test)
        records[name, method, seed] = record
        write_records(records)
        said = " ".join(f"{key}={record[key]:.3f}" for key in MEASURES if key in record)
        said += f" {record['seconds']:.1f} s, {record['status']}"
        print(f"{name} {method} {seed}: {said}", flush=True)


def chosen_rows(data: Dataset, recipe: Recipe, seed: int) -> Split:
    """Take the official split, a random sample of both its sides, or a random half."""
    if data.split is None:
        return random_split(data, 0.5, random_state=seed)
    if recipe.rows is None:
        return data.split
    rng = np.random.default_rng(seed)
    sides = zip((data.split.train, data.split.test), recipe.rows, strict=True)
    train, test = (np.sort(rng.choice(side, size, replace=False)) for side, size in sides)
    return Split(train, test, name=f"sample of the {data.split.name} split")


def made(method: str, seed: int, scaling: str) -> Any:
    shared: dict[str, Any] = {"decision": "micro", "scaling": scaling}
    if method != "dlst2":
        shared["random_state"] = seed
    if method == "vote":
        return LabelSpaceClassifier(decoder=VoteDecoder(), **shared)
    if method == "krr":
        # The full code is the labels, so its linear inverse is the ridge regression itself.
        return LabelSpaceClassifier(decoder=LinearDecoder(), **shared)
    return make(method, **shared)


def measure(method: str, seed: int, scaling: str, train: Dataset, test: Dataset) -> dict[str, Any]:
    model = made(method, seed, scaling)
    start = time.perf_counter()
    try:
        # Labels without a training positive and capped iterations are part of the comparison.
        with time_limit(TIME_LIMIT), threadpool_limits(THREADS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(train.X, train.Y)
            scores = model.decision_function(test.X)
            probabilities = model.predict_proba(test.X)
            decided = model.predict(test.X)
    except OutOfTimeError:
        return {"status": "out of time", "seconds": time.perf_counter() - start}
    seconds = time.perf_counter() - start
    found = {
        "instance_ap": metrics.instance_average_precision(test.Y, scores, empty="skip"),
        "label_ap": metrics.macro_average_precision(test.Y, scores, empty="skip"),
        "micro_f1": metrics.micro_f1(test.Y, decided),
        "hamming": metrics.hamming_loss(test.Y, probabilities >= 0.5),
    }
    return {"status": "ok", "seconds": seconds, **found}


class OutOfTimeError(BaseException):
    """The time limit is over; not an Exception, which a grid search would take for a bad fit."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise OutOfTimeError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def read_records() -> Records:
    if not RECORDS.exists():
        return {}
    lines = [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]
    return {(line.pop("data"), line.pop("method"), line.pop("seed")): line for line in lines}


def write_records(records: Records) -> None:
    RECORDS.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(RECORDS, text=True) as stream:
        for (name, method, seed), found in records.items():
            line = {"data": name, "method": method, "seed": seed, **found}
            stream.write(json.dumps(line) + "\n")


class Figures:
    """Figures as arrays (sets, methods); NaN where there is none."""

    def __init__(self, names: tuple[str, ...], records: Records):
        self.names = names
        self.records = records
        self.seconds = self._means("seconds")
        self.of = {key: self._means(key) for key in MEASURES}

    def _means(self, key: str) -> Any:
        return np.array([[self._mean(name, m, key) for m in TITLES] for name in self.names])

    def _mean(self, name: str, method: str, key: str) -> float:
        found = [r for (n, m, _), r in self.records.items() if (n, m) == (name, method)]
        return float(np.mean([r.get(key, np.nan) for r in found])) if found else np.nan


def tables(figures: Figures) -> Iterator[str]:
    for key, title in MEASURES.items():
        found = figures.of[key]
        best = np.nanmin if key == "hamming" else np.nanmax
        yield f"## {title}\n\n" + heading("set")
        for name, row in zip(figures.names, found, strict=True):
            yield line(name, cells(row, best(row)))
        whole = np.isfinite(found).all(axis=1)
        means = found[whole].mean(axis=0)
        label = "mean" if whole.all() else f"mean of {whole.sum()} sets"
        yield line(label, cells(means, best(means))) + "\n"
    yield "## Seconds, fit and predict\n\n" + heading("set")
    for name, seconds in zip(figures.names, figures.seconds, strict=True):
        yield line(name, [f"{value:.1f}" for value in seconds])
    yield ""


def heading(first: str) -> str:
    return line(first, list(TITLES.values())) + "\n" + line("---", ["---"] * len(TITLES))


def line(first: str, rest: list[str]) -> str:
    return f"| {first} | " + " | ".join(rest) + " |"


def cells(row: Any, best: float) -> list[str]:
    return [f"**{short(a)}**" if short(a) == short(best) else short(a) for a in row]


def short(value: float) -> str:
    return f"{value:.3f}".lstrip("0") if np.isfinite(value) else "—"


def against(figures: Figures) -> Iterator[str]:
    """Count where DLST is better and where it is worse than each other column."""
    wins, losses, rows = 0, 0, []
    for key, title in MEASURES.items():
        found = -figures.of[key] if key == "hamming" else figures.of[key]
        won, lost = (found[:, :1] > found).sum(axis=0), (found[:, :1] < found).sum(axis=0)
        wins, losses = wins + won.sum(), losses + lost.sum()
        counts = [f"{a}-{b}" for a, b in zip(won, lost, strict=True)]
        rows.append(line(title, ["", *counts[1:]]))
    yield (
        f"Over {len(figures.names)} sets and {len(MEASURES)} metrics DLST is better than another "
        f"column {wins} times and worse {losses} times. Wins-losses by column:\n"
    )
    yield from [heading("DLST against"), *rows]


def page(figures: Figures) -> str:
    seconds = sum(record["seconds"] for record in figures.records.values())
    late = sum(record["status"] != "ok" for record in figures.records.values())
    start = INTRODUCTION.format(
        cells=len(figures.records),
        minutes=seconds / 60,
        late=late,
        commit=surroundings().get("commit", "unknown"),
    )
    counts = ["## DLST against each column\n", *against(figures)]
    return "\n".join([start, *tables(figures), *counts, ""])


if __name__ == "__main__":
    main()
