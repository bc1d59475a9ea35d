"""Squared distances of all pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst._distances import squared_distances


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_squared_distances_are_sums_of_squared_differences_and_none_is_below_0(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 5)) * (rng.random((12, 5)) < 0.6)
    B = np.vstack([X[:4] + 1e-9, rng.normal(size=(6, 5))])
    expected = [[sum((x - b) ** 2) for b in B] for x in X]
    found = squared_distances(kind(X), kind(B))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found.min() >= 0.0
    known = squared_distances(kind(X), kind(B), (B**2).sum(axis=1))
    np.testing.assert_allclose(known, found, atol=1e-12)
