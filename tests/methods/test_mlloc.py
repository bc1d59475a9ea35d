"""ML-LOC: no step raises the objective, each step is optimal, codes of new rows know no label."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import check_grad, linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

import dlst
from dlst.data.registry import load_registered
from dlst.methods.mlloc import MLLOC
from dlst.methods.mlloc.code_step import CodeProblem, hinge_codes, squared_hinge_codes
from dlst.methods.mlloc.objective import (
    Alternation,
    prototype_distances,
    weighted_means,
)
from dlst.methods.mlloc.scorer_step import (
    Scorers,
    SquaredHingeProblem,
    hinge_scorers,
    squared_hinge_scorers,
)
from dlst.metrics import instance_average_precision
from dlst.regressors import KernelBasis, KernelRidge
from dlst.regressors.smoother import Spectrum

N, D, K, GAMMA = 80, 4, 5, 0.2
LOSSES = ("squared_hinge", "hinge")
SOLVERS = {"squared_hinge": (squared_hinge_codes, 2), "hinge": (hinge_codes, 1)}
both_losses = pytest.mark.parametrize("loss", LOSSES)


@pytest.fixture(scope="module")
def data():
    """Features, labels that follow from them, and new rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D))
    Y = (X @ rng.normal(size=(D, K)) + rng.normal(size=(N, K)) > 0.3).astype(float)
    return X, Y, rng.normal(size=(20, D))


@pytest.fixture(scope="module")
def partly(data):
    """The same labels, a fifth of them unknown."""
    Y = data[1].copy()
    Y[np.random.default_rng(1).random(Y.shape) < 0.2] = np.nan
    return Y


@pytest.fixture(scope="module")
def code_problem():
    """Codes matter: the costs are small beside the losses; two labels are unknown."""
    rng = np.random.default_rng(2)
    T = rng.choice([-1.0, 1.0], size=(12, K))
    T[3, 1] = T[7, 0] = 0.0
    scores, weights = rng.normal(size=(12, K)), rng.normal(size=(6, K))
    return CodeProblem(scores, weights, T, rng.uniform(0, 2, size=(12, 6)))


def features_and_signs(X, Y):
    F = KernelBasis(gamma=GAMMA).fit_transform(X)
    return F, np.nan_to_num(2 * Y - 1, nan=0.0)


def slow_objective(F, Y, state, alpha, beta, loss):
    """The card's formula, entry by entry; NaN is passed over."""
    total = 0.0
    for i in range(len(Y)):
        for label in np.flatnonzero(~np.isnan(Y[i])):
            y = 2 * Y[i, label] - 1
            f = F[i] @ state.scorers.weights[:, label] + state.scorers.intercept[label]
            f += state.codes[i] @ state.scorers.code_weights[:, label]
            total += max(0.0, 1 - y * f) ** (2 if loss == "squared_hinge" else 1)
            for j in range(state.codes.shape[1]):
                total += beta * state.codes[i, j] * (y - state.prototypes[j, label]) ** 2
    return total + alpha * (
        (state.scorers.weights**2).sum() + (state.scorers.code_weights**2).sum()
    )


# The objective and its three steps.


@both_losses
@pytest.mark.parametrize("beta", [0.0, 0.05, 1.0, 100.0])
@pytest.mark.parametrize("hidden", [False, True])
def test_the_objective_is_the_formula_and_no_step_raises_it(loss, beta, hidden, data, partly):
    X, Y, _ = data
    Y = partly if hidden else Y
    F, T = features_and_signs(X, Y)
    problem = Alternation(F, T, 0.7, beta, loss)
    state = problem.start(6, 0)
    last = problem.objective(state)
    assert last == pytest.approx(slow_objective(F, Y, state, 0.7, beta, loss), rel=1e-10)
    steps = (problem.with_best_scorers, problem.with_best_codes, problem.with_best_prototypes)
    for step in steps * 4:
        state = step(state)
        value = problem.objective(state)
        assert value <= last * (1 + 1e-12)
        last = value
        assert state.codes.min() >= 0
        np.testing.assert_allclose(state.codes.sum(axis=1), 1, atol=1e-9)
    assert last == pytest.approx(slow_objective(F, Y, state, 0.7, beta, loss), rel=1e-10)


