"""MIML: the reference's numbers, closed forms against slow twins, missing labels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from miml_problems import PHIS, labelled_rows, phi_of
from sklearn.exceptions import ConvergenceWarning

import dlst
from dlst import metrics
from dlst.data.registry import load_registered
from dlst.errors import DataError
from dlst.methods.miml import MIML
from dlst.methods.miml.alternation import alternate_weights, complete_labels
from dlst.methods.miml.inference import Posterior, SparseLabels, sparse_means
from dlst.methods.miml.regression import chosen_regression

LITERAL = {
    "weight_scale": 1.0,
    "kernel": "linear",
    "fit_intercept": False,
    "scaling": "none",
}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def problem(rng):
    return labelled_rows(rng)


def cases(golden):
    with np.load(golden / "bcs_emotions.npz") as file:
        stored = dict(file)
    return stored, sorted(key[: -len("_M_W")] for key in stored if key.endswith("_M_W"))


def literal_model(stored, case, **parameters):
    sigma, chi = stored[f"{case}_sigma_chi"]
    phi = stored["phi_" + case.split("_")[0]]
    model = MIML(phi, noise=sigma**2 + chi**2, chi_ratio=chi / sigma, **LITERAL, **parameters)
    return model.fit(stored["Xtr"], stored["Ytr"])


@pytest.mark.golden
def test_iterated_training_and_inference_equal_the_reference_program(golden):
    stored, names = cases(golden)
    assert len(names) == 15
    for case in names:
        model = literal_model(stored, case, training="iterated", tol=1e-2, max_iter=500)
        np.testing.assert_allclose(model.weights_, stored[f"{case}_M_W"], atol=1e-9)
        means = model.decision_function(stored["Xte"]) + 0.5
        np.testing.assert_allclose(means, stored[f"{case}_test_my"], atol=1e-9)
        _, codes, rounds = model.model_.alternate(
            stored["Xte"] @ model.weights_, tol=1e-2, max_iter=500
        )
        np.testing.assert_allclose(codes, stored[f"{case}_test_mz"], atol=1e-9)
        assert [model.n_iter_, rounds] == stored[f"{case}_iters_train_test"].tolist()


@pytest.mark.golden
def test_closed_training_is_the_fixed_point_of_the_reference(golden):
    stored, names = cases(golden)
    for case in names:
        model = literal_model(stored, case)
        np.testing.assert_allclose(model.weights_, stored[f"{case}_M_W_fixedpoint"], atol=1e-9)
        assert model.n_iter_ == 1


# The card's unit tests.


@pytest.mark.parametrize("kind", PHIS)
def test_iterated_training_converges_to_the_ridge_solution(kind, rng):
    F, Y = rng.normal(size=(40, 4)), rng.random((40, 5)).round()
    model = SparseLabels.of(phi_of(kind, rng), 0.7, 1.5, 1e-6, 1e-6)
    W, _ = alternate_weights(model, F, model.codes(Y), tol=1e-13, max_iter=5000)
    ridge = np.linalg.solve(F.T @ F + 0.7 * np.eye(4), F.T @ model.codes(Y))
    np.testing.assert_allclose(W, ridge, atol=1e-10)


@pytest.mark.parametrize("kind", PHIS)
def test_for_fixed_precisions_updates_of_codes_and_labels_converge_to_the_closed_form(kind, rng):
    phi = phi_of(kind, rng)
    model = SparseLabels(phi, 0.3, 0.5, 1e-6, 1e-6)
    Phi = np.eye(5) if phi is None else phi
    T, spread = rng.normal(size=(7, len(Phi))), rng.uniform(0.1, 3, size=(7, 5))
    found = model.posterior(T, spread)
    for t, g, mean, variance in zip(T, spread, *found, strict=True):
        Sigma = np.linalg.inv(np.diag(1 / g) + Phi.T @ Phi / 0.5)
        y = np.zeros(5)
        for _ in range(2000):
            z = (t / 0.3 + Phi @ y / 0.5) / (1 / 0.3 + 1 / 0.5)
            y = Sigma @ Phi.T @ z / 0.5
        np.testing.assert_allclose(mean, y, atol=1e-10)
        np.testing.assert_allclose(variance, np.diag(Sigma), atol=1e-12)


def test_inverses_of_codes_and_of_labels_agree(rng):
    phi = rng.normal(size=(3, 5))
    model = SparseLabels(phi, 0.2, 0.4, 1e-6, 1e-6)
    T, spread, within = rng.normal(size=(6, 3)), rng.uniform(0, 2, (6, 5)), rng.uniform(1, 2, 6)
    spread[:, 2] = 0
    by_codes = model._by_codes(phi, T, spread, within[:, None])
    by_labels = model._by_labels(phi, T, spread, within[:, None])
    for one, other in zip(by_codes, by_labels, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    assert (by_codes[0][:, 2] == 0).all(), "a spread of zero fixes a label at zero"


def test_without_sparsity_the_means_are_ridge_regression(problem):
    X, Y, X_new, _ = problem
    # a0 far below b0 keeps E[a] tiny, whatever the labels.
    model = MIML(noise=0.5, a0=1e-9, b0=1e9, **LITERAL).fit(X, Y)
    ridge = X_new @ np.linalg.solve(X.T @ X + 0.5 * np.eye(6), X.T @ Y)
    np.testing.assert_allclose(model.decision_function(X_new) + 0.5, ridge, atol=0.015)
    np.testing.assert_array_equal(
        model.decision_function(X_new).argsort(axis=1), ridge.argsort(axis=1)
    )


def test_with_the_identity_sparsity_keeps_the_order_of_ridge_regression(problem):
    X, Y, X_new, _ = problem
    model = MIML(noise=0.2, **LITERAL).fit(X, Y)
    ridge = X_new @ np.linalg.solve(X.T @ X + 0.2 * np.eye(6), X.T @ Y)
    S = model.decision_function(X_new)
    np.testing.assert_array_equal(S.argsort(axis=1), ridge.argsort(axis=1))
    assert (np.abs(S + 0.5) < 0.01).mean() > 0.3, "many labels are cut to zero"


# Inference.


@pytest.mark.parametrize(("sigma2", "chi2"), [(0.001, 0.1), (0.05, 0.05), (0.1, 0.001)])
def test_the_inference_ends_at_the_closed_sparse_means(sigma2, chi2, rng):
    T = rng.uniform(-1.5, 1.5, size=(300, 1))
    model = SparseLabels(None, sigma2, chi2, 1e-12, 1e-12)
    found, _ = model.infer(T, tol=1e-9, max_iter=4000)
    expected = sparse_means(T, sigma2, chi2)
    # Next to the edge of what is cut, the rounds approach their end ever more slowly.
    settled = np.abs(found.mean - expected) < 1e-3
    assert settled.mean() > 0.97
    assert (expected == 0).any()
    assert (np.abs(expected) > 0.5).any()


@pytest.mark.parametrize("kind", PHIS)
def test_a_row_is_inferred_alike_alone_and_among_others(kind, rng, monkeypatch):
    phi = phi_of(kind, rng)
    model = SparseLabels.of(phi, 0.05, 10.0, 1e-6, 1e-6)
    T = rng.uniform(0, 1, size=(20, 5 if phi is None else len(phi)))
    together, converged = model.infer(T, tol=1e-3, max_iter=500)
    assert converged
    alone = [model.infer(t[None], tol=1e-3, max_iter=500)[0] for t in T]
    np.testing.assert_allclose(np.vstack([a.mean for a in alone]), together.mean, atol=1e-12)
    monkeypatch.setattr("dlst.methods.miml.inference._BLOCK", 100)
    in_blocks, _ = model.infer(T, tol=1e-3, max_iter=500)
    np.testing.assert_allclose(in_blocks.variance, together.variance, atol=1e-12)


def test_precisions_follow_their_posterior_and_keep_to_the_bounds():
    model = SparseLabels(None, 0.1, 0.1, 2.0, 3.0)
    found = Posterior(np.array([[0.5, 0.0]]), np.array([[0.25, 1e30]]))
    np.testing.assert_allclose(model.spread(found), [[(3 + 0.25) / 2.5, 1e10]])
    np.testing.assert_allclose(model.first_spread((1, 1)), [[1.5]])


def test_too_few_rounds_are_said_with_a_remedy(problem):
    X, Y, X_new, _ = problem
    model = MIML(max_iter=2, random_state=0).fit(X, Y)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 rounds; raise max_iter, or tol"):
        model.predict_proba(X_new)
    Y[::3, 0] = np.nan
    with pytest.warns(ConvergenceWarning, match="unknown labels did not settle"):
        model.fit(X, Y)


# Regression, noise and compression.


@pytest.mark.parametrize("kernel", ["rbf", "linear", "cosine"])
def test_leave_one_out_is_what_refitting_without_the_row_gives(kernel, rng):
    X, Y = rng.normal(size=(15, 3)), rng.normal(size=(15, 2))
    regression = chosen_regression(
        X,
        Y,
        kernel=kernel,
        gamma="auto",
        n_basis="auto",
        with_constant=True,
        penalty=None,
        random_state=0,
    )
    F, left_out = regression.features.of(X), regression.left_out(Y)
    p = F.shape[1]
    np.testing.assert_allclose(regression.gram, F.T @ F, atol=1e-10 * (F**2).sum())
    for row in range(15):
        G, T = np.delete(F, row, axis=0), np.delete(Y, row, axis=0)
        W = np.linalg.solve(G.T @ G + regression.penalty * np.eye(p), G.T @ T)
        np.testing.assert_allclose(left_out[row], F[row] @ W, atol=1e-7)
    np.testing.assert_allclose(F @ regression.weights(Y), regression.fitted(Y), atol=1e-8)


def test_noise_and_weight_scale_settle_each_other(problem):
    X, Y, *_ = problem
    free = MIML(random_state=0).fit(X, Y)
    assert free.weight_scale_**2 * free.penalty_ == pytest.approx(free.noise_)
    given = MIML(noise=0.01, random_state=0).fit(X, Y)
    assert (given.noise_, given.penalty_) == (pytest.approx(0.01), free.penalty_)
    scaled = MIML(weight_scale=1.0, random_state=0).fit(X, Y)
    assert scaled.noise_ == pytest.approx(scaled.penalty_)


def test_scaling_features_changes_no_prediction(problem):
    X, Y, X_new, _ = problem
    one = MIML(kernel="linear", scaling="none").fit(X, Y).predict_proba(X_new)
    other = MIML(kernel="linear", scaling="none").fit(100 * X, Y).predict_proba(100 * X_new)
    np.testing.assert_allclose(one, other, atol=1e-9)


@pytest.mark.parametrize(("compression", "r"), [(3, 3), (0.5, 3), (2.0, 10), (np.int64(4), 4)])
def test_a_number_draws_a_compression_of_that_size(compression, r, problem):
    X, Y, X_new, _ = problem
    model = MIML(compression, random_state=0).fit(X, Y)
    assert model.phi_.shape == (r, 5)
    np.testing.assert_allclose(np.linalg.norm(model.phi_, axis=0), 1)
    again = MIML(compression, random_state=0).fit(X, Y)
    assert again.predict_proba(X_new).tobytes() == model.predict_proba(X_new).tobytes()
    assert not np.array_equal(MIML(compression, random_state=1).fit(X, Y).phi_, model.phi_)


def test_an_identity_array_is_the_identity(problem):
    X, Y, X_new, _ = problem
    plain = MIML(random_state=0).fit(X, Y).decision_function(X_new)
    given = MIML(np.eye(5), random_state=0).fit(X, Y).decision_function(X_new)
    np.testing.assert_allclose(given, plain, atol=1e-8)


@pytest.mark.filterwarnings("ignore:.*only one value:UserWarning")
def test_a_given_compression_loses_the_columns_of_constant_labels(problem, rng):
    X, Y, *_ = problem
    Y[:, 1] = 0
    phi = rng.normal(size=(3, 5))
    model = MIML(phi, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.phi_, np.delete(phi, 1, axis=1))
    deviations = model.predict_std(X)
    assert (deviations[:, 1] == 0).all()
    assert (np.delete(deviations, 1, axis=1) > 0).all()


def test_labels_cut_to_zero_are_ranked_by_the_plain_solution(problem):
    X, Y, X_new, _ = problem
    model = MIML(3, noise=0.3, random_state=0).fit(X, Y)
    T = model._features(X_new) @ model.weights_
    mean, plain = model._infer(T).mean, T @ np.linalg.pinv(model.phi_).T
    S = model.decision_function(X_new) + 0.5
    cut = np.abs(mean) < 0.01
    assert cut.any()
    for row in range(len(S)):
        among = np.flatnonzero(cut[row])
        np.testing.assert_array_equal(
            among[S[row, among].argsort()], among[plain[row, among].argsort()]
        )
        np.testing.assert_allclose(S[row, ~cut[row]], mean[row, ~cut[row]], atol=1e-14)
    assert (np.abs(S[cut]) < 0.01).all()


# Unknown labels.


@pytest.mark.parametrize("kind", PHIS)
def test_completed_labels_are_a_fixed_point_of_the_two_updates(kind, problem, rng):
    X, Y, *_ = problem
    known = rng.random(Y.shape) < 0.7
    regression = chosen_regression(
        X,
        Y,
        kernel="linear",
        gamma="auto",
        n_basis="auto",
        with_constant=True,
        penalty=5.0,
        random_state=0,
    )
    model = SparseLabels.of(phi_of(kind, rng), 0.01, 10.0, 1e-6, 1e-6)
    start = np.where(known, Y, 0.3)
    found = complete_labels(model, regression, start, known, tol=1e-7, max_iter=20000)
    assert found.converged
    np.testing.assert_array_equal(found.labels[known], Y[known])
    T = regression.features.of(X) @ regression.weights(model.codes(found.labels))
    Phi = np.eye(5) if model.phi is None else model.phi
    row = int(np.flatnonzero((~known).sum(axis=1) >= 2)[0])
    u, o = np.flatnonzero(~known[row]), np.flatnonzero(known[row])
    y = found.labels[row, u]
    # The precisions that this mean is the best answer to must come from it.
    residual = T[row] - Phi[:, o] @ Y[row, o]
    spread = np.ones(len(u))
    for _ in range(20000):
        mean = np.linalg.solve(
            np.diag(1 / spread) + Phi[:, u].T @ Phi[:, u] / model.noise,
            Phi[:, u].T @ residual / model.noise,
        )
        Sigma = np.linalg.inv(np.diag(1 / spread) + Phi[:, u].T @ Phi[:, u] / model.chi2)
        spread = (1e-6 + 0.5 * (np.diag(Sigma) + mean**2)) / (1e-6 + 0.5)
    np.testing.assert_allclose(y, mean, atol=2e-3)


def test_latent_labels_beat_filling_with_zeros(problem, rng):
    X, Y, X_new, Y_new = problem
    Z = np.where(rng.random(Y.shape) < 0.5, Y, np.nan)

    def precision(labels):
        S = MIML(random_state=0).fit(X, labels).decision_function(X_new)
        return metrics.micro_f1(Y_new, (S > 0).astype(float))

    assert precision(Z) > precision(np.nan_to_num(Z)) + 0.1


def test_the_iterated_training_refuses_unknown_labels(problem):
    X, Y, *_ = problem
    Y[3, 1] = np.nan
    with pytest.raises(DataError, match="MIML must know every label"):
        MIML(training="iterated").fit(X, Y)


# House habits.


def test_sparse_and_dense_rows_give_the_same_scores(problem):
    X, Y, X_new, _ = problem
    for kernel in ("rbf", "linear"):
        dense = MIML(kernel=kernel, scaling="none", random_state=0).fit(X, Y)
        sparse = MIML(kernel=kernel, scaling="none", random_state=0).fit(sp.csr_array(X), Y)
        np.testing.assert_allclose(
            sparse.decision_function(sp.csr_array(X_new)), dense.decision_function(X_new), atol=1e-7
        )


@pytest.mark.parametrize("decision", ["micro", "macro"])
def test_thresholds_are_learnt_on_left_out_rows(decision, problem):
    X, Y, X_new, Y_new = problem
    plain = metrics.micro_f1(Y_new, MIML(random_state=0).fit(X, Y).predict(X_new))
    model = MIML(decision=decision, random_state=0).fit(X, Y)
    assert np.all(model.decisions_.rules_[decision].threshold_ <= 0.5)
    assert metrics.micro_f1(Y_new, model.predict(X_new)) > plain - 0.02


@pytest.mark.parametrize("parameters", [{}, {"compression": 3}, {"kernel": "linear"}])
def test_a_saved_model_predicts_and_queries_the_same(parameters, problem, tmp_path):
    X, Y, X_new, _ = problem
    model = MIML(**parameters, random_state=0).fit(X, Y)
    dlst.save_model(model, tmp_path / "miml.skops")
    loaded = dlst.load_model(tmp_path / "miml.skops")
    assert loaded.predict_proba(X_new).tobytes() == model.predict_proba(X_new).tobytes()
    assert loaded.predict_std(X_new).tobytes() == model.predict_std(X_new).tobytes()
    np.testing.assert_array_equal(loaded.query(X_new, 3), model.query(X_new, 3))


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("compression", "random"),
        ("compression", 0),
        ("compression", np.ones((2, 3))),
        ("noise", 0.0),
        ("weight_scale", -1),
        ("chi_ratio", 0),
        ("a0", "small"),
        ("b0", 0),
        ("tol", 0),
        ("max_iter", 0),
        ("kernel", "chi2"),
        ("gamma", "wide"),
        ("n_basis", 0),
        ("training", "slow"),
        ("fit_intercept", "yes"),
    ],
)
def test_a_wrong_parameter_is_one_clear_error(parameter, value, problem):
    X, Y, *_ = problem
    with pytest.raises(ValueError, match=f"^{parameter} must be .*; got"):
        MIML(**{parameter: value}).fit(X, Y)


@pytest.mark.real_data
@pytest.mark.parametrize("parameters", [{}, {"compression": 2.0}, {"kernel": "linear"}])
def test_emotions_are_ranked_better_than_by_prevalence(parameters, real_data):
    data = load_registered("emotions", download=False)
    train, test = data.subset(data.split.train), data.subset(data.split.test)
    model = MIML(**parameters, random_state=0).fit(train.X, train.Y)
    prior = np.tile(model.prevalence_, (test.X.shape[0], 1))
    ours = metrics.instance_average_precision(test.Y, model.decision_function(test.X))
    assert ours > metrics.instance_average_precision(test.Y, prior) + 0.1
