from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from encoder_problems import slow_kl, some_labels, square_distances
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from threadpoolctl import threadpool_limits

from dlst.encoders import DistributionEncoder, kl_divergence
from dlst.errors import DataError

DISTANCES = ("sqeuclidean", "hamming", "euclidean", "normalized", "cosine")


@pytest.mark.parametrize("distance", DISTANCES)
def test_at_full_rank_the_code_distances_are_the_label_distances(distance):
    Y = some_labels()
    encoder = DistributionEncoder(distance=distance)
    Z = encoder.fit_transform(Y)
    points = Y
    if distance == "normalized":
        points = Y / np.sqrt(Y.shape[1])
    if distance == "cosine":
        points = Y / np.maximum(np.linalg.norm(Y, axis=1, keepdims=True), 1) / np.sqrt(2)
    np.testing.assert_allclose(square_distances(Z), square_distances(points), atol=1e-12)
    assert encoder.n_components_ == encoder.rank_ == np.linalg.matrix_rank(points - points.mean(0))
    assert encoder.kl_divergence_ == 0.0
    assert kl_divergence(Y, Z, distance=distance)[0] == pytest.approx(0, abs=1e-14)
    assert encoder.converged_
    assert encoder.n_iter_ == 0
    np.testing.assert_allclose((points - encoder.mean_) @ encoder.components_, Z, atol=1e-13)


def test_a_random_start_at_full_rank_comes_down_to_zero():
    Y = some_labels()
    rank = DistributionEncoder().fit(Y).rank_
    shape = (len(Y), rank)
    start = np.random.default_rng(0).normal(size=shape)

    def flat(z):
        value, gradient = kl_divergence(Y, z.reshape(shape))
        return 1e3 * value, 1e3 * gradient.ravel()

    end = minimize(flat, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 3000})
    assert end.fun / 1e3 < 1e-6


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_end_is_stationary_and_below_the_principal_codes(distance, missing):
    Y = some_labels(missing=missing)
    encoder = DistributionEncoder(2, distance=distance, tol=1e-12, max_iter=5000)
    Z = encoder.fit_transform(Y)
    assert encoder.converged_
    assert encoder.kl_divergence_ < encoder.history_[0]
    assert len(encoder.history_) == encoder.n_iter_ + 1
    value, gradient = kl_divergence(Y, Z, distance=distance)
    # Codes may meet, and of a small distance only its square is right to the last digits.
    precision = 1e-7 if distance == "euclidean" else 1e-9
    assert value == pytest.approx(encoder.kl_divergence_, rel=precision)
    if distance != "euclidean":  # which has kinks where codes meet
        assert np.abs(gradient).max() < 1e-5


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("solver", ["lbfgs", "momentum"])
def test_without_a_tolerance_rounding_is_the_end_and_no_failure(distance, solver):
    Y = some_labels(n=20)
    options = {"distance": distance, "solver": solver, "max_iter": 100_000}
    encoder = DistributionEncoder(2, tol=0.0, **options).fit(Y)  # warnings are errors
    assert encoder.converged_
    # An end too soon shows in more than the last digits.
    early = DistributionEncoder(2, tol=1e-6, **options).fit(Y)
    assert encoder.kl_divergence_ <= early.kl_divergence_ * (1 + 1e-9)


def test_codes_are_centred_uncorrelated_sorted_and_signed():
    Y = some_labels(n=80)
    for n_components in (3, None):
        encoder = DistributionEncoder(n_components)
        Z = encoder.fit_transform(Y)
        np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-13)
        scatter = Z.T @ Z
        spread = np.diag(scatter)
        np.testing.assert_allclose(scatter, np.diag(spread), atol=1e-10)
        assert np.all(np.diff(spread) <= 1e-9)
        farthest = np.abs(Z).argmax(axis=0)
        assert np.all(Z[farthest, np.arange(Z.shape[1])] > 0)


@pytest.mark.parametrize("n_components", [2, None])
def test_the_order_of_the_rows_does_not_matter(n_components):
    Y = some_labels(missing=0.1)
    order = np.random.default_rng(1).permutation(len(Y))
    Z = DistributionEncoder(n_components).fit_transform(Y)
    assert np.array_equal(DistributionEncoder(n_components).fit_transform(Y[order]), Z[order])


def test_weighted_sets_and_repeated_rows_are_the_same():
    Y = np.repeat(some_labels(n=15), 3, axis=0)
    Z = DistributionEncoder(2, tol=1e-10).fit_transform(Y)
    assert DistributionEncoder(2, tol=1e-10).fit(Y).kl_divergence_ == pytest.approx(
        slow_kl(square_distances(Y), square_distances(Z)), rel=1e-9
    )


