"""CLEMS: costs become distances, the nearest candidate answers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import euclidean_distances

import dlst
from dlst.data.registry import load_registered
from dlst.encoders.labelsets import distinct_label_sets
from dlst.errors import DataError
from dlst.methods.clems import CLEMS
from dlst.methods.clems.costs import label_set_costs
from dlst.methods.clems.multidimensional_scaling import classical_start, mirrored_mds, random_start
from dlst.metrics import instance_average_precision

COSTS = ("hamming", "f1", "accuracy", "rank")
every_cost = pytest.mark.parametrize("cost", COSTS)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    Y = (X @ rng.normal(size=(4, 6)) + rng.normal(size=(80, 6)) > 0.4).astype(int)
    return X, Y, rng.normal(size=(25, 4))


@pytest.fixture(scope="module")
def label_sets(problem):
    return distinct_label_sets(problem[1])


class Oracle(Ridge):
    """A regressor that has learnt the codes of its training rows by heart."""

    def fit(self, X, y):
        self.rows_, self.targets_ = np.asarray(X), np.asarray(y)
        return self

    def predict(self, X):
        return self.targets_[euclidean_distances(X, self.rows_).argmin(axis=1)]


def slow_cost(truth, answer, cost):
    A, B = set(np.flatnonzero(truth)), set(np.flatnonzero(answer))
    if cost == "hamming":
        return len(A ^ B) / len(truth)
    if cost == "rank":
        pairs = [(i, j) for i in A for j in set(range(len(truth))) - A]
        wrong = [(answer[i] < answer[j]) + 0.5 * (answer[i] == answer[j]) for i, j in pairs]
        return float(sum(wrong))
    if not A and not B:
        return 0.0
    return 1 - (2 * len(A & B) / (len(A) + len(B)) if cost == "f1" else len(A & B) / len(A | B))


@every_cost
def test_costs_are_those_of_the_definitions(cost):
    rng = np.random.default_rng(1)
    truths, answers = rng.integers(0, 2, (9, 5)), rng.integers(0, 2, (7, 5))
    truths[0] = answers[0] = 0
    truths[1] = 1
    found = label_set_costs(sp.csr_array(truths * 1.0), sp.csr_array(answers * 1.0), cost)
    expected = [[slow_cost(a, b, cost) for b in answers] for a in truths]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def dense_guttman(truths, candidates, delta, weights):
    """A step of SMACOF as the authors write it: V⁺ B(Z) Z with matrices of all points."""
    u, m = delta.shape
    Z = np.vstack([truths, candidates])
    W, D = np.zeros((u + m, u + m)), np.zeros((u + m, u + m))
    W[:u, u:], D[:u, u:] = weights[:, None], delta
    W, D = W + W.T, D + D.T
    V = np.diag(W.sum(axis=1)) - W
    distances = euclidean_distances(Z)
    B = -W * np.divide(D, distances, out=np.zeros_like(D), where=distances > 0)
    B -= np.diag(B.sum(axis=1))
    return np.linalg.pinv(V) @ B @ Z


@pytest.mark.parametrize("n_candidates", [None, 5])
def test_a_step_is_the_authors_up_to_a_shift(n_candidates, label_sets):
    truths, candidates = label_sets.sets, label_sets.sets[:n_candidates]
    costs = label_set_costs(truths, candidates, "rank")
    weights = label_sets.counts.astype(float)
    start = random_start(costs, 3, np.random.RandomState(0))
    found = mirrored_mds(*start, np.sqrt(costs), weights, tol=0.0, max_iter=1)
    expected = dense_guttman(*start, np.sqrt(costs), weights)
    shift = expected[len(weights) :].mean(axis=0)
    expected -= shift
    np.testing.assert_allclose(found.truths, expected[: len(weights)], atol=1e-10)
    np.testing.assert_allclose(found.candidates, expected[len(weights) :], atol=1e-10)


@every_cost
@pytest.mark.parametrize("r", [2, 6])
def test_the_stress_never_rises(cost, r, label_sets):
    costs = label_set_costs(label_sets.sets, label_sets.sets, cost)
    weights = label_sets.counts.astype(float)
    for start in (
        random_start(costs, r, np.random.RandomState(0)),
        classical_start(costs, costs, weights, r),
    ):
        points, stresses = start, []
        for _ in range(30):
            step = mirrored_mds(*points, np.sqrt(costs), weights, tol=0.0, max_iter=1)
            points = step.truths, step.candidates
            stresses.append(step.stress)
        assert (np.diff(stresses) <= 1e-12).all()


def test_hamming_costs_are_embedded_exactly_by_the_labels_and_stay_so(label_sets):
    costs = label_set_costs(label_sets.sets, label_sets.sets, "hamming")
    weights = label_sets.counts.astype(float)
    points = label_sets.sets.toarray() / np.sqrt(6)
    found = mirrored_mds(points, points, np.sqrt(costs), weights, tol=0.0, max_iter=10)
    assert found.stress < 1e-15
    assert found.converged
    np.testing.assert_allclose(found.truths, points - points.mean(axis=0), atol=1e-7)
    np.testing.assert_allclose(found.candidates, points - points.mean(axis=0), atol=1e-7)


@pytest.mark.parametrize("cost", ["hamming", "f1", "accuracy"])
def test_classical_scaling_is_exact_in_enough_dimensions(cost, label_sets):
    # Roots of these costs are Euclidean distances: Dice and Jaccard are positive semidefinite.
    costs = label_set_costs(label_sets.sets, label_sets.sets, cost)
    chosen = np.arange(len(costs))
    truths, candidates = classical_start(costs, costs, label_sets.counts * 1.0, len(costs))
    np.testing.assert_allclose(truths, candidates, atol=1e-7)
    found = euclidean_distances(truths, candidates, squared=True)
    np.testing.assert_allclose(found, costs, atol=1e-8)
    assert found[chosen, chosen].max() < 1e-10


# The rank cost is not symmetric, so classical scaling of it is a rougher start.
@pytest.mark.parametrize("cost", ["hamming", "f1", "accuracy"])
def test_the_classical_start_is_no_worse_than_random_ones(cost, problem):
    X, Y, _ = problem
    classical = CLEMS(cost).fit(X, Y)
    drawn = CLEMS(cost, init="random", n_init=4, random_state=0).fit(X, Y)
    assert classical.stress_ <= drawn.stress_


def test_more_random_starts_lower_the_stress(problem):
    X, Y, _ = problem
    one, many = (
        CLEMS("f1", n_components=2, init="random", n_init=n, random_state=0).fit(X, Y)
        for n in (1, 10)
    )
    assert many.stress_ < one.stress_


@every_cost
@pytest.mark.parametrize("init", ["classical", "random"])
def test_exact_codes_decode_every_training_row(cost, init, problem):
    X, Y, _ = problem
    # A truth without labels costs nothing for any answer under the rank cost: no telling apart.
    X, Y = X[Y.any(axis=1) & ~Y.all(axis=1)], Y[Y.any(axis=1) & ~Y.all(axis=1)]
    model = CLEMS(cost, regressor=Oracle(), init=init, scaling="none", random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)


@pytest.mark.parametrize("factor", [0.25, 9.0])
def test_scaled_costs_scale_the_embedding_and_leave_decoding_alone(factor, problem, monkeypatch):
    X, Y, X_new = problem
    plain = CLEMS("f1", random_state=0).fit(X, Y)

    def scaled(*given):
        return factor * label_set_costs(*given)

    monkeypatch.setattr("dlst.methods.clems.estimator.label_set_costs", scaled)
    other = CLEMS("f1", random_state=0).fit(X, Y)
    np.testing.assert_allclose(
        euclidean_distances(other.candidate_codes_),
        np.sqrt(factor) * euclidean_distances(plain.candidate_codes_),
        atol=1e-6,
    )
    np.testing.assert_array_equal(other.predict(X_new), plain.predict(X_new))
    np.testing.assert_allclose(other.predict_proba(X_new), plain.predict_proba(X_new), atol=1e-6)


@every_cost
def test_the_answer_is_a_training_label_set_and_ranks_first(cost, problem, label_sets):
    X, Y, X_new = problem
    model = CLEMS(cost, random_state=0).fit(X, Y)
    decided, S = model.predict(X_new), model.decision_function(X_new)
    assert (label_sets.find(decided) >= 0).all()
    codes = model.regressor_.predict(model.scaler_.transform(X_new))
    nearest = euclidean_distances(codes, model.candidate_codes_).argmin(axis=1)
    np.testing.assert_array_equal(decided, model.candidates_[nearest].toarray())
    np.testing.assert_array_equal(S > 0, decided == 1)


def test_probabilities_are_half_the_answer_and_half_a_softmax_vote(problem):
    X, Y, X_new = problem
    model = CLEMS(random_state=0).fit(X, Y)
    codes = model.regressor_.predict(model.scaler_.transform(X_new))
    sets, prior = model.candidates_.toarray(), Y.mean(axis=0)
    for z, p, answer in zip(codes, model.predict_proba(X_new), model.predict(X_new), strict=True):
        squared = ((z - model.candidate_codes_) ** 2).sum(axis=1)
        weights = model.candidate_counts_ * np.exp(-squared / model.temperature_)
        vote = 0.99 * weights @ sets / weights.sum() + 0.01 * prior
        np.testing.assert_allclose(p, (answer + vote) / 2, atol=1e-9)


def test_the_temperature_ranks_left_out_rows_best(problem):
    X, Y, _ = problem
    model = CLEMS(random_state=0).fit(X, Y)
    codes, sets = model.regressor_.loo_predictions_, model.candidates_.toarray()
    own = (sets[None] == Y[:, None]).all(axis=2)
    squared = euclidean_distances(codes, model.candidate_codes_, squared=True)

    def quality(temperature):
        weights = (model.candidate_counts_ - own) * np.exp(-squared / temperature)
        P = 0.99 * (weights @ sets) / weights.sum(axis=1, keepdims=True) + 0.01 * Y.mean(axis=0)
        return instance_average_precision(Y, P, empty="skip")

    tried = squared.mean() * np.geomspace(0.003, 3.0, 13)
    assert np.isclose(tried, model.temperature_).sum() == 1
    assert quality(model.temperature_) >= max(quality(T) for T in tried) - 1e-9


def test_too_many_label_sets_leave_the_most_frequent_candidates(problem, label_sets):
    X, Y, X_new = problem
    model = CLEMS(max_candidates=8, random_state=0).fit(X, Y)
    assert model.candidates_.shape == (8, 6)
    left_out = np.setdiff1d(np.arange(len(label_sets)), label_sets.find(model.candidates_))
    assert model.candidate_counts_.min() >= label_sets.counts[left_out].max()
    assert (label_sets.find(model.predict(X_new)) >= 0).all()
    again = CLEMS(max_candidates=8, random_state=0).fit(X, Y)
    assert again.predict_proba(X_new).tobytes() == model.predict_proba(X_new).tobytes()


@every_cost
def test_a_single_label_is_learnt_where_its_errors_cost_anything(cost, problem):
    X, Y, _ = problem
    model = CLEMS(cost, random_state=0).fit(X, Y[:, :1])
    assert np.isfinite(model.predict_proba(X)).all()
    if cost == "rank":  # one label has no pairs: every answer costs nothing
        assert len(np.unique(model.predict(X))) == 1
    else:
        assert (model.predict(X) == Y[:, :1]).mean() > 0.8


def test_any_multi_output_regressor_serves(problem):
    X, Y, X_new = problem
    model = CLEMS(regressor=Ridge(1.0), n_components=1).fit(X, Y)
    assert model.candidate_codes_.shape[1] == 1
    assert model.predict_proba(X_new).shape == (25, 6)


def test_unknown_entries_are_refused(problem):
    X, Y, _ = problem
    unknown = Y.astype(float)
    unknown[3, 2] = np.nan
    with pytest.raises(DataError, match="CLEMS must know every label"):
        CLEMS().fit(X, unknown)


def test_sparse_and_dense_rows_agree(problem):
    X, Y, X_new = problem
    dense = CLEMS(scaling="none", random_state=0).fit(X, Y).predict_proba(X_new)
    sparse = CLEMS(scaling="none", random_state=0).fit(sp.csr_array(X), sp.csr_array(Y))
    np.testing.assert_allclose(sparse.predict_proba(sp.csr_array(X_new)), dense, atol=1e-8)


def test_a_saved_model_predicts_the_same(problem, tmp_path):
    X, Y, X_new = problem
    model = CLEMS(random_state=0).fit(X, Y)
    dlst.save_model(model, tmp_path / "m.skops")
    after = dlst.load_model(tmp_path / "m.skops")
    assert after.predict_proba(X_new).tobytes() == model.predict_proba(X_new).tobytes()
    np.testing.assert_array_equal(after.predict(X_new), model.predict(X_new))


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("cost", "auc"),
        ("init", "best"),
        ("n_components", 0),
        ("n_init", 0),
        ("max_candidates", 1),
        ("max_iter", 0.5),
        ("tol", -1.0),
        ("scaling", "huge"),
    ],
)
def test_a_wrong_parameter_is_named(parameter, value, problem):
    X, Y, _ = problem
    with pytest.raises(ValueError, match=f"^{parameter} must be .*; got {value!r}"):
        CLEMS(**{parameter: value}).fit(X, Y)


def test_an_unfinished_embedding_is_one_warning_that_says_what_to_change(problem):
    X, Y, _ = problem
    with pytest.warns(ConvergenceWarning, match="max_iter=2; raise max_iter, or tol") as caught:
        CLEMS("rank", max_iter=2, tol=0.0).fit(X, Y)
    assert len(caught) == 1


@pytest.mark.real_data
@every_cost
def test_labels_of_emotions_rank_above_the_prior(cost, real_data):
    data = load_registered("emotions", download=False)
    train, test = data.subset(data.split.train), data.subset(data.split.test)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CLEMS(cost, random_state=0).fit(train.X, train.Y)
    S = model.decision_function(test.X)
    prior = np.tile(model.prevalence_, (len(S), 1))
    assert instance_average_precision(test.Y, S) > instance_average_precision(test.Y, prior) + 0.1
