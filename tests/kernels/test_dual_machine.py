"""The dual of a support vector machine: its optimum by conditions, by LIBSVM, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from dlst._kernels.dual_machine import dual_machine

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
TARGETS = np.where(X[:, 0] + 0.5 * RNG.normal(size=60) > 0, 1.0, -1.0)
KERNEL = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))


def bounds(C, targets=TARGETS):
    most = np.broadcast_to(C, targets.shape)
    return np.where(targets > 0, 0.0, -most), np.where(targets > 0, most, 0.0)


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_the_optimum_is_libsvms(C):
    beta, _, intercept, _, finished = dual_machine(KERNEL, TARGETS, *bounds(C), 1e-8, -1)
    machine = SVC(C=C, kernel="precomputed", tol=1e-8).fit(KERNEL, TARGETS)
    assert finished
    margins = KERNEL @ beta + intercept
    np.testing.assert_allclose(margins, machine.decision_function(KERNEL), atol=1e-5)


def test_the_conditions_of_the_optimum_hold():
    lower, upper = bounds(RNG.uniform(0.2, 2.0, size=60))
    beta, rest, intercept, _, _ = dual_machine(KERNEL, TARGETS, lower, upper, 1e-9, -1)
    np.testing.assert_allclose(rest, TARGETS - KERNEL @ beta, atol=1e-9)
    wanted = rest - intercept
    assert abs(beta.sum()) < 1e-9
    assert ((beta >= lower) & (beta <= upper)).all()
    assert (wanted[beta < upper] < 1e-6).all()
    assert (wanted[beta > lower] > -1e-6).all()


def test_rows_without_room_take_no_part():
    lower, upper = bounds(1.0)
    lower[::4] = upper[::4] = 0.0
    kept = np.setdiff1d(np.arange(60), np.arange(0, 60, 4))
    beta, _, intercept, *_ = dual_machine(KERNEL, TARGETS, lower, upper, 1e-9, -1)
    part = np.ascontiguousarray(KERNEL[np.ix_(kept, kept)])
    alone, _, alone_intercept, *_ = dual_machine(
        part, TARGETS[kept], *bounds(1.0, TARGETS[kept]), 1e-9, -1
    )
    assert (beta[::4] == 0).all()
    np.testing.assert_allclose(beta[kept], alone, atol=1e-5)
    assert intercept == pytest.approx(alone_intercept, abs=1e-5)


def test_two_rows_have_their_middle_between_them():
    kernel, targets = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    beta, _, intercept, steps, _ = dual_machine(kernel, targets, *bounds(5.0, targets), 1e-6, -1)
    np.testing.assert_allclose(beta, [1.0, -1.0])
    assert (intercept, steps) == (0.0, 1)


def test_steps_are_limited_and_one_kind_of_rows_is_told_by_no_step():
    *_, steps, finished = dual_machine(KERNEL, TARGETS, *bounds(1.0), 1e-9, 3)
    assert (steps, finished) == (3, False)
    same = np.ones(60)
    beta, _, _, steps, _ = dual_machine(KERNEL, same, *bounds(1.0, same), 1e-3, -1)
    assert steps == 0
    assert not beta.any()


def test_equal_rows_of_both_kinds_end():
    kernel, targets = np.ones((4, 4)), np.array([1.0, -1.0, 1.0, -1.0])
    beta, *_, finished = dual_machine(kernel, targets, *bounds(2.0, targets), 1e-6, -1)
    assert finished
    np.testing.assert_allclose(np.abs(beta), 2.0)
