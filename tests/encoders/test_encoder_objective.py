from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from encoder_problems import slow_kl, some_labels, square_distances
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from dlst.encoders import _objective, distinct_label_sets, kl_divergence

DISTANCES = ("sqeuclidean", "hamming", "euclidean", "normalized", "cosine")


def label_distances(Y, distance):
    if distance == "cosine":
        unit = Y / np.maximum(np.linalg.norm(Y, axis=1, keepdims=True), 1)
        return square_distances(unit) / 2
    squared = square_distances(Y)
    return {"euclidean": np.sqrt(squared), "normalized": squared / Y.shape[1]}.get(
        distance, squared
    )


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_value_is_the_divergence_of_all_pairs_as_printed(distance):
    Y = some_labels()
    Z = np.random.default_rng(1).normal(size=(len(Y), 3))
    codes = square_distances(Z)
    expected = slow_kl(
        label_distances(Y, distance), np.sqrt(codes) if distance == "euclidean" else codes
    )
    value, _ = kl_divergence(Y, Z, distance=distance)
    assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_gradient_equals_finite_differences(distance, missing):
    Y = some_labels(n=12, K=4, missing=missing)
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(12, 2))
    weights = rng.integers(1, 9, 12)
    _, gradient = kl_divergence(Y, Z, weights=weights, distance=distance)
    step = 1e-5
    for i in range(12):
        for j in range(2):
            ends = []
            for sign in (1, -1):
                moved = Z.copy()
                moved[i, j] += sign * step
                ends.append(kl_divergence(Y, moved, weights=weights, distance=distance)[0])
            difference = (ends[0] - ends[1]) / (2 * step)
            assert gradient[i, j] == pytest.approx(difference, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_gradient_sums_to_zero_and_is_zero_at_zero(distance):
    Y = some_labels()
    Z = np.random.default_rng(3).normal(size=(len(Y), 3))
    assert np.abs(kl_divergence(Y, Z, distance=distance)[1].sum(axis=0)).max() < 1e-15
    assert not kl_divergence(Y, 0 * Z, distance=distance)[1].any()


def test_a_small_step_against_the_gradient_lowers_the_value():
    Y = some_labels()
    Z = np.random.default_rng(4).normal(size=(len(Y), 3))
    value, gradient = kl_divergence(Y, Z)
    assert kl_divergence(Y, Z - 0.1 * gradient)[0] < value < kl_divergence(Y, Z + 0.1 * gradient)[0]


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_collapsed_sets_have_the_value_and_the_summed_gradient_of_all_rows(missing):
    Y = np.repeat(some_labels(n=30, K=5, missing=missing), 2, axis=0)
    sets = distinct_label_sets(Y)
    assert len(sets) <= 30
    codes = np.random.default_rng(5).normal(size=(len(sets), 3))
    value, gradient = kl_divergence(sets.sets, codes, weights=sets.counts)
    full_value, full_gradient = kl_divergence(Y, codes[sets.inverse])
    summed = np.zeros_like(gradient)
    np.add.at(summed, sets.inverse, full_gradient)
    assert value == pytest.approx(full_value, rel=1e-12)
    np.testing.assert_allclose(gradient, summed, atol=1e-15)


@given(st.integers(0, 1000))
def test_rotations_reflections_and_shifts_change_nothing(seed):
    Y = some_labels(seed=seed)
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(len(Y), 4))
    turn = ortho_group.rvs(4, random_state=seed)
    value, gradient = kl_divergence(Y, Z)
    turned_value, turned_gradient = kl_divergence(Y, Z @ turn + rng.normal(size=4))
    assert turned_value == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(turned_gradient, gradient @ turn, atol=1e-14)


