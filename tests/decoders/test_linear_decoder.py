"""The linear decoder and the inverse of a linear encoder."""

from __future__ import annotations

import numpy as np
import pytest
from decoder_problems import NAN, planted

from dlst.decoders import LinearDecoder
from dlst.errors import DataError


def principal_codes(Y, r):
    mean = Y.mean(axis=0)
    V = np.linalg.svd(Y - mean, full_matrices=False)[2][:r].T
    return (Y - mean) @ V, V, mean


@pytest.mark.parametrize("r", [1, 2, 4])
def test_on_principal_codes_it_is_the_inverse_that_plst_uses(r):
    _, Y, *_ = planted(K=4)
    Z, V, mean = principal_codes(Y, r)
    noisy = Z + np.random.default_rng(0).normal(size=Z.shape)
    decoder = LinearDecoder().fit(noisy, Y, targets=Z)
    np.testing.assert_allclose(decoder.decision_function(noisy), mean + noisy @ V.T, atol=1e-12)


def test_full_codes_give_the_labels_back():
    _, Y, *_ = planted(K=4)
    Z, *_ = principal_codes(Y, 4)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    decoder = LinearDecoder().fit(Z @ turn + 3, Y)
    np.testing.assert_allclose(decoder.predict_proba(Z @ turn + 3), Y, atol=1e-12)


def test_unknown_entries_are_left_out_label_by_label():
    X, Y, *_ = planted(K=4, unknown=0.2)
    Y[:, 3] = NAN
    decoder = LinearDecoder().fit(X, Y)
    for j in range(3):
        known = ~np.isnan(Y[:, j])
        alone = LinearDecoder().fit(X[known], Y[known, j, None])
        np.testing.assert_allclose(decoder.decision_function(X)[:, [j]], alone.decision_function(X))
    assert (decoder.predict_proba(X)[:, 3] == 0).all()


def test_source_chooses_what_labels_are_regressed_on():
    _, Y, Z, _, codes = planted()
    on_codes = LinearDecoder(source="codes").fit(codes, Y, targets=Z)
    np.testing.assert_array_equal(on_codes.coef_, LinearDecoder().fit(codes, Y).coef_)
    on_targets = LinearDecoder().fit(codes, Y, targets=Z)
    np.testing.assert_array_equal(on_targets.coef_, LinearDecoder().fit(Z, Y).coef_)
    np.testing.assert_array_equal(on_targets.out_of_sample_proba_, on_targets.predict_proba(codes))


def test_probabilities_stay_in_bounds_and_constant_labels_get_their_prevalence():
    X, Y, *_ = planted()
    Y[:, 0] = 1
    decoder = LinearDecoder().fit(X, Y)
    proba = decoder.predict_proba(50 * X)
    assert (proba >= 0).all()
    assert (proba <= 1).all()
    assert (proba[:, 0] == 1).all()
    assert decoder.decision_function(50 * X).max() > 1


def test_mistakes_are_named():
    X, Y, Z, *_ = planted()
    with pytest.raises(ValueError, match="source must be"):
        LinearDecoder(source="labels").fit(X, Y)
    with pytest.raises(DataError, match="codes and targets must have the same shape"):
        LinearDecoder().fit(X, Y, targets=Z)
