"""Matrix completion: losses, both solvers against reference outputs, new rows, the method."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import dlst
from dlst._kernels.logistic_step import logistic_step
from dlst._kernels.singular_values import shrink_singular_values
from dlst.data.registry import load_registered
from dlst.methods.mc import MC
from dlst.methods.mc.fold_in import chi2_scores, factors, linear_rule
from dlst.methods.mc.objective import Completion, chi2_step
from dlst.methods.mc.search import probability_slope
from dlst.methods.mc.solvers import (
    exact_path,
    fixed_point_path,
    published_mus,
    published_objective,
    published_step,
)
from dlst.metrics import instance_average_precision

LOSSES = [
    ("mc1", "squared", "logistic"),
    ("mc1", "squared", "squared"),
    ("pos", "squared", "logistic"),
    ("pos", "chi2", "logistic"),
    ("simplex", "squared", "logistic"),
    ("simplex", "chi2", "squared"),
]


def problem(variant="mc1", feature_loss="squared", label_loss="logistic", *, n=30, lam=2.0):
    """Thirty rows, 3 labels of which some are unknown, 6 features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6))
    Y = np.sign(X @ rng.normal(size=(6, 3)) + 0.3 * rng.normal(size=(n, 3)))
    Y[rng.random(Y.shape) < 0.3] = 0.0
    Y[-8:] = 0.0
    if variant != "mc1":
        X = np.abs(X)
        X[0, 0] = 0.0
    if variant == "simplex":
        X /= X.sum(axis=1, keepdims=True)
    return Completion(Y, X, lam, 1.7, variant, feature_loss, label_loss)


def solved(task, mu, tol=1e-10, max_iter=20000):
    (found,) = exact_path(task, [mu], tol=tol, max_iter=max_iter)
    assert found.converged
    return found


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 7))
    Y = (X @ rng.normal(size=(7, 4)) + 0.5 * rng.normal(size=(80, 4)) > 0.3).astype(float)
    return X, Y, rng.normal(size=(20, 7))


# Losses and their steps.


@pytest.mark.parametrize("losses", LOSSES)
def test_gradients_are_finite_differences(losses):
    task = problem(*losses)
    rng = np.random.default_rng(1)
    Z = task.project(task.target + 0.1 * rng.random(task.target.shape))
    for _ in range(10):
        direction = rng.normal(size=Z.shape)
        direction[:, task.feature_columns] *= Z[:, task.feature_columns] > 0
        h = 1e-6 * (Z[:, task.feature_columns][Z[:, task.feature_columns] != 0].min() or 1)
        h = max(min(abs(h), 1e-6), 1e-9)
        slope = (task.value(Z + h * direction) - task.value(Z - h * direction)) / (2 * h)
        expected = np.vdot(task.gradient(Z), direction)
        assert slope == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_unknown_labels_and_ones_have_no_gradient():
    task = problem()
    slopes = task.gradient(task.target + 1.0)
    assert (slopes[:, :3][task.labels == 0] == 0).all()
    assert (slopes[:, -1] == 0).all()
    assert (slopes[:, :3][task.labels != 0] != 0).all()


@pytest.mark.parametrize("weight", [0.01, 1.0, 300.0])
@pytest.mark.parametrize("slope", [1.0, 3.0])
def test_the_logistic_step_solves_its_equation(weight, slope):
    V = np.linspace(-400, 400, 401)[None, :]
    for y in (-1.0, 1.0):
        Z = logistic_step(V, np.full_like(V, y), weight, slope)
        pull = weight * y / (1 + np.exp(np.minimum(slope * y * Z, 700)))
        np.testing.assert_allclose(Z - V, pull, atol=1e-11 * weight + 1e-12)
    np.testing.assert_array_equal(logistic_step(V, np.zeros_like(V), weight, slope), V)