@both_losses
def test_every_step_lowers_the_objective_where_codes_are_free(loss, data):
    X, Y, _ = data
    model = MLLOC(6, prototype_penalty=0.3, loss=loss, random_state=0, tol=1e-6, max_iter=100).fit(
        X, Y
    )
    drops = -np.diff(model.objective_)
    assert len(drops) == 3 * model.n_iter_
    assert (drops >= -1e-9).all()
    assert (drops[:3] > 1e-3).all()
    assert ((model.codes_ > 0.01) & (model.codes_ < 0.99)).any()


@both_losses
def test_a_step_that_finds_nothing_better_keeps_what_was(loss, data, monkeypatch):
    X, Y, _ = data
    F, T = features_and_signs(X, Y)
    problem = Alternation(F, T, 1.0, 1.0, loss)
    state = problem.with_best_scorers(problem.start(4, 0))
    worse = Scorers(*(10 * part for part in vars(state.scorers).values()))
    where = "dlst.methods.mlloc.objective."
    monkeypatch.setattr(where + f"{loss}_scorers", lambda *_, **__: worse)
    monkeypatch.setattr(where + f"{loss}_codes", lambda _, C, **__: np.roll(C, 1, axis=1))
    after = problem.with_best_scorers(state)
    np.testing.assert_array_equal(after.scorers.weights, state.scorers.weights)
    moved = np.flatnonzero((problem.with_best_codes(state).codes != state.codes).any(axis=1))
    assert moved.size < N
    assert problem.objective(problem.with_best_codes(state)) <= problem.objective(state)


def test_prototypes_are_weighted_means_of_known_labels(partly):
    rng = np.random.default_rng(3)
    codes = rng.dirichlet(np.ones(3), size=N)
    codes[:, 2] = 0.0
    old = rng.normal(size=(3, K))
    found = weighted_means(np.nan_to_num(2 * partly - 1, nan=0.0), codes, old)
    for label in range(K):
        known = ~np.isnan(partly[:, label])
        for j in range(2):
            y, weight = 2 * partly[known, label] - 1, codes[known, j]
            assert found[j, label] == pytest.approx((y * weight).sum() / weight.sum())
    np.testing.assert_array_equal(found[2], old[2])


def test_distances_pass_over_unknown_labels(partly):
    P = np.random.default_rng(4).normal(size=(3, K))
    found = prototype_distances(np.nan_to_num(2 * partly - 1, nan=0.0), P)
    for i in range(N):
        for j in range(3):
            assert found[i, j] == pytest.approx(np.nansum((2 * partly[i] - 1 - P[j]) ** 2))


def test_the_start_names_the_clusters_of_the_label_vectors():
    Y = np.repeat([[1, 1, 0, 0, 0], [0, 0, 1, 1, 1], [1, 0, 0, 0, 1]], [5, 7, 3], axis=0)
    state = Alternation(np.zeros((15, 2)), 2.0 * Y - 1, 1.0, 1.0, "hinge").start(9, 0)
    assert state.codes.shape == (15, 3)
    np.testing.assert_array_equal(state.codes @ state.prototypes, 2.0 * Y - 1)


# The W-step.


def test_without_codes_the_hinge_scorers_are_independent_support_vector_machines(data):
    X, Y, _ = data
    F, T = features_and_signs(X, Y)
    found = hinge_scorers(F, np.zeros((N, 3)), T, 0.5).scores(F, np.ones((N, 3)))
    for label in range(K):
        machine = SVC(C=1.0, gamma=GAMMA, tol=1e-8).fit(X, Y[:, label])
        np.testing.assert_allclose(found[:, label], machine.decision_function(X), atol=1e-5)


