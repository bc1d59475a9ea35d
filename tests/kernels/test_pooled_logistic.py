"""Loss, gradient and curvature of pooled logistic regression."""

from __future__ import annotations

import numpy as np
import pytest

from dlst._kernels.pooled_logistic import TOGETHER, logistic_sums


@pytest.mark.parametrize("partial", [False, True])
def test_the_sums_are_the_loss_and_its_derivatives(partial):
    rng = np.random.default_rng(0)
    evidence = rng.normal(scale=3, size=(2, 6, 3))
    present = (rng.random((6, 3)) < 0.4).astype(float)
    known = rng.random((6, 3)) < 0.7 if partial else np.empty((0, 0), bool)
    of_rows, of_labels = rng.uniform(0.5, 2.0, size=6), rng.uniform(0.5, 2.0, size=3)
    counted = np.outer(of_rows, of_labels) * (known if partial else 1.0)
    intercepts, slopes = rng.normal(size=3), rng.normal(size=2)

    def loss(theta):
        logits = theta[:3] + np.tensordot(theta[3:], evidence, 1)
        return ((np.logaddexp(0, logits) - present * logits) * counted).sum()

    def gradient(theta):
        found = logistic_sums(evidence, present, known, of_rows, of_labels, theta[:3], theta[3:])
        return np.concatenate(found[1:3])

    theta = np.concatenate([intercepts, slopes])
    value, _, _, curvature, cross, square = logistic_sums(
        evidence, present, known, of_rows, of_labels, intercepts, slopes
    )
    np.testing.assert_allclose(value, loss(theta), rtol=1e-12)
    steps = 1e-6 * np.eye(5)
    slope = [(loss(theta + step) - loss(theta - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(gradient(theta), slope, atol=1e-7)
    hessian = np.block([[np.diag(curvature), cross.T], [cross, square]])
    bend = [(gradient(theta + step) - gradient(theta - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(hessian, bend, atol=1e-7)


def test_the_loss_of_many_labels_is_the_same_by_products_of_factors():
    rng = np.random.default_rng(0)
    K = 2 * TOGETHER + 7
    # Logits of 0 have the largest factors, 2 each: a product of all of them would overflow.
    evidence = np.stack([np.zeros((1, K)), rng.normal(scale=30, size=(1, K))], axis=1)
    present = (rng.random((2, K)) < 0.4).astype(float)
    known, ones = np.empty((0, 0), bool), np.ones(1)
    value = logistic_sums(evidence, present, known, np.ones(2), np.ones(K), np.zeros(K), ones)[0]
    expected = (np.logaddexp(0, evidence[0]) - present * evidence[0]).sum()
    np.testing.assert_allclose(value, expected, rtol=1e-12)
