"""RAKEL: small label sets as classes, and their mean."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import dlst
from dlst.data.registry import load_registered
from dlst.errors import DataError
from dlst.methods.rakel import RAKEL
from dlst.metrics import instance_average_precision

PLAIN = {"scaling": "none", "random_state": 0}


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    Y = (X @ rng.normal(size=(4, 7)) + rng.normal(size=(90, 7)) > 0.4).astype(int)
    return X, Y, rng.normal(size=(25, 4))


def test_sets_of_one_are_the_base_for_each_label(problem):
    X, Y, X_new = problem
    base = LogisticRegression(C=0.3)
    model = RAKEL(base, 1, **PLAIN).fit(X, Y)
    assert len(model.estimators_) == 7
    assert (model.weights_ == 10).all()
    for label in range(7):
        alone = base.fit(X, Y[:, label]).predict_proba(X_new)[:, 1]
        np.testing.assert_allclose(model.predict_proba(X_new)[:, label], alone, rtol=1e-9)


@pytest.mark.parametrize("size", [4, 9])
def test_a_set_of_all_labels_is_the_label_powerset_learnt_once(size, problem):
    X, Y, X_new = problem
    base = LogisticRegression()
    model = RAKEL(base, size, **PLAIN).fit(X, Y[:, :4])
    assert len(model.estimators_) == 1
    names = np.array(["".join(map(str, row)) for row in Y[:, :4]])
    powerset = base.fit(X, names)
    expected = np.zeros((25, 4))
    for name, chance in zip(powerset.classes_, powerset.predict_proba(X_new).T, strict=True):
        for label in range(4):
            expected[:, label] += chance * (name[label] == "1")
    np.testing.assert_allclose(model.predict_proba(X_new), expected, atol=1e-9)


def test_scores_are_sums_over_the_combinations_with_the_label(problem):
    X, Y, X_new = problem
    model = RAKEL(n_partitions=1, **PLAIN).fit(X, Y)
    P = model.predict_proba(X_new)
    parts = zip(model.label_sets_, model.combinations_, model.estimators_, strict=True)
    for members, combinations, estimator in parts:
        chances = estimator.predict_proba(X_new * model.length_factor_)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        for place, label in enumerate(members):
            holds = combinations[:, place] == 1
            np.testing.assert_allclose(P[:, label], chances[:, holds].sum(axis=1))
    assert P.min() >= 0
    assert P.max() <= 1


def test_partitions_are_disjoint_and_complete(problem):
    X, Y, _ = problem
    model = RAKEL(n_partitions=1, **PLAIN).fit(X, Y)
    assert sorted(map(len, model.label_sets_)) == [1, 3, 3]
    assert sorted(np.concatenate(model.label_sets_).tolist()) == list(range(7))


def test_the_mean_over_partitions_weighs_sets_by_their_draws(problem):
    X, Y, X_new = problem
    model = RAKEL(labelset_size=2, n_partitions=30, **PLAIN).fit(X, Y[:, :3])
    # Three labels in pairs: {a, b} and the one left over; only six different sets exist.
    assert len(model.label_sets_) == 6
    assert model.weights_.sum() == 60
    singles, pairs = {}, {}
    parts = zip(model.label_sets_, model.combinations_, model.estimators_, strict=True)
    for members, combinations, estimator in parts:
        chances = estimator.predict_proba(X_new * model.length_factor_) @ combinations
        (singles if len(members) == 1 else pairs)[tuple(members)] = chances
    weights = {tuple(m): w for m, w in zip(model.label_sets_, model.weights_, strict=True)}
    expected = weights[(0,)] * singles[(0,)][:, 0]
    expected = (
        expected + weights[(0, 1)] * pairs[(0, 1)][:, 0] + weights[(0, 2)] * pairs[(0, 2)][:, 0]
    )
    np.testing.assert_allclose(model.predict_proba(X_new)[:, 0], expected / 30)


@pytest.mark.parametrize(("n_sets", "expected"), [(3, 3), (14, 14), (1000, comb(7, 3))])
def test_overlapping_sets_are_different_and_leave_no_label_out(n_sets, expected, problem):
    X, Y, X_new = problem
    model = RAKEL(DecisionTreeClassifier(max_depth=1), n_sets=n_sets, **PLAIN).fit(X, Y)
    sets = {tuple(members) for members in model.label_sets_}
    assert len(model.label_sets_) == len(sets) == expected
    assert all(len(members) == 3 for members in sets)
    assert set().union(*sets) == set(range(7))
    assert np.isfinite(model.predict_proba(X_new)).all()


def test_too_few_sets_are_one_clear_error(problem):
    X, Y, _ = problem
    with pytest.raises(ValueError, match=r"n_sets must be at least 3, .* got n_sets=2"):
        RAKEL(n_sets=2).fit(X, Y)


@pytest.mark.parametrize(("K", "expected"), [(7, 10), (500, 4), (4000, 3)])
def test_many_labels_get_fewer_partitions(K, expected):
    _, weights = RAKEL(labelset_size=1)._draw(K, np.random.RandomState(0))
    assert (weights == expected).all()


def test_a_combination_that_occurs_once_is_a_class(problem):
    X, Y, X_new = problem
    once = np.column_stack([Y[:, :2], np.arange(90) == 3])
    model = RAKEL(**PLAIN).fit(X, once)
    assert (model.combinations_[0][:, 2] == 1).sum() == 1
    assert 0 < model.predict_proba(X_new)[:, 2].max() < 0.5


def test_the_default_does_not_depend_on_the_unit_of_the_features(problem):
    X, Y, X_new = problem
    P = RAKEL(n_partitions=2, **PLAIN).fit(X, Y).predict_proba(X_new)
    scaled = RAKEL(n_partitions=2, **PLAIN).fit(1000 * X, Y).predict_proba(1000 * X_new)
    np.testing.assert_allclose(scaled, P, atol=1e-9)


def test_a_base_gets_a_seed(problem):
    X, Y, X_new = problem
    base = DecisionTreeClassifier(max_features=1, max_depth=2)
    P, again, other = (
        RAKEL(base, n_partitions=2, random_state=seed).fit(X, Y).predict_proba(X_new)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(P, again)
    assert not np.array_equal(P, other)
    assert base.random_state is None


@pytest.mark.parametrize("n_sets", [None, 5])
def test_sparse_features_and_saved_models_give_the_same(n_sets, problem, tmp_path):
    X, Y, X_new = problem
    X, X_new = X * (np.abs(X) > 0.5), X_new * (np.abs(X_new) > 0.5)
    options = {"n_partitions": 2, "n_sets": n_sets, **PLAIN}
    dense = RAKEL(**options).fit(X, Y).predict_proba(X_new)
    sparse = RAKEL(**options).fit(sp.csr_array(X), Y)
    P = sparse.predict_proba(sp.csr_array(X_new))
    np.testing.assert_allclose(P, dense, atol=1e-4)
    dlst.save_model(sparse, tmp_path / "rakel.skops")
    loaded = dlst.load_model(tmp_path / "rakel.skops")
    assert loaded.predict_proba(sp.csr_array(X_new)).tobytes() == P.tobytes()


def test_unknown_entries_are_refused_and_unlabelled_rows_left_out(problem):
    X, Y, X_new = problem
    partly = Y.astype(float)
    partly[4] = np.nan
    model = RAKEL(random_state=0).fit(X, partly)
    expected = RAKEL(random_state=0).fit(np.delete(X, 4, 0), np.delete(Y, 4, 0))
    np.testing.assert_array_equal(model.predict_proba(X_new), expected.predict_proba(X_new))
    partly[7, 1] = np.nan
    with pytest.raises(DataError, match=r"RAKEL must know every label .* got 1 unknown"):
        RAKEL().fit(X, partly)


@pytest.mark.parametrize(
    "wrong",
    [
        {"estimator": LinearSVC()},
        {"labelset_size": 0},
        {"n_partitions": 0},
        {"n_sets": 1.5},
        {"C": -1},
        {"scaling": "huge"},
    ],
)
def test_a_wrong_parameter_is_named(wrong, problem):
    X, Y, _ = problem
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must (be|have) .*; got"):
        RAKEL(**wrong).fit(X, Y)


def test_bases_that_did_not_converge_are_one_warning(problem):
    X, Y, _ = problem
    with pytest.warns(ConvergenceWarning, match=r"of 3 .* max_iter=1; raise") as caught:
        RAKEL(LogisticRegression(max_iter=1), n_partitions=1, random_state=0).fit(X, Y)
    assert len(caught) == 1


@pytest.mark.real_data
def test_emotions_are_ranked_far_better_than_by_the_prior(real_data):
    data = load_registered("emotions")
    train, test = data.subset(data.split.train), data.subset(data.split.test)
    model = RAKEL(random_state=0).fit(train.X, train.Y)
    prior = np.tile(train.Y.mean(axis=0), (test.n_samples, 1))
    S = model.decision_function(test.X)
    assert instance_average_precision(test.Y, S) > instance_average_precision(test.Y, prior) + 0.1