def test_unknown_labels_take_no_part_in_the_machines(data, partly):
    X, _, _ = data
    F, T = features_and_signs(X, partly)
    found = hinge_scorers(F, np.zeros((N, 1)), T, 0.5).without_codes(F)
    for label in range(K):
        known = ~np.isnan(partly[:, label])
        machine = SVC(C=1.0, gamma=GAMMA, tol=1e-8).fit(X[known], partly[known, label])
        np.testing.assert_allclose(found[:, label], machine.decision_function(X), atol=1e-5)


def test_the_gradient_of_the_squared_hinge_is_that_of_its_value(data, partly):
    rng = np.random.default_rng(5)
    F, T = features_and_signs(data[0][:20], partly[:20])
    problem = SquaredHingeProblem(Spectrum.of(F), T, 0.3)
    shape = (len(problem.spectrum.eigenvalues) + 1, K)
    for _ in range(3):
        error = check_grad(
            lambda x: problem.value_and_gradient(x.reshape(shape))[0],
            lambda x: problem.gradient(x.reshape(shape)).ravel(),
            rng.normal(size=shape).ravel(),
            epsilon=1e-6,
        )
        assert error < 1e-3


def test_the_gradient_bound_of_one_holds(data, partly):
    rng = np.random.default_rng(6)
    F, T = features_and_signs(data[0], partly)
    problem = SquaredHingeProblem(Spectrum.of(F), T, 0.3)
    shape = (len(problem.spectrum.eigenvalues) + 1, K)
    for size in (0.01, 1.0, 10.0):
        a, b = size * rng.normal(size=(2, *shape))
        apart = np.linalg.norm(problem.gradient(a) - problem.gradient(b))
        assert apart <= (1 + 1e-9) * np.linalg.norm(a - b)


def test_weights_and_scaled_unknowns_are_two_names_of_one_scorer(data):
    rng = np.random.default_rng(7)
    F, T = features_and_signs(data[0], data[1])
    problem = SquaredHingeProblem(Spectrum.of(F), T, 0.3)
    W, b = rng.normal(size=(F.shape[1], K)), rng.normal(size=K)
    back, b_back = problem.unscaled(problem.scaled(W, b))
    np.testing.assert_allclose(F @ back + b_back, F @ W + b, atol=1e-8)
    slack = np.maximum(0, 1 - T * (F @ back + b_back))
    value = problem.value_and_gradient(problem.scaled(W, b))[0]
    assert value == pytest.approx((slack**2).sum() + 0.3 * (back**2).sum())


def test_the_squared_hinge_scorers_are_optimal_and_start_anywhere(data, partly):
    X, _, _ = data
    F, T = features_and_signs(X, partly)
    C = np.random.default_rng(8).dirichlet(np.ones(3), size=N)
    rng = np.random.default_rng(9)
    elsewhere = Scorers(
        rng.normal(size=(F.shape[1], K)), rng.normal(size=(3, K)), rng.normal(size=K)
    )
    starts = (Scorers.zero(F.shape[1], 3, K), elsewhere)
    one, two = (
        squared_hinge_scorers(F, C, T, 0.3, start, tol=1e-10, max_iter=5000) for start in starts
    )
    np.testing.assert_allclose(one.scores(F, C), two.scores(F, C), atol=1e-6)
    np.testing.assert_allclose(one.code_weights, two.code_weights, atol=1e-6)
    # The optimality conditions in the unscaled weights.
    slopes = 2 * T * np.maximum(0, np.abs(T) - T * one.scores(F, C))
    np.testing.assert_allclose(F.T @ slopes, 2 * 0.3 * one.weights, atol=1e-6)
    np.testing.assert_allclose(C.T @ slopes, 2 * 0.3 * one.code_weights, atol=1e-6)
    np.testing.assert_allclose(slopes.sum(axis=0), 0, atol=1e-6)


# The C-step.


