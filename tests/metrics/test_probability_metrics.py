"""Log loss and calibration: twins, scikit-learn, sparse input."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_problems import problems

from dlst import metrics as m
from dlst.errors import DataError

NAN = float("nan")
EPS = np.finfo(float).eps


def entry_loss(y, p):
    right = p if y else 1 - p
    return -math.log(min(max(right, EPS), 1 - EPS))


def calibration(y, p, n_bins):
    keep = ~np.isnan(y)
    y, p = y[keep], p[keep]
    total = 0.0
    for b in range(n_bins):
        inside = [i for i in range(len(p)) if min(int(p[i] * n_bins), n_bins - 1) == b]
        if inside:
            total += len(inside) * abs(np.mean(p[inside]) - np.mean(y[inside]))
    return total / len(p) if len(p) else NAN


@settings(max_examples=80, deadline=None)
@given(problem=problems(), n_bins=st.integers(1, 12))
def test_equal_their_slow_twins_in_all_and_per_label(problem, n_bins):
    Y, S = problem
    P = np.abs(S)
    judged = ~np.isnan(Y)
    losses = np.array([[entry_loss(y == 1, p) for y, p in zip(*row, strict=True)]
                       for row in zip(Y, P, strict=True)])  # fmt: skip
    expected = losses[judged].mean() if judged.any() else NAN
    per_label = [x[j].mean() if j.any() else NAN for x, j in zip(losses.T, judged.T, strict=True)]
    ece = [calibration(y, p, n_bins) for y, p in zip(Y.T, P.T, strict=True)]
    for probabilities in (P, sp.csr_array(P)):
        assert m.log_loss(Y, probabilities) == pytest.approx(expected, nan_ok=True)
        np.testing.assert_allclose(m.log_loss(Y, probabilities, average=None), per_label)
        options = {"n_bins": n_bins}
        found = m.expected_calibration_error(Y, probabilities, **options)
        assert found == pytest.approx(calibration(Y.ravel(), P.ravel(), n_bins), nan_ok=True)
        found = m.expected_calibration_error(Y, probabilities, average=None, **options)
        np.testing.assert_allclose(found, ece, atol=1e-12)


def test_log_loss_equals_scikit_learn():
    rng = np.random.default_rng(0)
    Y, P = (rng.random((20, 7)) < 0.3).astype(float), rng.random((20, 7))
    P[0, :3] = [0.0, 1.0, 0.5]
    assert m.log_loss(Y, P) == pytest.approx(sk.log_loss(Y.ravel(), P.ravel()))


def test_equal_probabilities_fall_into_one_bin_and_1_into_the_last():
    Y, P = [[1], [0]], [[0.5], [0.5]]
    assert m.expected_calibration_error(Y, P) == 0.0
    assert m.expected_calibration_error([[1], [0]], [[1.0], [0.95]], n_bins=10) == pytest.approx(
        0.475
    )


def test_a_row_without_positives_is_judged_like_any_other():
    assert m.log_loss([[0, 0]], [[0.5, 0.5]]) == pytest.approx(math.log(2))
    assert m.expected_calibration_error([[0, 0]], [[0.5, 0.5]]) == 0.5


@pytest.mark.parametrize("function", [m.log_loss, m.expected_calibration_error])
def test_scores_outside_0_to_1_are_refused(function):
    with pytest.raises(DataError, match=r"probabilities must lie in \[0, 1\]; got -1 to 2"):
        function([[1, 0]], [[2.0, -1.0]])


@pytest.mark.parametrize("n_bins", [0, 2.5, True])
def test_n_bins_must_be_a_positive_integer(n_bins):
    with pytest.raises(ValueError, match="n_bins must be an integer of at least 1"):
        m.expected_calibration_error([[1]], [[0.5]], n_bins=n_bins)
