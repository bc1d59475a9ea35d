"""Our iterative stratification beside the `iterative-stratification` package, in one run.

Prints, for planted labels (n = 20,000, K = 50) and for the real sets that the data home holds,
seconds (best of three after a warm-up), Sechidis' label deviation (LD) and example deviation (ED),
the spread of the fold sizes, and the ratios theirs / ours: above 1 means that ours is better.

    python benchmarks/stratification.py
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold

from dlst.data.registry import is_cached, load_registered
from dlst.data.simulation import make_label_space
from dlst.data.stratification import IterativeStratification, label_deviation

SEEDS = (0, 1, 2)
FOLDS = (5, 10)
REAL_SETS = ("yeast", "delicious")


def main() -> None:
    print(
        f"{'data':<12}{'folds':>6}{'seed':>5}"
        f"{'s ours':>10}{'s theirs':>10}{'ratio':>8}"
        f"{'LD ours':>11}{'LD theirs':>11}{'ratio':>7}"
        f"{'ED ours':>9}{'ED theirs':>10}{'sizes ours':>12}{'sizes theirs':>13}"
    )
    for name, seeds, Y in label_matrices():
        for n_folds in FOLDS:
            for seed in seeds:
                print_row(name, n_folds, seed, Y)


def label_matrices() -> Iterator[tuple[str, tuple[int, ...], Any]]:
    for seed in SEEDS:
        planted = make_label_space(
            20_000, 1, 50, cardinality=4.0, power=0.7, strength=3.0, random_state=seed
        )
        yield f"planted {seed}", (seed,), planted.Y
    for name in REAL_SETS:
        if is_cached(name):
            yield name, SEEDS, load_registered(name, download=False).Y
        else:
            print(f"{name:<12}not in the data home; set DLST_DATA to a folder that has it")


def print_row(name: str, n_folds: int, seed: int, Y: Any) -> None:
    # The package takes dense labels only; it is not charged for the conversion, nor are we.
    dense = Y.toarray().astype(int)
    ours = measure(IterativeStratification(n_folds, random_state=seed), Y)
    theirs = measure(MultilabelStratifiedKFold(n_folds, shuffle=True, random_state=seed), dense)
    (our_seconds, our_folds), (their_seconds, their_folds) = ours, theirs
    our_ld, our_ed = label_deviation(Y, our_folds)
    their_ld, their_ed = label_deviation(Y, their_folds)
    print(
        f"{name:<12}{n_folds:>6}{seed:>5}"
        f"{our_seconds:>10.4f}{their_seconds:>10.4f}{their_seconds / our_seconds:>8.1f}"
        f"{our_ld:>11.6f}{their_ld:>11.6f}{their_ld / our_ld:>7.2f}"
        f"{our_ed:>9.2f}{their_ed:>10.2f}"
        f"{np.ptp(np.bincount(our_folds)):>12}{np.ptp(np.bincount(their_folds)):>13}",
        flush=True,
    )


def measure(splitter: Any, Y: Any) -> tuple[float, Any]:
    """Return the best seconds of three runs after a warm-up, and the fold of each row."""
    rows = np.empty((Y.shape[0], 0))
    folds = np.empty(Y.shape[0], dtype=np.intp)
    best = np.inf
    for attempt in range(4):
        start = time.perf_counter()
        tests = [test for _, test in splitter.split(rows, Y)]
        if attempt:
            best = min(best, time.perf_counter() - start)
    for fold, test in enumerate(tests):
        folds[test] = fold
    return best, folds


if __name__ == "__main__":
    main()