def test_the_chi2_step_is_the_minimiser_over_numbers_of_at_least_zero():
    rng = np.random.default_rng(0)
    v, x = rng.normal(size=(1, 60)), np.where(rng.random((1, 60)) < 0.2, 0.0, rng.random((1, 60)))
    for weight in (0.01, 0.5, 20.0):
        z, slopes = chi2_step(v, x, weight)
        for i in range(60):

            def cost(value, i=i, weight=weight):
                total = value + x[0, i]
                chi = (value - x[0, i]) ** 2 / total if total > 0 else 0.0
                return weight * chi + (value - v[0, i]) ** 2 / 2

            best = scipy.optimize.minimize_scalar(
                cost, bounds=(0, 5), method="bounded", options={"xatol": 1e-12}
            )
            assert cost(z[0, i]) <= best.fun + 1e-12
        moved = (chi2_step(v + 1e-6, x, weight)[0] - z) / 1e-6
        np.testing.assert_allclose(slopes, moved, atol=1e-3)


@pytest.mark.parametrize("losses", LOSSES)
def test_the_nearest_matrix_meets_the_constraints_and_no_feasible_one_is_better(losses):
    task = problem(*losses)
    rng = np.random.default_rng(2)
    V, rho = rng.normal(size=task.target.shape), 0.02

    def cost(W):
        return task.value(W) + rho / 2 * np.linalg.norm(W - V) ** 2

    W = task.nearest(V, rho)
    np.testing.assert_allclose(task.project(W), W, atol=1e-12)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(20):
            assert cost(W) <= cost(task.project(W + size * rng.normal(size=W.shape))) + 1e-12


# The published scheme and the optimum.


def mc1_case(golden, case):
    stored = np.load(golden / "mc1_emotions.npz")
    W = stored["W"].T
    lam = float(stored[f"MC1_{case}_lambda"])
    return stored, Completion(np.nan_to_num(W[:, :6]), W[:, 6:], lam)


