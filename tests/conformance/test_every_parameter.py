"""Every parameter of every method changes something that can be seen, or is said not to.

A parameter added later fails until it has a row here. Where one matters only beside another, the
row has that one too.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from small_methods import FEW_MEMBERS, GIVEN_PENALTY

from dlst.decoders import DirectReadout, MLkNNDecoder
from dlst.encoders import PrincipalEncoder
from dlst.methods import available, make

N, D, K = 70, 6, 6
SAMPLED = {"n_basis": 20}
POLYNOMIAL = {"kernel": "polynomial"}


class Louder(DirectReadout):
    """A second evidence, of another name."""

    name = "louder"


# By the parameter's own name: another value, and what must stand beside it.
OTHER_VALUES = {
    "C": (0.05, {}),
    "a0": (1.0, {}),
    "alpha": (0.7, {}),
    "alphas": ((5.0, 50.0), {}),
    "approximation": ("nystroem", SAMPLED),
    "b0": (1.0, {}),
    "basis": ("kmeans++", SAMPLED),
    "calibration": ("isotonic", {}),
    "cardinality": (5.0, {}),
    "chain_method": ("predict", {}),
    "chi_ratio": (0.2, {}),
    "code_vote": (False, {}),
    "codes": ("targets", {}),
    "coding": ("pm1", {}),
    "coef0": (3.0, POLYNOMIAL),
    "compression": (4, {}),
    "cost": ("hamming", {}),
    "cv": (3, {}),
    "decision": ("macro", {}),
    "decoder": (MLkNNDecoder(3), {}),
    "degree": (2, POLYNOMIAL),
    "direct": (False, {}),
    "distance": ("euclidean", {"n_components": 3}),
    "encoder": (PrincipalEncoder(2), {}),
    "enrichment": (0.5, {}),
    "estimator": (LogisticRegression(C=0.01), {}),
    "evidences": (("neighbour counts",), {}),
    "extra": ((Louder(),), {}),
    "feature_loss": ("chi2", {"scaling": "none"}),
    "feature_vote": (False, {}),
    "feature_weight": (3.0, {}),
    "fit_intercept": (False, {}),
    "gamma": (0.31, {}),
    "gamma_multiple": (0.3, {}),
    "gamma_multiples": ((3.0, 7.0), {}),
    "graph_weights": ("binary", {"manifold_penalty": 0.5}),
    "held_out": (0.5, {}),
    "init": ("random", {}),
    "intercept": ("penalised", {"alpha": 0.5}),
    "k_grid": ((3,), {}),
    "kernel": ("linear", {}),
    "l1_penalty": (0.5, {}),
    "label_loss": ("squared", {}),
    "label_weight": (3.0, {}),
    "labelset_size": (2, {}),
    "learning_rate": (0.5, {"solver": "momentum", "n_components": 3}),
    "link_scale": (0.3, {}),
    "loss": ("squared_hinge", {}),
    "manifold_penalty": (0.9, {}),
    "max_candidates": (5, {}),
    "max_cg_iter": (1, {"solver": "cg"}),
    "max_iter": (1, {}),
    "max_label_sets": (2, {}),
    "max_newton_iter": (1, {"loss": "logistic"}),
    "min_rows": (1000, {}),
    "momentum": ((0.1, 0.3), {"solver": "momentum", "n_components": 3}),
    "momentum_switch": (2, {"solver": "momentum", "n_components": 3}),
    "n_basis": (15, {}),
    "n_chains": (2, {}),
    "n_clusters": (3, {}),
    "n_components": (2, {}),
    "n_feature_components": (2, {}),
    "n_init": (1, {"init": "random"}),
    "n_label_neighbors": (3, {}),
    "n_learners": (2, {"n_clusters": 3}),
    "n_neighbors": (4, {}),
    "n_partitions": (2, {}),
    "n_prototypes": (4, {}),
    "n_queries": (30, {}),
    "n_restarts": (2, {"n_components": 2}),
    "n_sets": (4, {}),
    "negative_weight": (0.4, {}),
    "noise": (3.0, {}),
    "nuclear_penalty": (0.3, {}),
    "orders": (np.array([[5, 4, 3, 2, 1, 0]]), {}),
    "output": ("signed", {}),
    "penalty": ("ridge", {}),
    "penalty_scale": ("absolute", {}),
    "positive_weight": (4.0, {}),
    "project_codes": (True, {}),
    "prototype_penalty": (3.0, {}),
    "random_state": (5, SAMPLED),
    "regressor": (Ridge(3.0), {}),
    "rho_grid": ((0.9,), {}),
    "scaling": ("none", {}),
    "slope": (4.0, {}),
    "slopes": ("by frequency", {}),
    "smoothing": (3.0, {}),
    "solver": ("exact", {}),
    "subsample": (0.4, {}),
    "tau": (0.9, {}),
    "tol": (0.3, {}),
    "training": ("iterated", {}),
    "variant": ("mc1", {}),
    "warm_start": (True, {"max_iter": 2}),
    "weight_scale": (3.0, {}),
    "weighting": ("absolute", {}),
}

IN_CODES = {"encoder__n_components": 3}
SAMPLED_CODES = {"regressor__n_basis": 20}
OF_PARTS = {
    "encoder__max_iter": (1, IN_CODES),
    "encoder__n_landmarks": (5, IN_CODES),
    "encoder__random_state": (5, {"encoder__n_components": 2, "encoder__n_restarts": 2}),
    "encoder__solver": ("momentum", IN_CODES),
    "encoder__tol": (0.3, IN_CODES),
    "regressor__fit_intercept": (True, {}),
    "regressor__loss": ("binary", {"regressor__alpha": 0.5}),
    "decoder__random_state": (5, {"decoder__n_queries": 30}),
    "random_state": (5, SAMPLED_CODES),
}

HINGE = {"regressor__C": 0.1, "regressor__loss": "squared_hinge"}

# Where a method's row is its own.
OWN_VALUES = {
    "dlst": {**OF_PARTS, "regression": ("linear", {})},
    "dlst-linear": {
        "random_state": (5, {"decoder__n_queries": 30}),
        "regressor__Cs": ((5.0, 50.0), {}),
        "regressor__loss": ("squared_hinge", {"regressor__C": 0.1}),
        "regressor__max_iter": (1, HINGE),
        "regressor__tol": (0.3, HINGE),
        "regressor__random_state": (5, {**HINGE, "regressor__max_iter": 1}),
        "decoder__least_gain": (0.9, {}),
        "decoder__n_axes": (2, {}),
        "decoder__n_pilots": (20, {}),
        "decoder__random_state": (5, {"decoder__n_queries": 30}),
        "decoder__second": (None, {}),
        "decoder__second__loss": ("squared", {}),
        "decoder__second__max_iter": (1, {}),
    },
    "dlst-paper": OF_PARTS,
    "dlst-literal": {**OF_PARTS, "codes": ("fitted", {})},
    "mlknn": {"scaling": ("standard", {})},
    "br": {
        "n_basis": (15, {"approximation": "nystroem"}),
        "random_state": (5, {"approximation": "nystroem", "n_basis": 20}),
    },
    "mlloc": {"codes": ("out-of-sample", {}), "loss": ("hinge", {})},
    "mc": {
        "feature_loss": ("chi2", {"variant": "simplex"}),
        "solver": ("fpc", {}),
        "variant": ("pos", {}),
    },
    "slrm": {
        "basis": ("kmeans++", {"kernel": "rbf", "n_basis": 20}),
        "gamma": (0.31, {"kernel": "rbf"}),
        "kernel": ("rbf", {}),
        "n_basis": (15, {"kernel": "rbf"}),
        "random_state": (5, {"kernel": "rbf", "n_basis": 20}),
        "solver": ("admm", {}),
        "penalty_scale": ("absolute", {"nuclear_penalty": 0.1}),
    },
    "leml": {
        "intercept": ("append", {}),
        "n_init": (4, {}),
        "penalty_scale": ("absolute", {"nuclear_penalty": 0.1}),
        "solver": ("cg", {}),
    },
    "clems": {
        "n_init": (1, {"init": "random", "n_components": 2}),
        "random_state": (5, {"init": "random"}),
    },
    "sleec": {"random_state": (5, {"n_clusters": 3})},
}

QUICKER = {**FEW_MEMBERS, **GIVEN_PENALTY}

# What changes no number here, and the words by which its docstring says so, or when it does.
SAID_TO_CHANGE_NOTHING = {
    "n_jobs": r"Threads|Jobs|As in",
    "callback": r"Called",
    "max_memory": r"Memory|As in",
    "search": r"How votes find the neighbours of new rows",
    "n_probes": r"Maximum number of random targets by which leave-one-out is estimated",
    "keep_unknown": r"Whether an unknown entry stays NaN",
    "decoder__second__Cs": r"Candidates of ``\"auto\"``",
}


def _problem():
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(N, D))) * np.arange(1, D + 1)
    latent = (X - X.mean(axis=0)) @ rng.normal(size=(D, K)) / 5
    return X, (latent + 0.5 * rng.normal(size=(N, K)) > 0.3).astype(float), X[:20] + 0.1


X, Y, X_NEW = _problem()


def parameters():
    for name in available():
        for parameter in make(name).get_params():
            yield pytest.param(name, parameter, id=f"{name}-{parameter}")


@cache
def seen(name, settings):
    """Fit with settings, and return all that can be seen of the model."""
    chosen = dict(settings)
    model = make(name, **{key: value.value for key, value in chosen.items()})
    if "random_state" in model.get_params() and "random_state" not in chosen:
        model.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2 if "warm_start" in chosen else 1):
            model.fit(X, Y)
        found = model.predict_all(X_NEW)
    return {
        "labels": np.asarray(found.labels),
        "probabilities": found.probabilities,
        "scores": found.scores,
        **dict(_attributes(model, "")),
    }


class Setting:
    """A value that can be looked up, whatever it is."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return repr(self.value) == repr(other.value)

    def __hash__(self):
        return hash(repr(self.value))


