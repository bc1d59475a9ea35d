"""Linear machines: known optima, leave-one-out by refits, unknown targets, weights, threads."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

from dlst.errors import DataError
from dlst.regressors import LinearMachines, direct_solver
from dlst.regressors.direct_solver import DirectSolver
from dlst.regressors.dual_solver import DualSolver

TIGHT = {"tol": 1e-12, "max_iter": 5000, "random_state": 0}


@pytest.fixture(params=["direct", "dual"])
def solver(request, monkeypatch):
    """Have the squared loss solved both ways."""
    if request.param == "dual":
        monkeypatch.setattr(direct_solver, "MOST_SIZE", 0)
    return request.param


def problem(rng, n=60, d=12, t=3):
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)
    return X, np.sign(X @ rng.normal(size=(d, t)) + rng.normal(size=(n, t)) + 0.3)


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


@pytest.mark.parametrize("shape", [(60, 12), (20, 40)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_squared_loss_is_scikit_learns_ridge_with_a_column_of_ones(shape, kind, solver, rng):
    X, T = problem(rng, *shape, t=40)
    C = 0.7
    ours = LinearMachines(C, **TIGHT).fit(kind(X), T)
    theirs = Ridge(alpha=1 / (2 * C), fit_intercept=False).fit(with_ones(X), T)
    np.testing.assert_allclose(ours.coef_, theirs.coef_.T[:-1], atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.coef_.T[-1], atol=1e-5)
    np.testing.assert_allclose(ours.predict(kind(X)), theirs.predict(with_ones(X)), atol=1e-5)
    assert ours.duality_gap_.max() <= 1e-12


def test_the_squared_hinge_is_scikit_learns_linear_svc(rng):
    X, T = problem(rng)
    ours = LinearMachines(0.5, loss="squared_hinge", **TIGHT).fit(X, T)
    for j in range(T.shape[1]):
        theirs = LinearSVC(C=0.5, loss="squared_hinge", dual=True, tol=1e-10, max_iter=10**6)
        theirs.fit(X, T[:, j])
        np.testing.assert_allclose(ours.coef_[:, j], theirs.coef_[0], atol=1e-5)
        np.testing.assert_allclose(ours.intercept_[j], theirs.intercept_[0], atol=1e-5)


@pytest.mark.parametrize("loss", ["squared", "squared_hinge"])
def test_single_precision_is_good_to_its_tolerance(loss, rng, monkeypatch):
    monkeypatch.setattr(direct_solver, "MOST_SIZE", 0)
    X, T = problem(rng, n=300)
    coarse = LinearMachines(1.0, loss=loss, tol=1e-5, random_state=0).fit(X, T)
    exact = LinearMachines(1.0, loss=loss, **TIGHT).fit(X, T)
    assert coarse.coef_.dtype == np.float32
    assert coarse.duality_gap_.max() <= 1e-5
    # The objective is ½-strongly convex in w: a relative gap g bounds ‖w − w*‖² by 2 g P.
    primal = 0.5 * (exact.coef_**2).sum(axis=0) + losses(exact, X, T).sum(axis=0)
    distance = ((coarse.coef_ - exact.coef_) ** 2).sum(axis=0)
    assert np.all(distance <= 2 * (1e-5 + 1e-6) * primal)


def losses(model, X, T):
    errors = T - model.predict(X)
    if model.loss == "squared_hinge":
        errors = np.where(errors * T > 0, errors, 0)
    return model.C_ * errors**2


@pytest.mark.parametrize("shape", [(40, 6), (15, 30)])
def test_leave_one_out_equals_explicit_refits(shape, rng):
    X, T = problem(rng, *shape)
    weights = rng.uniform(0.5, 2, size=len(X))
    model = LinearMachines(0.4, **TIGHT).fit(X, T, weights)
    for row in range(len(X)):
        others = np.arange(len(X)) != row
        alone = LinearMachines(0.4, **TIGHT).fit(X[others], T[others], weights[others])
        left_out = alone.predict(X[[row]])[0]
        np.testing.assert_allclose(model.loo_predictions_[row], left_out, atol=1e-5)


def probed(X, n_probes, seed):
    solver = DualSolver(X, tol=1e-6, seed=seed)
    probes = solver.probes(None, n_probes)
    return solver.probed_diagonal(probes, solver.solve(probes, 0.5).duals, 0.5)


def test_the_probed_diagonal_nears_the_exact_one_and_knows_how_wrong_it_is(rng):
    X = problem(rng, n=150, d=60)[0]
    exact = DirectSolver(X).solve(X[:, :1], 0.5)[1]
    errors = []
    for n_probes in (64, 256, 1024):
        found = [probed(X, n_probes, seed) for seed in range(8)]
        errors.append(np.sqrt(np.mean([(each.values / exact - 1) ** 2 for each in found])))
        told = np.sqrt(np.mean([each.variance for each in found]))
        assert 0.6 < told / errors[-1] < 1.5
    # Few probes lean on the rows' features, which mean probes alone would be twice as far from.
    assert errors[0] < 0.07
    assert errors[2] < 0.75 * errors[1] < 0.75 * errors[0]


def test_probed_leave_one_out_is_near_the_exact_one(rng, monkeypatch):
    X, T = problem(rng, n=200, d=50)
    exact = LinearMachines(0.2, random_state=0).fit(X, T)
    monkeypatch.setattr(direct_solver, "MOST_SIZE", 0)
    ours = LinearMachines(0.2, random_state=0).fit(X, T)
    np.testing.assert_allclose(ours.coef_, exact.coef_, atol=1e-2)
    gap = np.abs(ours.loo_predictions_ - exact.loo_predictions_).mean()
    assert 0 < gap < 0.05 * exact.loo_predictions_.std()


def test_the_exact_diagonal_is_that_of_the_inverse(rng, monkeypatch):
    monkeypatch.setattr(direct_solver, "_BLOCK_ENTRIES", 50)
    for shape in ((40, 6), (15, 30)):
        X, T = problem(rng, *shape)
        u = rng.uniform(0.5, 2, size=len(X))
        inverse = np.linalg.inv(X @ X.T + 1 + np.diag(u))
        for kind in (np.asarray, sp.csr_array):
            solution, diagonal = DirectSolver(kind(X), 1 / u).solve(T, 0.5)
            np.testing.assert_allclose(diagonal[:, 0], np.diag(inverse), rtol=1e-9)
            np.testing.assert_allclose(solution.duals, inverse @ T, atol=1e-9)
            np.testing.assert_allclose(solution.W, with_ones(X).T @ inverse @ T, atol=1e-9)


@pytest.mark.parametrize("loss", ["squared", "squared_hinge"])
def test_an_unknown_target_is_left_out_of_its_own_machine_only(loss, solver, rng):
    X, T = problem(rng, n=80)
    hidden = rng.random(T.shape) < 0.3
    model = LinearMachines(0.5, loss=loss, **TIGHT).fit(X, np.where(hidden, np.nan, T))
    for j in range(T.shape[1]):
        seen = ~hidden[:, j]
        alone = LinearMachines(0.5, loss=loss, **TIGHT).fit(X[seen], T[seen, j])
        np.testing.assert_allclose(model.coef_[:, j], alone.coef_, atol=1e-6)


@pytest.mark.parametrize("shape", [(40, 6), (15, 30)])
def test_leave_one_out_with_unknown_targets_equals_explicit_refits(shape, rng):
    X, T = problem(rng, *shape)
    T[rng.random(T.shape) < 0.3] = np.nan
    model = LinearMachines(0.4).fit(X, T)
    for row in range(len(X)):
        without = T.copy()
        without[row] = np.nan
        left_out = LinearMachines(0.4).fit(X, without).predict(X[[row]])[0]
        np.testing.assert_allclose(model.loo_predictions_[row], left_out, atol=1e-9)


def test_probed_leave_one_out_with_unknown_targets(rng, monkeypatch):
    X, T = problem(rng, n=120, d=30)
    T[rng.random(T.shape) < 0.3] = np.nan
    exact = LinearMachines(0.1).fit(X, T)
    monkeypatch.setattr(direct_solver, "MOST_SIZE", 0)
    probed = LinearMachines(0.1, n_probes=2000, random_state=0, tol=1e-6).fit(X, T)
    np.testing.assert_allclose(
        probed.loo_predictions_[np.isnan(T)], exact.loo_predictions_[np.isnan(T)], atol=1e-3
    )
    # One diagonal serves all targets: what is left is how much theirs differ from its mean.
    difference = np.abs(probed.loo_predictions_ - exact.loo_predictions_).mean()
    assert difference < 0.05 * exact.loo_predictions_.std()


@pytest.mark.parametrize("loss", ["squared", "squared_hinge"])
def test_weights_equal_repetition(loss, solver, rng):
    X, T = problem(rng)
    counts = rng.integers(0, 4, size=len(X))
    weighted = LinearMachines(0.5, loss=loss, **TIGHT).fit(X, T, counts)
    repeated = LinearMachines(0.5, loss=loss, **TIGHT).fit(
        np.repeat(X, counts, axis=0), np.repeat(T, counts, axis=0)
    )
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)


@pytest.mark.parametrize("loss", ["squared", "squared_hinge"])
def test_dense_equals_sparse_and_threads_change_no_byte(loss, solver, rng):
    X, T = problem(rng, n=200, t=70)
    one = LinearMachines(0.5, loss=loss, random_state=0).fit(X, T)
    two = LinearMachines(0.5, loss=loss, random_state=0, n_jobs=2).fit(X, T)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    sparse = LinearMachines(0.5, loss=loss, random_state=0).fit(sp.csr_array(X), T)
    np.testing.assert_allclose(sparse.coef_, one.coef_, atol=1e-12)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), one.predict(X), atol=1e-6)
    if loss == "squared":
        np.testing.assert_array_equal(one.loo_predictions_, two.loo_predictions_)


def test_c_has_the_least_leave_one_out_error_of_its_neighbours(rng):
    X, T = problem(rng, n=300, d=40)
    model = LinearMachines(random_state=0).fit(X, T)
    tried = sorted(model.selection_)
    place = tried.index(model.C_)
    assert 0 < place < len(tried) - 1
    assert model.selection_[model.C_] == min(model.selection_.values())
    refitted = LinearMachines(model.C_, random_state=0, tol=1e-3).fit(X, T)
    error = np.mean((T - refitted.loo_predictions_) ** 2)
    assert error == pytest.approx(model.selection_[model.C_], rel=1e-2)


def test_one_target_keeps_its_shape(rng):
    X, T = problem(rng)
    model = LinearMachines(random_state=0).fit(X, T[:, 0])
    assert model.predict(X).shape == model.loo_predictions_.shape == (len(X),)
    assert model.coef_.shape == (X.shape[1],)


def test_a_gap_that_stays_is_said(rng, monkeypatch):
    monkeypatch.setattr(direct_solver, "MOST_SIZE", 0)
    X, T = problem(rng)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter or lower C"):
        LinearMachines(1000.0, max_iter=1, tol=1e-9).fit(X, T)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"C": 0}, "C must be a number above 0 or 'auto'; got 0"),
        ({"C": "auto", "loss": "squared_hinge"}, "Give C a number"),
        ({"loss": "hinge"}, "loss must be one of squared, squared_hinge; got 'hinge'"),
        ({"Cs": ()}, "Cs must be numbers above 0"),
        ({"n_probes": 0}, "n_probes must be an integer of at least 1; got 0"),
    ],
)
def test_errors_name_what_was_expected(parameters, words, rng):
    X, T = problem(rng)
    with pytest.raises(ValueError, match=words):
        LinearMachines(**parameters).fit(X, T)


def test_targets_must_be_known_somewhere_and_signs_for_the_hinge(rng):
    X, T = problem(rng)
    with pytest.raises(DataError, match=r"For 0/1 labels use 2 \* y - 1"):
        LinearMachines(1.0, loss="squared_hinge").fit(X, (T + 1) / 2)
    T[:, 1] = np.nan
    with pytest.raises(DataError, match="NaN only in column 1"):
        LinearMachines(1.0).fit(X, T)
