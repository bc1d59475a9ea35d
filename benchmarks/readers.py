"""Read real files with dlst and its peers, side by side in one run.

Usage: python benchmarks/readers.py [FOLDER]

FOLDER holds the data sets (default: the data home). Seconds are the best of several runs after a
warm-up, so compilation and the disk are left out; memory is the peak that tracemalloc sees over
the bytes of the parsed arrays.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.io import arff as scipy_arff
from sklearn.datasets import load_svmlight_file

from dlst.data import data_home, load, read_arff, read_svmlight, write_svmlight

RUNS = 5


def best_seconds(function: Callable[[], object]) -> float:
    function()
    seconds = []
    for _ in range(RUNS):
        started = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def memory_ratio(file: Path) -> float:
    read_arff(file)  # compiled code is not the file's
    tracemalloc.start()
    data = read_arff(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    arrays = 0
    for matrix in (data.X, data.Y):
        dense = isinstance(matrix, np.ndarray)
        parts = [matrix] if dense else [matrix.data, matrix.indices, matrix.indptr]
        arrays += sum(part.nbytes for part in parts)
    return peak / arrays


def liac_load(file: Path, sparse: bool) -> object:
    import arff

    with file.open() as stream:
        return arff.load(stream, return_type=arff.LOD if sparse else arff.DENSE)


def arff_peers(file: Path, sparse: bool) -> dict[str, Callable[[], object]]:
    peers: dict[str, Callable[[], object]] = {"dlst": lambda: read_arff(file)}
    if not sparse:  # scipy reads no sparse ARFF
        peers["scipy.io.arff"] = lambda: scipy_arff.loadarff(file)
    if importlib.util.find_spec("arff"):
        peers["liac-arff"] = lambda: liac_load(file, sparse)
    return peers


def svmlight_peers(file: Path) -> dict[str, Callable[[], object]]:
    return {
        "dlst": lambda: read_svmlight(file),
        "scikit-learn": lambda: load_svmlight_file(file, multilabel=True),
    }


def main() -> int:
    home = Path(sys.argv[1]) if len(sys.argv) > 1 else data_home()
    files = {
        "scene/scene-train.arff": False,
        "mediamill-2000/mediamill-train.arff": False,
        "bibtex/bibtex-train.arff": True,
        "delicious/delicious-train.arff": True,
    }
    missing = [name for name in files if not (home / name).is_file()]
    if missing:
        print(f"{home / missing[0]} is missing; put the data sets there or name their folder.")
        return 2
    table = Table("file", "reader", box=None, header_style="bold")
    for column in ("seconds", "MB/s", "times slower than dlst", "memory / arrays"):
        table.add_column(column, justify="right")

    def add(name: str, file: Path, peers: dict[str, Callable[[], object]], memory: str) -> None:
        seconds = {peer: best_seconds(function) for peer, function in peers.items()}
        for peer, taken in seconds.items():
            table.add_row(
                name if peer == "dlst" else "",
                peer,
                f"{taken:.4f}",
                f"{file.stat().st_size / 1e6 / taken:.0f}",
                f"{taken / seconds['dlst']:.1f}",
                memory if peer == "dlst" else "",
            )

    for name, sparse in files.items():
        add(name, home / name, arff_peers(home / name, sparse), f"{memory_ratio(home / name):.2f}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bibtex.svm")
        write_svmlight(load(home / "bibtex" / "bibtex-train.arff"), file)
        add("bibtex as LIBSVM text", file, svmlight_peers(file), "")
    Console(width=120).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
