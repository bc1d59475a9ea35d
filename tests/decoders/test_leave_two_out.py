"""Leave-one-out and leave-two-out codes against explicit refits."""

from __future__ import annotations

import numpy as np
import pytest
from decoder_problems import planted, refit
from sklearn.linear_model import Ridge

from dlst._kernels.ridge import RidgeSmoother, Spectrum
from dlst.decoders import leave_two_out
from dlst.decoders.leave_two_out import LeaveTwoOut, NearestSoFar, leave_two_out_neighbours


def refitted_distances(X, Z, rho):
    n = len(X)
    squared = np.full((n, n), np.inf)
    for i in range(n):
        query = refit(X, Z, np.delete(np.arange(n), i), i)
        for j in range(n):
            if i != j:
                code = refit(X, Z, np.delete(np.arange(n), [i, j]), j)
                blended = (1 - rho) * code + rho * Z[j]
                squared[i, j] = ((query - blended) ** 2).sum()
    return squared


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_distances_equal_explicit_refits_without_both_rows(rho):
    X, _, Z, smoother, _ = planted(n=18, K=4, d=3)
    rows = np.arange(18)
    fixed, linear, square = LeaveTwoOut(smoother, Z).queries(rows).distances(rows)
    t = 1 - rho
    found = fixed + t * linear + t**2 * square
    off = ~np.eye(18, dtype=bool)
    np.testing.assert_allclose(found[off], refitted_distances(X, Z, rho)[off], rtol=0, atol=1e-10)


def test_weighed_distances_equal_refits_without_both_rows():
    rng = np.random.default_rng(3)
    F, Z = rng.normal(size=(12, 2)), rng.normal(size=(12, 3))
    weights = rng.uniform(0.3, 3.0, size=12)
    smoother = RidgeSmoother(Spectrum.of(F, weights=weights), alpha=0.8)

    def without(*rows):
        kept = np.delete(np.arange(12), rows)
        return Ridge(0.8).fit(F[kept], Z[kept], sample_weight=weights[kept])

    fixed, linear, square = LeaveTwoOut(smoother, Z).queries(np.arange(12)).distances(np.arange(12))
    for i, j in ((0, 1), (1, 0), (5, 11), (7, 2)):
        query, code = without(i).predict(F[[i]])[0], without(i, j).predict(F[[j]])[0]
        for rho in (0.0, 0.3):
            blended = (1 - rho) * code + rho * Z[j]
            found = fixed[i, j] + (1 - rho) * linear[i, j] + (1 - rho) ** 2 * square[i, j]
            assert found == pytest.approx(((query - blended) ** 2).sum(), abs=1e-10)


def test_targets_need_not_be_centred():
    _, Y, Z, smoother, _ = planted(n=15, K=3, d=2)
    rows = np.arange(15)
    for one, other in zip(
        LeaveTwoOut(smoother, Z).queries(rows).distances(rows),
        LeaveTwoOut(smoother, Y + 4.0).queries(rows).distances(rows),
        strict=True,
    ):
        off = ~np.eye(15, dtype=bool)
        np.testing.assert_allclose(one[off], other[off], atol=1e-10)


@pytest.mark.parametrize("pairs", [1, 6, 27, 10_000])
def test_neighbours_are_the_nearest_by_refit_and_never_the_row_itself(pairs, monkeypatch):
    X, _, Z, smoother, _ = planted(n=18, K=4, d=3, seed=5)
    rows, database = np.array([0, 4, 11, 17]), np.delete(np.arange(18), 11)
    monkeypatch.setattr(leave_two_out, "PAIRS_AT_ONCE", pairs)
    monkeypatch.setattr(leave_two_out, "QUERY_ROWS", 3)
    found = leave_two_out_neighbours(smoother, Z, rows, database, 5, (0.0, 0.2))
    for each, rho in zip(found, (0.0, 0.2), strict=True):
        squared = refitted_distances(X, Z, rho)[np.ix_(rows, database)]
        np.testing.assert_array_equal(each.indices, np.argsort(squared, axis=1)[:, :5])
        np.testing.assert_allclose(each.squared_distances, np.sort(squared, axis=1)[:, :5])
        assert not (database[each.indices] == rows[:, None]).any()


@pytest.mark.parametrize("block", [1, 4, 30])
def test_the_nearest_so_far_are_those_of_a_stable_sort(block):
    squared = np.random.default_rng(0).integers(0, 9, size=(7, 30)).astype(float)
    found = NearestSoFar(7, 5)
    for start in range(0, 30, block):
        found.offer(squared[:, start : start + block], start)
    np.testing.assert_array_equal(found.squared, np.sort(squared, axis=1)[:, :5])
    taken = np.take_along_axis(squared, found.indices, axis=1)
    np.testing.assert_array_equal(taken, found.squared)
    assert all(len(set(row)) == 5 for row in found.indices.tolist())
