"""FaIE's codes: the small matrix against the n × n one, limits of the weight, the reference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from encoder_problems import some_labels

from dlst.data.registry import load_registered
from dlst.encoders import ImplicitEncoder
from dlst.errors import DataError

SHAPES = [(40, 6, 5), (14, 6, 30), (10, 30, 4)]


def problem(n=40, K=6, d=5):
    return some_labels(n, K), np.random.default_rng(1).normal(size=(n, d)) + 0.5


def omega(Y, X, weight, alpha, coding="01"):
    coded = 2 * Y - 1 if coding == "pm1" else Y
    H = X @ np.linalg.solve(X.T @ X + alpha * np.eye(X.shape[1]), X.T)
    return coded @ coded.T + weight * H


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("coding", ["01", "pm1"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("centred", [False, True])
def test_codes_are_leading_eigenvectors_of_the_whole_matrix(shape, coding, kind, centred):
    Y, X = problem(*shape)
    encoder = ImplicitEncoder(
        3, feature_weight=2.0, weighting="absolute", alpha=0.3, coding=coding, centred=centred
    )
    C = encoder.fit_transform(sp.csr_array(Y), kind(X))
    used = X - X.mean(axis=0) if centred else X
    eigenvalues, vectors = np.linalg.eigh(omega(Y, used, 2.0, 0.3, coding))
    np.testing.assert_allclose(C.T @ C, np.eye(3), atol=1e-10)
    expected = vectors[:, -3:] @ vectors[:, -3:].T
    np.testing.assert_allclose(C @ C.T, expected, atol=1e-9)
    np.testing.assert_allclose(encoder.eigenvalues_, eigenvalues[:-4:-1], rtol=1e-10)
    np.testing.assert_allclose(encoder.inverse_transform(C), _recovered(C, Y, coding), atol=1e-9)
    np.testing.assert_allclose(encoder.transform(Y, kind(X)), C, atol=1e-9)


def _recovered(C, Y, coding):
    if coding == "01":
        return C @ C.T @ Y
    return (C @ C.T @ (2 * Y - 1) + 1) / 2


@pytest.mark.parametrize("features", [False, True])
def test_without_weight_codes_hold_the_truncated_decomposition_of_the_labels(features):
    Y, X = problem()
    encoder = ImplicitEncoder(2, feature_weight=0.0)
    C = encoder.fit_transform(Y, X if features else None)
    U, lengths, Vt = np.linalg.svd(Y, full_matrices=False)
    truncated = (U[:, :2] * lengths[:2]) @ Vt[:2]
    np.testing.assert_allclose(encoder.inverse_transform(C), truncated, atol=1e-10)
    np.testing.assert_allclose(encoder.transform(Y), C, atol=1e-10)


def test_with_a_huge_weight_codes_are_functions_of_the_features():
    Y, X = problem()
    C = ImplicitEncoder(3, feature_weight=1e9, centred=False).fit_transform(Y, X)
    within = X @ np.linalg.lstsq(X, C, rcond=None)[0]
    np.testing.assert_allclose(within, C, atol=1e-6)


def test_a_relative_weight_is_a_multiple_of_the_labels_largest_eigenvalue():
    Y, X = problem()
    largest = np.linalg.norm(Y, 2) ** 2
    relative = ImplicitEncoder(2, feature_weight=0.5).fit(Y, X)
    absolute = ImplicitEncoder(2, feature_weight=0.5 * largest, weighting="absolute").fit(Y, X)
    np.testing.assert_allclose(relative.feature_weight_, 0.5 * largest)
    np.testing.assert_allclose(relative.decoding_, absolute.decoding_, atol=1e-10)


def test_the_length_is_never_more_than_the_rank():
    Y = np.column_stack([some_labels(K=2), np.zeros((40, 2))])
    encoder = ImplicitEncoder(4)
    C = encoder.fit_transform(Y)
    assert C.shape == (40, 2)
    assert encoder.n_components_ == len(encoder.get_feature_names_out()) == 2
    np.testing.assert_allclose(C.T @ C, np.eye(2), atol=1e-10)


def test_rows_without_any_label_and_features_have_the_code_zero():
    encoder = ImplicitEncoder(2)
    np.testing.assert_array_equal(encoder.fit_transform(np.zeros((5, 3))), np.zeros((5, 1)))
    np.testing.assert_array_equal(encoder.inverse_transform([[1.0]]), np.zeros((1, 3)))


@pytest.mark.parametrize("coding", ["01", "pm1"])
def test_unknown_entries_take_the_mean_of_the_label(coding):
    Y, X = problem()
    Y[np.random.default_rng(0).random(Y.shape) < 0.2] = np.nan
    encoder = ImplicitEncoder(3, weighting="absolute", centred=False, coding=coding)
    C = encoder.fit_transform(Y, X)
    filled = np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y)
    vectors = np.linalg.eigh(omega(filled, X, 1.0, 1.0, coding))[1][:, -3:]
    np.testing.assert_allclose(C @ C.T, vectors @ vectors.T, atol=1e-9)


@pytest.mark.real_data
@pytest.mark.golden
@pytest.mark.parametrize(("name", "lengths"), [("emotions", (2, 3)), ("yeast", (2, 3, 7))])
@pytest.mark.parametrize("coding", ["01", "pm1"])
@pytest.mark.parametrize(("weight", "written"), [(0.1, "0p1"), (100.0, "100")])
def test_codes_of_the_reference_program(name, lengths, coding, weight, written, real_data, golden):
    expected = np.load(golden / f"lsdr_{name}_raw.npz")
    train = load_registered(name).train
    X = np.asarray(train.X).astype(np.float32).astype(np.float64)
    for r in lengths:
        prefix = f"faie_{coding}_a{written}_r{r}_"
        encoder = ImplicitEncoder(
            r, feature_weight=weight, weighting="absolute", alpha=0.1, centred=False, coding=coding
        )
        C = encoder.fit_transform(train.Y, X)
        D = encoder.decoding_ * (2 if coding == "pm1" else 1)
        np.testing.assert_allclose(D.T @ D, expected[prefix + "VVt"], atol=1e-9)
        np.testing.assert_allclose(C[:40] @ C[:40].T, expected[prefix + "ZZt40"], atol=1e-11)
        leading = expected[prefix + "ev"].ravel()[:r]
        np.testing.assert_allclose(encoder.eigenvalues_, leading, rtol=1e-11)
        objective = expected[prefix + "objective"]
        np.testing.assert_allclose(encoder.eigenvalues_.sum(), objective, rtol=1e-11)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be"),
        ({"feature_weight": -1}, "feature_weight must be a number of at least 0; got -1"),
        ({"weighting": "none"}, "weighting must be one of"),
        ({"alpha": np.inf}, "alpha must be a number of at least 0; got inf"),
        ({"coding": "10"}, "coding must be one of .*; got '10'"),
    ],
)
def test_mistakes_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        ImplicitEncoder(**parameters).fit(*problem())


def test_features_of_other_rows_are_refused():
    Y, X = problem()
    with pytest.raises(DataError, match="X and Y must have the same rows; got 39 and 40"):
        ImplicitEncoder().fit(Y, X[:39])
