"""The compiled stratification against slow twins in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dlst.data.stratification.balancing_kernel import _held, _move_gains, _swap_gain, even_out
from dlst.data.stratification.spreading_kernel import spread_units

indicators = st.tuples(st.integers(4, 20), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 1))
)


def units_of(Y, sizes=None):
    matrix = sp.csr_array(np.asarray(Y, dtype=np.int64))
    sizes = np.ones(matrix.shape[0], np.int64) if sizes is None else np.asarray(sizes)
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data, sizes


def targets_of(Y, quotas):
    Y, quotas = np.asarray(Y), np.asarray(quotas, dtype=float)
    return np.vstack([np.outer(Y.sum(axis=0), quotas / quotas.sum()), quotas])


def objective(Y, folds, targets, weights):
    held = np.array(
        [
            [*Y[folds == fold].sum(axis=0), np.count_nonzero(folds == fold)]
            for fold in range(targets.shape[1])
        ]
    ).T
    return float((weights[:, None] * (held - targets) ** 2).sum())


@pytest.mark.parametrize("seed", range(5))
def test_without_ties_between_labels_the_folds_are_those_of_the_printed_algorithm(seed):
    # Nested labels of sizes 3, 7, 15 and 31 leave exactly one rarest label at every pick.
    Y = np.zeros((60, 4), int)
    for label, size in enumerate([3, 7, 15, 31]):
        Y[:size, label] = 1
    order = np.random.default_rng(seed).permutation(60)
    targets = targets_of(Y, [30, 18, 12])
    folds = spread_units(*units_of(Y), targets, order, np.zeros(60))

    need = targets.copy()
    expected = np.full(60, -1)
    for label in range(4):
        for row in order:
            if Y[row, label] and expected[row] < 0:
                fold = max(range(3), key=lambda f: (need[label, f], need[-1, f], -f))
                expected[row] = fold
                need[:-1, fold] -= Y[row]
                need[-1, fold] -= 1
    for row in order:
        if expected[row] < 0:
            expected[row] = fold = int(np.argmax(need[-1]))
            need[-1, fold] -= 1
    assert folds.tolist() == expected.tolist()


def test_a_label_that_became_rarer_than_the_last_one_served_is_served_next():
    # c (rows 6 to 8), then a (rows 0 to 4) are served; a's rows carry b, so b has one row left.
    Y = np.array([[1, 1, 0]] * 5 + [[0, 1, 0]] + [[0, 0, 1]] * 3)
    ties = np.zeros(9)
    ties[5] = 0.99
    folds = spread_units(*units_of(Y), targets_of(Y, [4.5, 4.5]), np.arange(9), ties)
    # c fills 2 and 1 rows, so a fills 2 and 3 and both folds have 4 rows: by size alone row 5
    # would go to fold 1 by lot, but b lacks a row in fold 0.
    assert np.bincount(folds[6:]).tolist() == [2, 1]
    assert np.bincount(folds[:5]).tolist() == [2, 3]
    assert folds[5] == 0


@given(Y=indicators, seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_every_unit_gets_a_fold(Y, seed):
    rng = np.random.default_rng(seed)
    n = len(Y)
    quotas = [n - n // 3, n // 3]
    folds = spread_units(*units_of(Y), targets_of(Y, quotas), rng.permutation(n), rng.random(n))
    assert set(folds.tolist()) <= {0, 1}


@given(Y=indicators, seed=st.integers(0, 99), passes=st.integers(0, 5), partners=st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_evening_out_never_raises_the_objective_and_keeps_right_sizes(Y, seed, passes, partners):
    rng = np.random.default_rng(seed)
    n = len(Y)
    quotas = np.array([n - 2 * (n // 3), n // 3, n // 3])
    targets = targets_of(Y, quotas)
    weights = rng.random(Y.shape[1] + 1) + 0.1
    weights[-1] = 100.0
    folds = rng.permutation(np.repeat(np.arange(3), quotas))
    before = objective(Y, folds, targets, weights)
    carried = [Y[folds == fold].any(axis=0) for fold in range(3)]
    even_out(*units_of(Y), targets, weights, rng.permutation(n), folds, passes, partners)
    assert objective(Y, folds, targets, weights) <= before + 1e-9
    assert np.bincount(folds, minlength=3).tolist() == quotas.tolist()
    for fold in range(3):
        assert (carried[fold] <= Y[folds == fold].any(axis=0)).all()


@pytest.mark.parametrize("seed", range(5))
def test_gains_are_half_the_fall_of_the_objective(seed):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, (14, 3))
    sizes = counts.max(axis=1) + 1
    units = units_of(counts, sizes)
    targets = targets_of(counts, [sizes.sum() / 3] * 3)
    weights = rng.random(4)
    folds = rng.permutation(np.arange(14) % 3)
    held = _held(*units, folds, targets.shape)

    def fall(changed):
        lines = np.column_stack([counts, sizes])
        values = [
            sum(
                weights[line] * (lines[of == fold, line].sum() - targets[line, fold]) ** 2
                for line in range(4)
                for fold in range(3)
            )
            for of in (folds, changed)
        ]
        return (values[0] - values[1]) / 2

    def loses_last(changed):
        return any(
            counts[folds == fold, label].any() and not counts[changed == fold, label].any()
            for fold in range(3)
            for label in range(3)
        )

    gains = np.empty(3)
    for unit in range(14):
        _move_gains(unit, units, targets, weights, folds, held, gains)
        for other in range(14):
            changed = folds.copy()
            changed[[unit, other]] = folds[[other, unit]]
            if folds[unit] != folds[other]:
                gain = _swap_gain(unit, other, units, targets, weights, folds, held)
                expected = -np.inf if loses_last(changed) else fall(changed)
                assert gain == pytest.approx(expected)
        for fold in {0, 1, 2} - {int(folds[unit])}:
            changed = folds.copy()
            changed[unit] = fold
            assert gains[fold] == pytest.approx(-np.inf if loses_last(changed) else fall(changed))


@pytest.mark.parametrize("seed", range(10))
def test_no_swap_can_improve_the_end(seed):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (30, 3))
    targets, weights = targets_of(Y, [10, 10, 10]), np.array([1.0, 0.5, 0.3, 1.0])
    folds = rng.integers(3, size=30)
    for _ in range(5):  # a swap may open the way for another: until nothing changes
        even_out(*units_of(Y), targets, weights, np.arange(30), folds, 20, 29)
    best = objective(Y, folds, targets, weights)
    for unit in range(30):
        for other in range(30):
            swapped = folds.copy()
            swapped[[unit, other]] = swapped[[other, unit]]
            assert objective(Y, swapped, targets, weights) >= best - 1e-9


def test_sizes_end_exact_from_the_worst_start():
    Y = np.random.default_rng(0).integers(0, 2, (40, 5))
    folds = np.zeros(40, np.int64)
    weights = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1e-9])
    even_out(*units_of(Y), targets_of(Y, [10] * 4), weights, np.arange(40), folds, 0, 0)
    assert np.bincount(folds).tolist() == [10] * 4


def test_a_swap_mends_what_no_single_move_can():
    # Each fold has the right size, so any single move would unbalance the sizes.
    Y = np.array([[1], [1], [1], [1], [0], [0], [0], [0]])
    folds = np.array([0, 0, 0, 1, 0, 1, 1, 1])
    targets, weights = targets_of(Y, [4, 4]), np.array([1.0, 10.0])
    even_out(*units_of(Y), targets, weights, np.arange(8), folds, 20, 0)
    assert objective(Y, folds, targets, weights) == 2
    even_out(*units_of(Y), targets, weights, np.arange(8), folds, 20, 7)
    assert objective(Y, folds, targets, weights) == 0


def test_no_move_takes_a_folds_last_positive_of_a_label():
    # The common label begs row 0 to leave fold 0, but row 0 is fold 0's only carrier of the rare.
    Y = np.array([[1, 1], [1, 0], [1, 0], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]])
    folds = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    weights = np.array([1.0, 0.0, 0.01])
    even_out(*units_of(Y), targets_of(Y, [4, 4]), weights, np.arange(8), folds, 20, 7)
    assert folds[0] == 0
    assert folds[4] == 1
    assert [int(Y[folds == fold, 0].sum()) for fold in (0, 1)] == [2, 2]


def test_large_units_move_as_a_whole():
    Y, sizes = np.array([[4], [2], [2]]), [4, 2, 2]
    folds = np.array([0, 0, 0])
    targets = np.array([[4.0, 4.0], [4.0, 4.0]])
    even_out(*units_of(Y, sizes), targets, np.ones(2), np.arange(3), folds, 20, 2)
    assert sorted(np.bincount(folds, weights=sizes).tolist()) == [4, 4]
