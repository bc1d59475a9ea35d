"""One method on one set, in a process of its own: scores, CPU seconds, peak memory.

    python benchmarks/text_worker.py METHOD FOLDER

``text.py`` starts it, with the peers' interpreter for peers; it needs numpy, scipy and what the
method needs. FOLDER holds the features and labels, and takes scores and measurements.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

BEAM = 50
"""Nodes that tree methods follow at each level; what they do not reach has score 0."""


def dlst(X: Any, Y: Any) -> Callable[[Any], Any]:
    from dlst.methods import DLST

    return DLST(random_state=0).fit(X, Y).decision_function


def dlst_of_many_labels(direct: bool) -> Callable[[Any, Any], Callable[[Any], Any]]:
    def fit(X: Any, Y: Any) -> Callable[[Any], Any]:
        from dlst.methods import LinearDLST

        encoder, regressor, decoder = LinearDLST.parts_for_many_labels(X, Y)[:3]
        if not direct:
            decoder.set_params(direct=None)
        model = LinearDLST(encoder, regressor, decoder, random_state=0)
        return model.fit(X, Y).decision_function

    return fit


def logistic(C: float) -> Callable[[Any, Any], Callable[[Any], Any]]:
    def fit(X: Any, Y: Any) -> Callable[[Any], Any]:
        from sklearn.linear_model import LogisticRegression

        return one_by_one(X, Y, lambda: LogisticRegression(C=C, solver="liblinear"))

    return fit


def support_vectors(C: float) -> Callable[[Any, Any], Callable[[Any], Any]]:
    def fit(X: Any, Y: Any) -> Callable[[Any], Any]:
        from sklearn.svm import LinearSVC

        return one_by_one(X, Y, lambda: LinearSVC(C=C))

    return fit


def one_by_one(X: Any, Y: Any, make: Callable[[], Any]) -> Callable[[Any], Any]:
    """Fit a classifier for each label that varies; the others score below all of theirs."""
    columns = Y.toarray()
    varying = [j for j in range(Y.shape[1]) if 0 < columns[:, j].sum() < len(columns)]
    weights, offsets = np.zeros((X.shape[1], Y.shape[1])), np.full(Y.shape[1], -1e3)
    for j in varying:
        model = make().fit(X, columns[:, j])
        weights[:, j], offsets[j] = model.coef_[0], model.intercept_[0]
    return lambda new: new @ weights + offsets


def omikuji(X: Any, Y: Any) -> Callable[[Any], Any]:
    from omikuji import Model

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        # It reads no rows without labels or without features.
        whole = np.flatnonzero((np.diff(Y.indptr) > 0) & (np.diff(X.indptr) > 0))
        write_xc(path, X[whole], Y[whole])
        model = Model.train_on_data(str(path), n_threads=1)

    def score(new: Any) -> Any:
        found = (
            model.predict(list(zip(*entries, strict=True)), beam_size=BEAM, top_k=Y.shape[1])
            for entries in row_entries(new)
        )
        return filled(found, new.shape[0], Y.shape[1])

    return score


def napkinxc(name: str) -> Callable[[Any, Any], Callable[[Any], Any]]:
    def fit(X: Any, Y: Any) -> Callable[[Any], Any]:
        from napkinxc import models

        folder = tempfile.mkdtemp()
        model = getattr(models, name)(folder, threads=1)
        model.fit(sp.csr_matrix(X), label_lists(Y))

        def score(new: Any) -> Any:
            found = model.predict_proba(sp.csr_matrix(new), top_k=Y.shape[1])
            return filled(found, new.shape[0], Y.shape[1])

        return score

    return fit


def pecos(X: Any, Y: Any) -> Callable[[Any], Any]:
    from pecos.xmc import Indexer, LabelEmbeddingFactory
    from pecos.xmc.xlinear.model import XLinearModel

    X, Y = (sp.csr_matrix(part, dtype=np.float32) for part in (X, Y))
    tree = Indexer.gen(LabelEmbeddingFactory.create(Y, X), threads=1)
    model = XLinearModel.train(X, Y, C=tree, threads=1)

    def score(new: Any) -> Any:
        new = sp.csr_matrix(new, dtype=np.float32)
        new.sort_indices()
        return model.predict(new, only_topk=Y.shape[1], beam_size=BEAM, threads=1).toarray()

    return score


METHODS = {
    "DLST": dlst,
    "LR C=1": logistic(1.0),
    "LR C=10": logistic(10.0),
    "LinearSVC C=0.2": support_vectors(0.2),
    "LinearSVC C=1": support_vectors(1.0),
    "omikuji": omikuji,
    "napkinXC PLT": napkinxc("PLT"),
    "napkinXC BR": napkinxc("BR"),
    "PECOS XR-Linear": pecos,
}

OF_MANY_LABELS = {
    "DLST of many labels": dlst_of_many_labels(direct=True),
    "… codes and votes alone": dlst_of_many_labels(direct=False),
}
"""What DLST takes above 5000 labels, for any number of them."""


def row_entries(X: Any) -> Any:
    for first, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        yield X.indices[first:stop].tolist(), X.data[first:stop].tolist()


def label_lists(Y: Any) -> list[list[int]]:
    return [labels for labels, _ in row_entries(Y)]


def write_xc(path: Path, X: Any, Y: Any) -> None:
    with path.open("w") as stream:
        stream.write(f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}\n")
        for labels, (features, values) in zip(label_lists(Y), row_entries(X), strict=True):
            pairs = (f"{f}:{v:.7g}" for f, v in zip(features, values, strict=True))
            stream.write(f"{','.join(map(str, labels))} {' '.join(pairs)}\n")


def filled(found: Any, n: int, n_labels: int) -> Any:
    scores = np.zeros((n, n_labels))
    for row, pairs in zip(scores, found, strict=True):
        for label, score in pairs:
            row[label] = score
    return scores


def load(path: Path) -> Any:
    matrix = sp.csr_array(sp.load_npz(path))
    # LIBLINEAR in scikit-learn takes no others.
    matrix.indices, matrix.indptr = (
        part.astype(np.int32) for part in (matrix.indices, matrix.indptr)
    )
    return matrix


def peak_gib() -> float:
    """Return the most memory this program has held; ``ru_maxrss`` would count its parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    kib = next(line.split()[1] for line in lines if line.startswith("VmHWM"))
    return int(kib) / 2**20


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    method, folder = sys.argv[1], Path(sys.argv[2])
    X, Y, X_test = (load(folder / f"{name}.npz") for name in ("X", "Y", "X_test"))
    started = cpu_seconds()
    score = (METHODS | OF_MANY_LABELS)[method](X, Y)
    fitted = cpu_seconds()
    scores = np.asarray(score(X_test), dtype=np.float64)
    scored = cpu_seconds()
    np.save(folder / "scores.npy", scores)
    measured = {
        "fit": fitted - started,
        "predict": scored - fitted,
        "GiB": peak_gib(),
    }
    (folder / "measured.json").write_text(json.dumps(measured))


if __name__ == "__main__":
    main()
