"""ML-LOC as a method: codes of new rows know no label."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from mlloc_problems import GAMMA, K, N, labelled_rows, partly_known
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

import dlst
from dlst.data.registry import load_registered
from dlst.methods.mlloc import MLLOC
from dlst.methods.mlloc.objective import (
    prototype_distances,
)
from dlst.metrics import instance_average_precision
from dlst.regressors import KernelRidge

both_losses = pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])


@pytest.fixture(scope="module")
def data():
    return labelled_rows()


@pytest.fixture(scope="module")
def partly(data):
    return partly_known(data[1])


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
        threshold = model.decisions_.rules_[decision].threshold_
        assert np.all((threshold > 0) & (threshold < 1))
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
