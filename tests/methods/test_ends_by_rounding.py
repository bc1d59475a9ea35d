"""A solver that can come no nearer for rounding has converged: nobody is told to raise max_iter."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from dlst.methods import make

MAX_ITER = 3000

# No float64 is this near to an optimum: the tolerance alone would end none of these.
TOL = 1e-17

CASES = {
    "mrv": {},
    "slrm": {"nuclear_penalty": 0.05},
    "slrm, admm": {"nuclear_penalty": 0.05, "solver": "admm"},
    "mc": {"nuclear_penalty": 1e-3},
    "mc, fpc": {"nuclear_penalty": 1e-3, "solver": "fpc"},
    "leml": {"nuclear_penalty": 0.1},
    "leml, cg": {"nuclear_penalty": 0.1, "solver": "cg"},
    "leml, logistic": {"nuclear_penalty": 0.1, "loss": "logistic"},
    "mlloc": {"prototype_penalty": 1.0},
    "miml": {},
    "clems": {},
    "sleec": {"n_components": 2},
    "br": {"approximation": "nystroem"},
}

WITH_UNKNOWN = ("mrv", "slrm", "mc", "leml", "leml, logistic", "miml")


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12))
    Y = (X @ rng.normal(size=(12, 5)) + 2.0 * rng.normal(size=(80, 5)) > 0.5).astype(float)
    unknown = np.where(rng.random(Y.shape) < 0.15, np.nan, Y)
    return X, Y, unknown


def fitted(case, X, Y, **parameters):
    name, *_ = case.split(",")
    model = make(name, **{"tol": TOL, "max_iter": MAX_ITER, **CASES[case], **parameters})
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    return model.fit(X, Y)


@pytest.mark.parametrize("case", CASES)
def test_an_end_by_rounding_is_no_failure(case, problem):
    X, Y, _ = problem
    model = fitted(case, X, Y)
    model.predict_proba(X)
    assert np.max(model.n_iter_) < MAX_ITER


@pytest.mark.parametrize("case", WITH_UNKNOWN)
def test_nor_is_it_with_unknown_labels(case, problem):
    X, _, unknown = problem
    assert np.max(fitted(case, X, unknown).n_iter_) < MAX_ITER


@pytest.mark.parametrize("case", ["mrv", "slrm", "mc", "leml", "mlloc", "clems"])
def test_too_few_iterations_are_a_failure_all_the_same(case, problem):
    X, Y, _ = problem
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        fitted(case, X, Y, max_iter=2)
