"""Unknown entries and what stands in their place."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from dlst._unknown import known_means, known_or_mean


def test_unknown_labels_are_replaced_by_the_mean_of_the_known():
    Y = sp.csr_array(np.array([[1.0, 0.0], [np.nan, 1.0], [0.0, np.nan], [1.0, 1.0]]))
    filled = known_or_mean(Y)
    np.testing.assert_allclose(filled.toarray(), [[1, 0], [2 / 3, 1], [0, 2 / 3], [1, 1]])
    assert np.isnan(Y.data).sum() == 2
    known = sp.csr_array(np.eye(2))
    assert known_or_mean(known) is known


def test_means_are_weighted_and_nothing_known_is_zero():
    Y = sp.csr_array(np.array([[1.0, np.nan], [np.nan, np.nan], [0.0, np.nan]]))
    np.testing.assert_allclose(known_means(Y, np.array([3.0, 5.0, 1.0])), [0.75, 0.0])
