from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge as ExactKernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.preprocessing import StandardScaler

from dlst.data import read_arff
from dlst.errors import DataError
from dlst.metrics import instance_average_precision
from dlst.regressors import KernelRidge

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 3))
Z = np.hstack([np.sin(X), X[:, :1] * X[:, 1:2]]) + 0.1 * RNG.normal(size=(80, 4)) + 2
NEW = RNG.normal(size=(11, 3))


def centred_exact_solution(alpha, gamma):
    """scikit-learn's kernel ridge on the doubly centred kernel, the mean added back."""
    K, k = rbf_kernel(X, gamma=gamma), rbf_kernel(NEW, X, gamma=gamma)
    C = np.eye(80) - 1 / 80
    model = ExactKernelRidge(alpha=alpha, kernel="precomputed").fit(C @ K @ C, Z - Z.mean(axis=0))
    return model.predict((k - K.mean(axis=0)) @ C) + Z.mean(axis=0)


@pytest.mark.parametrize("alpha", [0.003, 1.0, 100.0])
@pytest.mark.parametrize("gamma", [0.05, 1.0])
def test_with_all_rows_it_is_exact_kernel_ridge(alpha, gamma):
    model = KernelRidge(gamma=gamma, alpha=alpha).fit(X, Z)
    np.testing.assert_allclose(model.predict(NEW), centred_exact_solution(alpha, gamma), atol=1e-8)


def test_a_linear_kernel_is_linear_ridge_and_extrapolates(rng):
    targets = X @ rng.normal(size=(3, 2)) + 5
    model = KernelRidge("linear", alpha=1e-8).fit(X, targets)
    np.testing.assert_allclose(
        model.predict(100 * NEW),
        100 * NEW @ np.linalg.lstsq(X, targets - 5, rcond=None)[0] + 5,
        rtol=1e-6,
    )
    assert model.gamma_ is None
    assert np.isnan(model.selection_["gamma"]).all()


def test_exact_leave_one_out_equals_leaving_rows_out():
    model = KernelRidge(gamma=0.3, alpha=0.2, n_basis=80).fit(X, Z)
    # With all rows as the basis the left-out row only spans a direction that has no data, so
    # refitting without it (basis included) gives the same prediction.
    for i in (0, 17, 79):
        others = np.arange(80) != i
        refitted = KernelRidge(gamma=0.3, alpha=0.2).fit(X[others], Z[others])
        np.testing.assert_allclose(
            model.loo_predictions_[i], refitted.predict(X[[i]])[0], atol=1e-8
        )


def test_width_and_penalty_have_the_least_error_of_all_that_were_tried():
    model = KernelRidge(alphas=(0.01, 1, 30), gamma_multiples=(0.5, 1, 4), random_state=0)
    model.fit(X, Z)
    table = model.selection_
    assert len(table["loo_error"]) == 9
    expected = [
        ((KernelRidge(gamma=g, alpha=a).fit(X, Z).loo_predictions_ - Z) ** 2).sum()
        for g, a in zip(table["gamma"], table["alpha"], strict=True)
    ]
    np.testing.assert_allclose(table["loo_error"], expected, rtol=1e-8)
    best = int(np.argmin(expected))
    assert model.gamma_ == table["gamma"][best]
    assert model.alpha_ == table["alpha"][best]
    assert model.loo_error_ == pytest.approx(expected[best])
    middle = np.unique(table["gamma"])
    np.testing.assert_allclose(middle / middle[1], [0.5, 1, 4])


def test_selection_targets_decide_instead_of_the_targets(rng):
    noise = rng.normal(size=(80, 6))
    by_targets = KernelRidge().fit(X, Z)
    by_noise = KernelRidge().fit(X, Z, selection_targets=noise)
    assert by_noise.alpha_ > by_targets.alpha_
    fixed = KernelRidge(gamma=by_noise.gamma_, alpha=by_noise.alpha_).fit(X, noise)
    assert by_noise.loo_error_ == pytest.approx(fixed.loo_error_)


def test_sparse_selection_targets_choose_like_dense_ones(rng):
    Y = (rng.random((80, 200)) < 0.1) * 1.0
    dense = KernelRidge(n_basis=20, random_state=0).fit(X, Z, selection_targets=Y)
    sparse = KernelRidge(n_basis=20, random_state=0).fit(X, Z, selection_targets=sp.csr_array(Y))
    np.testing.assert_allclose(
        sparse.selection_["loo_error"], dense.selection_["loo_error"], rtol=1e-9
    )
    assert sparse.predict(NEW).tobytes() == dense.predict(NEW).tobytes()


def test_rotating_scaling_and_shifting_the_targets_does_so_to_the_predictions(rng):
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    plain = KernelRidge(n_basis=30, random_state=0).fit(X, Z)
    moved = KernelRidge(n_basis=30, random_state=0).fit(X, 7 * Z @ Q - 3)
    assert (moved.gamma_, moved.alpha_) == (plain.gamma_, plain.alpha_)
    np.testing.assert_allclose(moved.predict(NEW), 7 * plain.predict(NEW) @ Q - 3, atol=1e-9)
    np.testing.assert_allclose(
        moved.loo_predictions_, 7 * plain.loo_predictions_ @ Q - 3, atol=1e-9
    )