def _attributes(owner, path):
    for name, value in vars(owner).items():
        if not name.endswith("_") or name.startswith("_"):
            continue
        if isinstance(value, BaseEstimator):
            yield from _attributes(value, f"{path}{name}.")
        elif isinstance(value, (np.ndarray, float, int, str, bool, np.number)):
            yield f"{path}{name}", np.asarray(value)
        elif sp.issparse(value):
            yield f"{path}{name}", value.toarray()
        elif isinstance(value, (tuple, list, dict)):
            yield f"{path}{name}", np.asarray(repr(value))


def _same(one, other):
    return one.keys() == other.keys() and all(
        np.array_equal(one[key], other[key], equal_nan=one[key].dtype.kind == "f") for key in one
    )


@pytest.mark.parametrize(("name", "parameter"), list(parameters()))
def test_a_parameter_changes_something_or_is_said_not_to(name, parameter):
    part, _, own = parameter.rpartition("__")
    owner = make(name)
    known = owner.get_params()
    if words := SAID_TO_CHANGE_NOTHING.get(parameter, SAID_TO_CHANGE_NOTHING.get(own)):
        documented = owner if not part else known[part] or owner.default_parts()._asdict()[part]
        about = rf"\b{own}\b[^\n]*\n +({words})"
        assert re.search(about, type(documented).__doc__)
        return
    rows = {**OTHER_VALUES, **OWN_VALUES.get(name, {})}
    row = rows.get(parameter, rows.get(own))
    assert row is not None, f"give {parameter} another value in the table above"
    value, beside = row
    # What stands beside a part's parameter is a parameter of the same part.
    beside = {f"{part}__{key}" if f"{part}__{key}" in known else key: beside[key] for key in beside}
    beside = {key: needed for key, needed in beside.items() if key in known}
    quick = {key: given for key, given in QUICKER.get(name, {}).items() if key != parameter}
    context = [(key, Setting(needed)) for key, needed in {**quick, **beside}.items()]
    plain = seen(name, tuple(context))
    other = seen(name, (*context, (parameter, Setting(value))))
    assert not _same(plain, other), f"{parameter}={value!r} changes nothing"


def names_of_the_table() -> list[str]:
    page = (Path(__file__).resolve().parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page.split("## Names of parameters")[1].split("## ")[0]
    cells = [line.split("|")[2] for line in table.splitlines() if line.startswith("| ")]
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def test_the_table_of_names_has_names_that_somebody_has():
    known = {name.rpartition("__")[2] for each in available() for name in make(each).get_params()}
    assert len(names_of_the_table()) > 20
    assert [name for name in names_of_the_table() if name not in known] == []
