"""BR: the machines of scikit-learn label by label, from one kernel and in one product."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import dlst
from dlst.data.registry import load_registered
from dlst.methods.br import BR
from dlst.methods.br.calibration import MarginCalibration
from dlst.methods.br.machines import Trainer, out_of_fold_margins
from dlst.metrics import instance_average_precision

TIGHT = {"tol": 1e-10, "scaling": "none"}


def machines(**options):
    """Machines whose scores are their margins."""
    return BR(calibration=None, **options)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(120, 3)) > 0.4).astype(int)
    return X, Y, rng.normal(size=(30, 4))


@pytest.fixture(scope="module")
def emotions(real_data):
    data = load_registered("emotions")
    return data.subset(data.split.train), data.subset(data.split.test)


def as_float32(X):
    return X.astype(np.float32).astype(np.float64)


@pytest.mark.golden
@pytest.mark.real_data
def test_margins_are_those_of_the_reference(golden, emotions):
    train, test = emotions
    reference = np.load(golden / "br_svc_emotions.npz")
    model = machines(gamma="libsvm", tol=1e-10, scaling="standard").fit(
        as_float32(train.X), train.Y
    )
    assert model.gamma_ == pytest.approx(float(reference["gamma"]))
    margins = model.decision_function(as_float32(test.X))
    np.testing.assert_allclose(margins, reference["decision_tol1e8"], atol=1e-6)
    np.testing.assert_allclose(model.intercept_, reference["intercept_tol1e8"], atol=1e-6)
    dual = np.abs(model.dual_coef_).sum(axis=0) - 0.5 * np.einsum(
        "sk,st,tk->k",
        model.dual_coef_,
        model._kernel(model.support_vectors_, model.support_vectors_),
        model.dual_coef_,
    )
    np.testing.assert_allclose(dual, reference["dual_objective_tol1e8"], rtol=1e-7)


@pytest.mark.golden
@pytest.mark.real_data
def test_the_default_tolerance_is_libsvms(golden, emotions):
    train, test = emotions
    reference = np.load(golden / "br_svc_emotions.npz")
    model = machines(gamma="libsvm", scaling="standard").fit(as_float32(train.X), train.Y)
    margins = model.decision_function(as_float32(test.X))
    np.testing.assert_allclose(margins, reference["decision_tol1e8"], atol=1e-3)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_margins_are_those_of_one_machine_for_each_label(kernel, problem):
    X, Y, X_new = problem
    one_by_one = OneVsRestClassifier(SVC(kernel=kernel, gamma=0.3, tol=1e-10)).fit(X, Y)
    model = machines(kernel=kernel, gamma=0.3, **TIGHT).fit(X, Y)
    margins = model.decision_function(X_new)
    np.testing.assert_allclose(margins, one_by_one.decision_function(X_new), atol=1e-6)
    np.testing.assert_array_equal(model.predict(X_new), one_by_one.predict(X_new))
    np.testing.assert_allclose(model.predict_proba(X_new), expit(margins))
    union = set().union(*(machine.support_ for machine in one_by_one.estimators_))
    assert model.support_.tolist() == sorted(union)


def test_the_solution_is_optimal(problem):
    """KKT: 0 < |coef| < C on the margin, 0 beyond it, C within it; coefficients add up to 0."""
    X, Y, _ = problem
    model = machines(C=2.0, gamma=0.3, **TIGHT).fit(X, Y)
    alpha = np.zeros(Y.shape)
    alpha[model.support_] = model.dual_coef_
    t = 2 * Y - 1
    alpha = alpha * t
    slack = t * model.decision_function(X) - 1
    assert alpha.min() >= 0
    assert alpha.max() <= 2.0
    np.testing.assert_allclose((alpha * t).sum(axis=0), 0, atol=1e-9)
    assert slack[alpha == 0].min() > -1e-5
    assert slack[alpha == 2.0].max() < 1e-5
    np.testing.assert_allclose(slack[(alpha > 0) & (alpha < 2.0)], 0, atol=1e-5)


def test_labels_do_not_hear_of_each_other(problem):
    X, Y, X_new = problem
    S = machines().fit(X, Y).decision_function(X_new)
    mixed = machines().fit(X, Y[:, [2, 0, 1, 0]]).decision_function(X_new)
    np.testing.assert_allclose(mixed, S[:, [2, 0, 1, 0]], rtol=1e-12, atol=1e-12)


def test_doubled_rows_with_half_the_weight_change_nothing(problem):
    X, Y, X_new = problem
    once = machines(C=1.0, gamma=0.3, **TIGHT).fit(X, Y)
    twice = machines(C=0.5, gamma=0.3, **TIGHT).fit(np.vstack([X, X]), np.vstack([Y, Y]))
    np.testing.assert_allclose(
        twice.decision_function(X_new), once.decision_function(X_new), atol=1e-5
    )


def test_turning_a_label_round_turns_its_sign(problem):
    X, Y, X_new = problem
    S = machines(gamma=0.3, **TIGHT).fit(X, Y).decision_function(X_new)
    turned = machines(gamma=0.3, **TIGHT).fit(X, 1 - Y).decision_function(X_new)
    np.testing.assert_allclose(turned, -S, atol=1e-5)


@pytest.mark.parametrize("first", [0, 1])
def test_positives_score_higher_whatever_comes_first(first, problem):
    X, Y, _ = problem
    order = np.argsort(Y[:, 0] != first, kind="stable")
    S = machines().fit(X[order], Y[order, :1]).decision_function(X[order])[:, 0]
    present = Y[order, 0] == 1
    assert S[present].mean() > S[~present].mean() + 1


def test_a_label_is_learnt_from_the_rows_where_it_is_known(problem):
    X, Y, X_new = problem
    partly = Y.astype(float)
    partly[np.random.default_rng(1).random(Y.shape) < 0.3] = np.nan
    model = machines(gamma=0.3, **TIGHT).fit(X, partly)
    for label in range(3):
        known = ~np.isnan(partly[:, label])
        alone = SVC(gamma=0.3, tol=1e-10).fit(X[known], Y[known, label])
        np.testing.assert_allclose(
            model.decision_function(X_new)[:, label], alone.decision_function(X_new), atol=1e-7
        )


@pytest.mark.parametrize(
    ("gamma", "expected"), [(0.7, 0.7), ("libsvm", 0.25), ("scale", None), ("median", None)]
)
def test_widths(gamma, expected, problem):
    X, Y, _ = problem
    if gamma == "scale":
        expected = 1 / (4 * X.var())
    if gamma == "median":
        distances = ((X[:, None] - X) ** 2).sum(axis=2)
        expected = 1 / np.median(distances[np.triu_indices(120, 1)])
    model = machines(gamma=gamma, gamma_multiple=2.0, scaling="none").fit(X, Y)
    assert model.gamma_ == pytest.approx(2 * expected)
    assert machines(kernel="linear", gamma=gamma).fit(X, Y).gamma_ is None


@pytest.mark.parametrize("kernel", ["polynomial", "cosine", "chi2"])
def test_other_kernels_rank_better_than_chance(kernel, problem):
    X, Y, _ = problem
    X = np.abs(X) if kernel == "chi2" else X
    model = machines(kernel=kernel, degree=2, scaling="none").fit(X, Y)
    assert instance_average_precision(Y, model.decision_function(X), empty="skip") > 0.8


def test_a_function_is_a_kernel_too(problem):
    X, Y, X_new = problem
    by_name = machines(kernel="linear").fit(X, Y).decision_function(X_new)
    by_function = machines(kernel=lambda A, B: A @ B.T).fit(X, Y).decision_function(X_new)
    np.testing.assert_allclose(by_function, by_name, atol=1e-9)


def test_weights_of_positives(problem):
    X, Y, X_new = problem
    for weight in (3.0, "balanced"):
        model = machines(gamma=0.3, positive_weight=weight, **TIGHT).fit(X, Y)
        for label in range(3):
            share = Y[:, label].mean()
            weights = {0: 1.0, 1: (1 - share) / share if weight == "balanced" else weight}
            alone = SVC(gamma=0.3, tol=1e-10, class_weight=weights).fit(X, Y[:, label])
            np.testing.assert_allclose(
                model.decision_function(X_new)[:, label], alone.decision_function(X_new), atol=1e-6
            )


def test_landmarks_are_a_linear_machine_on_their_features(problem):
    X, Y, X_new = problem
    model = machines(approximation="nystroem", kernel="linear", n_basis=120, **TIGHT).fit(X, Y)
    assert model.approximation_ == "nystroem"
    for label in range(3):
        # In the basis of all rows the linear kernel is itself.
        alone = LinearSVC(dual=False, tol=1e-10, intercept_scaling=10.0).fit(X, Y[:, label])
        np.testing.assert_allclose(
            model.decision_function(X_new)[:, label], alone.decision_function(X_new), atol=1e-5
        )


@pytest.mark.parametrize("kernel", ["rbf", "cosine"])
def test_landmarks_rank_like_the_exact_machines(kernel, problem):
    X, Y, X_new = problem
    exact = machines(kernel=kernel).fit(X, Y)
    assert exact.approximation_ == "exact"
    sampled = machines(kernel=kernel, approximation="nystroem", n_basis=60, random_state=0).fit(
        X, Y
    )
    assert sampled.dual_coef_.shape == (60, 3)
    np.testing.assert_array_equal(
        sampled.support_vectors_, sampled.scaler_.transform(X)[sampled.support_]
    )
    for label in range(3):
        pair = exact.decision_function(X_new)[:, label], sampled.decision_function(X_new)[:, label]
        assert np.corrcoef(*pair)[0, 1] > 0.9


def test_many_rows_are_learnt_on_landmarks(problem, monkeypatch):
    monkeypatch.setattr("dlst.methods.br.estimator.EXACT_ROWS", 100)
    X, Y, _ = problem
    assert machines(random_state=0).fit(X, Y).approximation_ == "nystroem"
    assert machines(random_state=0).fit(X[:100], Y[:100]).approximation_ == "exact"


def test_thin_features_of_many_rows_get_linear_machines(monkeypatch):
    monkeypatch.setattr("dlst.methods.br.estimator.THIN_ROWS", 100)
    rng = np.random.default_rng(0)
    X = sp.random_array((150, 60), density=0.1, random_state=rng, format="csr")
    Y = (X @ rng.normal(size=(60, 3)) > 0.1).astype(float)
    model = machines(scaling="none", tol=1e-8).fit(X, Y)
    assert model.approximation_ == "linear"
    for label in range(3):
        machine = LinearSVC(C=1.0, dual=False, tol=1e-8, intercept_scaling=10.0)
        expected = machine.fit(X, Y[:, label]).decision_function(X)
        np.testing.assert_allclose(model.decision_function(X)[:, label], expected, atol=1e-6)
    assert machines(scaling="none").fit(X[:90], Y[:90]).approximation_ == "exact"
    assert BR().fit(X, Y).predict_proba(X).shape == (150, 3)


def test_landmarks_see_known_entries_only(problem):
    X, Y, X_new = problem
    partly = Y.astype(float)
    partly[:40, 0] = np.nan
    options = {"approximation": "nystroem", "n_basis": 120, "kernel": "linear", **TIGHT}
    S = machines(**options).fit(X, partly).decision_function(X_new)
    known = machines(**options).fit(X[40:], Y[40:]).decision_function(X_new)
    whole = machines(**options).fit(X, Y).decision_function(X_new)
    np.testing.assert_allclose(S[:, 0], known[:, 0], atol=1e-5)
    np.testing.assert_allclose(S[:, 1:], whole[:, 1:], atol=1e-9)


@pytest.mark.parametrize("approximation", ["exact", "nystroem"])
@pytest.mark.parametrize("kind", ["platt", "isotonic"])
def test_calibrated_probabilities_are_nearer_to_the_truth(kind, approximation):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(900, 3))
    chance = expit(X @ rng.normal(size=(3, 2)) - [0, 1.5])
    Y = (rng.random(chance.shape) < chance).astype(int)
    options = {"approximation": approximation, "n_basis": 50, "random_state": 0}
    plain = machines(**options).fit(X[:400], Y[:400])
    model = BR(calibration=kind, **options).fit(X[:400], Y[:400])
    errors = [np.square(m.predict_proba(X[400:]) - chance[400:]).mean() for m in (plain, model)]
    assert errors[1] < 0.75 * errors[0]
    S, P = model.decision_function(X[400:]), model.predict_proba(X[400:])
    np.testing.assert_allclose(expit(S), P, atol=1e-9)
    margins = plain.decision_function(X[400:])
    for label in range(2):
        order = np.argsort(margins[:, label])
        assert (np.diff(P[order, label]) >= 0).all()


def test_platt_solves_its_likelihood_equations():
    rng = np.random.default_rng(4)
    margins = 100 * rng.normal(size=(80, 1))
    Y = (margins[:, 0] / 100 + rng.normal(size=80) > 0.5).astype(float)
    found = MarginCalibration("platt").fit(margins, sp.csr_array(Y[:, None]))
    positive = Y.sum()
    targets = np.where(Y == 1, (positive + 1) / (positive + 2), 1 / (80 - positive + 2))
    residuals = found.probabilities(margins)[:, 0] - targets
    assert abs(residuals.sum()) < 1e-5
    assert abs(residuals @ margins[:, 0] / 100) < 1e-5


def test_margins_that_mislead_are_not_turned_round():
    margins = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    Y = sp.csr_array(np.array([[1.0], [1.0], [0.0], [0.0]]))
    found = MarginCalibration("platt").fit(margins, Y)
    assert 0 < found.slope_[0] < 1e-5


def test_out_of_fold_margins_do_not_know_their_row():
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(60, 2)), (rng.random((60, 2)) < 0.4).astype(float)
    Y[:5, 0] = np.nan
    gram = np.exp(-50 * ((X[:, None] - X) ** 2).sum(axis=2))
    trainer = Trainer(True, 100.0, 1e-3, -1, 1.0, None)
    margins = out_of_fold_margins(gram, sp.csr_array(Y), trainer)
    np.testing.assert_array_equal(np.isnan(margins), np.isnan(Y))
    # A kernel so narrow repeats what it has seen, and knows nothing of the rest.
    right = (margins[5:] > 0) == (Y[5:] == 1)
    assert right.mean() < 0.8


@pytest.mark.parametrize("kind", ["platt", "isotonic"])
def test_a_label_with_one_positive_is_not_placed_above_common_ones(kind, problem):
    X, Y, X_new = problem
    rare = np.column_stack([Y, np.arange(120) == 7])
    model = BR(calibration=kind).fit(X, rare)
    margins = machines().fit(X, rare).decision_function(X_new)[:, 3]
    P = model.predict_proba(X_new)
    np.testing.assert_array_equal(np.argsort(P[:, 3]), np.argsort(margins))
    assert 0.003 < P[:, 3].mean() < 0.03
    np.testing.assert_allclose(P[:, :3].mean(axis=0), Y.mean(axis=0), atol=0.2)


@pytest.mark.parametrize(
    "options",
    [{}, {"calibration": "isotonic"}, {"calibration": None}, {"approximation": "nystroem"}],
)
def test_sparse_features_and_saved_models_give_the_same(options, problem, tmp_path):
    X, Y, X_new = problem
    X, X_new = X * (np.abs(X) > 0.5), X_new * (np.abs(X_new) > 0.5)
    options = {"random_state": 0, **TIGHT, **options}
    dense = BR(**options).fit(X, Y)
    sparse = BR(**options).fit(sp.csr_array(X), Y)
    assert sp.issparse(sparse.support_vectors_)
    S = sparse.decision_function(sp.csr_array(X_new))
    np.testing.assert_allclose(S, dense.decision_function(X_new), atol=1e-6)
    dlst.save_model(sparse, tmp_path / "br.skops")
    loaded = dlst.load_model(tmp_path / "br.skops")
    assert loaded.decision_function(sp.csr_array(X_new)).tobytes() == S.tobytes()
    assert loaded.predict_proba(X_new).tobytes() == sparse.predict_proba(X_new).tobytes()


@pytest.mark.parametrize(
    "wrong",
    [
        {"C": 0},
        {"kernel": "precomputed"},
        {"gamma": "auto"},
        {"gamma": -1.0},
        {"gamma_multiple": 0},
        {"tol": 0},
        {"max_iter": -2},
        {"positive_weight": "even"},
        {"calibration": "sigmoid"},
        {"approximation": "coarse"},
        {"n_basis": 0},
        {"scaling": "huge"},
    ],
)
def test_a_wrong_parameter_is_named(wrong, problem):
    X, Y, _ = problem
    (name, value) = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=f"^{name} must be .*; got {value!r}"):
        BR(**wrong).fit(X, Y)


@pytest.mark.parametrize("approximation", ["exact", "nystroem"])
def test_too_few_steps_are_one_warning(approximation, problem):
    X, Y, _ = problem
    with pytest.warns(ConvergenceWarning, match=r"3 of 3 labels .* max_iter=1; raise") as caught:
        BR(C=100.0, max_iter=1, approximation=approximation).fit(X, Y)
    assert len(caught) == 1


@pytest.mark.real_data
def test_emotions_are_ranked_far_better_than_by_the_prior(emotions):
    train, test = emotions
    model = BR().fit(train.X, train.Y)
    prior = np.tile(train.Y.mean(axis=0), (test.n_samples, 1))
    S = model.decision_function(test.X)
    assert instance_average_precision(test.Y, S) > instance_average_precision(test.Y, prior) + 0.1


@pytest.mark.real_data
def test_scene_has_the_margins_of_one_against_the_rest(real_data):
    data = load_registered("scene")
    train, test = data.subset(data.split.train[:400]), data.subset(data.split.test[:200])
    scaler = StandardScaler().fit(train.X)
    rest = OneVsRestClassifier(SVC(gamma=1 / 294, tol=1e-9)).fit(
        scaler.transform(train.X), train.Y.toarray().astype(int)
    )
    model = machines(gamma="libsvm", tol=1e-9, scaling="standard").fit(train.X, train.Y)
    np.testing.assert_allclose(
        model.decision_function(test.X),
        rest.decision_function(scaler.transform(test.X)),
        atol=1e-6,
    )


def test_margins_that_do_not_vary_have_the_probability_of_the_label():
    Y = sp.csr_array([[0.0], [1], [0], [1], [1], [1], [0], [1]])
    for spread in (0.0, 1e-9):
        margins = 2.0 + spread * np.arange(8.0)[:, None]
        found = MarginCalibration("platt").fit(margins, Y)
        # Platt's smoothed targets: 6/7 five times, 1/5 three times.
        assert found.probabilities(margins)[0, 0] == pytest.approx((5 * 6 / 7 + 3 / 5) / 8)


def test_linear_machines_name_the_limit_that_they_ran_into(monkeypatch, problem):
    X, Y, *_ = problem
    monkeypatch.setattr("dlst.methods.br.machines._LINEAR_ITERATIONS", 1)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1; raise"):
        machines(C=100.0, approximation="nystroem").fit(X, Y)


@pytest.mark.parametrize("kind", ["platt", "isotonic", None])
def test_the_authors_decide_by_the_sign_of_the_margin_calibrated_or_not(kind, problem):
    X, Y, X_new = problem
    margins = machines().fit(X, Y).decision_function(X_new)
    np.testing.assert_array_equal(BR(calibration=kind).fit(X, Y).predict(X_new), margins > 0)


def test_rules_learn_on_margins_of_held_out_folds(problem):
    X, Y, _ = problem
    model = BR(decision="macro")
    rows, P = model.fit_out_of_sample(X, Y)[:2]
    design = model._kernel(model.scaler_.transform(X), model.scaler_.transform(X))
    margins = out_of_fold_margins(
        design, sp.csr_array(Y.astype(float)), model._trainer(is_kernel=True)
    )
    np.testing.assert_array_equal(rows, np.arange(120))
    np.testing.assert_allclose(P, model.calibration_.probabilities(margins), atol=1e-3)
