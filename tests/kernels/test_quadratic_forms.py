"""Quadratic forms of sparse rows and their products against the dense ones."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from dlst._kernels.quadratic_forms import column_products, quadratic_forms

RNG = np.random.default_rng(0)
DENSE = RNG.normal(size=(20, 9)) * (RNG.random((20, 9)) < 0.4)
DENSE[3] = DENSE[:, 5] = DENSE[:, 8] = 0


def parts():
    rows = sp.csr_array(DENSE)
    return rows.indptr.astype(np.int32), rows.indices.astype(np.int32), rows.data


def test_each_row_has_its_form_by_the_lower_half_alone():
    A = RNG.normal(size=(9, 9))
    A += A.T
    found = quadratic_forms(*parts(), np.tril(A))
    np.testing.assert_allclose(found, np.einsum("if,fg,ig->i", DENSE, A, DENSE), atol=1e-12)


def test_columns_have_their_products_in_the_lower_half():
    found = column_products(*parts(), 9)
    np.testing.assert_allclose(found, np.tril(DENSE.T @ DENSE), atol=1e-12)
