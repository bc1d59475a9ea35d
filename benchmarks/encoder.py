"""The distribution encoder against the products it cannot do without, all rows, and all pairs.

Every case runs in a process of its own, so that its peak of memory is its own. Label sets are those
of NUS-WIDE where the data home has them, planted ones otherwise.

    python benchmarks/encoder.py [CASE ...]
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import scipy.sparse as sp
from _table import Case, Spent, keep, peak_mib, spent
from threadpoolctl import threadpool_limits

from dlst.data import load
from dlst.data.registry import is_cached
from dlst.encoders import DistributionEncoder, distinct_label_sets, kl_divergence
from dlst.encoders import _objective as objective
from dlst.encoders._descent import descend_lbfgs
from dlst.encoders._principal import principal_axes

NOTE = """The floor is two m by m by r products in float32 (Z Zᵀ into a given array, then that times
Z) by the same BLAS library with one thread. Ours visits each pair once, in tiles, also with one
thread; seconds of CPU are compared. *Over all rows* is the same divergence over all 1,500 training
rows of Yeast, minimised by the same L-BFGS from the same start to the same tolerance: once with our
kernels, once with arrays as one would write it in NumPy. *Converged* is the value 100 iterations
after the encoder's own stopping point. A gradient over landmarks, with which a descent from many
sets begins, costs a fifth to a quarter of one over all pairs and is counted separately. The empty
set and the single labels of NUS-WIDE cover most of its rows. `rel. error` compares the value with
the same sums in float64."""


def gradient() -> list[Case]:
    """One value and gradient at m = 10,000, r = 16."""
    sets, weights = many_sets(10_000)
    codes = principal_axes(sets, weights, 16).project(sets)
    with threadpool_limits(1, user_api="blas"):
        alignment = objective.PairAlignment(sets, weights, "sqeuclidean")
        small = objective.PairAlignment(sets[:2100], weights[:2100], "sqeuclidean")
        small.value_and_gradient(codes[:2100])  # compiled
        before = peak_mib()
        value, _ = alignment.value_and_gradient(codes)
        memory = peak_mib() - before
        left, right = codes.astype(np.float32), codes.T.astype(np.float32, order="F")
        room = np.empty((len(codes), len(codes)), np.float32)

        def floor() -> Any:
            return np.matmul(left, right, out=room) @ left

        ours, peer = in_turns(lambda: alignment.value_and_gradient(codes), floor, runs=7)
        objective.DOUBLE_SETS = len(codes)
        exact = objective.PairAlignment(sets, weights, "sqeuclidean")
        exact_value, _ = exact.value_and_gradient(codes)
    error = abs(value / exact_value - 1)
    alignment.n_threads = 2
    with threadpool_limits(1, user_api="blas"):
        two = spent(lambda: alignment.value_and_gradient(codes), 3)
    return [
        Case(
            case="one exact value + gradient, m = 10,000, r = 16",
            target="≤ 1.6 floors, error ≤ 1e-7, O(m r + block)",
            ours=f"{ours.cpu:.3f} s",
            peer=f"float32 floor {peer.cpu:.3f} s",
            ratio=ours.cpu / peer.cpu,
            cpu=ours.cpu,
            wall=ours.wall,
            memory=memory,
            quality=f"rel. error {error:.0e}",
            met=ours.cpu <= 1.6 * peer.cpu and error <= 1e-7,
        ),
        Case(
            case="the same with two threads",
            ours=f"{two.wall:.3f} s by the clock",
            peer=f"one thread {ours.wall:.3f} s",
            ratio=two.wall / ours.wall,
            cpu=two.cpu,
            wall=two.wall,
            quality="same bytes" if two.result[0] == ours.result[0] else "other bytes",
        ),
    ]


def solve() -> list[Case]:
    """Yeast with r = 7, collapsed to its label sets, against all rows."""
    if not is_cached("yeast"):
        return [Case(case="whole solve, yeast r = 7", quality="yeast is not in the data home")]
    Y = load("yeast").train.Y
    DistributionEncoder(7, max_iter=30, tol=0.5).fit(Y)  # compiled
    ours = spent(lambda: DistributionEncoder(7).fit(Y), 5)
    encoder = ours.result
    ones = np.ones(Y.shape[0])
    start = principal_axes(sp.csr_array(Y), ones, 7).project(sp.csr_array(Y))
    kernels = objective.PairAlignment(sp.csr_array(Y), ones, "sqeuclidean")
    peers = {
        "our kernels over all rows": kernels.value_and_gradient,
        "NumPy over all rows": all_pairs(Y.toarray()),
    }
    cases = []
    for name, evaluate in peers.items():
        with threadpool_limits(1, user_api="blas"):
            peer = spent(lambda evaluate=evaluate: descent(evaluate, start, ones, tol=1e-3))
        cases.append(
            Case(
                case=f"whole solve, yeast r = 7, against {name}",
                target="≥ 35 times as fast, KL no worse",
                ours=f"{ours.cpu:.3f} s",
                peer=f"{peer.cpu:.2f} s",
                ratio=peer.cpu / ours.cpu,
                cpu=ours.cpu,
                wall=ours.wall,
                quality=f"KL {encoder.kl_divergence_:.6f}, peer {peer.result.value:.6f}",
                met=peer.cpu >= 35 * ours.cpu
                and encoder.kl_divergence_ <= 1.001 * peer.result.value,
            )
        )
    return cases


def nus_wide() -> list[Case]:
    """All pairs of all label sets of NUS-WIDE."""
    sets, weights = many_sets(18_430)
    origin = "NUS-WIDE" if is_cached("nus-wide") else "planted sets"
    rows = sp.csr_array(sets[np.repeat(np.arange(len(weights)), weights.astype(int))])
    before = peak_mib()
    counted = Counted()
    exact = spent(lambda: DistributionEncoder(16).fit(rows))
    memory, gradients = peak_mib() - before, counted.number - counted.sampled
    encoder = exact.result
    alignment = objective.PairAlignment(sets, weights, "sqeuclidean", n_threads=2)
    with threadpool_limits(1, user_api="blas"):
        end = descent(alignment.value_and_gradient, encoder.codes_, weights, 0.0, max_iter=100)
    excess = encoder.kl_divergence_ / end.value - 1
    return [
        Case(
            case=f"all {rows.shape[0]:,} label rows of {origin}, m = {len(weights):,}, r = 16",
            target="KL within 1 % of converged, ≤ 120 gradients, ≤ 1.5 GiB",
            ours=f"{gradients} gradients over all pairs, {counted.sampled} over landmarks",
            peer=f"converged KL {end.value:.6f}",
            ratio=encoder.kl_divergence_ / end.value,
            cpu=exact.cpu,
            wall=exact.wall,
            memory=memory,
            quality=f"KL {encoder.kl_divergence_:.6f} ({100 * excess:+.2f} %)",
            met=excess <= 0.01 and gradients <= 120 and memory <= 1536,
        ),
    ]


def landmarks() -> list[Case]:
    """Codes by landmarks, judged over all pairs, where both can be had."""
    sets, weights = many_sets(6_000)
    rows = sp.csr_array(sets[np.repeat(np.arange(len(weights)), weights.astype(int))])
    few = spent(lambda: DistributionEncoder(16, n_landmarks=650, random_state=0).fit(rows))
    exact = spent(lambda: DistributionEncoder(16, n_landmarks=None).fit(rows))
    value, _ = kl_divergence(sets, few.result.codes_, weights=weights)
    best = exact.result.kl_divergence_
    return [
        Case(
            case="650 landmarks among m = 6,000 label sets, r = 16",
            target="KL within 5 % of all pairs",
            ours=f"KL {value:.6f} over all pairs",
            peer=f"all pairs {best:.6f}, {exact.cpu:.0f} s",
            ratio=value / best,
            cpu=few.cpu,
            wall=few.wall,
            quality=f"its own estimate {few.result.kl_divergence_:.6f}",
            met=value <= 1.05 * best,
        )
    ]


def beyond() -> list[Case]:
    """Cost of landmarks past 20,000 sets: seconds of one evaluation against m."""
    sizes, seconds = (25_000, 50_000, 100_000), []
    few = DistributionEncoder(16, n_landmarks=500, max_iter=2, tol=0.9, random_state=0)
    few.fit(planted_sets(2_500))  # compiled
    for m in sizes:
        sets = planted_sets(m)
        encoder = DistributionEncoder(16, max_iter=10, tol=0.0, random_state=0)
        counted = Counted()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = spent(lambda encoder=encoder, sets=sets: encoder.fit(sets))
        assert encoder.n_landmarks_ == 2000
        seconds.append(counted.cpu / counted.number)
    slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    told = ", ".join(f"{m:,}: {s:.2f} s" for m, s in zip(sizes, seconds, strict=True))
    return [
        Case(
            case="a gradient by landmarks past m = 20,000, r = 16, planted sets",
            target="linear in m",
            ours=told,
            ratio=slope,
            cpu=seconds[-1],
            memory=peak_mib(),
            quality=f"exponent {slope:.2f}; 10 iterations at 100,000 sets {run.wall:.0f} s",
            met=slope <= 1.1,
        )
    ]


CASES: dict[str, Callable[[], list[Case]]] = {
    "gradient": gradient,
    "solve": solve,
    "nus_wide": nus_wide,
    "landmarks": landmarks,
    "beyond": beyond,
}


def main(names: list[str]) -> None:
    if len(names) == 2 and names[0] == "--one":
        print(json.dumps([asdict(case) for case in CASES[names[1]]()]))
        return
    cases = []
    for name in names or CASES:
        command = [sys.executable, __file__, "--one", name]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
        cases += [Case(**case) for case in json.loads(done.stdout.splitlines()[-1])]
    keep("encoder", "Encoder", cases, NOTE)


def many_sets(m: int) -> tuple[sp.csr_array, Any]:
    """Distinct label sets with their counts: of NUS-WIDE, or planted."""
    if not is_cached("nus-wide"):
        return planted_sets(m), np.ceil(1e5 / np.arange(1, m + 1))
    found = distinct_label_sets(load("nus-wide").Y)
    kept = np.sort(np.random.default_rng(0).permutation(len(found))[:m])
    return found.sets[kept], found.counts[kept].astype(np.float64)


def planted_sets(m: int, n_labels: int = 200) -> sp.csr_array:
    """Distinct label sets, a topic's labels in each and some others."""
    rng = np.random.default_rng(0)
    topics = rng.random((30, n_labels)) ** 12 * 0.7
    found = np.zeros((0, n_labels), bool)
    while len(found) < m:
        drawn = rng.random((m, n_labels)) < topics[rng.integers(0, 30, m)]
        found = np.unique(np.concatenate([found, drawn]), axis=0)
    return sp.csr_array(found[np.sort(rng.permutation(len(found))[:m])].astype(np.float64))


