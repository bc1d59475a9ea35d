"""Quadratic forms of sparse rows against the dense product."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from dlst._kernels.quadratic_forms import quadratic_forms


def test_each_row_has_its_form_by_the_lower_half_alone():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(20, 9)) * (rng.random((20, 9)) < 0.4)
    dense[3] = 0
    A = rng.normal(size=(9, 9))
    A += A.T
    rows = sp.csr_array(dense)
    rows.indices = rows.indices.astype(np.int32)
    found = quadratic_forms(rows.indptr.astype(np.int32), rows.indices, rows.data, np.tril(A))
    np.testing.assert_allclose(found, np.einsum("if,fg,ig->i", dense, A, dense), atol=1e-12)
