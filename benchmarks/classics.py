"""ML-kNN beside scikit-multilearn-ng's, and how BR's time grows with the rows.

    python -m venv peers && peers/bin/pip install scikit-multilearn-ng
    python benchmarks/classics.py --peers peers/bin/python

Both sides get the same arrays, with one BLAS thread; times are the best of the runs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROWS, FEATURES, LABELS, NEIGHBOURS = 10_000, 120, 100, 10
BR_ROWS = (4_000, 8_000)
BR_LABELS = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peers", default="", help="interpreter that has scikit-multilearn-ng")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cases", default="mlknn,br")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.worker:
        print(json.dumps(worker(Path(chosen.worker))))
        return
    from _table import keep
    from threadpoolctl import threadpool_limits

    cases = []
    with threadpool_limits(1, user_api="blas"):
        if "mlknn" in chosen.cases:
            cases.append(neighbours_case(chosen.peers, chosen.runs))
        if "br" in chosen.cases:
            cases += machines_cases()
    keep("classics", "ML-kNN and BR", cases, NOTE)


NOTE = (
    "CPU seconds with one thread. ML-kNN: 10,000 training rows, 2,000 to predict, standard normal "
    "features. BR: generated labels, exact machines; for sparse features with more than 2,000 "
    "rows, BR would use linear machines."
)


def problem() -> tuple[Any, Any, Any]:
    """Return rows to learn from, their labels, and rows to predict."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS + 2_000, FEATURES))
    scores = X @ rng.normal(size=(FEATURES, LABELS)) + 3.0 * rng.normal(size=(len(X), LABELS))
    Y = (scores > np.quantile(scores, 0.95, axis=0)).astype(np.int64)
    return X[:ROWS], Y[:ROWS], X[ROWS:]


def neighbours_case(peers: str, runs: int) -> Any:
    """Fit and predict with both; their neighbours must be the same."""
    from _table import Case, spent

    from dlst.methods import MLkNN

    X, Y, new = problem()

    def ours() -> Any:
        model = MLkNN(NEIGHBOURS).fit(X, Y)
        model.predict_proba(new)
        return model

    ours()
    best = min((spent(ours) for _ in range(runs)), key=lambda run: run.cpu)
    told = f"{best.cpu:.2f} s"
    if not peers:
        return Case("ML-kNN fit + predict", "≥ 50 x", told, cpu=best.cpu, wall=best.wall)
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "data.npz", X=X, Y=Y, new=new)
        theirs = min((_asked(peers, folder) for _ in range(runs)), key=lambda run: run["cpu"])
        found = np.load(Path(folder) / "peer.npy")
    mine = best.result.decoder_.index_.nearest(NEIGHBOURS, new).indices
    same = float((np.sort(mine, axis=1) == np.sort(found, axis=1)).all(axis=1).mean())
    return Case(
        "ML-kNN fit + predict, n = 10,000, d = 120, K = 100, k = 10",
        "≥ 50 x scikit-multilearn-ng",
        told,
        f"{theirs['cpu']:.1f} s",
        ratio=theirs["cpu"] / best.cpu,
        cpu=best.cpu,
        wall=best.wall,
        quality=f"same neighbours in {100 * same:.2f} % of rows",
        met=theirs["cpu"] >= 50 * best.cpu and same == 1.0,
    )


def machines_cases() -> list[Any]:
    """Fit BR to more and more rows."""
    from _table import Case, spent

    from dlst.methods import BR

    rng = np.random.default_rng(0)
    X = rng.normal(size=(BR_ROWS[-1] + 2_000, 40))
    scores = np.tanh(X @ rng.normal(size=(40, BR_LABELS)) / 4) + 0.5 * rng.normal(
        size=(len(X), BR_LABELS)
    )
    Y = (scores > 0.6).astype(np.int64)
    BR(random_state=0).fit(X[:200], Y[:200])  # compiled
    cases, seconds = [], []
    for n in BR_ROWS:
        model = BR(random_state=0)
        fit = spent(lambda model=model, n=n: model.fit(X[:n], Y[:n]))
        from dlst.metrics import instance_average_precision

        worth = instance_average_precision(Y[-2_000:], model.decision_function(X[-2_000:]))
        seconds.append(fit.cpu)
        cases.append(
            Case(
                f"BR fit, n = {n:,}, K = {BR_LABELS}",
                ours=f"{fit.cpu:.1f} s",
                cpu=fit.cpu,
                wall=fit.wall,
                quality=f"{model.approximation_}, instance AP {worth:.3f}",
            )
        )
    grown = math.log(seconds[-1] / seconds[0]) / math.log(BR_ROWS[-1] / BR_ROWS[0])
    cases.append(Case("BR, exponent in n", "≤ 2.1", f"{grown:.2f}", met=grown <= 2.1))
    return cases


def worker(folder: Path) -> dict[str, float]:
    """Run the peer on arrays in a folder, and leave its neighbours there."""
    from skmultilearn.adapt import MLkNN

    data = np.load(folder / "data.npz")
    X, Y, new = data["X"], data["Y"], data["new"]
    cpu, wall = time.process_time(), time.perf_counter()
    model = MLkNN(k=NEIGHBOURS).fit(X, Y)
    model.predict_proba(new)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    np.save(folder / "peer.npy", model.knn_.kneighbors(new, NEIGHBOURS, return_distance=False))
    return {"cpu": cpu, "wall": wall}


def _asked(peers: str, folder: str) -> dict[str, float]:
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ""}
    told = subprocess.run(  # noqa: S603 - this very script
        [peers, __file__, "--worker", folder],
        check=True,
        stdout=subprocess.PIPE,
        stderr=sys.stderr,
        text=True,
        env=os.environ | threads,
    )
    return dict(json.loads(told.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main()
