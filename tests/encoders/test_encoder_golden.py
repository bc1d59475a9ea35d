"""Divergences and codes of the real sets against independent reference runs."""

from __future__ import annotations

import numpy as np
import pytest
from encoder_problems import square_distances

from dlst.data.registry import load_registered
from dlst.encoders import DistributionEncoder, distinct_label_sets, kl_divergence

pytestmark = [pytest.mark.golden, pytest.mark.real_data]

N_LABELS = {"emotions": 6, "scene": 6, "yeast": 14}
CASES = [(name, r) for name, K in N_LABELS.items() for r in (2, 3, K - 1)]


@pytest.fixture(scope="module")
def reference(golden):
    with np.load(golden / "dlst_encoder.npz") as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def labels(real_data):
    return {name: load_registered(name, download=False).train.Y for name in N_LABELS}


@pytest.mark.parametrize("name", N_LABELS)
def test_the_distinct_sets_and_their_counts_are_the_references(reference, labels, name):
    found = distinct_label_sets(labels[name])
    np.testing.assert_array_equal(found.sets.toarray(), reference[f"{name}_distinct_sets"])
    np.testing.assert_array_equal(found.counts, reference[f"{name}_multiplicity"])
    assert DistributionEncoder().fit(labels[name]).rank_ == reference[f"{name}_rank_Yc"]


@pytest.mark.parametrize(("name", "r"), CASES)
def test_principal_codes_have_the_reference_divergence(reference, labels, name, r):
    encoder = DistributionEncoder(r, max_iter=0).fit(labels[name])
    expected = float(reference[f"{name}_r{r}_KL_pca_codes"])
    assert encoder.kl_divergence_ == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("name", "r"), CASES)
def test_the_principal_start_ends_at_the_reference_divergence(reference, labels, name, r):
    encoder = DistributionEncoder(r, tol=1e-7, max_iter=5000).fit(labels[name])
    expected = float(reference[f"{name}_r{r}_KL_from_pca_start"])
    assert encoder.converged_
    assert encoder.kl_divergence_ == pytest.approx(expected, rel=1e-3)
    if name != "yeast":
        best = reference.get(f"{name}_r{r}_KL_extended_best", reference[f"{name}_r{r}_KL_best"])
        assert encoder.kl_divergence_ > float(best) - 1e-9


@pytest.mark.parametrize("name", ["emotions", "scene"])
def test_at_one_below_the_rank_the_code_distances_are_the_references(reference, labels, name):
    encoder = DistributionEncoder(5, tol=1e-11, max_iter=5000).fit(labels[name])
    np.testing.assert_allclose(
        square_distances(encoder.codes_), reference[f"{name}_r5_best_code_sqdist"], atol=2e-3
    )


@pytest.mark.parametrize(("name", "r"), CASES)
def test_the_references_best_codes_have_the_divergence_it_says(reference, name, r):
    squared = reference[f"{name}_r{r}_best_code_sqdist"]
    centring = np.eye(len(squared)) - 1 / len(squared)
    spread, axes = np.linalg.eigh(-0.5 * centring @ squared @ centring)
    codes = axes[:, -r:] * np.sqrt(np.maximum(spread[-r:], 0))
    weights = reference[f"{name}_multiplicity"]
    value, _ = kl_divergence(reference[f"{name}_distinct_sets"], codes, weights=weights)
    assert value == pytest.approx(float(reference[f"{name}_r{r}_KL_best"]), rel=1e-8)


def test_restarts_reach_the_best_known_optimum_of_emotions(reference, labels):
    encoder = DistributionEncoder(3, n_restarts=90, tol=1e-8, random_state=0)
    encoder.fit(labels["emotions"])
    best = float(reference["emotions_r3_KL_extended_best"])
    assert encoder.kl_divergence_ == pytest.approx(best, rel=1e-5)
    assert encoder.kl_divergence_ > best - 1e-9
    assert best < float(reference["emotions_r3_KL_from_pca_start"]) / 1.02