def test_sparse_rows_and_frames_predict_like_dense_rows(rng):
    rows = X * (rng.random(X.shape) > 0.4)
    options = {"n_basis": 30, "random_state": 0}
    dense = KernelRidge(**options).fit(rows, Z)
    sparse = KernelRidge(**options).fit(sp.csr_array(rows), sp.csr_array(Z))
    frame = KernelRidge(**options).fit(pd.DataFrame(rows, columns=list("abc")), pd.DataFrame(Z))
    np.testing.assert_allclose(sparse.predict(sp.csr_matrix(NEW)), dense.predict(NEW), atol=1e-9)
    np.testing.assert_allclose(
        frame.predict(pd.DataFrame(NEW, columns=list("abc"))), dense.predict(NEW), atol=1e-10
    )


def test_a_precomputed_kernel_predicts_like_its_name_also_in_cross_validation():
    by_name = KernelRidge(gamma=0.3, alpha=0.5, n_basis=30, random_state=0)
    given = KernelRidge("precomputed", alpha=0.5, n_basis=30, random_state=0)
    K = rbf_kernel(X, gamma=0.3)
    np.testing.assert_allclose(
        given.fit(K, Z).predict(rbf_kernel(NEW, X, gamma=0.3)),
        by_name.fit(X, Z).predict(NEW),
        atol=1e-9,
    )
    np.testing.assert_allclose(
        cross_val_predict(given, K, Z, cv=4), cross_val_predict(by_name, X, Z, cv=4), atol=1e-9
    )


@pytest.mark.parametrize("how", ["random", "kmeans++", "leverage"])
def test_each_basis_predicts_the_same_bytes_for_the_same_seed(how):
    model = KernelRidge(n_basis=25, basis=how, random_state=5).fit(X, Z)
    again = clone(model).fit(X, Z)
    assert model.predict(NEW).tobytes() == again.predict(NEW).tobytes()
    assert len(model.basis_.indices_) == 25
    assert ((Z - model.loo_predictions_) ** 2).sum() < 0.5 * ((Z - Z.mean(axis=0)) ** 2).sum()


def test_leverages_sum_to_the_trace_of_the_hat_matrix():
    model = KernelRidge(n_basis=25, random_state=0).fit(X, Z)
    H = np.column_stack(
        [model.smoother_.predict(X, model.smoother_.regress(np.eye(80)[:, [i]])) for i in range(80)]
    )
    assert model.leverage_.sum() == pytest.approx(np.trace(H), abs=1e-9)


def test_one_dimensional_targets_come_back_one_dimensional():
    flat = KernelRidge(random_state=0).fit(X, Z[:, 0])
    column = KernelRidge(random_state=0).fit(X, Z[:, :1], selection_targets=Z[:, 0])
    assert flat.predict(NEW).shape == (11,)
    assert flat.loo_predictions_.shape == (80,)
    assert column.predict(NEW).shape == (11, 1)
    np.testing.assert_array_equal(flat.predict(NEW), column.predict(NEW)[:, 0])


def test_constant_features_and_constant_targets_predict_the_mean():
    model = KernelRidge().fit(np.ones((10, 2)), Z[:10])
    np.testing.assert_allclose(model.predict(NEW[:, :2]), np.tile(Z[:10].mean(axis=0), (11, 1)))
    np.testing.assert_allclose(KernelRidge().fit(X, np.full(80, 3.0)).predict(NEW), 3)


def test_grid_search_works():
    found = GridSearchCV(KernelRidge(n_basis=20, random_state=0), {"kernel": ["rbf", "linear"]})
    assert found.fit(X, Z).best_params_ == {"kernel": "rbf"}


def test_wrong_values_give_one_clear_error():
    bad = Z.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        KernelRidge().fit(X, bad)
    for unknown in (bad, sp.csr_array(bad)):
        with pytest.raises(DataError, match="selection_targets must be known everywhere"):
            KernelRidge().fit(X, Z, selection_targets=unknown)
    with pytest.raises(DataError, match="one row for each of the 80 rows of X; got 79"):
        KernelRidge().fit(X, Z, selection_targets=Z[:-1])
    for alpha in (0, -1.0, np.nan, "best", None):
        with pytest.raises(ValueError, match="alpha must be positive"):
            KernelRidge(alpha=alpha).fit(X, Z)
    with pytest.raises(ValueError, match="alphas must be positive"):
        KernelRidge(alphas=()).fit(X, Z)
    with pytest.raises(ValueError, match="gamma_multiples must be positive"):
        KernelRidge(gamma_multiples=(1, 0)).fit(X, Z)
    with pytest.raises(ValueError, match="gamma must be a positive number"):
        KernelRidge(gamma="widest").fit(X, Z)
    with pytest.raises(ValueError, match="1 sample"):
        KernelRidge().fit(X[:1], Z[:1])


@pytest.mark.real_data
def test_regressing_the_labels_of_emotions_ranks_as_well_as_in_the_study(real_data):
    train = read_arff(real_data / "emotions" / "emotions-train.arff")
    test = read_arff(real_data / "emotions" / "emotions-test.arff")
    scaler = StandardScaler().fit(train.X)
    model = KernelRidge(random_state=0).fit(scaler.transform(train.X), train.Y)
    assert instance_average_precision(test.Y, model.predict(scaler.transform(test.X))) > 0.81
