"""Seconds and memory of ``DLST()`` as rows, labels, features, basis and label sets grow.

Every fit runs in a process of its own, so that its peak memory is its own. Labels of the rows are
those of NUS-WIDE with simulated features; planted labels where their number is what grows.

    python benchmarks/scale.py --curve n        # the target: 25,000 to 200,000 rows
    python benchmarks/scale.py --curve d,K,s,m
    python benchmarks/scale.py --page           # docs/scaling.md from what was kept

What was measured is kept in benchmarks/results/curves/scaling.json, a curve at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import scipy.sparse as sp
from _scaling_page import exponent, write_page
from _table import RESULTS, Case, keep, peak_mib, spent

from dlst._files import atomic_write
from dlst.data import simulate_features
from dlst.data.registry import is_cached, load_registered
from dlst.encoders import distinct_label_sets, kl_divergence
from dlst.methods import DLST
from dlst.metrics import evaluate

POINTS: dict[str, tuple[int, ...]] = {
    "n": (25_000, 50_000, 100_000, 200_000),
    "d": (50, 100, 200, 400),
    "K": (50, 150, 450),
    "s": (250, 500, 1000),
    "m": (2_000, 6_000, 18_000),
}
PLAIN = {"n": 20_000, "d": 100, "K": 81, "s": 1000}
TEST_ROWS = 4_000
CODE_LENGTH = 16
SIGNAL = 0.3

KEPT = RESULTS / "curves" / "scaling.json"

BEFORE = {"instance_average_precision": 0.98938, "macro_average_precision": 0.90336}
"""Of 25,000 rows before blocks were summed, with the same draw."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--curve", default="", help=f"some of {','.join(POINTS)}")
    parser.add_argument("--page", action="store_true", help="write docs/scaling.md")
    parser.add_argument("--point", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.point:
        curve, value = chosen.point.split("=")
        print(
            json.dumps(encoder_point(int(value)) if curve == "m" else fit_point(curve, int(value)))
        )
        return
    for curve in filter(None, chosen.curve.split(",")):
        measure(curve)
    if chosen.page:
        write_page(json.loads(KEPT.read_text("utf-8")))


def measure(curve: str) -> None:
    """Measure the points of a curve, and keep them beside the other curves."""
    if not is_cached("nus-wide"):
        sys.exit("nus-wide is not in the data home; set DLST_DATA to a folder that has it")
    found = []
    for value in POINTS[curve]:
        child = [sys.executable, __file__, "--point", f"{curve}={value}"]
        # One thread: CPU seconds are then those of the work, whatever else the machine does.
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        told = subprocess.run(  # noqa: S603 - this very script
            child, check=True, capture_output=True, text=True, env=os.environ | threads
        )
        found.append({"value": value, **json.loads(told.stdout.splitlines()[-1])})
        print(curve, found[-1], flush=True)
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    kept[curve] = found
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(KEPT, text=True) as stream:
        stream.write(json.dumps(kept, indent=1) + "\n")
    if curve == "n":
        keep("scale", "DLST() of many rows", n_cases(found), NOTE)


NOTE = (
    "NUS-WIDE's label sets with simulated features, d = 100, K = 81, a basis of 1000 rows, one "
    "BLAS thread. MiB is what the fit added at its peak. Before blocks were summed, 50,000 rows "
    "took 84 s and 2.5 GiB."
)


def n_cases(found: list[dict[str, Any]]) -> list[Case]:
    """Return the lines of the table: each size, and the target."""
    cases = [
        Case(
            f"`DLST()` fit, n = {point['value']:,}",
            "≤ 4 GiB",
            f"{point['cpu']:.0f} s",
            cpu=point["cpu"],
            wall=point["wall"],
            memory=point["mib"],
            quality=f"instance AP {point['instance_average_precision']:.4f}, "
            f"label-macro AP {point['macro_average_precision']:.4f}",
            met=point["mib"] <= 4096,
        )
        for point in found
    ]
    grown = exponent(found, "cpu")
    cases.append(Case("exponent in n", "≤ 1.0", f"{grown:.2f}", met=grown <= 1.0))
    # A gain is none of the blocks' doing; that nothing is lost is what is asked of them.
    gained = min(found[0][name] - before for name, before in BEFORE.items())
    cases.append(
        Case("scores at 25,000 less those before", "≥ -.001", f"{gained:+.4f}", met=gained >= -1e-3)
    )
    return cases


def fit_point(curve: str, value: int) -> dict[str, float]:
    """Fit once; return seconds, MiB added, and what the model is worth on rows it has not seen."""
    size = {**PLAIN, curve: value}
    X, Y = rows_of(size["n"] + TEST_ROWS, size["d"], size["K"] if curve == "K" else None)
    model = DLST(random_state=0)
    if curve == "s":
        model.set_params(regressor__n_basis=value)
    # Compiled before anything is measured.
    DLST(random_state=0).fit(X[:2500, :5], Y[:2500])
    before = peak_mib()
    fit = spent(lambda: model.fit(X[TEST_ROWS:], Y[TEST_ROWS:]))
    added = peak_mib() - before
    scores = evaluate(Y[:TEST_ROWS], model.decision_function(X[:TEST_ROWS]), "ranking")
    return {
        "cpu": fit.cpu,
        "wall": fit.wall,
        "mib": added,
        **{name: scores[name] for name in BEFORE},
    }


def rows_of(n: int, d: int, K: int | None) -> tuple[Any, sp.csr_array]:
    """Return features and labels of n rows: NUS-WIDE's, or K planted ones."""
    rng = np.random.default_rng(0)
    if K is None:
        labels = load_registered("nus-wide").Y
        Y = labels[rng.permutation(labels.shape[0])[:n]]
    else:
        Y = planted(rng, n, K)
    return simulate_features(Y, d, signal_to_noise=SIGNAL, random_state=0), Y


def planted(rng: np.random.Generator, n: int, K: int) -> sp.csr_array:
    """Draw three labels for each row, frequent ones oftener."""
    chances = 1.0 / np.arange(1, K + 1)
    columns = rng.choice(K, size=(n, 3), p=chances / chances.sum())
    rows = np.repeat(np.arange(n), 3)
    Y = sp.csr_array((np.ones(3 * n), (rows, columns.ravel())), shape=(n, K))
    Y.data[:] = 1.0
    return Y


def encoder_point(m: int) -> dict[str, float]:
    """Evaluate the divergence of m label sets and its gradient once."""
    rng = np.random.default_rng(0)
    sets = distinct_label_sets(load_registered("nus-wide").Y).sets[:m]
    codes = rng.standard_normal((m, CODE_LENGTH))
    kl_divergence(sets[:50], codes[:50])
    before = peak_mib()
    once = spent(lambda: kl_divergence(sets, codes), runs=3)
    return {"cpu": once.cpu, "wall": once.wall, "mib": peak_mib() - before}


if __name__ == "__main__":
    main()