def assert_equals_the_program(task, stored, case, tol, smallest, step=None):
    path = list(
        fixed_point_path(task, published_mus(task, smallest), tol=tol, max_iter=10**5, step=step)
    )
    np.testing.assert_allclose([found.mu for found in path], stored[f"{case}_mu"], rtol=1e-12)
    iterations = np.cumsum([found.n_iter for found in path])
    np.testing.assert_array_equal(iterations, stored[f"{case}_cum_iters"])
    objectives = [published_objective(task, found.matrix, found.mu) for found in path]
    np.testing.assert_allclose(objectives, stored[f"{case}_objective"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(path[-1].matrix.T, stored[f"{case}_Z_final"], rtol=0, atol=1e-9)
    for found, expected in zip(path, stored[f"{case}_test_scores_per_mu"], strict=True):
        np.testing.assert_allclose(found.matrix[100:, :6], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("case", "ABCD")
def test_fixed_points_equal_the_program_of_mc1(golden, case):
    stored, task = mc1_case(golden, case)
    name = f"MC1_{case}"
    assert published_step(task) == pytest.approx(float(stored[f"{name}_tau"]), rel=1e-12)
    tol, smallest = float(stored[f"{name}_tol"]), float(stored[f"{name}_mu_thresh"])
    assert_equals_the_program(task, stored, name, tol, smallest)


@pytest.mark.parametrize(
    ("case", "variant", "slope"),
    [("Pos_LS_rou1", "pos", 1.0), ("Pos_LS_rou3", "pos", 3.0), ("Sim_LS_rou1", "simplex", 1.0)],
)
def test_fixed_points_equal_the_programs_with_constraints(golden, case, variant, slope):
    stored = np.load(golden / "mc_pos_simplex_emotions.npz")
    W = stored["W"].T
    X = W[:, 6:] / (W[:, 6:].sum(axis=1, keepdims=True) if variant == "simplex" else 1.0)
    task = Completion(np.nan_to_num(W[:, :6]), X, 1.0, slope, variant)
    # The program's step is not divided by the slope.
    assert_equals_the_program(task, stored, case, 1e-5, 1e-4, step=published_step(task))


@pytest.mark.parametrize(
    ("case", "index"), [("D", 0), ("D", 1), ("D", 2), ("B", 3), ("C", 1), ("C", 2)]
)
def test_the_exact_solver_reaches_the_true_optimum(golden, case, index):
    stored, task = mc1_case(golden, case)
    name = f"MC1_{case}_true_optimum_mu{index}"
    found = solved(task, float(stored[f"{name}_mu"]), tol=1e-9)
    assert found.n_iter < 200
    objective = task.objective(found.feasible, found.mu)
    assert objective == pytest.approx(float(stored[f"{name}_objective"]), abs=1e-8)
    expected = stored[f"{name}_test_scores"]
    np.testing.assert_allclose(found.matrix[100:, :6], expected, atol=1e-6)


def test_the_program_ends_above_the_optimum(golden):
    stored, task = mc1_case(golden, "D")
    mu = float(stored["MC1_D_mu"][1])
    assert stored["MC1_D_objective"][1] > 1.001 * task.objective(solved(task, mu).feasible, mu)


def test_features_alone_are_shrunk_once_and_for_all():
    X = np.random.default_rng(0).normal(size=(12, 5))
    task = Completion(np.zeros((12, 0)), X, intercept=False)
    for mu in (0.005, 0.02):
        expected = shrink_singular_values(X, mu * X.size).matrix
        np.testing.assert_allclose(solved(task, mu).matrix, expected, atol=1e-8)
        *_, last = fixed_point_path(task, [0.02, mu, mu], tol=1e-12, max_iter=1000)
        np.testing.assert_allclose(last.matrix, expected, atol=1e-8)


def test_hidden_labels_of_a_noise_free_low_rank_matrix_are_recovered():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) @ rng.normal(size=(2, 15))
    linear = X @ rng.normal(size=(15, 4)) + 0.5
    linear /= np.abs(linear).max()
    shown = linear.copy()
    shown[90:] = 0.0
    task = Completion(shown, X, 1.0, label_loss="squared")
    *_, last = exact_path(task, [1e-4, 1e-5, 1e-6, 1e-7], tol=1e-8, max_iter=20000)
    np.testing.assert_allclose(last.matrix[90:, :4], linear[90:], atol=1e-3)


@pytest.mark.parametrize("losses", LOSSES)
def test_no_feasible_matrix_near_the_optimum_is_better(losses):
    task = problem(*losses)
    mu = 0.1 * task.largest_mu()
    found = solved(task, mu, tol=1e-7)
    np.testing.assert_allclose(task.project(found.feasible), found.feasible, atol=1e-12)
    np.testing.assert_allclose(found.matrix, found.feasible, atol=1e-5)
    best = task.objective(found.feasible, mu)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(20):
            other = task.project(found.feasible + size * rng.normal(size=found.matrix.shape))
            assert task.objective(other, mu) > best - 1e-9


def test_at_a_fixed_mu_the_objective_does_not_rise():
    base = problem()
    task = Completion(base.labels, base.features, 2.0, 3.0, intercept=False)
    mu = 0.05 * task.largest_mu()
    path = fixed_point_path(task, [mu] * 60, tol=1e-15, max_iter=1)
    objectives = np.array([task.objective(found.matrix, mu) for found in path])
    assert len(objectives) == 60
    assert (np.diff(objectives) <= 1e-12).all()
    assert objectives[-1] < 0.9 * objectives[0]
    assert objectives[-1] >= task.objective(solved(task, mu).feasible, mu) - 1e-9


def test_a_path_ends_where_its_last_mu_alone_does():
    task = problem()
    mu = 0.05 * task.largest_mu()
    *_, last = exact_path(task, [8 * mu, 4 * mu, mu], tol=1e-10, max_iter=20000)
    np.testing.assert_allclose(last.matrix, solved(task, mu).matrix, atol=1e-7)


# New rows.


def test_folding_in_an_unlabelled_row_of_the_fit_gives_its_completion():
    task = problem()
    mu = 0.1 * task.largest_mu()
    found = solved(task, mu, tol=1e-12, max_iter=50000)
    rule = linear_rule(factors(task, found.matrix), task.per_feature, mu)
    expected = task.features[-8:] @ rule.coef + rule.intercept
    np.testing.assert_allclose(expected, found.matrix[-8:, :3], atol=1e-6)


def test_folding_in_by_chi2_gives_the_completion_where_no_feature_is_at_zero():
    task = problem("pos", "chi2")
    mu = 0.05 * task.largest_mu()
    found = solved(task, mu, tol=1e-9, max_iter=50000)
    inside = (found.feasible[-8:, task.feature_columns] > 1e-6).all(axis=1)
    assert inside.sum() >= 4
    scores = chi2_scores(task.features[-8:], factors(task, found.matrix), task.per_feature, mu)
    np.testing.assert_allclose(scores[inside], found.matrix[-8:, :3][inside], atol=1e-3)


# The method.


def test_unlabelled_rows_are_completed_and_predicted_alike(data):
    X, Y, X_new = data
    both = np.vstack([X, X_new])
    hidden = np.vstack([Y, np.full((20, 4), np.nan)])
    model = MC(nuclear_penalty=2e-3, tol=1e-9, max_iter=5000).fit(both, hidden)
    assert model.transduction_.shape == (100, 4)
    np.testing.assert_allclose(model.decision_function(X_new), model.transduction_[80:], atol=1e-5)
    alone = MC(nuclear_penalty=2e-3, tol=1e-9, max_iter=5000).fit(X, Y)
    assert np.abs(alone.decision_function(X_new) - model.transduction_[80:]).max() > 1e-3


def test_the_completion_of_training_rows_agrees_with_most_labels(data):
    X, Y, X_new = data
    model = MC(random_state=0).fit(X, Y)
    assert ((model.transduction_ > 0) == Y).mean() > 0.85
    S, P = model.decision_function(X_new), model.predict_proba(X_new)
    np.testing.assert_allclose(P, 1 / (1 + np.exp(-model.probability_slope_ * S)), atol=1e-12)
    given = MC(nuclear_penalty=model.nuclear_penalty_, slope=2.0).fit(X, Y)
    assert given.probability_slope_ == 2.0
    np.testing.assert_array_equal(model.predict(X_new), S > 0)


def test_the_order_of_rows_changes_no_prediction(data):
    X, Y, X_new = data
    order = np.random.default_rng(0).permutation(80)
    one = MC(nuclear_penalty=2e-3, tol=1e-9).fit(X, Y)
    other = MC(nuclear_penalty=2e-3, tol=1e-9).fit(X[order], Y[order])
    np.testing.assert_allclose(other.transduction_, one.transduction_[order], atol=1e-6)
    np.testing.assert_allclose(
        other.decision_function(X_new), one.decision_function(X_new), atol=1e-6
    )


def test_unknown_entries_are_completed(data):
    X, Y, _ = data
    holes = np.random.default_rng(0).random(Y.shape) < 0.3
    model = MC(random_state=0).fit(X, np.where(holes, np.nan, Y))
    assert ((model.transduction_ > 0) == Y)[holes].mean() > 0.75


def test_the_method_is_the_solver(golden):
    stored, _ = mc1_case(golden, "D")
    mu = float(stored["MC1_D_true_optimum_mu2_mu"])
    W = stored["W"].T
    Y = np.where(np.isnan(W[:, :6]), np.nan, W[:, :6] > 0)
    exact = MC(1.0, nuclear_penalty=mu, scaling="none", tol=1e-9).fit(W[:, 6:], Y)
    expected = stored["MC1_D_true_optimum_mu2_test_scores"]
    np.testing.assert_allclose(exact.transduction_[100:], expected, atol=1e-6)
    np.testing.assert_allclose(exact.decision_function(W[100:, 6:]), expected, atol=1e-5)
    near = MC(1.0, nuclear_penalty=mu, scaling="none", tol=1e-9, solver="fpc").fit(W[:, 6:], Y)
    assert 0.001 < np.abs(near.transduction_[100:] - expected).max() < 0.5


def test_all_principal_directions_change_nothing(data):
    X, Y, X_new = data
    tight = {"nuclear_penalty": 2e-3, "tol": 1e-10, "max_iter": 5000}
    wide = np.hstack([X, X @ np.random.default_rng(0).normal(size=(7, 5))])
    wide_new = np.hstack([X_new, X_new @ np.random.default_rng(0).normal(size=(7, 5))])
    whole = MC(**tight, n_feature_components=None).fit(wide, Y)
    turned = MC(**tight, n_feature_components=7, random_state=0).fit(wide, Y)
    assert turned.coef_.shape == whole.coef_.shape == (12, 4)
    np.testing.assert_allclose(turned.transduction_, whole.transduction_, atol=1e-6)
    np.testing.assert_allclose(
        turned.decision_function(wide_new), whole.decision_function(wide_new), atol=1e-6
    )


def test_mu_is_chosen_on_hidden_labels_of_training_rows(data):
    X, Y, _ = data
    model = MC(random_state=0).fit(X, Y)
    best = int(np.argmax(model.selection_["score"]))
    assert best > 0
    assert len(model.selection_["nuclear_penalty"]) >= 3
    # Fewer rows take part in the search: the same share of another largest μ.
    assert 0.5 < model.nuclear_penalty_ / model.selection_["nuclear_penalty"][best] < 2
    assert MC(nuclear_penalty=0.1).fit(X, Y).selection_ == {}
    single = MC(random_state=0).fit(X, Y[:, :1])
    assert (single.selection_["score"] < 0).all()


@pytest.mark.parametrize(
    ("variant", "loss"),
    [("pos", "squared"), ("pos", "chi2"), ("simplex", "squared"), ("simplex", "chi2")],
)
def test_histograms_are_learnt_from(variant, loss):
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(12, 0.3), size=3)
    shares = rng.dirichlet(np.full(3, 0.4), size=90)
    X = rng.poisson(60 * shares @ topics).astype(float)
    Y = (shares > 0.3).astype(int)
    model = MC(
        1e-3 if variant == "simplex" else 0.1,
        variant=variant,
        feature_loss=loss,
        random_state=0,
        tol=1e-3,
    )
    model.fit(X[:60], Y[:60])
    prior = instance_average_precision(Y[60:], np.tile(Y[:60].mean(axis=0), (30, 1)))
    found = instance_average_precision(Y[60:], model.decision_function(X[60:]))
    assert found > prior + 0.1
    sparse = model.decision_function(sp.csr_array(X[60:]))
    np.testing.assert_allclose(sparse, model.decision_function(X[60:]), atol=1e-12)
    assert np.isfinite(model.predict_proba(np.zeros((1, 12)))).all()


def test_sparse_features_give_what_dense_ones_do(data):
    X, Y, X_new = data
    X, X_new = X * (np.abs(X) > 0.5), X_new * (np.abs(X_new) > 0.5)
    for parameters in ({"scaling": "none"}, {"scaling": "maxabs", "n_feature_components": 4}):
        dense = MC(**parameters, random_state=0).fit(X, Y)
        sparse = MC(**parameters, random_state=0).fit(sp.csr_array(X), Y)
        np.testing.assert_allclose(
            sparse.decision_function(sp.csr_array(X_new)),
            dense.decision_function(X_new),
            atol=1e-6,
        )


def test_a_saved_model_predicts_the_same(data, tmp_path):
    X, Y, X_new = data
    for parameters in ({}, {"variant": "pos", "feature_loss": "chi2", "tol": 1e-2}):
        model = MC(**parameters, random_state=0).fit(np.abs(X), Y)
        dlst.save_model(model, tmp_path / "m.skops")
        again = dlst.load_model(tmp_path / "m.skops")
        expected = model.decision_function(np.abs(X_new)).tobytes()
        assert again.decision_function(np.abs(X_new)).tobytes() == expected


def test_few_rows_do_without_a_search():
    X, Y = np.arange(6.0)[:, None], np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 1]])
    model = MC(random_state=0).fit(X, Y)
    assert model.selection_ == {}
    assert (model.predict(X) == Y).mean() > 0.6


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"label_weight": 0.0}, "label_weight must be a number above 0; got 0.0"),
        ({"nuclear_penalty": -1.0}, "nuclear_penalty must be a number above 0 or 'auto'; got -1.0"),
        ({"variant": "mc2"}, "variant must be one of mc1, pos, simplex; got 'mc2'"),
        ({"feature_loss": "l1"}, "feature_loss must be one of squared, chi2; got 'l1'"),
        ({"label_loss": "hinge"}, "label_loss must be one of logistic, squared; got 'hinge'"),
        ({"solver": "sgd"}, "solver must be one of exact, fpc; got 'sgd'"),
        ({"slope": 0}, "slope must be a number above 0; got 0"),
        (
            {"n_feature_components": 0},
            "n_feature_components must be an integer of at least 1",
        ),
        ({"held_out": 1.0}, "held_out must be a number .*; got 1.0"),
        ({"tol": 0}, "tol must be a number above 0; got 0"),
        ({"max_iter": 0}, "max_iter must be an integer of at least 1; got 0"),
        ({"feature_loss": "chi2"}, "feature_loss='chi2' needs .*; got variant='mc1'"),
        ({"variant": "pos"}, "variant='pos' needs scaled features of at least 0; got -"),
    ],
)
def test_wrong_parameters_are_one_clear_error(parameters, message, data):
    X, Y, _ = data
    with pytest.raises(ValueError, match=message):
        MC(**parameters).fit(X, Y)


