"""Milliseconds of a prediction, warm: one row, many labels, sparse rows of many features.

    python benchmarks/latency.py [--cases row,sparse,labels]

A row is asked for one at a time, each another one; the median of some hundred.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from _table import Case, keep
from scale import planted, rows_of
from threadpoolctl import threadpool_limits

from dlst.data import simulate_features
from dlst.methods import DLST

ROWS = 50_000
ASKED = 300
SPARSE = {"n": 10_000, "d": 100_000, "words": 60, "K": 100}
LABELS = (100, 4_000)
LABELLED_ROWS = 2_500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", default="row,sparse,labels")
    wanted = parser.parse_args().cases.split(",")
    measured = {"row": one_row, "sparse": sparse_rows, "labels": many_labels}
    with threadpool_limits(1):
        cases = [measured[name]() for name in wanted]
    keep("latency", "Latency of predictions", cases, NOTE)


NOTE = (
    "`predict_proba` of a fitted `DLST()`, one BLAS thread, wall milliseconds. When inputs were "
    "still checked several times, one row took 9 to 21 ms, sparse rows 5.9 ms each, and 4,000 "
    "labels 4.2 times as long as 100."
)


def one_row() -> Case:
    """Ask a model of 50,000 rows for one row at a time."""
    X, Y = rows_of(ROWS + ASKED, 100, None)
    model = DLST(random_state=0).fit(X[ASKED:], Y[ASKED:])
    found = milliseconds(model, X[:ASKED])
    return Case(
        "one row, n = 50,000, d = 100, K = 81",
        "≤ 2 ms",
        f"{np.median(found):.2f} ms",
        quality=f"99 of 100 within {np.quantile(found, 0.99):.2f} ms",
        met=bool(np.median(found) <= 2),
    )


def sparse_rows() -> Case:
    """Ask for a thousand sparse rows of many features at once."""
    rng = np.random.default_rng(0)
    n, d, words, K = SPARSE.values()
    Y = planted(rng, n + 1000, K)
    X = words_for(rng, Y, d, words)
    model = DLST(random_state=0).fit(X[1000:], Y[1000:])
    model.predict_proba(X[:1000])
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        model.predict_proba(X[:1000])
        taken.append(time.perf_counter() - start)
    return Case(
        f"1,000 rows, sparse, d = {d:,}, n = {n:,}",
        "≤ 1 ms each",
        f"{min(taken):.2f} ms each",
        quality=f"{model.regression_} regression",
        met=bool(min(taken) <= 1),
    )


def many_labels() -> Case:
    """Ask models of few and of many labels for one row at a time."""
    rng = np.random.default_rng(0)
    medians = []
    for K in LABELS:
        Y = planted(rng, LABELLED_ROWS + ASKED, K)
        X = simulate_features(Y, 100, random_state=0)
        model = DLST(random_state=0).fit(X[ASKED:], Y[ASKED:])
        medians.append(float(np.median(milliseconds(model, X[:ASKED]))))
        bytes_read = row_reads(model)
    few, many = medians
    floor = reading(bytes_read)
    return Case(
        f"one row, K {LABELS[0]} → {LABELS[1]:,}, n = {LABELLED_ROWS:,}",
        "< 4 times",
        f"{few:.2f} → {many:.2f} ms",
        f"reading {bytes_read / 1e6:.0f} MB once, which a row of many labels needs: {floor:.2f} ms",
        ratio=many / few,
        met=many < 4 * few,
    )


def row_reads(model: Any) -> int:
    """Return the bytes that one row needs: weights of its codes, and all codes, two for each."""
    return int(model.regressor_.readout_.weights.nbytes + 2 * model.codes_.size)


def reading(n_bytes: int) -> float:
    """Return the milliseconds that the sum of so many bytes of numbers takes."""
    numbers = np.ones(n_bytes // 8)
    taken = []
    for _ in range(ASKED):
        start = time.perf_counter()
        numbers.sum()
        taken.append(time.perf_counter() - start)
    return 1e3 * float(np.median(taken))


def milliseconds(model: Any, X: Any) -> Any:
    """Return the milliseconds of each row, asked for alone."""
    model.predict_proba(X[:1])
    found = []
    for row in range(len(X)):
        start = time.perf_counter()
        model.predict_proba(X[row : row + 1])
        found.append(1e3 * (time.perf_counter() - start))
    return np.array(found)


def words_for(rng: np.random.Generator, Y: sp.csr_array, d: int, words: int) -> sp.csr_array:
    """Draw words for each row: some of its labels', the others of anybody's."""
    n, K = Y.shape
    theirs = rng.integers(0, d, size=(K, 50))
    chances = 1.0 / np.arange(1, d + 1) ** 0.8
    columns = rng.choice(d, size=(n, words), p=chances / chances.sum())
    for row in range(n):
        labels = Y.indices[Y.indptr[row] : Y.indptr[row + 1]]
        if labels.size:
            own = theirs[rng.choice(labels, size=words // 4), rng.integers(0, 50, words // 4)]
            columns[row, : words // 4] = own
    X = sp.csr_array(
        (np.ones(columns.size), (np.repeat(np.arange(n), words), columns.ravel())), shape=(n, d)
    )
    return sp.csr_array(X)


if __name__ == "__main__":
    main()