@pytest.mark.parametrize(
    ("n_components", "expected"),
    [(None, 9), ("half", 5), (0.25, 3), (1.0, 9), (1, 1), (4, 4), (50, 9), (0.01, 1)],
)
def test_the_length_of_a_code(n_components, expected):
    Y = np.vstack([np.eye(9), np.zeros((3, 9))])
    encoder = DistributionEncoder(n_components, max_iter=0).fit(Y)
    assert encoder.n_components_ == expected
    assert encoder.components_.shape == (9, expected)
    assert encoder.transform(Y).shape == (12, expected)


def test_half_is_at_most_a_hundred():
    assert DistributionEncoder("half", max_iter=0).fit(np.eye(230)).n_components_ == 100


def test_more_labels_than_sets_have_the_rank_of_the_sets():
    Y = np.random.default_rng(0).integers(0, 2, (5, 40))
    encoder = DistributionEncoder().fit(Y)
    assert encoder.rank_ == 4
    np.testing.assert_allclose(
        square_distances(encoder.transform(Y)), square_distances(Y), atol=1e-11
    )


@pytest.mark.parametrize("Y", [np.zeros((5, 3)), np.ones((4, 2)), [[1, 0]], [[np.nan, np.nan]]])
@pytest.mark.parametrize("n_components", [None, 2])
def test_a_single_label_set_has_the_code_zero(Y, n_components):
    encoder = DistributionEncoder(n_components)
    Z = encoder.fit_transform(Y)
    assert Z.shape == (len(Y), 1)
    assert not Z.any()
    assert (encoder.rank_, encoder.kl_divergence_) == (0, 0.0)
    assert np.array_equal(encoder.transform(1 - np.nan_to_num(Y)), np.zeros((len(Y), 1)))


def test_one_label_gives_one_coordinate():
    Z = DistributionEncoder().fit_transform([[1], [0], [0], [1]])
    np.testing.assert_allclose(Z, [[0.5], [-0.5], [-0.5], [0.5]])


def test_an_unlabelled_row_sits_at_the_mean_and_changes_no_other():
    Y = some_labels(missing=0.1)
    Z = DistributionEncoder(2).fit_transform(Y)
    more = DistributionEncoder(2).fit(np.vstack([Y, np.full((3, 6), np.nan)]))
    found = more.transform(np.vstack([Y, np.full((1, 6), np.nan)]))
    np.testing.assert_allclose(found[:-1], Z, atol=1e-6)
    assert found[-1].tolist() == [0, 0]


def test_restarts_never_end_worse_and_repeat_with_their_seed():
    Y = some_labels(n=60, K=8, seed=3)
    plain = DistributionEncoder(2).fit(Y)
    many = DistributionEncoder(2, n_restarts=9, random_state=5).fit(Y)
    assert many.kl_divergence_ <= plain.kl_divergence_
    again = DistributionEncoder(2, n_restarts=9, random_state=5).fit(Y)
    assert many.codes_.tobytes() == again.codes_.tobytes()
    ends = {
        DistributionEncoder(2, n_restarts=1, random_state=seed).fit(Y).kl_divergence_
        for seed in range(5)
    }
    assert min(ends) <= plain.kl_divergence_


def test_momentum_goes_down_all_the_way_to_an_optimum():
    Y = some_labels(n=60, K=8)
    encoder = DistributionEncoder(3, solver="momentum", tol=1e-9, max_iter=20_000)
    Z = encoder.fit_transform(Y)
    assert encoder.converged_
    assert np.all(np.diff(encoder.history_) <= 0)
    assert np.abs(kl_divergence(Y, Z)[1]).max() < 1e-5
    lbfgs = DistributionEncoder(3, tol=1e-9).fit(Y)
    assert encoder.kl_divergence_ == pytest.approx(lbfgs.kl_divergence_, rel=0.1)


def test_momentum_survives_a_rate_that_is_far_too_long():
    Y = some_labels(n=60, K=8)
    encoder = DistributionEncoder(3, solver="momentum", learning_rate=1e6, max_iter=5000).fit(Y)
    assert encoder.kl_divergence_ < 0.9 * encoder.history_[0]


def test_one_momentum_step_is_the_papers_with_a_minus():
    Y = some_labels(n=30)
    start = DistributionEncoder(2, max_iter=0).fit_transform(Y)
    rate = 0.5
    expected = start - rate * kl_divergence(Y, start)[1]
    with pytest.warns(ConvergenceWarning, match="Raise max_iter or tol"):
        encoder = DistributionEncoder(2, solver="momentum", learning_rate=rate, max_iter=1).fit(Y)
    found = encoder.transform(Y)
    np.testing.assert_allclose(square_distances(found), square_distances(expected), atol=1e-12)


