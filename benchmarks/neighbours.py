"""Neighbours among the codes of many rows: exact, by our approximate index, and by libraries.

The codes are those that the code vote of a fitted ``DLST`` searches, the queries predicted codes of
new rows: of tmc2007-500, and of NUS-WIDE's label sets with simulated features. CPU seconds with one
thread; recall counts what lies within the true k-th distance.

    pip install 'dlst[ann]' usearch pynndescent
    OMP_NUM_THREADS=1 python benchmarks/neighbours.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from _table import Case, keep, spent
from scale import rows_of

from dlst.data.registry import is_cached, load_registered
from dlst.decoders.approximate import ApproximateIndex
from dlst.decoders.index import NeighbourIndex
from dlst.methods import DLST

MANY, QUERIES, ALONE = 200_000, 2_000, 100


class Codes(NamedTuple):
    """What is searched, what is asked, and how many neighbours of it vote."""

    name: str
    rows: Any
    queries: Any
    k: int


def main() -> None:
    cases = []
    for codes in sets():
        print(f"{codes.name}: {codes.rows.shape[0]:,} codes of {codes.rows.shape[1]}", flush=True)
        cases += measure(codes)
    keep("neighbours", "Neighbours among many codes", cases, NOTE)


NOTE = (
    "Milliseconds per query, 2,000 queries at once; for our own search, the time of a single "
    "query is in brackets. `recall` is the share of true neighbours that is found. Exact is the "
    'default (`decoder__search="exact"`); the approximate index uses Faiss cells and looks into '
    "as many of them as it takes to find 95 % of the neighbours of left-out rows. The other "
    "libraries search a graph, each at a setting of similar recall."
)


def sets() -> Iterator[Codes]:
    """Fit, and give the codes that are searched."""
    for name in ("tmc2007-500", "nus-wide"):
        if not is_cached(name):
            sys.exit(f"{name} is not in the data home; set DLST_DATA to a folder that has it")
    data = load_registered("tmc2007-500")
    yield codes_of("tmc2007-500", data.train.X, data.train.Y, data.test.X)
    X, Y = rows_of(MANY + QUERIES, 100, None)
    yield codes_of("NUS-WIDE, simulated features", X[QUERIES:], Y[QUERIES:], X[:QUERIES])


def codes_of(name: str, X: Any, Y: Any, X_new: Any) -> Codes:
    model = DLST(regression="kernel", random_state=0).fit(X, Y)
    vote = next(each for each in model.decoder_.evidences_ if each.name == "code vote")
    return Codes(name, vote.index_.rows, model.transform(X_new[:QUERIES]), vote.k_ + 1)


def measure(codes: Codes) -> list[Case]:
    """Ask each index for the same neighbours."""
    _, rows, queries, k = codes
    exact = NeighbourIndex(rows)
    truth = exact.nearest(k, queries)
    cases = [our_case(codes, "exact", exact, 0.0, truth)]
    left_out = np.arange(0, len(rows), max(1, len(rows) // 500))[:500]
    made = spent(lambda: ApproximateIndex(rows).tuned(k, rows[left_out], left_out))
    cases.append(our_case(codes, "approximate", made.result, made.cpu, truth))
    single, asked = rows.astype(np.float32), queries.astype(np.float32)
    for library, build in LIBRARIES.items():
        built = spent(lambda build=build: build(single, k))
        found = spent(lambda built=built: built.result(asked), runs=3)
        places = np.asarray(found.result)
        near = zip(queries, places, strict=True)
        squared = np.stack([((query - rows[each]) ** 2).sum(axis=1) for query, each in near])
        cases.append(case(codes, library, built.cpu, found.cpu, squared, truth))
    return cases


def our_case(codes: Codes, what: str, index: Any, built: float, truth: Any) -> Case:
    _, _, queries, k = codes
    index.nearest(k, queries[:1])
    found = spent(lambda: index.nearest(k, queries, n_jobs=1), runs=3)
    alone = spent(lambda: [index.nearest(k, query[None]) for query in queries[:ALONE]])
    squared = found.result.squared_distances
    return case(codes, what, built, found.cpu, squared, truth, f" ({alone.cpu / ALONE * 1e3:.2f})")


def case(
    codes: Codes, what: str, built: float, cpu: float, squared: Any, truth: Any, more: str = ""
) -> Case:
    recall = (squared <= truth.squared_distances[:, -1:] * (1 + 1e-6)).mean()
    name, rows, queries, k = codes
    return Case(
        f"{name}, n = {len(rows):,}, k = {k}: {what}",
        ours=f"{cpu / len(queries) * 1e3:.3f} ms{more}",
        cpu=built + cpu,
        quality=f"recall {recall:.3f}, made in {built:.1f} s",
    )


def of_usearch(rows: Any, k: int) -> Callable[[Any], Any]:
    from usearch.index import Index

    index = Index(ndim=rows.shape[1], metric="l2sq", dtype="f32", connectivity=16, expansion_add=64)
    index.add(np.arange(len(rows)), rows, threads=1)
    index.expansion_search = 2 * k
    return lambda queries: index.search(queries, k, threads=1).keys.astype(np.int64)


def of_pynndescent(rows: Any, k: int) -> Callable[[Any], Any]:
    from pynndescent import NNDescent

    index = NNDescent(rows, n_neighbors=30, n_jobs=1, random_state=0)
    index.prepare()
    index.query(rows[:5], k=k)
    return lambda queries: index.query(queries, k=k, epsilon=0.1)[0]


def of_faiss_graph(rows: Any, k: int) -> Callable[[Any], Any]:
    import faiss

    index = faiss.IndexHNSWFlat(rows.shape[1], 16)
    index.hnsw.efConstruction = 64
    index.add(rows)
    index.hnsw.efSearch = 2 * k
    return lambda queries: index.search(queries, k)[1]


LIBRARIES = {
    "faiss, graph": of_faiss_graph,
    "usearch": of_usearch,
    "pynndescent": of_pynndescent,
}


if __name__ == "__main__":
    main()
