"""SLEEC: codes keep the inner products of near label sets, neighbours among codes vote."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

import dlst
from dlst.data.registry import load_registered
from dlst.encoders.labelsets import distinct_label_sets
from dlst.errors import DataError
from dlst.methods.sleec import SLEEC
from dlst.methods.sleec.inner_products import codes_of_products, near_inner_products
from dlst.methods.sleec.local_embedding import LocalEmbedding, sparse_code_regression
from dlst.metrics import instance_average_precision
from dlst.regressors.linear_ridge import LinearRidge

PLAIN = {"scaling": "none", "random_state": 0}


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    Y = (X @ rng.normal(size=(5, 8)) + rng.normal(size=(120, 8)) > 0.8).astype(int)
    return X, Y, rng.normal(size=(30, 5))


@pytest.fixture(scope="module")
def points(problem):
    """Unit vectors of many distinct label sets."""
    rng = np.random.default_rng(1)
    return sp.csr_array(normalize(distinct_label_sets(rng.random((150, 12)) < 0.25).sets))


def test_near_pairs_have_the_largest_inner_products_and_themselves(points):
    found, all_products = near_inner_products(points, 5), (points @ points.T).toarray()
    m = len(all_products)
    stored = np.zeros((m, m), dtype=bool)
    stored[np.repeat(np.arange(m), np.diff(found.indptr)), found.indices] = True
    np.testing.assert_array_equal(stored, stored.T)
    assert stored.diagonal().all()
    np.testing.assert_array_equal(found.toarray()[stored], all_products[stored])
    for point in range(m):
        others = np.setdiff1d(np.flatnonzero(stored[point]), [point])
        assert len(others) >= 5
        least = np.sort(np.delete(all_products[point], point))[-5]
        # Every point is paired with all those that are strictly nearer than its fifth nearest.
        nearer = np.flatnonzero(all_products[point] > least + 1e-9)
        assert stored[point, nearer].all()


def test_sets_with_nothing_in_common_are_paired_evenly():
    found = near_inner_products(sp.eye_array(40, format="csr"), 3)
    assert (np.diff(found.indptr) == 7).all()  # itself, three after it, three before it
    assert (found.data == 0).sum() == 6 * 40


def test_blocks_change_no_pair(points, monkeypatch):
    whole = near_inner_products(points, 7)
    monkeypatch.setattr("dlst.methods.sleec.inner_products.POINTS_AT_ONCE", 11)
    assert (near_inner_products(points, 7) != whole).nnz == 0


@pytest.mark.parametrize("r", [12, 40])
def test_all_pairs_and_full_rank_give_all_inner_products(r, points):
    products = near_inner_products(points, points.shape[0])
    found = codes_of_products(products, r, tol=1e-6, max_iter=20)
    assert found.converged
    np.testing.assert_allclose(found.point @ found.point.T, products.toarray(), atol=1e-6)


def test_all_pairs_at_low_rank_give_the_principal_part(points):
    products = near_inner_products(points, points.shape[0])
    found = codes_of_products(products, 4, tol=0.0, max_iter=5).point
    eigenvalues, V = np.linalg.eigh(products.toarray())
    expected = (V[:, -4:] * eigenvalues[-4:]) @ V[:, -4:].T
    np.testing.assert_allclose(found @ found.T, expected, atol=1e-6)


@pytest.mark.parametrize("r", [4, 60])
def test_the_error_never_rises_and_a_step_is_the_projected_gradient(r, points):
    products = near_inner_products(points, 6)
    m, mask = points.shape[0], products.copy()
    mask.data = np.ones_like(mask.data)
    wanted, near = products.toarray(), mask.toarray() == 1
    M, errors = np.zeros((m, m)), []
    for steps in range(1, 9):
        eigenvalues, V = np.linalg.eigh(M + near * (wanted - M))
        M = (V[:, -r:] * np.maximum(eigenvalues[-r:], 0)) @ V[:, -r:].T
        codes = codes_of_products(products, r, tol=-1.0, max_iter=steps).point
        np.testing.assert_allclose(codes @ codes.T, M, atol=1e-5)
        errors.append(((wanted - M)[near] ** 2).sum())
    assert (np.diff(errors) <= 1e-9).all()


def test_equal_eigenvalues_give_the_same_bytes_every_time():
    products = near_inner_products(sp.eye_array(400, format="csr"), 5)
    one, two = (codes_of_products(products, 20, tol=1e-3, max_iter=9).point for _ in range(2))
    assert one.tobytes() == two.tobytes()


def test_codes_may_be_constant_within_a_cluster():
    X = np.arange(8.0)[:, None]
    Y = sp.csr_array(np.tile([1.0, 0.0], (8, 1)))
    found = LocalEmbedding(2, 15, 3, "auto", 0.0, 50, 1e-3).fit(X, Y)
    assert found.neighbours(X).shape == (8, 3)
    empty = LocalEmbedding(2, 15, 3, "auto", 0.0, 50, 1e-3).fit(X, sp.csr_array((8, 2)))
    np.testing.assert_array_equal(empty.codes_, 0)


def test_with_one_learner_and_identity_features_neighbours_are_those_of_the_codes(problem):
    Y = problem[1]
    n = len(Y)
    model = SLEEC(n_neighbors=7, alpha=1e-9, n_learners=1, **PLAIN).fit(np.eye(n), Y)
    embedding = model.embeddings_[0][0]
    sets = distinct_label_sets(Y)
    products = near_inner_products(sp.csr_array(normalize(sets.sets)), 50)
    Z = codes_of_products(products, 8, tol=1e-3, max_iter=100).point[sets.inverse]
    np.testing.assert_allclose(embedding.codes_ @ embedding.codes_.T, Z @ Z.T, atol=1e-6)
    votes = model._votes(np.eye(n))
    for row in range(n):
        squared = ((Z - Z[row]) ** 2).sum(axis=1)
        cut = np.sort(squared)[6]
        surely, maybe = squared < cut - 1e-6, squared <= cut + 1e-6
        low = Y[surely].sum(axis=0)
        open_places = 7 - surely.sum()
        assert (np.rint(votes[row] * 7) >= low).all()
        assert (np.rint(votes[row] * 7) <= low + np.minimum(open_places, Y[maybe].sum(0))).all()


def test_votes_are_the_labels_of_the_nearest_fitted_codes(problem):
    X, Y, X_new = problem
    model = SLEEC(n_neighbors=9, **PLAIN).fit(X, Y)
    embedding = model.embeddings_[0][0]
    new = embedding.regressor_.predict(X_new)
    votes = model._votes(X_new) * 9
    for row, z in enumerate(new):
        nearest = np.argsort(((embedding.codes_ - z) ** 2).sum(axis=1), kind="stable")[:9]
        np.testing.assert_allclose(votes[row], Y[nearest].sum(axis=0), atol=1e-12)
        assert votes[row].sum() == pytest.approx(Y[nearest].sum())


def test_ties_go_to_the_more_frequent_label_and_votes_are_kept_in_order(problem):
    X, Y, X_new = problem
    model = SLEEC(n_neighbors=4, n_clusters=3, n_learners=3, **PLAIN).fit(X, Y)
    votes, P, prior = model._votes(X_new), model.predict_proba(X_new), Y.mean(axis=0)
    for v, p in zip(votes, P, strict=True):
        more = v[:, None] > v + 1e-9
        tied_but_frequent = (np.abs(v[:, None] - v) < 1e-9) & (prior[:, None] > prior)
        assert (p[:, None] > p)[more | tied_but_frequent].all()
    assert np.abs(P - votes).max() < 0.5 / 12


def test_the_order_of_rows_does_not_matter(problem):
    X, Y, X_new = problem
    order = np.random.default_rng(2).permutation(len(X))
    one = SLEEC(n_neighbors=9, **PLAIN).fit(X, Y)
    other = SLEEC(n_neighbors=9, **PLAIN).fit(X[order], Y[order])
    np.testing.assert_allclose(other.predict_proba(X_new), one.predict_proba(X_new), atol=1e-9)


def test_learners_are_averaged_over_their_own_clusters(problem):
    X, Y, X_new = problem
    model = SLEEC(n_neighbors=5, n_clusters=3, n_learners=4, **PLAIN).fit(X, Y)
    assert len(model.embeddings_) == 4
    expected = np.zeros((30, 8))
    for centres, clusters, embeddings in zip(
        model.centres_, model.rows_, model.embeddings_, strict=True
    ):
        assert sorted(np.concatenate(clusters)) == list(range(120))
        for row, x in enumerate(X_new):
            c = ((centres - x) ** 2).sum(axis=1).argmin()
            voters = clusters[c][embeddings[c].neighbours(x[None])[0]]
            expected[row] += Y[voters].mean(axis=0) / 4
    np.testing.assert_allclose(model._votes(X_new), expected, atol=1e-12)


def test_one_cluster_is_fitted_once_however_many_learners(problem):
    X, Y, _ = problem
    assert len(SLEEC(n_learners=6).fit(X, Y).embeddings_) == 1


def test_small_clusters_are_dissolved():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 20, [[500.0, 500.0]]])
    Y = (rng.random((61, 3)) < 0.5).astype(int)
    model = SLEEC(n_neighbors=5, n_clusters=3, n_learners=3, **PLAIN).fit(X, Y)
    for clusters in model.rows_:
        assert min(len(rows) for rows in clusters) >= 5
        assert sum(len(rows) for rows in clusters) == 61
    same = SLEEC(n_neighbors=5, n_clusters=3, **PLAIN).fit(np.ones((61, 2)), Y)
    assert [len(centres) for centres in same.centres_] == [1]


def test_sparse_codes_minimise_their_objective():
    rng = np.random.default_rng(3)
    X, Z = rng.normal(size=(25, 3)), 0.5 * rng.normal(size=(25, 2))
    alpha, l1 = 0.7, 0.3
    found, converged = sparse_code_regression(X, Z, alpha, l1)
    assert converged

    def objective(W):
        V, b = W[:6].reshape(3, 2), W[6:]
        A = X @ V + b
        return ((Z - A) ** 2).sum() + alpha * (V**2).sum() + l1 * np.abs(A).sum()

    ours = objective(np.append(found.coef_.ravel(), found.intercept_))
    start = np.append(LinearRidge(alpha).fit(X, Z).coef_.ravel(), [0.0, 0.0])
    options = {"maxiter": 60000, "maxfev": 60000, "xatol": 1e-9, "fatol": 1e-12, "adaptive": True}
    best = minimize(objective, start, method="Nelder-Mead", options=options)
    assert ours <= best.fun + 1e-4
    assert ours < objective(start)


def test_the_l1_penalty_makes_codes_small_and_none_leaves_the_ridge(problem):
    X, Y, _ = problem
    sizes = []
    for l1 in (0.0, 1e-9, 0.1, 0.5):
        model = SLEEC(l1_penalty=l1, alpha=1.0, **PLAIN).fit(X, Y)
        sizes.append(np.abs(model.embeddings_[0][0].codes_).sum())
    assert sizes[1] == pytest.approx(sizes[0], rel=1e-2)
    assert sizes[0] > sizes[2] > sizes[3]


def test_unknown_entries_are_refused(problem):
    X, Y, _ = problem
    unknown = Y.astype(float)
    unknown[3, 2] = np.nan
    with pytest.raises(DataError, match="SLEEC must know every label"):
        SLEEC().fit(X, unknown)


def test_sparse_and_dense_rows_agree(problem):
    X, Y, X_new = problem
    dense = SLEEC(n_clusters=2, **PLAIN).fit(X, Y).predict_proba(X_new)
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    sparse = SLEEC(n_clusters=2, **PLAIN).fit(wide, sp.csr_array(Y))
    np.testing.assert_allclose(sparse.predict_proba(sp.csr_array(X_new)), dense, atol=1e-8)


def test_a_saved_model_predicts_the_same(problem, tmp_path):
    X, Y, X_new = problem
    model = SLEEC(n_clusters=2, n_neighbors=10, random_state=0).fit(X, Y)
    assert len(model.embeddings_) > 1
    dlst.save_model(model, tmp_path / "m.skops")
    after = dlst.load_model(tmp_path / "m.skops")
    assert after.predict_proba(X_new).tobytes() == model.predict_proba(X_new).tobytes()


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_components", 0),
        ("n_label_neighbors", 0),
        ("n_neighbors", 2.5),
        ("n_clusters", 0),
        ("n_learners", 0),
        ("alpha", 0),
        ("l1_penalty", -1.0),
        ("max_iter", 0),
        ("tol", "small"),
        ("scaling", "huge"),
    ],
)
def test_a_wrong_parameter_is_named(parameter, value, problem):
    X, Y, _ = problem
    with pytest.raises(ValueError, match=f"^{parameter} must be .*; got {value!r}"):
        SLEEC(**{parameter: value}).fit(X, Y)


def test_unfinished_codes_are_one_warning_that_says_what_to_change(problem):
    X, Y, _ = problem
    with pytest.warns(ConvergenceWarning, match="max_iter=1; raise max_iter, or tol") as caught:
        SLEEC(2, n_label_neighbors=3, n_clusters=2, max_iter=1).fit(X, Y)
    assert len(caught) == 1


def test_unfinished_sparse_codes_are_one_warning_too(problem, monkeypatch):
    X, Y, _ = problem
    monkeypatch.setattr("dlst.methods.sleec.local_embedding.SPLIT_STEPS", 1)
    with pytest.warns(ConvergenceWarning, match="lower l1_penalty") as caught:
        SLEEC(l1_penalty=0.5, n_clusters=2).fit(X, Y)
    assert len(caught) == 1


@pytest.mark.real_data
def test_labels_of_emotions_rank_above_the_prior(real_data):
    data = load_registered("emotions", download=False)
    train, test = data.subset(data.split.train), data.subset(data.split.test)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SLEEC(random_state=0).fit(train.X, train.Y)
    S = model.decision_function(test.X)
    prior = np.tile(model.prevalence_, (len(S), 1))
    assert instance_average_precision(test.Y, S) > instance_average_precision(test.Y, prior) + 0.1