@pytest.mark.parametrize("block", [1, 3, 7])
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_blocks_of_any_size_give_the_same_value_and_gradient(monkeypatch, block, missing):
    Y = some_labels(n=20, missing=missing)
    Z = np.random.default_rng(6).normal(size=(20, 2))
    value, gradient = kl_divergence(Y, Z)
    monkeypatch.setattr(_objective, "HELD_SETS", 0)
    monkeypatch.setattr(_objective, "BLOCK", block)
    block_value, block_gradient = kl_divergence(Y, Z)
    assert block_value == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(block_gradient, gradient, atol=1e-16)


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_single_precision_is_right_to_seven_digits_of_the_divergence(
    monkeypatch, skewed, n_threads
):
    rng = np.random.default_rng(0)
    sets = sp.csr_array((rng.random((2100, 40)) < 0.1).astype(float))
    weights = np.ones(2100) if not skewed else np.ceil(2e4 / np.arange(1, 2101) ** 1.2)
    codes = (sets @ rng.normal(size=(40, 8))) / 3
    alignment = _objective.PairAlignment(sets, weights, "sqeuclidean", n_threads=n_threads)
    value, gradient = alignment.value_and_gradient(codes)
    monkeypatch.setattr(_objective, "DOUBLE_SETS", 5000)
    double = _objective.PairAlignment(sets, weights, "sqeuclidean")
    expected, expected_gradient = double.value_and_gradient(codes)
    assert value != expected
    assert value == pytest.approx(expected, rel=1e-7)
    error = np.linalg.norm(gradient - expected_gradient)
    assert error < 3e-6 * np.linalg.norm(expected_gradient)


def test_threads_change_no_digit(monkeypatch):
    monkeypatch.setattr(_objective, "HELD_SETS", 0)
    monkeypatch.setattr(_objective, "BLOCK", 16)
    sets, codes = (
        sp.csr_array(some_labels(n=200, K=12)),
        np.random.default_rng(0).normal(size=(200, 3)),
    )
    found = [
        _objective.PairAlignment(
            sets, np.ones(200), "sqeuclidean", n_threads=n_threads
        ).value_and_gradient(codes)
        for n_threads in (1, 2, 3)
    ]
    assert len({value for value, _ in found}) == 1
    assert len({gradient.tobytes() for _, gradient in found}) == 1


def test_sets_without_a_common_known_label_are_at_the_mean_distance_of_the_others():
    nan = np.nan
    Y = np.array([[1, nan], [0, nan], [nan, 1], [1, 1]])
    alignment = _objective.PairAlignment(sp.csr_array(Y), np.array([1.0, 2, 3, 1]), "sqeuclidean")
    # Pairs of instances: of different sets 2 at distance 2, 1 at 0, 2 at 2 and 3 at 0; of one set
    # 1 + 3 at 0.
    assert alignment.distances.stranger == pytest.approx(8 / 12)
    assert alignment.distances.within(slice(0, 1), slice(2, 3)) == pytest.approx(8 / 12)


def test_a_row_of_which_nothing_is_known_takes_no_part():
    Y = some_labels(n=10)
    Z = np.random.default_rng(7).normal(size=(10, 2))
    value, gradient = kl_divergence(Y, Z)
    more_value, more_gradient = kl_divergence(
        np.vstack([Y, np.full((2, 6), np.nan)]), np.vstack([Z, [[9, 9], [8, 8]]])
    )
    assert more_value == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(more_gradient[:10], gradient, atol=1e-16)
    assert not more_gradient[10:].any()


def test_one_instance_has_no_pairs_and_no_divergence():
    value, gradient = kl_divergence([[1, 0]], [[3.0]])
    assert value == 0.0
    assert gradient.tolist() == [[0.0]]


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_pairs_that_are_held_and_pairs_that_are_visited_agree(monkeypatch, distance, missing):
    Y = some_labels(n=30, missing=missing)
    rng = np.random.default_rng(4)
    Z, weights = rng.normal(size=(30, 3)), rng.integers(0, 9, 30)
    held, held_gradient = kl_divergence(Y, Z, weights=weights, distance=distance)
    monkeypatch.setattr(_objective, "HELD_SETS", 0)
    visited, gradient = kl_divergence(Y, Z, weights=weights, distance=distance)
    assert held == pytest.approx(visited, rel=1e-11)
    np.testing.assert_allclose(held_gradient, gradient, atol=1e-14)