@both_losses
def test_codes_without_weight_name_the_nearest_prototype(loss, code_problem):
    solve, _ = SOLVERS[loss]
    start = np.full((12, 6), 1 / 6)
    for size in (0.0, 1e-9):
        flat = code_problem._replace(weights=size * code_problem.weights)
        found = solve(flat, start, tol=1e-10, max_iter=500)
        np.testing.assert_allclose(found, np.eye(6)[flat.costs.argmin(axis=1)], atol=1e-6)


@both_losses
def test_no_random_code_is_better(loss, code_problem):
    solve, power = SOLVERS[loss]
    start = np.eye(6)[np.zeros(12, dtype=int)]
    found = solve(code_problem, start, tol=1e-9, max_iter=5000)
    assert found.min() >= 0
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-9)
    values = code_problem.values(found, power)
    rng = np.random.default_rng(10)
    for sparsity in (1.0, 0.1):
        points = rng.dirichlet(np.full(6, sparsity), size=20_000)
        for row in range(12):
            alone = code_problem.rows(np.full(len(points), row))
            assert values[row] <= alone.values(points, power).min() + 1e-7


def test_hinge_codes_solve_the_linear_programs(code_problem):
    start = np.full((12, 6), 1 / 6)
    found = code_problem.values(hinge_codes(code_problem, start, tol=1e-8, max_iter=20_000), 1)
    m = 6
    for row in range(12):
        T = code_problem.T[row]
        known = np.flatnonzero(T)
        program = linprog(
            np.concatenate([code_problem.costs[row], np.ones(known.size)]),
            A_ub=np.hstack([-(T * code_problem.weights)[:, known].T, -np.eye(known.size)]),
            b_ub=(T * code_problem.scores[row])[known] - 1,
            A_eq=np.concatenate([np.ones(m), np.zeros(known.size)])[None],
            b_eq=[1.0],
        )
        assert found[row] == pytest.approx(program.fun, rel=1e-6, abs=1e-6)


def test_squared_hinge_codes_are_stationary(code_problem):
    found = squared_hinge_codes(code_problem, np.full((12, 6), 1 / 6), tol=1e-10, max_iter=5000)
    slopes = code_problem.squared_hinge_gradient(found)
    # Prototypes in use have one slope, the least of the row.
    least = slopes.min(axis=1, keepdims=True)
    assert (slopes - least)[found > 1e-6].max() < 1e-5
    assert (found > 1e-6).sum(axis=1).max() > 1


def test_the_gradient_of_the_codes_is_that_of_their_values(code_problem):
    rng = np.random.default_rng(11)
    for _ in range(3):
        error = check_grad(
            lambda c: code_problem.values(c.reshape(12, 6), 2).sum(),
            lambda c: code_problem.squared_hinge_gradient(c.reshape(12, 6)).ravel(),
            rng.dirichlet(np.ones(6), size=12).ravel(),
            epsilon=1e-6,
        )
        assert error < 1e-4


# The classifier.


def test_one_prototype_is_binary_relevance_with_a_constant_feature(data):
    X, Y, X_new = data
    model = MLLOC(1, loss="hinge", gamma=GAMMA, alpha=0.5, scaling="none", random_state=0)
    S = model.fit(X, Y).decision_function(X_new)
    np.testing.assert_array_equal(model.codes_, np.ones((N, 1)))
    for label in range(K):
        machine = SVC(C=1.0, kernel="precomputed", tol=1e-8)
        machine.fit(rbf_kernel(X, gamma=GAMMA) + 1, Y[:, label])
        expected = machine.decision_function(rbf_kernel(X_new, X, gamma=GAMMA) + 1)
        np.testing.assert_allclose(S[:, label], expected, atol=1e-5)


