"""Sketched codes: the labels that axes can hold come back, sparse and dense alike."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from dlst.encoders import SketchedCode


def test_labels_of_low_rank_come_back_whatever_their_frequency():
    rng = np.random.default_rng(0)
    sets = (rng.random((5, 40)) < 0.3).astype(np.float64)
    Y = sets[rng.integers(0, 5, 90)]
    encoder = SketchedCode(5, random_state=0)
    Z = encoder.fit_transform(sp.csr_array(Y))
    np.testing.assert_allclose(Z @ encoder.decoding_ + encoder.offset_, Y, atol=1e-8)
    np.testing.assert_allclose(encoder.transform(Y), Z, atol=1e-10)
    assert encoder.n_components_ == 5
    inverse = encoder.linear_inverse()
    np.testing.assert_allclose(Z @ inverse.decoding, Y, atol=1e-8)


def test_an_unknown_label_is_taken_for_its_mean_and_few_rows_have_few_axes():
    Y = np.array([[1.0, 0, np.nan], [0, 1, 1], [1, 1, 0]])
    encoder = SketchedCode(random_state=0)
    Z = encoder.fit_transform(Y)
    np.testing.assert_allclose(Z @ encoder.decoding_, np.where(np.isnan(Y), 0.5, Y), atol=1e-9)
    assert encoder.n_components_ == 3
