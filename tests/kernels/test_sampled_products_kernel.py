"""Chosen entries of a product against the whole product."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst._kernels.sampled_products import sampled_products


@pytest.mark.parametrize("k", [0, 1, 7])
def test_chosen_entries_are_those_of_the_whole_product(k):
    rng = np.random.default_rng(0)
    P, Q = rng.normal(size=(9, k)), rng.normal(size=(5, k))
    pattern = sp.csr_array((rng.random((9, 5)) < 0.4).astype(float))
    found = sampled_products(P, Q, pattern.indptr, pattern.indices)
    rows = np.repeat(np.arange(9), np.diff(pattern.indptr))
    np.testing.assert_allclose(found, (P @ Q.T)[rows, pattern.indices], atol=1e-14)


def test_an_empty_pattern_has_no_products():
    pattern = sp.csr_array((4, 3))
    found = sampled_products(np.ones((4, 2)), np.ones((3, 2)), pattern.indptr, pattern.indices)
    assert found.shape == (0,)
