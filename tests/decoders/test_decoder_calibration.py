"""The pooled logistic regression: gradient, optimum, bounds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit

from dlst._weights import Weights
from dlst.decoders.calibration import fit_logistic, mean_log_loss, penalised_loss


def problem(seed=0, m=3, n=40, K=4):
    rng = np.random.default_rng(seed)
    evidence = rng.normal(size=(m, n, K))
    present = (rng.random((n, K)) < 1 / (1 + np.exp(1 - 2 * evidence[0]))).astype(float)
    return evidence, present, rng.random((n, K)) < 0.8


def split(point, K=4):
    return point[:K], point[K:]


def test_derivatives_meet_finite_differences():
    evidence, present, known = problem()
    point = np.random.default_rng(1).normal(size=7)
    for mask in (None, known):

        def loss(p, mask=mask):
            return penalised_loss(*split(p), evidence, present, mask)

        def gradient(p, loss=loss):
            return np.concatenate([loss(p).by_intercept, loss(p).by_slope])

        here = loss(point)
        slow = approx_fprime(point, lambda p, loss=loss: loss(p).value, 1e-6)
        np.testing.assert_allclose(gradient(point), slow, atol=1e-4)
        hessian = np.block([[np.diag(here.curvature), here.cross.T], [here.cross, here.square]])
        slow = np.array([approx_fprime(point, lambda p, k=k: gradient(p)[k]) for k in range(7)])
        np.testing.assert_allclose(hessian, slow, atol=1e-5)


def test_loss_equals_the_definition_on_known_entries():
    evidence, present, known = problem(n=5, K=2)
    point = np.array([0.3, -0.2, 0.5, 0.1, 0.9])
    total = 0.5 * (0.3**2 + 0.2**2) + 0.5 * ((point[2:] - 1 / 3) ** 2).sum()
    for i in range(5):
        for j in range(2):
            if known[i, j]:
                p = 1 / (1 + np.exp(-point[j] - point[2:] @ evidence[:, i, j]))
                total -= np.log(p if present[i, j] else 1 - p)
    assert np.isclose(penalised_loss(*split(point, 2), evidence, present, known).value, total)


def test_logits_that_overflow_have_a_finite_loss():
    evidence = np.array([[[-2e4, 2e4, 800.0]]])
    here = penalised_loss(np.zeros(3), np.ones(1), evidence, np.array([[1.0, 0.0, 1.0]]), None)
    assert here.value == pytest.approx(4e4)
    np.testing.assert_array_equal(here.by_intercept, [-1.0, 1.0, 0.0])


def test_the_optimum_is_stationary_and_slopes_are_never_negative():
    evidence, present, known = problem(seed=2)
    evidence[1] = -evidence[0] + 0.3 * evidence[1]
    intercepts, slopes = fit_logistic(evidence, present, known)
    here = penalised_loss(intercepts, slopes, evidence, present, known)
    assert slopes[0] > 0
    assert slopes[1] == 0
    assert here.by_slope[1] > 0
    np.testing.assert_allclose(here.by_intercept, 0, atol=1e-9)
    np.testing.assert_allclose(here.by_slope[[0, 2]], 0, atol=1e-9)


@pytest.mark.parametrize(("m", "n", "K"), [(1, 6, 1), (2, 30, 40), (4, 1000, 20), (5, 3000, 30)])
def test_no_point_is_lower(m, n, K):
    """Evidences that copy and contradict each other, rare labels, a good part unknown."""
    rng = np.random.default_rng(m)
    evidence = 2 * rng.normal(size=(m, n, K)) - 3
    for place in range(1, m):
        evidence[place] = (0.5 - place % 2) * evidence[0] + 0.3 * rng.normal(size=(n, K))
    present = (rng.random((n, K)) < expit(evidence[0] + rng.normal(size=K))).astype(float)
    known = rng.random((n, K)) < 0.7
    found = np.concatenate(fit_logistic(evidence, present, known))

    def value_and_gradient(p):
        here = penalised_loss(*split(p, K), evidence, present, known)
        return here.value, np.concatenate([here.by_intercept, here.by_slope])

    slow = minimize(
        value_and_gradient,
        np.append(np.zeros(K), np.ones(m)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None)] * K + [(0, None)] * m,
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-8},
    )
    assert value_and_gradient(found)[0] <= slow.fun * (1 + 1e-12)
    np.testing.assert_allclose(found, slow.x, atol=1e-3)
    gradient = value_and_gradient(found)[1]
    stuck = found - np.append(found[:K] - gradient[:K], np.maximum(found[K:] - gradient[K:], 0))
    np.testing.assert_allclose(stuck, 0, atol=1e-7)


def test_an_unknown_entry_plays_no_part():
    evidence, present, known = problem(seed=3)
    flipped = np.where(known, present, 1 - present)
    for one, other in zip(
        fit_logistic(evidence, present, known), fit_logistic(evidence, flipped, known), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(40))
def test_odd_problems_end_where_nothing_goes_down(seed):
    """Evidences of any scale that nearly repeat or contradict each other, one-sided labels."""
    rng = np.random.default_rng(seed)
    m, n, K = rng.integers(1, 6), rng.integers(1, 60), rng.integers(1, 12)
    evidence = rng.normal(size=(m, n, K)) * 10 ** rng.uniform(-2, 1.5)
    for place in range(1, m):
        if rng.random() < 0.6:
            noise = 10 ** rng.uniform(-6, 0) * rng.normal(size=(n, K))
            evidence[place] = rng.choice([-1, 1, 0.5]) * evidence[0] + noise
    present = (rng.random((n, K)) < rng.random()).astype(float)
    intercepts, slopes = fit_logistic(evidence, present)
    here = penalised_loss(intercepts, slopes, evidence, present, None)
    stuck = slopes - np.maximum(slopes - here.by_slope, 0)
    np.testing.assert_allclose(here.by_intercept, 0, atol=1e-8 * max(1, here.value))
    np.testing.assert_allclose(stuck, 0, atol=1e-8 * max(1, here.value))


def test_weights_of_rows_and_labels_are_repetition():
    evidence, present, known = problem(seed=7, n=30)
    weights = Weights(
        np.random.default_rng(1).integers(1, 4, size=30).astype(float), np.array([1.0, 2, 1, 3])
    )
    rows, columns = (np.repeat(np.arange(len(each)), each.astype(int)) for each in weights)
    for mask in (None, known):
        repeated = None if mask is None else mask[rows][:, columns]
        copies = evidence[:, rows][:, :, columns], present[rows][:, columns], repeated
        intercepts, slopes = fit_logistic(evidence, present, mask, weights)
        expected = fit_logistic(*copies)
        np.testing.assert_allclose(intercepts[columns], expected[0], atol=1e-8)
        np.testing.assert_allclose(slopes, expected[1], atol=1e-8)
        loss = mean_log_loss(intercepts, slopes, evidence, present, mask, weights)
        assert loss == pytest.approx(mean_log_loss(*expected, *copies), rel=1e-9)
