"""Blocks of pairs against loops that say what they mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp

from dlst._kernels.alignment import code_kernels, pair_forces, pair_sums, placement_terms
from dlst._kernels.label_distances import (
    COSINE,
    EUCLIDEAN,
    NORMALIZED,
    SQUARED,
    complete_distances,
    pack_labels,
    partial_distances,
)

KINDS = (SQUARED, EUCLIDEAN, NORMALIZED, COSINE)


def slow_distance(y, other, kind, stranger=math.nan):
    known = [(a, b) for a, b in zip(y, other, strict=True) if not (np.isnan(a) or np.isnan(b))]
    if not known:
        return stranger
    if kind == COSINE:
        y, other = (np.array(side) for side in zip(*known, strict=True))
        unit = y / max(np.linalg.norm(y), 1)
        other_unit = other / max(np.linalg.norm(other), 1)
        return float(((unit - other_unit) ** 2).sum()) / 2
    different = sum(a != b for a, b in known) * len(y) / len(known)
    return {
        SQUARED: different,
        EUCLIDEAN: math.sqrt(different),
        NORMALIZED: different / len(y),
    }[kind]


def bits(Y):
    Y = sp.csr_array(Y)
    unknown = np.isnan(Y.data)
    words = -(-Y.shape[1] // 64)
    pattern = Y.indptr.astype(np.int64), Y.indices.astype(np.int64)
    return pack_labels(*pattern, ~unknown, words), pack_labels(*pattern, unknown, words)


def random_labels(rng, n, K, missing=0.0):
    Y = (rng.random((n, K)) < rng.random(K)).astype(float)
    Y[0] = 0
    Y[rng.random(Y.shape) < missing] = np.nan
    return Y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("K", [1, 3, 63, 64, 65, 130])
def test_distances_of_known_sets_equal_a_loop(kind, K):
    rng = np.random.default_rng(K)
    Y, other = random_labels(rng, 7, K), random_labels(rng, 5, K)
    expected = [[slow_distance(y, o, kind) for o in other] for y in Y]
    found = complete_distances(bits(Y)[0], bits(other)[0], kind, K)
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("K", [1, 3, 65])
def test_distances_skip_unknown_labels_like_a_loop(kind, K):
    rng = np.random.default_rng(K)
    Y, other = random_labels(rng, 9, K, 0.5), random_labels(rng, 6, K, 0.5)
    other[2] = np.nan
    expected = [[slow_distance(y, o, kind, stranger=7.5) for o in other] for y in Y]
    assert np.any(np.equal(expected, 7.5))
    found = partial_distances(*bits(Y), *bits(other), kind, K, 7.5)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("root", [False, True])
def test_pairs_equal_a_loop(same, root):
    rng = np.random.default_rng(3)
    codes = rng.normal(size=(6, 3))
    other = codes if same else np.vstack([codes[0], rng.normal(size=(4, 3))])
    weights = rng.integers(1, 9, 6).astype(float)
    other_weights = weights if same else rng.integers(1, 9, 5).astype(float)
    wanted = rng.integers(1, 6, (6, len(other))).astype(float)
    log_ratio = gap = 0.0
    force = np.zeros_like(wanted)
    for i in range(6):
        for j in range(len(other)):
            if same and i == j:
                continue
            squared = float(((codes[i] - other[j]) ** 2).sum())
            distance = math.sqrt(squared) if root else squared
            slope = (0.5 / distance if distance > 0 else 0.0) if root else 1.0
            k, k_label = 1 / (1 + distance), 1 / (1 + wanted[i, j])
            weight = weights[i] * other_weights[j]
            log_ratio += weight * k_label * math.log(k_label / k)
            gap += weight * (k - k_label)
            force[i, j] = weight * k * slope * (k_label / 300 - k / 200)
    inner = codes @ other.T
    squares, other_squares = (codes**2).sum(1), (other**2).sum(1)
    if not same and root:
        # One coincident pair: the exact inner product, so that its distance is exactly zero.
        inner[0, 0] = squares[0]
        other_squares[0] = squares[0]
    code_kernels(inner, squares, other_squares, root)
    found = pair_sums(inner, wanted, weights, other_weights, same)
    np.testing.assert_allclose(found, (log_ratio, gap), rtol=1e-12)
    pair_forces(inner, wanted, weights, other_weights, 300.0, 200.0, same, root)
    np.testing.assert_allclose(inner, force, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("root", [False, True])
def test_placement_terms_equal_a_loop(root):
    rng = np.random.default_rng(4)
    codes, fixed = rng.normal(size=(3, 2)), rng.normal(size=(5, 2))
    weights = rng.integers(1, 9, 5).astype(float)
    wanted = rng.integers(0, 6, (3, 5)).astype(float)
    squared = ((codes[:, None] - fixed) ** 2).sum(2)
    distance = np.sqrt(squared) if root else squared
    slope = 0.5 / distance if root else 1.0
    k, k_label = 1 / (1 + distance), 1 / (1 + wanted)
    inner, pull = codes @ fixed.T, wanted.copy()
    found = placement_terms(inner, pull, (codes**2).sum(1), (fixed**2).sum(1), weights, root)
    expected = (weights * k_label * np.log1p(distance), weights * k, weights * k_label)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs.sum(1), rtol=1e-12)
    np.testing.assert_allclose(pull, weights * k * k_label * slope, rtol=1e-12)
    np.testing.assert_allclose(inner, weights * k * k * slope, rtol=1e-12)
