"""Very many labels: scores beside extreme classification, time for each row, memory of the fit.

Without ``--peers``: the best labels of a thousand and of a hundred thousand, planted data of fixed
cardinality: labels belong to topics, rows have words of theirs and few of their labels. Each number
of labels in a process of its own; CPU seconds, best of ten. Kept for docs/performance.md.

With ``--peers``: precision of the first labels on the planted data, on words of real texts to be
guessed from their other words, and on delicious, each method in a process and a thread of its own.
Half of the words of GoEmotions, drawn at random, are labels, the others features.

    python benchmarks/many_labels.py [--labels 1000,100000] [--rows 20000]
    python benchmarks/many_labels.py --peers peers/bin/python [--tasks topics,words,delicious]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import text
from _table import Case, keep
from sklearn.feature_extraction.text import CountVectorizer
from text_worker import OF_MANY_LABELS

from dlst.methods import DLST, FeatureScaler
from dlst.metrics import precision_at_k

N_WORDS, WORDS, CARDINALITY, TEST_ROWS = 20_000, 60, 5, 2_000
TASKS = ("topics", "words", "delicious")
TOPIC_ROWS, TOPIC_LABELS = 12_000, 6_000
MOST_TIMES, MOST_GIB = 1.3, 8.0
PEERS = ("omikuji", "napkinXC PLT", "PECOS XR-Linear")


def planted(n: int, n_labels: int) -> tuple[Any, Any]:
    """Return features and labels: a topic has ten labels, a label five words of its own."""
    rng = np.random.default_rng(0)
    topic = rng.integers(0, n_labels // 10, n)
    labels = topic[:, None] * 10 + rng.integers(0, 10, (n, CARDINALITY))
    words = rng.integers(0, N_WORDS, (n_labels, 5))
    told = words[labels[:, :, None], rng.integers(0, 5, (n, CARDINALITY, 4))].reshape(n, -1)
    noise = rng.integers(0, N_WORDS, (n, WORDS - told.shape[1]))
    X = _indicator(np.hstack([told, noise]), N_WORDS)
    return X, _indicator(labels, n_labels)


def _indicator(columns: Any, width: int) -> Any:
    n, k = columns.shape
    ones = np.ones(n * k)
    found = sp.csr_array((ones, (np.repeat(np.arange(n), k), columns.ravel())), shape=(n, width))
    found.data[:] = 1.0
    return found


def measure(n: int, n_labels: int) -> dict[str, Any]:
    X, Y = planted(n + TEST_ROWS, n_labels)
    started = cpu_seconds()
    model = DLST(random_state=0).fit(X[:n], Y[:n])
    fitted = cpu_seconds() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    times = []
    for _ in range(10):
        started = cpu_seconds()
        top = model.predict_top(X[n:], 5)
        times.append(cpu_seconds() - started)
    return {
        "labels": n_labels,
        "decoder": type(model.decoder_).__name__,
        "fit": fitted,
        "GiB": peak,
        "ms": 1000 * min(times) / TEST_ROWS,
        "P@5": float(precision_at_k(Y[n:], top, 5)),
    }


def words_of_texts() -> tuple[Any, Any]:
    """Return half of the words of each text as features, the others as labels."""
    texts, _ = text.goemotions("train")
    words = sp.csr_array(CountVectorizer(binary=True, min_df=2).fit_transform(texts), dtype=float)
    shown = np.random.default_rng(0).random(words.shape[1]) < 0.5
    X, Y = (sp.csr_array(words[:, np.flatnonzero(half)]) for half in (shown, ~shown))
    whole = np.flatnonzero((np.diff(X.indptr) > 0) & (np.diff(Y.indptr) > 0))
    return X[whole], Y[whole]


def task(name: str) -> tuple[Any, Any, Any, Any]:
    """Return scaled features and labels of training rows, then of test rows."""
    if name == "delicious":
        return text.features(name)
    if name == "topics":
        X, Y = planted(TOPIC_ROWS + TEST_ROWS, TOPIC_LABELS)
    else:
        X, Y = words_of_texts()
    n = X.shape[0] - TEST_ROWS
    # Labels that no training row has are no task for anybody.
    seen = np.flatnonzero(np.asarray(Y[:n].sum(axis=0)).ravel())
    scaler = FeatureScaler().fit(X[:n])
    X, Y = sp.csr_array(scaler.transform(X)), Y[:, seen]
    return X[:n], Y[:n], X[n:], Y[n:]


def compare(name: str, peers: str) -> None:
    """Print how ours and the peers do on one task."""
    X, Y, X_test, Y_test = task(name)
    print(f"\n{name}: {X.shape[0]} rows, {X.shape[1]} features, {Y.shape[1]} labels", flush=True)
    print(f"{'':26} {'P@1':>6} {'P@3':>6} {'P@5':>6} {'fit, s':>7} {'predict':>7} {'GiB':>5}")
    ours = (*(("DLST",) if name == "delicious" else ()), *OF_MANY_LABELS)
    with tempfile.TemporaryDirectory() as folder:
        for part, values in (("X", X), ("Y", Y), ("X_test", X_test)):
            sp.save_npz(Path(folder) / f"{part}.npz", values)
        for method in (*ours, *PEERS):
            interpreter = sys.executable if method in ours else peers
            cell = text.measure(name, method, Path(folder), Y_test, interpreter)
            if "error" in cell:
                print(f"{method:26} {cell['error']}", flush=True)
                continue
            scores = " ".join(f"{score:6.4f}" for score in cell["scores"][:3])
            costs = f"{cell['fit']:7.1f} {cell['predict']:7.1f} {cell['GiB']:5.2f}"
            print(f"{method:26} {scores} {costs}", flush=True)


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labels", default="1000,100000")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--peers", help="interpreter that has the peers")
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.peers:
        for name in chosen.tasks.split(","):
            compare(name, chosen.peers)
        return
    sizes = [int(size) for size in chosen.labels.split(",")]
    if chosen.one:
        print(json.dumps(measure(chosen.rows, sizes[0])))
        return
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    found = []
    for size in sizes:
        command = [sys.executable, str(Path(__file__)), "--one", "--labels", str(size)]
        command += ["--rows", str(chosen.rows)]
        done = subprocess.run(  # noqa: S603
            command, env=os.environ | threads, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(done.stderr)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    keep("many_labels", "Very many labels", cases(found, chosen.rows), NOTE)


NOTE = (
    "Planted data of fixed cardinality, 20,000 features of which a row has some sixty, "
    "predictions for 2,000 rows at once; CPU seconds with one thread. The compositions differ: up "
    "to 5,000 labels, every label is scored; above that, each row scores a shortlist. MiB is the "
    "peak of the process."
)


def cases(found: list[dict[str, Any]], n: int) -> list[Case]:
    """Return a case of each fit, and of what a row's best labels cost with most labels."""
    fits = [
        Case(
            f"`DLST()` fit, n = {n:,}, K = {cell['labels']:,}",
            "≤ 8 GiB",
            f"{cell['fit']:.0f} s",
            cpu=cell["fit"],
            memory=1024 * cell["GiB"],
            quality=f"{cell['decoder']}, P@5 {cell['P@5']:.3f}",
            met=cell["GiB"] <= MOST_GIB,
        )
        for cell in found
    ]
    few, many = found[0], found[-1]
    ratio = many["ms"] / few["ms"]
    return [
        *fits,
        Case(
            f"`predict_top(k=5)`, K {few['labels']:,} → {many['labels']:,}",
            f"≤ {MOST_TIMES} times a row",
            f"{few['ms']:.3f} → {many['ms']:.3f} ms a row",
            ratio=ratio,
            met=ratio <= MOST_TIMES,
        ),
    ]


if __name__ == "__main__":
    main()
