from __future__ import annotations

import numpy as np
import pytest
from encoder_problems import some_labels, square_distances
from scipy.optimize import minimize

from dlst.encoders import DistributionEncoder, distinct_label_sets, kl_divergence

DISTANCES = ("sqeuclidean", "euclidean", "normalized", "cosine")


def split_sets(missing=0.0, n_new=6):
    """Labels, some of whose distinct sets are kept out of training."""
    Y = some_labels(n=120, K=8, seed=2, missing=missing)
    sets = distinct_label_sets(Y)
    held = np.random.default_rng(0).permutation(len(sets))[:n_new]
    return Y[~np.isin(sets.inverse, held)], sets.sets.toarray()[held]


def added_value(encoder, Y, Z, new_set, code):
    """The objective of all training rows and one more, training codes fixed."""
    value, gradient = kl_divergence(
        np.vstack([Y, new_set]), np.vstack([Z, code]), distance=encoder.distance
    )
    return value, gradient[-1]


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_an_unseen_set_is_where_the_objective_with_one_more_row_is_least(distance, missing):
    Y, new_sets = split_sets(missing)
    encoder = DistributionEncoder(3, distance=distance)
    Z = encoder.fit_transform(Y)
    codes = encoder.transform(new_sets)
    gains = []
    for new_set, code in zip(new_sets, codes, strict=True):

        def scaled(z, new_set=new_set):
            value, gradient = added_value(encoder, Y, Z, new_set, z)
            return len(Y) * value, len(Y) * gradient

        value = scaled(code)[0]
        from_mean = scaled(np.zeros(3))[0]
        polished = minimize(scaled, code, jac=True, method="BFGS").fun
        assert value - polished <= 0.02 * (from_mean - polished)
        gains.append(from_mean - value)
    assert min(gains) > 0


def test_in_closed_form_an_unseen_set_is_projected_and_keeps_its_distances():
    Y, new_sets = split_sets()
    encoder = DistributionEncoder().fit(Y)
    assert encoder.rank_ == 8
    both = np.vstack([Y, new_sets])
    np.testing.assert_allclose(
        square_distances(encoder.transform(both)), square_distances(both), atol=1e-12
    )


def test_in_closed_form_unknown_entries_take_the_mean():
    Y, new_sets = split_sets()
    encoder = DistributionEncoder().fit(Y)
    new_set = new_sets[:1].copy()
    new_set[0, 2:4] = np.nan
    filled = np.where(np.isnan(new_set), Y.mean(axis=0), new_set)
    np.testing.assert_allclose(
        encoder.transform(new_set), (filled - Y.mean(axis=0)) @ encoder.components_, atol=1e-13
    )


def test_a_new_set_does_not_see_the_other_new_sets():
    Y, new_sets = split_sets()
    encoder = DistributionEncoder(3).fit(Y)
    together = encoder.transform(np.vstack([new_sets, Y[:3], new_sets[:2]]))
    alone = np.vstack([encoder.transform(one[None]) for one in new_sets])
    np.testing.assert_allclose(together[:6], alone, atol=1e-5)
    assert np.array_equal(together[9:], together[:2])
    assert np.array_equal(together[6:9], encoder.transform(Y[:3]))


def test_a_new_set_of_which_nothing_is_known_is_at_the_mean():
    Y, _ = split_sets()
    encoder = DistributionEncoder(3).fit(Y)
    assert encoder.transform(np.full((1, 8), np.nan)).tolist() == [[0, 0, 0]]
