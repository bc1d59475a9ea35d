from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst.encoders import DistributionEncoder, distinct_label_sets, kl_divergence
from dlst.encoders._landmarks import landmark_shares
from dlst.encoders._objective import PairAlignment


def many_labels(n=900, K=14, seed=0):
    """Labels of three kinds of rows; most distinct sets are rare, some are not."""
    rng = np.random.default_rng(seed)
    rates = rng.random((3, K)) * 0.5
    return (rng.random((n, K)) < rates[rng.integers(0, 3, n)]).astype(float)


@pytest.mark.parametrize("n_landmarks", [1, 7, 30])
def test_landmarks_stand_for_all_instances(n_landmarks):
    weights = np.random.default_rng(0).pareto(1, 200).round() + 1
    shares = landmark_shares(weights, n_landmarks, np.random.RandomState(1))
    assert np.count_nonzero(shares) == n_landmarks
    assert 2 * shares.sum() == pytest.approx(weights.sum())
    assert np.all((shares == 0) | (2 * shares >= weights - 1e-9))


def test_each_set_is_drawn_in_proportion_to_its_instances():
    weights = np.array([1.0, 2, 3, 4, 5, 30])
    random = np.random.RandomState(0)
    drawn = np.mean([landmark_shares(weights, 3, random) > 0 for _ in range(2000)], axis=0)
    np.testing.assert_allclose(drawn, [*(np.arange(1, 6) * 2 / 15), 1], atol=0.04)


def test_the_estimate_from_landmarks_is_near_the_divergence_and_has_its_gradient():
    sets = distinct_label_sets(many_labels())
    weights = sets.counts.astype(float)
    codes = np.random.default_rng(1).normal(size=(len(sets), 3))
    exact, exact_gradient = kl_divergence(sets.sets, codes, weights=weights)
    random = np.random.RandomState(0)
    found = []
    for _ in range(20):
        shares = landmark_shares(weights, 80, random)
        alignment = PairAlignment(sets.sets, weights, "sqeuclidean", shares=shares)
        found.append(alignment.value_and_gradient(codes))
    assert np.mean([value for value, _ in found]) == pytest.approx(exact, rel=0.02)
    mean_gradient = np.mean([gradient for _, gradient in found], axis=0)
    assert np.linalg.norm(mean_gradient - exact_gradient) < 0.3 * np.linalg.norm(exact_gradient)
    gradient = found[-1][1]
    step = 1e-5 * np.random.default_rng(2).normal(size=codes.shape)
    ends = [alignment.value_and_gradient(codes + sign * step)[0] for sign in (1, -1)]
    assert ends[0] - ends[1] == pytest.approx(2 * float((gradient * step).sum()), rel=1e-6)


def test_codes_from_landmarks_are_nearly_as_good_as_from_all_pairs():
    Y = many_labels()
    sets = distinct_label_sets(Y)
    exact = DistributionEncoder(5).fit(Y)
    assert exact.n_landmarks_ is None
    few = DistributionEncoder(5, n_landmarks=len(sets) // 3, random_state=0).fit(Y)
    assert few.n_landmarks_ == len(sets) // 3
    value, _ = kl_divergence(sets.sets, few.codes_, weights=sets.counts)
    assert value < 1.1 * exact.kl_divergence_
    assert few.kl_divergence_ == pytest.approx(value, rel=0.15)
    again = DistributionEncoder(5, n_landmarks=len(sets) // 3, random_state=0).fit(Y)
    assert again.codes_.tobytes() == few.codes_.tobytes()
    assert few.transform(1 - Y[:5]).shape == (5, 5)


def test_as_many_landmarks_as_sets_are_all_pairs():
    Y = many_labels(100)
    every = DistributionEncoder(3, n_landmarks=100, random_state=0).fit(Y)
    assert every.n_landmarks_ is None
    assert np.array_equal(every.codes_, DistributionEncoder(3).fit(Y).codes_)


def test_landmarks_are_taken_by_themselves_above_a_size(monkeypatch):
    monkeypatch.setattr("dlst.encoders._landmarks.EXACT_SETS", 50)
    monkeypatch.setattr("dlst.encoders._landmarks.LANDMARKS", 20)
    Y = many_labels(300)
    assert DistributionEncoder(3, random_state=0).fit(Y).n_landmarks_ == 20
    assert DistributionEncoder(3, n_landmarks=None).fit(Y).n_landmarks_ is None


def test_landmarks_do_with_unknown_labels():
    Y = many_labels(200)
    Y[np.random.default_rng(1).random(Y.shape) < 0.2] = np.nan
    encoder = DistributionEncoder(3, n_landmarks=100, random_state=0).fit(sp.csr_array(Y))
    sets = encoder.label_sets_
    value, _ = kl_divergence(sets.sets, encoder.codes_, weights=sets.counts)
    start, _ = kl_divergence(
        sets.sets, DistributionEncoder(3, max_iter=0).fit(Y).codes_, weights=sets.counts
    )
    assert value < start


def test_many_sets_begin_where_landmarks_ended(monkeypatch):
    Y = many_labels(400)
    plain = DistributionEncoder(4, tol=1e-6).fit(Y)
    monkeypatch.setattr("dlst.encoders._landmarks.COARSE_SETS", 50)
    monkeypatch.setattr("dlst.encoders._landmarks.LANDMARKS", 100)
    coarse = DistributionEncoder(4, tol=1e-6).fit(Y)
    assert coarse.n_landmarks_ is None
    assert coarse.history_[0] < 0.6 * plain.history_[0]
    assert coarse.kl_divergence_ == pytest.approx(plain.kl_divergence_, rel=0.1)
    assert coarse.kl_divergence_ == pytest.approx(
        kl_divergence(Y, coarse.transform(Y))[0], rel=1e-9
    )
    assert np.array_equal(DistributionEncoder(4, tol=1e-6).fit(Y).codes_, coarse.codes_)