def all_pairs(Y: Any) -> Callable[[Any], tuple[float, Any]]:
    """Return the divergence over all rows with its gradient, as one would write it in NumPy."""
    squared = ((Y**2).sum(1)[:, None] + (Y**2).sum(1)) - 2 * Y @ Y.T
    Q = 1 / (1 + squared)
    np.fill_diagonal(Q, 0)
    Q /= Q.sum()
    entropy = np.sum(Q[Q > 0] * np.log(Q[Q > 0]))

    def evaluate(Z: Any) -> tuple[float, Any]:
        squares = (Z**2).sum(1)
        x = 1 + np.maximum(squares[:, None] + squares - 2 * Z @ Z.T, 0)
        k = 1 / x
        np.fill_diagonal(k, 0)
        mass = k.sum()
        force = 4 * (Q - k / mass) * k
        value = entropy + np.sum(Q * np.log(x)) + np.log(mass)
        return float(value), force.sum(1)[:, None] * Z - force @ Z

    return evaluate


def descent(evaluate: Any, start: Any, weights: Any, tol: float, max_iter: int = 1000) -> Any:
    return descend_lbfgs(
        evaluate, start, weights, max_iter=max_iter, tol=tol, report=lambda value: None
    )


def in_turns(ours: Callable[[], Any], peer: Callable[[], Any], runs: int) -> tuple[Spent, Spent]:
    """Shortest run of each, measured by turns."""
    pairs = [(spent(ours), spent(peer)) for _ in range(runs)]
    return tuple(min(side, key=lambda run: run.cpu) for side in zip(*pairs, strict=True))


class Counted:
    """Counts evaluations of the objective in this process from now on, and their CPU seconds."""

    def __init__(self) -> None:
        self.number, self.sampled, self.cpu = 0, 0, 0.0
        plain = objective.PairAlignment.value_and_gradient

        def counting(alignment: Any, codes: Any) -> Any:
            self.number += 1
            self.sampled += alignment._sampled
            start = time.process_time()
            try:
                return plain(alignment, codes)
            finally:
                self.cpu += time.process_time() - start

        objective.PairAlignment.value_and_gradient = counting


if __name__ == "__main__":
    main(sys.argv[1:])
