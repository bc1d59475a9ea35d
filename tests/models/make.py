"""Save a small model of every method, with what it answers, to be kept for ever.

``python tests/models/make.py [NAME ...]`` writes the folder of the present format. Do so when a
method is new; when files that are there no longer load or answer as they did, the format has
changed: raise ``FORMAT`` in ``dlst.persistence`` first, which makes a new folder.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dlst import Tagger
from dlst.decisions import ConformalLabels
from dlst.methods import available, make
from dlst.persistence import FORMAT, save_model

HERE = Path(__file__).parent
N, N_NEW, D, K = 40, 12, 5, 3


def numbers():
    """Give rows, labels that follow from them, and new rows: short decimals."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(N + N_NEW, D)).round(3)
    noise = draw.normal(size=(N + N_NEW, K))
    Y = (X @ draw.normal(size=(D, K)) + noise > 0.4).astype(np.int64)
    return X[:N], Y[:N], X[N:]


def counts():
    """Give the same as sparse counts of words."""
    draw = np.random.default_rng(1)
    X = draw.poisson(0.3, size=(N + N_NEW, 12)).astype(np.float64)
    Y = (X[:, :K] + X[:, K : 2 * K] > 0).astype(np.int64)
    return sp.csr_array(X[:N]), sp.csr_array(Y[:N]), sp.csr_array(X[N:])


def table():
    """Give a table of each kind of column but pictures, its tags, and new rows."""
    draw = np.random.default_rng(2)
    words = ["printer", "screen", "paper", "cable", "login", "password", "invoice", "refund"]
    rows = [list(draw.choice(words, 3, replace=False)) for _ in range(N + N_NEW)]
    frame = pd.DataFrame(
        {
            "text": [f"my {a} and {b} with the {c}" for a, b, c in rows],
            "team": draw.choice(["north", "south"], len(rows)),
            "hours": draw.normal(size=len(rows)).round(2),
            "day": pd.date_range("2024-01-01", periods=len(rows)).strftime("%Y-%m-%d"),
        }
    )
    kinds = {"device": words[:4], "account": words[4:6], "money": words[6:]}
    tags = [[kind for kind, told in kinds.items() if {*row} & {*told}] for row in rows]
    return frame[:N], tags[:N], frame[N:]


def made(name):
    """Return a method that draws the same numbers every time."""
    model = make(name)
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


KEPT = {
    **{name: (lambda name=name: made(name), numbers) for name in available()},
    "dlst-on-counts": (lambda: made("dlst"), counts),
    "dlst-linear-on-counts": (lambda: made("dlst-linear"), counts),
    "classes": (lambda: made("dlst2"), lambda: _of_classes(*numbers())),
    "pipeline": (lambda: make_pipeline(StandardScaler(), made("krr")), numbers),
    "rules": (lambda: made("krr").set_params(decision="macro"), numbers),
    "subset": (lambda: made("br").set_params(decision="subset"), numbers),
    "conformal": (lambda: ConformalLabels(made("krr"), random_state=0), numbers),
    "tagger": (lambda: Tagger(random_state=0), table),
}
"""How each model is made, and of which rows."""


def _of_classes(X, Y, X_new):
    return X, np.array(["few", "many"])[(Y.sum(axis=1) > 1).astype(int)], X_new


def answers(model, X):
    """Give all that is compared: decisions, and probabilities and scores where there are some."""
    decided = model.predict(X)
    found = {"decided": decided.toarray() if sp.issparse(decided) else np.asarray(decided)}
    for method in ("predict_proba", "decision_function"):
        if hasattr(model, method):
            found[method] = np.asarray(getattr(model, method)(X))
    return found


def main(names):
    folder = HERE / f"format-{FORMAT}"
    folder.mkdir(exist_ok=True)
    for name in names or KEPT:
        model, rows = KEPT[name][0](), KEPT[name][1]()
        X, Y, X_new = rows
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, Y)
        save_model(model, folder / f"{name}.skops")
        np.savez_compressed(folder / f"{name}.npz", **answers(model, X_new))


if __name__ == "__main__":
    main(sys.argv[1:])