def test_too_few_iterations_are_one_warning(data):
    X, Y, _ = data
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=2; raise") as caught:
        MC(nuclear_penalty=1e-3, max_iter=2).fit(X, Y)
    assert len(caught) == 1


def test_emotions_are_ranked_far_better_than_by_prevalence(real_data):
    data = load_registered("emotions")
    train, test = data.train, data.test
    for solver in ("exact", "fpc"):
        model = MC(solver=solver, random_state=0).fit(train.X, train.Y)
        prior = np.tile(model.prevalence_, (test.Y.shape[0], 1))
        found = instance_average_precision(test.Y, model.decision_function(test.X))
        assert found > instance_average_precision(test.Y, prior) + 0.15


def test_a_mu_that_leaves_nothing_is_one_clear_error_of_the_published_scheme(data):
    X, Y, _ = data
    with pytest.raises(ValueError, match=r"nuclear_penalty must leave something of .*; got 1000"):
        MC(nuclear_penalty=1e3, solver="fpc").fit(X, Y)
    assert np.isfinite(MC(nuclear_penalty=1e3).fit(X, Y).transduction_).all()


def test_thresholds_are_learnt_on_hidden_rows(data):
    X, Y, X_new = data
    rare = Y * (np.random.default_rng(0).random(Y.shape) < 0.4)
    plain = MC(random_state=0).fit(X, rare)
    for parameters in ({}, {"nuclear_penalty": plain.nuclear_penalty_}):
        learnt = MC(decision="micro", random_state=0, **parameters).fit(X, rare)
        assert learnt.predict(X_new).sum() > plain.predict(X_new).sum()
    few = MC(decision="macro", random_state=0).fit(X[:8], Y[:8, :2])
    assert few.predict(X_new).shape == (20, 2)


def test_hidden_rows_are_folded_in_unless_there_are_rows_to_complete(data):
    X, Y, X_new = data
    alone = MC(random_state=0).fit(X, Y)
    both = np.vstack([Y, np.full((20, 4), np.nan)])
    beside = MC(random_state=0).fit(np.vstack([X, X_new]), both)
    # The same rows are hidden, but predicted in two ways; unlabelled rows take no part.
    assert not np.array_equal(alone.selection_["score"], beside.selection_["score"])
    assert alone.selection_["score"].max() > 0.8
    assert beside.selection_["score"].max() > 0.8


def test_the_slope_of_probabilities_is_the_most_likely_one():
    rng = np.random.default_rng(0)
    scores = 0.01 * rng.normal(size=(400, 10))
    truth = np.where(rng.random(scores.shape) < 1 / (1 + np.exp(-250 * scores)), 1.0, -1.0)
    assert probability_slope(truth, scores, 1.0) == pytest.approx(250, rel=0.1)
    truth[200:] = 0.0
    assert probability_slope(truth, scores, 1.0) == pytest.approx(250, rel=0.1)
    assert np.isfinite(probability_slope(np.sign(scores), scores, 1.0))
    assert probability_slope(truth, 0 * scores, 3.0) == 3.0
