from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from encoder_problems import some_labels, square_distances
from sklearn.base import clone

from dlst.encoders import DistributionEncoder, FullCode, kl_divergence


def test_the_full_code_is_the_closed_form_but_for_a_rotation():
    Y = some_labels()
    Z = FullCode().fit_transform(Y)
    rotated = DistributionEncoder().fit_transform(Y)
    np.testing.assert_allclose(Z @ Z.T, rotated @ rotated.T, atol=1e-12)
    np.testing.assert_allclose(square_distances(Z), square_distances(Y), atol=1e-12)
    np.testing.assert_allclose(Z + Y.mean(axis=0), Y, atol=1e-15)


def test_its_divergence_is_zero_and_its_rank_that_of_the_labels():
    Y = some_labels()
    Y = np.column_stack([Y, Y[:, 0], 1 - Y[:, 1]])
    encoder = FullCode().fit(Y)
    assert encoder.kl_divergence_ == 0.0
    assert encoder.n_components_ == encoder.rank_ == np.linalg.matrix_rank(Y - Y.mean(axis=0)) < 8
    assert np.array_equal(encoder.codes_[encoder.label_sets_.inverse], encoder.transform(Y))


def test_unknown_entries_take_the_labels_mean():
    Y = np.array([[1, np.nan], [0, 1], [np.nan, 0], [1, 1]])
    encoder = FullCode()
    Z = encoder.fit_transform(Y)
    np.testing.assert_allclose(encoder.mean_, [2 / 3, 2 / 3])
    np.testing.assert_allclose(Z, [[1 / 3, 0], [-2 / 3, 1 / 3], [0, -2 / 3], [1 / 3, 1 / 3]])
    assert encoder.kl_divergence_ == pytest.approx(kl_divergence(Y, Z)[0], rel=1e-12)
    assert encoder.transform([[np.nan, np.nan]]).tolist() == [[0, 0]]


def test_a_label_that_is_never_known_is_zero():
    assert FullCode().fit_transform([[1, np.nan], [0, np.nan]]).tolist() == [[0.5, 0], [-0.5, 0]]


def test_columns_keep_the_names_of_the_labels():
    Y = pd.DataFrame([[1, 0], [0, 1]], columns=["sad", "calm"])
    encoder = clone(FullCode()).set_output(transform="pandas")
    assert list(encoder.fit_transform(Y).columns) == ["sad", "calm"]
