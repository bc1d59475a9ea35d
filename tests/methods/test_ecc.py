"""ECC: scikit-learn's chains in many orders, averaged."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import dlst
from dlst.data.registry import load_registered
from dlst.errors import DataError
from dlst.methods.ecc import ECC
from dlst.metrics import instance_average_precision

PLAIN = {"scaling": "none", "subsample": 1.0, "random_state": 0}


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(90, 3)) > 0.4).astype(int)
    return X, Y, rng.normal(size=(25, 4))


def test_one_label_is_the_base_itself(problem):
    X, Y, X_new = problem
    base = LogisticRegression(C=0.3)
    P = ECC(base, n_chains=3, **PLAIN).fit(X, Y[:, :1]).predict_proba(X_new)
    expected = base.fit(X, Y[:, 0]).predict_proba(X_new)[:, 1:]
    np.testing.assert_allclose(P, expected, rtol=1e-12)


@pytest.mark.parametrize("chain_method", ["predict", "predict_proba"])
@pytest.mark.parametrize("cv", [None, 3])
def test_one_chain_is_scikit_learns(cv, chain_method, problem):
    X, Y, X_new = problem
    base, order = LogisticRegression(), [2, 0, 1]
    model = ECC(base, orders=[order], cv=cv, chain_method=chain_method, **PLAIN).fit(X, Y)
    chain = ClassifierChain(base, order=order, cv=cv, chain_method=chain_method).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X_new), chain.predict_proba(X_new), rtol=1e-9)


def test_equal_orders_are_one_chain(problem):
    X, Y, X_new = problem
    one = ECC(orders=[[1, 2, 0]], **PLAIN).fit(X, Y).predict_proba(X_new)
    many = ECC(orders=[[1, 2, 0]] * 4, **PLAIN).fit(X, Y)
    assert many.n_chains_ == 4
    np.testing.assert_allclose(many.predict_proba(X_new), one, rtol=1e-12)


def test_the_mean_over_all_orders_does_not_depend_on_the_labels_order(problem):
    X, Y, X_new = problem
    orders = list(permutations(range(3)))
    P = ECC(orders=orders, **PLAIN).fit(X, Y).predict_proba(X_new)
    turned = ECC(orders=orders, **PLAIN).fit(X, Y[:, [2, 0, 1]]).predict_proba(X_new)
    np.testing.assert_allclose(turned, P[:, [2, 0, 1]], atol=1e-4)


def test_a_copy_of_the_label_before_is_copied(problem):
    X, Y, X_new = problem
    twice = np.column_stack([Y[:, 0], Y[:, 0]])
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    P = ECC(tree, orders=[[0, 1]], chain_method="predict", **PLAIN).fit(X, twice)
    np.testing.assert_array_equal(*P.predict(X_new).T)


def test_a_base_without_probabilities_votes(problem):
    X, Y, X_new = problem
    model = ECC(LinearSVC(), n_chains=4, chain_method="predict", random_state=0).fit(X, Y)
    P = model.predict_proba(X_new)
    assert set(np.unique(4 * P)) <= {0, 1, 2, 3, 4}
    assert instance_average_precision(Y, model.predict_proba(X), empty="skip") > 0.8


@pytest.mark.parametrize(("K", "expected"), [(3, 10), (250, 6), (900, 3)])
def test_many_labels_get_fewer_chains(K, expected):
    model = ECC()
    assert len(model._label_orders(K, np.random.RandomState(0))) == expected


def test_a_label_that_some_chains_cannot_learn_is_averaged_over_the_others():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    Y = np.column_stack([X[:, 0] > 0, np.arange(40) == 3]).astype(int)
    model = ECC(n_chains=12, subsample=0.5, random_state=0).fit(X, Y)
    learnt = [1 in labels for labels in model.chain_labels_]
    assert 0 < sum(learnt) < 12
    own = np.mean(
        [
            chain.predict_proba(model.scaler_.transform(X) * model.length_factor_)[
                :, labels.tolist().index(1)
            ]
            for labels, chain in zip(model.chain_labels_, model.chains_, strict=True)
            if 1 in labels
        ],
        axis=0,
    )
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], own)


def test_a_label_that_no_chain_can_learn_has_its_prevalence():
    X, Y = np.arange(50.0)[:, None], np.column_stack([np.arange(50) > 24, np.arange(50) == 3])
    model = ECC(n_chains=1, subsample=0.5, random_state=2).fit(X, Y)
    assert model.chain_labels_[0].tolist() == [0]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / 50)


def test_rare_labels_do_not_break_cross_validated_chains(problem):
    X, Y, X_new = problem
    rare = np.column_stack([Y, np.arange(90) == 3])
    model = ECC(LogisticRegression(), orders=[[3, 0, 1, 2]], cv=3, **PLAIN).fit(X, rare)
    assert [labels.tolist() for labels in model.chain_labels_] == [[0, 1, 2], [3]]
    alone = LogisticRegression().fit(X, rare[:, 3]).predict_proba(X_new)[:, 1]
    np.testing.assert_allclose(model.predict_proba(X_new)[:, 3], alone, rtol=1e-9)


def test_orders_may_name_labels_that_are_constant(problem):
    X, Y, X_new = problem
    with_constant = np.insert(Y, 1, 0, axis=1)
    with pytest.warns(UserWarning, match="only one value"):
        model = ECC(orders=[[3, 1, 0, 2]], **PLAIN).fit(X, with_constant)
    expected = ECC(orders=[[2, 0, 1]], **PLAIN).fit(X, Y).predict_proba(X_new)
    np.testing.assert_array_equal(model.predict_proba(X_new)[:, [0, 2, 3]], expected)


def test_the_default_does_not_depend_on_the_unit_of_the_features(problem):
    X, Y, X_new = problem
    P = ECC(**PLAIN).fit(X, Y).predict_proba(X_new)
    scaled = ECC(**PLAIN).fit(1000 * X, Y).predict_proba(1000 * X_new)
    np.testing.assert_allclose(scaled, P, atol=1e-9)


@pytest.mark.parametrize("cv", [None, 2])
def test_sparse_features_and_saved_models_give_the_same(cv, problem, tmp_path):
    X, Y, X_new = problem
    X, X_new = X * (np.abs(X) > 0.5), X_new * (np.abs(X_new) > 0.5)
    options = {"n_chains": 3, "scaling": "none", "random_state": 0, "cv": cv}
    dense = ECC(**options).fit(X, Y).predict_proba(X_new)
    sparse = ECC(**options).fit(sp.csr_array(X), Y)
    P = sparse.predict_proba(sp.csr_array(X_new))
    np.testing.assert_allclose(P, dense, atol=1e-4)
    dlst.save_model(sparse, tmp_path / "ecc.skops")
    loaded = dlst.load_model(tmp_path / "ecc.skops")
    assert loaded.predict_proba(sp.csr_array(X_new)).tobytes() == P.tobytes()


def test_unknown_entries_are_refused_and_unlabelled_rows_left_out(problem):
    X, Y, X_new = problem
    partly = Y.astype(float)
    partly[4] = np.nan
    model = ECC(random_state=0).fit(X, partly)
    expected = ECC(random_state=0).fit(np.delete(X, 4, 0), np.delete(Y, 4, 0))
    np.testing.assert_array_equal(model.predict_proba(X_new), expected.predict_proba(X_new))
    partly[7, 1] = np.nan
    with pytest.raises(DataError, match=r"ECC must know every label .* got 1 unknown"):
        ECC().fit(X, partly)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_chains": 0},
        {"C": 0},
        {"subsample": 1.5},
        {"cv": 1},
        {"chain_method": "guess"},
        {"orders": [[0, 0, 1]]},
        {"scaling": "huge"},
    ],
)
def test_a_wrong_parameter_is_named(wrong, problem):
    X, Y, _ = problem
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must be .*; got"):
        ECC(**wrong).fit(X, Y)


def test_bases_that_did_not_converge_are_one_warning(problem):
    X, Y, _ = problem
    with pytest.warns(ConvergenceWarning, match=r"of 6 .* max_iter=1; raise") as caught:
        ECC(LogisticRegression(max_iter=1), n_chains=2, random_state=0).fit(X, Y)
    assert len(caught) == 1


@pytest.mark.real_data
def test_emotions_are_ranked_far_better_than_by_the_prior(real_data):
    data = load_registered("emotions")
    train, test = data.subset(data.split.train), data.subset(data.split.test)
    model = ECC(random_state=0).fit(train.X, train.Y)
    prior = np.tile(train.Y.mean(axis=0), (test.n_samples, 1))
    S = model.decision_function(test.X)
    assert instance_average_precision(test.Y, S) > instance_average_precision(test.Y, prior) + 0.1