def test_codes_of_new_rows_are_regressed_from_features(data):
    X, Y, X_new = data
    model = MLLOC(4, scaling="none", random_state=0).fit(X, Y)
    ridge = KernelRidge(random_state=0).fit(X, model.codes_, selection_targets=Y)
    assert ridge.gamma_ == model.gamma_
    kernel = rbf_kernel(X_new, X, gamma=model.gamma_)
    C = kernel @ model.code_dual_coef_ + model.code_intercept_
    np.testing.assert_allclose(C, ridge.predict(X_new), atol=1e-8)
    S = kernel @ model.dual_coef_ + C @ model.code_coef_ + model.intercept_
    np.testing.assert_allclose(model.decision_function(X_new), S, atol=1e-8)
    # The same row gets the same score in training as later, whatever its labels.
    np.testing.assert_allclose(
        model.decision_function(X)[3], model.decision_function(X[3:4])[0], atol=1e-8
    )


def test_projected_codes_lie_on_the_simplex(data):
    X, Y, X_new = data
    free = MLLOC(4, random_state=0).fit(X, Y)
    bound = MLLOC(4, project_codes=True, random_state=0).fit(X, Y)
    far = 3 * X_new
    C = bound.basis_.combine(bound.scaler_.transform(far), bound.code_dual_coef_)
    C += bound.code_intercept_
    inside = (C >= 0).all(axis=1)
    assert not inside.all()
    assert (bound._admissible(C) >= 0).all()
    np.testing.assert_array_equal(free._admissible(C), C)
    np.testing.assert_allclose(bound.code_coef_, free.code_coef_)
    assert not np.allclose(bound.decision_function(far), free.decision_function(far))


@both_losses
def test_scorers_of_out_of_sample_codes_rely_less_on_the_code(loss, data):
    X, Y, X_new = data
    known = MLLOC(loss=loss, random_state=0).fit(X, Y)
    honest = MLLOC(loss=loss, codes="out-of-sample", random_state=0).fit(X, Y)
    np.testing.assert_array_equal(known.codes_, honest.codes_)
    assert (honest.code_coef_**2).sum() < (known.code_coef_**2).sum()
    assert not np.allclose(known.decision_function(X_new), honest.decision_function(X_new))


def test_there_are_at_most_as_many_prototypes_as_label_sets(data):
    X, Y, _ = data
    model = MLLOC(50, random_state=0).fit(X[:, :2], Y[:, :2])
    assert model.prototypes_.shape == (4, 2)
    np.testing.assert_allclose(np.abs(model.prototypes_), 1)


def test_a_high_weight_of_distances_gives_codes_of_one_prototype(data):
    X, Y, _ = data
    model = MLLOC(6, prototype_penalty=1e4, random_state=0).fit(X, Y)
    nearest = prototype_distances(2 * Y - 1, model.prototypes_).argmin(axis=1)
    np.testing.assert_allclose(model.codes_, np.eye(6)[nearest], atol=1e-9)


def test_the_automatic_penalty_is_that_of_ridge_regression(data):
    X, Y, _ = data
    model = MLLOC(alpha="auto", random_state=0).fit(X, Y)
    ridge = KernelRidge(random_state=0).fit(model.scaler_.transform(X), Y)
    assert model.alpha_ == ridge.alpha_
    assert MLLOC(alpha=0.25, random_state=0).fit(X, Y).alpha_ == 0.25


@both_losses
def test_unknown_labels_matter_neither_as_ones_nor_as_zeros(loss, data, partly):
    X, _, X_new = data
    found = MLLOC(loss=loss, random_state=0).fit(X, partly).decision_function(X_new)
    assert np.isfinite(found).all()
    for filled in (0.0, 1.0):
        given = np.where(np.isnan(partly), filled, partly)
        other = MLLOC(loss=loss, random_state=0).fit(X, given).decision_function(X_new)
        assert np.abs(found - other).max() > 0.01


def test_probabilities_are_half_of_one_plus_the_score(data):
    X, Y, X_new = data
    model = MLLOC(random_state=0).fit(X, Y)
    P, S = model.predict_proba(X_new), model.decision_function(X_new)
    plain = np.abs(S) < 0.99
    assert plain.any()
    np.testing.assert_allclose(P[plain], (1 + S[plain]) / 2)
    np.testing.assert_array_equal(model.predict(X_new), S > 0)


