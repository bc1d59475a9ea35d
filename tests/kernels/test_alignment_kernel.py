"""Blocks of pairs against loops that say what they mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp

from dlst._kernels.alignment import (
    SCALE,
    Pairs,
    code_row,
    logarithms,
    panel_forces,
    panel_labels,
    panel_mass,
    placement_terms,
)
from dlst._kernels.label_distances import (
    COSINE,
    EUCLIDEAN,
    NORMALIZED,
    SQUARED,
    complete_distances,
    pack_labels,
    partial_distances,
)
from dlst._kernels.label_rows import label_row, mark_labels

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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("counter", [np.uint8, np.int32])
def test_rows_of_distances_equal_a_loop(kind, number, counter):
    rng = np.random.default_rng(kind)
    Y, other = random_labels(rng, 4, 9), random_labels(rng, 6, 9)
    pattern = sp.csr_array(other)
    table = np.zeros((9, 6), counter)
    mark_labels(table, pattern.indptr.astype(np.int64), pattern.indices.astype(np.int64), 0, 6)
    np.testing.assert_array_equal(table, other.T)
    sizes, out = other.sum(1).astype(number), np.empty(6, number)
    for y in Y:
        label_row(table, np.flatnonzero(y), sizes, kind, np.empty(6, counter), out)
        expected = [1 + slow_distance(y, o, kind) for o in other]
        np.testing.assert_allclose(out, expected, rtol=4 * np.finfo(number).eps)


@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_logarithms_are_right_to_the_last_digits_and_without_bias(number):
    x = np.exp(np.linspace(0, 30, 2001)).astype(number)
    found = np.empty_like(x)
    logarithms(x, found)
    expected = np.log(x.astype(np.float64))
    eps = np.finfo(number).eps
    np.testing.assert_allclose(found, expected, rtol=3 * eps, atol=eps / 8)
    # Errors that all lean one way would not even out over many pairs.
    assert abs(np.mean((found - expected) / np.maximum(expected, 1))) < eps / 20


def test_the_scale_makes_kernels_of_near_sets_exact_in_single_precision():
    for distance in range(18):
        assert float(np.float32(SCALE) / np.float32(1 + distance)) * (1 + distance) == SCALE


def some_pairs(rng, number, *, kind=SQUARED, missing=0.0, n=11, K=5, block=4, landmarks=None):
    Y = random_labels(rng, n, K, missing)
    weights = rng.integers(1, 9, n).astype(float)
    shares = weights / 2
    if landmarks is not None:
        shares = np.where(np.arange(n) < landmarks, 3.0, 0.0)
    pattern, (ones, unknown) = sp.csr_array(Y), bits(Y)
    return Y, Pairs(
        weights=weights.astype(number),
        shares=shares.astype(number),
        indptr=pattern.indptr.astype(np.int64),
        indices=pattern.indices.astype(np.int64),
        sizes=np.diff(pattern.indptr).astype(number),
        ones=ones,
        unknown=unknown,
        complete=missing == 0.0,
        kind=kind,
        n_labels=K,
        stranger=2.5,
        root=kind == EUCLIDEAN,
        block=block,
        n_rows=n if landmarks is None else landmarks,
        skipped=0,
        counter=np.empty(0, np.uint8),
    )


def slow_sums(Y, pairs, codes, label_mass=300.0, code_mass=200.0):
    """Sums over pairs, each once, as the panels should give them."""
    n = len(Y)
    found = {"labels": 0.0, "masses": np.zeros(n), "mass": 0.0, "logs": 0.0}
    found |= {"forces": np.zeros(codes.shape), "sums": np.zeros(n)}
    w, p = pairs.weights.astype(float), pairs.shares.astype(float)
    for i in range(n):
        for j in range(i + 1, n):
            if j < pairs.skipped:
                continue
            squared = float(((codes[i] - codes[j]) ** 2).sum())
            distance = math.sqrt(squared) if pairs.root else squared
            slope = (0.5 / distance if distance > 0 else 0.0) if pairs.root else 1.0
            x = 1 + slow_distance(Y[i], Y[j], pairs.kind, pairs.stranger)
            k, k_label, v = 1 / (1 + distance), 1 / x, p[i] * w[j] + w[i] * p[j]
            force = v * k * slope * (k_label / label_mass - k / code_mass)
            found["labels"] += v * k_label * math.log(x)
            found["mass"] += v * k
            found["logs"] += v * k_label * math.log(1 + distance)
            for end, other in ((i, j), (j, i)):
                found["masses"][end] += v * k_label
                found["sums"][end] += force
                found["forces"][end] += force * codes[other]
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("landmarks", [None, 6])
@pytest.mark.parametrize("skipped", [0, 4])
def test_panels_equal_a_loop_over_pairs(kind, missing, landmarks, skipped):
    rng = np.random.default_rng(kind)
    Y, pairs = some_pairs(rng, np.float64, kind=kind, missing=missing, landmarks=landmarks)
    pairs = pairs._replace(skipped=skipped)
    codes = rng.normal(size=(len(Y), 3))
    expected = slow_sums(Y, pairs, codes)
    squares = (codes**2).sum(1)
    masses, forces, sums = np.zeros(len(Y)), np.zeros_like(codes), np.zeros(len(Y))
    labels = mass = logs = 0.0
    for first in range(0, pairs.n_rows, pairs.block):
        labels += panel_labels(pairs, first, masses)
        mass += panel_mass(codes, squares, pairs, first)
        logs += panel_forces(codes, squares, pairs, first, 300.0, 200.0, forces, sums)
    found = {"labels": labels, "masses": masses, "mass": mass, "logs": logs}
    found |= {"forces": forces, "sums": sums}
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-11, atol=1e-14, err_msg=name)


def test_panels_of_single_precision_come_near():
    rng = np.random.default_rng(0)
    Y, pairs = some_pairs(rng, np.float32)
    codes = rng.normal(size=(len(Y), 3)).astype(np.float32)
    expected = slow_sums(Y, pairs, codes.astype(float))
    squares = (codes**2).sum(1)
    forces, sums = np.zeros_like(codes), np.zeros_like(squares)
    mass = logs = 0.0
    for first in range(0, len(Y), pairs.block):
        mass += panel_mass(codes, squares, pairs, first)
        logs += panel_forces(codes, squares, pairs, first, 300.0, 200.0, forces, sums)
    assert forces.dtype == np.float32
    assert mass == pytest.approx(expected["mass"], rel=1e-6)
    assert logs == pytest.approx(expected["logs"], rel=1e-6)
    np.testing.assert_allclose(forces, expected["forces"], atol=1e-6 * np.abs(forces).max())
    np.testing.assert_allclose(sums, expected["sums"], atol=1e-6 * np.abs(sums).max())


def test_codes_that_meet_have_no_direction_in_which_to_part():
    inner = np.full(1, 5.0)
    code_row(inner, 5.0, np.full(1, 5.0), True)
    assert inner[0] == 1.0
    rng = np.random.default_rng(1)
    _, pairs = some_pairs(rng, np.float64, kind=EUCLIDEAN, n=2)
    forces, sums = np.zeros((2, 1)), np.zeros(2)
    panel_forces(np.ones((2, 1)), np.ones(2), pairs, 0, 3.0, 2.0, forces, sums)
    assert not sums.any()


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
