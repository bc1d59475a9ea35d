"""The pooled logistic regression: gradient, optimum, bounds."""

from __future__ import annotations

import numpy as np
from scipy.optimize import approx_fprime

from dlst.decoders.calibration import fit_logistic, penalised_loss


def problem(seed=0, m=3, n=40, K=4):
    rng = np.random.default_rng(seed)
    evidence = rng.normal(size=(m, n, K))
    present = (rng.random((n, K)) < 1 / (1 + np.exp(1 - 2 * evidence[0]))).astype(float)
    return evidence, present, rng.random((n, K)) < 0.8


def test_gradient_meets_finite_differences():
    evidence, present, known = problem()
    point = np.random.default_rng(1).normal(size=7)
    for mask in (None, known):
        value, gradient = penalised_loss(point, evidence, present, mask)
        slow = approx_fprime(
            point, lambda p, m=mask: penalised_loss(p, evidence, present, m)[0], 1e-6
        )
        np.testing.assert_allclose(gradient, slow, atol=1e-4 * value)


def test_loss_equals_the_definition_on_known_entries():
    evidence, present, known = problem(n=5, K=2)
    point = np.array([0.3, -0.2, 0.5, 0.1, 0.9])
    total = 0.5 * (0.3**2 + 0.2**2) + 0.5 * ((point[2:] - 1 / 3) ** 2).sum()
    for i in range(5):
        for j in range(2):
            if known[i, j]:
                p = 1 / (1 + np.exp(-point[j] - point[2:] @ evidence[:, i, j]))
                total -= np.log(p if present[i, j] else 1 - p)
    assert np.isclose(penalised_loss(point, evidence, present, known)[0], total)


def test_the_optimum_is_stationary_and_slopes_are_never_negative():
    evidence, present, known = problem(seed=2)
    evidence[1] = -evidence[0] + 0.3 * evidence[1]
    intercepts, slopes = fit_logistic(evidence, present, known)
    gradient = penalised_loss(np.concatenate([intercepts, slopes]), evidence, present, known)[1]
    assert slopes[0] > 0
    assert slopes[1] == 0
    assert gradient[4 + 1] > 0
    free = np.delete(gradient, 5)
    np.testing.assert_allclose(free, 0, atol=1e-3)


def test_an_unknown_entry_plays_no_part():
    evidence, present, known = problem(seed=3)
    flipped = np.where(known, present, 1 - present)
    for one, other in zip(
        fit_logistic(evidence, present, known), fit_logistic(evidence, flipped, known), strict=True
    ):
        np.testing.assert_array_equal(one, other)