def test_sampled_rows_span_the_kernel_of_large_sets(data):
    X, Y, X_new = data
    sampled = MLLOC(n_basis=60, random_state=0).fit(X, Y)
    assert sampled.dual_coef_.shape == (60, K)
    exact = MLLOC(random_state=0).fit(X, Y)
    agreement = np.corrcoef(
        sampled.decision_function(X_new).ravel(), exact.decision_function(X_new).ravel()
    )[0, 1]
    assert 0.9 < agreement < 1 - 1e-9


@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_kernels_without_a_width(kernel, data):
    X, Y, X_new = data
    model = MLLOC(kernel=kernel, random_state=0).fit(X, Y)
    assert model.gamma_ is None
    np.testing.assert_allclose(
        model.decision_function(sp.csr_array(X_new)), model.decision_function(X_new), atol=1e-8
    )


def test_thresholds_are_learnt_out_of_sample(data):
    X, Y, X_new = data
    for decision in ("micro", "macro"):
        model = MLLOC(decision=decision, random_state=0).fit(X, Y)
        assert np.all((model.decision_rule_.threshold_ > 0) & (model.decision_rule_.threshold_ < 1))
        assert model.predict(X_new).any()
    two = MLLOC(decision="micro", random_state=0).fit(X[:2], [[1, 0], [0, 1]])
    assert two.predict(X[:2]).shape == (2, 2)


def test_one_seed_gives_the_same_bytes_and_a_file_too(data, tmp_path):
    X, Y, X_new = data
    one, two = (MLLOC(random_state=3).fit(X, Y) for _ in range(2))
    expected = one.decision_function(X_new).tobytes()
    assert two.decision_function(X_new).tobytes() == expected
    dlst.save_model(one, tmp_path / "mlloc.skops")
    loaded = dlst.load_model(tmp_path / "mlloc.skops")
    assert loaded.decision_function(X_new).tobytes() == expected
    np.testing.assert_array_equal(loaded.predict(X_new), one.predict(X_new))


def test_too_few_rounds_are_one_warning(data):
    X, Y, _ = data
    model = MLLOC(6, prototype_penalty=0.1, tol=1e-9, max_iter=2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="in max_iter=2 rounds; raise max_iter") as caught:
        model.fit(X, Y)
    assert len(caught) == 1
    assert model.n_iter_ == 2
    assert len(model.objective_) == 7


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_prototypes", 0),
        ("n_prototypes", 2.5),
        ("alpha", 0.0),
        ("alpha", "some"),
        ("prototype_penalty", -1.0),
        ("loss", "logistic"),
        ("codes", "fitted"),
        ("project_codes", "yes"),
        ("tol", -1.0),
        ("max_iter", 0),
        ("gamma", "wide"),
        ("kernel", "fourier"),
        ("n_basis", 0),
    ],
)
def test_a_wrong_parameter_is_one_clear_error(parameter, value, data):
    with pytest.raises(ValueError, match=f"^{parameter} must be .*; got {value!r}"):
        MLLOC(**{parameter: value}).fit(data[0], data[1])


@pytest.mark.real_data
@both_losses
def test_emotions_are_ranked_better_than_by_frequency(loss, real_data):
    emotions = load_registered("emotions", download=False)
    train, test = emotions.subset(emotions.split.train), emotions.subset(emotions.split.test)
    model = MLLOC(loss=loss, random_state=0).fit(train.X, train.Y)
    assert (np.diff(model.objective_) <= 1e-9 * model.objective_[0]).all()
    found = instance_average_precision(test.Y, model.decision_function(test.X))
    prior = np.tile(train.Y.toarray().mean(axis=0), (test.Y.shape[0], 1))
    assert found > instance_average_precision(test.Y, prior) + 0.15