def test_no_iterations_give_the_principal_codes():
    Y = some_labels()
    encoder = DistributionEncoder(2, max_iter=0).fit(Y)
    full = DistributionEncoder().fit(Y)
    np.testing.assert_allclose(encoder.transform(Y), full.transform(Y)[:, :2], atol=1e-12)
    assert encoder.history_.tolist() == [encoder.kl_divergence_]


def test_the_callback_sees_every_iteration_of_every_start():
    seen = []
    encoder = DistributionEncoder(
        2, n_restarts=2, random_state=0, callback=lambda *step: seen.append(step)
    ).fit(some_labels())
    assert [iteration for iteration, _ in seen] == list(range(1, len(seen) + 1))
    assert len(seen) > encoder.n_iter_
    assert min(value for _, value in seen) == encoder.kl_divergence_


@pytest.mark.parametrize("n_components", [20, None])
def test_codes_are_the_same_bytes_with_any_number_of_blas_threads(n_components):
    Y = np.random.default_rng(0).random((1500, 60)) < 0.1
    ends = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            encoder = DistributionEncoder(n_components, tol=0.5, n_restarts=1, random_state=0)
            ends.append(encoder.fit_transform(Y[:1400]).tobytes() + encoder.transform(Y).tobytes())
    assert ends[0] == ends[1]


def test_rows_have_the_codes_of_their_sets():
    Y = some_labels(missing=0.1)
    encoder = DistributionEncoder(2)
    Z = encoder.fit_transform(Y)
    assert np.array_equal(Z, encoder.codes_[encoder.label_sets_.inverse])
    assert np.array_equal(Z, encoder.transform(Y))


@pytest.mark.parametrize("wrap", [sp.csr_array, sp.csc_matrix, np.ndarray.tolist, pd.DataFrame])
def test_any_form_of_labels_gives_the_same_codes(wrap):
    Y = some_labels()
    np.testing.assert_array_equal(
        DistributionEncoder(2).fit_transform(wrap(Y)), DistributionEncoder(2).fit_transform(Y)
    )


def test_frames_in_and_out_keep_names_and_index():
    Y = pd.DataFrame(some_labels(n=12, K=3), columns=["a", "b", "c"]).set_axis(range(5, 17))
    encoder = DistributionEncoder(2).set_output(transform="pandas")
    frame = encoder.fit_transform(Y)
    assert list(frame.columns) == ["distributionencoder0", "distributionencoder1"]
    assert list(frame.index) == list(range(5, 17))
    pd.testing.assert_frame_equal(frame, encoder.transform(Y))
    with pytest.raises(ValueError, match="feature names"):
        encoder.transform(Y.rename(columns={"a": "z"}))


def test_clones_keep_parameters_and_fitting_twice_changes_nothing():
    encoder = DistributionEncoder("half", distance="cosine", solver="momentum", tol=0.01)
    assert clone(encoder).get_params() == encoder.get_params()
    Y = some_labels()
    assert np.array_equal(encoder.fit(Y).codes_, encoder.fit(Y).codes_)


def test_the_features_are_not_looked_at():
    Y = some_labels()
    assert np.array_equal(
        DistributionEncoder(2).fit_transform(Y, np.ones((len(Y), 3))),
        DistributionEncoder(2).fit_transform(Y),
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_components": 0},
        {"n_components": 1.5},
        {"n_components": "third"},
        {"n_components": True},
        {"distance": "manhattan"},
        {"solver": "adam"},
        {"n_restarts": -1},
        {"max_iter": 2.5},
        {"tol": -1},
        {"learning_rate": 0},
        {"momentum": (0.5, 1.0)},
        {"momentum": 0.5},
        {"momentum_switch": -3},
    ],
)
def test_a_wrong_parameter_is_named_with_what_it_may_be(wrong):
    (name, value) = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=f"^{name} must be .*; got ") as error:
        DistributionEncoder(**wrong).fit([[0, 1], [1, 0]])
    assert repr(value) in str(error.value)


def test_wrong_labels_are_refused():
    with pytest.raises(DataError, match="0, 1 or NaN"):
        DistributionEncoder().fit([[0, 2], [1, 0]])
    with pytest.raises(DataError, match="at least one row"):
        DistributionEncoder().fit(np.empty((0, 3)))
    with pytest.raises(NotFittedError):
        DistributionEncoder().transform([[0, 1]])
    with pytest.raises(ValueError, match="2 features"):
        DistributionEncoder().fit([[0, 1], [1, 0]]).transform([[0, 1, 1]])
