"""Seconds and memory of the distribution encoder against the number m of distinct label sets.

Prints, for planted label sets, the seconds of one evaluation of the divergence and its gradient
(best of three), the peak memory of the process, and what a single m x m array of
float64 would take; then whole fits of the real sets that the data home holds.

    python benchmarks/encoder.py
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from dlst.data.registry import is_cached, load_registered
from dlst.encoders import DistributionEncoder, distinct_label_sets, kl_divergence
from dlst.encoders._objective import PairAlignment

SIZES = (1_000, 5_000, 20_000)
N_LABELS = 200
CODE_LENGTH = 50
REAL_SETS = ("emotions", "scene", "yeast", "enron")


def main() -> None:
    rng = np.random.default_rng(0)
    # Compiled before anything is measured.
    kl_divergence(rng.integers(0, 2, (4, 3)), rng.standard_normal((4, 2)))
    print(f"one evaluation, K = {N_LABELS}, r = {CODE_LENGTH}")
    print(f"{'m':>8}{'seconds':>10}{'peak MiB':>10}{'m x m MiB':>11}")
    for m in SIZES:
        sets = distinct_label_sets(planted_sets(rng, m)).sets
        alignment = PairAlignment(sets, np.ones(m), "sqeuclidean")
        codes = rng.standard_normal((m, CODE_LENGTH))
        # One BLAS thread, as in the encoder.
        with threadpool_limits(1, user_api="blas"):
            seconds = best_of_three(alignment, codes)
        print(f"{m:>8}{seconds:>10.3f}{peak_mib():>10.0f}{m * m * 8 / 2**20:>11.0f}", flush=True)
    print("\nwhole fits with n_components='half' (training part)")
    print(f"{'data':<12}{'m':>7}{'r':>5}{'KL start':>11}{'KL end':>11}{'steps':>7}{'seconds':>9}")
    for name in REAL_SETS:
        if is_cached(name):
            print_fit(name)
        else:
            print(f"{name:<12}not in the data home; set DLST_DATA to a folder that has it")


def planted_sets(rng: np.random.Generator, m: int) -> sp.csr_array:
    """Draw m distinct label sets of three to ten labels."""
    found: set[tuple[int, ...]] = set()
    while len(found) < m:
        size = int(rng.integers(3, 11))
        found.add(tuple(sorted(rng.choice(N_LABELS, size, replace=False).tolist())))
    rows = sorted(found)
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([label for row in rows for label in row])
    return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(m, N_LABELS))


def best_of_three(alignment: PairAlignment, codes: Any) -> float:
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        alignment.value_and_gradient(codes)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def peak_mib() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def print_fit(name: str) -> None:
    Y = load_registered(name, download=False).train.Y
    start = time.perf_counter()
    encoder = DistributionEncoder("half").fit(Y)
    seconds = time.perf_counter() - start
    print(
        f"{name:<12}{len(encoder.label_sets_):>7}{encoder.n_components_:>5}"
        f"{encoder.history_[0]:>11.6f}{encoder.kl_divergence_:>11.6f}"
        f"{encoder.n_iter_:>7}{seconds:>9.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
