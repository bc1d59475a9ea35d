"""Dropped positives, unknown entries, unlabelled rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import maximum_bipartite_matching

from dlst.data import missing
from dlst.data.dataset import Dataset
from dlst.data.missing import drop_labels, mask_entries, mask_rows
from dlst.errors import DataError

matrices = st.tuples(st.integers(1, 12), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, 1.0, np.nan]))
)


@pytest.fixture(scope="module")
def Y():
    return (np.random.default_rng(0).random((400, 12)) < 0.4).astype(float)


def greatest_loss(Y):
    """Positives minus a minimum edge cover (Gallai: vertices minus a maximum matching)."""
    covered = np.count_nonzero(Y.any(axis=1)) + np.count_nonzero(Y.any(axis=0))
    matched = np.count_nonzero(maximum_bipartite_matching(sp.csr_matrix(Y)) >= 0)
    return int(Y.sum()) - (covered - matched)


@given(
    Y=matrices,
    rate=st.floats(0, 1),
    keep_instance=st.integers(0, 3),
    keep_label=st.integers(0, 3),
    seed=st.integers(0, 99),
)
@settings(max_examples=120, deadline=None)
def test_only_positives_go_and_both_rules_hold(Y, rate, keep_instance, keep_label, seed):
    dropped = drop_labels(
        Y,
        rate,
        keep_per_instance=keep_instance,
        keep_per_label=keep_label,
        random_state=seed,
    )
    left, mask = dropped.Y.toarray(), dropped.mask.toarray()
    assert (Y[mask] == 1).all()
    assert np.array_equal(left, np.where(mask, 0, Y), equal_nan=True)
    had, has = Y == 1, left == 1
    assert (has.sum(axis=1) >= np.minimum(had.sum(axis=1), keep_instance)).all()
    assert (has.sum(axis=0) >= np.minimum(had.sum(axis=0), keep_label)).all()
    assert dropped.requested_rate == rate
    assert dropped.effective_rate == (mask.sum() / had.sum() if had.any() else 0)
    assert mask.sum() <= round(rate * had.sum())
    assert dropped.mask.dtype == bool


@pytest.mark.parametrize("rate", [0.0, 0.2, 0.4, 0.6, 0.7])
def test_a_feasible_rate_is_met_exactly(Y, rate):
    dropped = drop_labels(Y, rate, random_state=0)
    assert dropped.mask.nnz == round(rate * Y.sum())


def test_without_rules_everything_can_go(Y):
    dropped = drop_labels(Y, 1.0, keep_per_instance=0, keep_per_label=0)
    assert dropped.Y.nnz == 0
    assert dropped.effective_rate == 1


def test_a_rate_beyond_the_rules_saturates_at_one_label_per_row(Y):
    dropped = drop_labels(Y, 0.99, random_state=0)
    assert dropped.mask.nnz == greatest_loss(Y)
    assert (dropped.Y.sum(axis=1) == np.minimum(Y.sum(axis=1), 1)).all()


@pytest.mark.real_data
def test_on_real_labels_the_saturated_loss_is_the_greatest_possible(real_data):
    path = real_data / "yeast" / "yeast-train.arff"
    Y = np.loadtxt(path, delimiter=",", comments=["@", "%"])[:, -14:]
    assert drop_labels(Y, 1.0, random_state=0).mask.nnz == greatest_loss(Y)


def test_a_class_that_only_one_row_has_keeps_it():
    Y = np.ones((20, 3))
    Y[1:, 2] = 0
    for seed in range(20):
        assert drop_labels(Y, 0.9, random_state=seed).Y[0, 2] == 1


def test_all_entries_are_equally_likely_to_go():
    gone = sum(
        drop_labels(np.ones((4, 5)), 0.3, random_state=s).mask.toarray() for s in range(2000)
    )
    # 6 of 20: mean 600, standard deviation 20.5.
    assert np.abs(gone.astype(int) - 600).max() < 5 * 20.5


def test_a_lower_rate_drops_a_part_of_what_a_higher_rate_drops(Y):
    few, many = (drop_labels(Y, rate, random_state=3).mask for rate in (0.2, 0.6))
    assert (few.toarray() <= many.toarray()).all()


def test_the_same_seed_gives_the_same_mask(Y):
    masks = [drop_labels(Y, 0.4, random_state=seed).mask.toarray() for seed in (0, 0, 1)]
    assert np.array_equal(masks[0], masks[1])
    assert not np.array_equal(masks[0], masks[2])


def test_the_given_matrix_is_left_alone(Y):
    sparse = sp.csr_array(Y)
    drop_labels(sparse, 0.5, random_state=0)
    mask_entries(sparse, 0.5, random_state=0)
    mask_rows(sparse, 0.5, random_state=0)
    assert np.array_equal(sparse.toarray(), Y)


def test_a_dataset_may_be_given(Y):
    data = Dataset(np.zeros((400, 1)), Y)
    assert drop_labels(data, 0.5, random_state=0).mask.nnz == round(0.5 * Y.sum())


@given(Y=matrices, rate=st.floats(0, 1), seed=st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_masked_entries_become_unknown_and_others_stay(Y, rate, seed):
    masked = mask_entries(Y, rate, random_state=seed)
    found = masked.toarray()
    fresh = np.isnan(found) & ~np.isnan(Y)
    assert np.array_equal(found[~fresh], Y[~fresh], equal_nan=True)
    assert fresh.sum() <= round(rate * Y.size)
    if not np.isnan(Y).any():
        assert fresh.sum() == round(rate * Y.size)
    assert masked.has_canonical_format
    assert np.all(masked.data)


def test_positives_and_negatives_are_masked_alike(Y):
    unknown = np.isnan(mask_entries(Y, 0.3, random_state=0).toarray())
    assert unknown.sum() == round(0.3 * Y.size)
    assert unknown[Y == 1].mean() == pytest.approx(0.3, abs=0.04)
    assert unknown[Y == 0].mean() == pytest.approx(0.3, abs=0.04)


@pytest.mark.parametrize("rate", [0.3, 0.7])
def test_all_entries_are_equally_likely_to_be_masked(rate):
    zeros = np.zeros((4, 5))
    counts = sum(
        np.isnan(mask_entries(zeros, rate, random_state=seed).toarray()) for seed in range(2000)
    )
    assert np.abs(counts.astype(int) - 2000 * rate).max() < 5 * 20.5


def test_a_wide_matrix_is_masked_without_a_dense_copy():
    wide = sp.csr_array((10**6, 10**6))
    assert mask_entries(wide, 1e-9, random_state=0).nnz == 1000


def test_absurd_sizes_are_refused_before_anything_is_built(monkeypatch):
    huge = sp.csr_array((10**6, 10**6))
    with pytest.raises(DataError, match="at most 500,000,000 unknown entries"):
        mask_entries(huge, 0.001)
    with pytest.raises(DataError, match="Lower the rate"):
        mask_rows(huge, 0.5)
    monkeypatch.setattr(missing, "MAX_UNKNOWN_ENTRIES", 10)
    assert mask_entries(np.zeros((5, 4)), 0.5).nnz == 10
    with pytest.raises(DataError, match="got 11"):
        mask_entries(np.zeros((5, 4)), 0.55)


def test_masked_rows_are_wholly_unknown_and_others_stay(Y):
    masked = mask_rows(Y, 0.25, random_state=0).toarray()
    rows = np.isnan(masked).any(axis=1)
    assert rows.sum() == 100
    assert np.isnan(masked[rows]).all()
    assert np.array_equal(masked[~rows], Y[~rows])


@pytest.mark.parametrize("rows", [[5, 2, 2], [2, -395], np.isin(np.arange(400), [2, 5])])
def test_named_rows_are_masked(Y, rows):
    masked = mask_rows(Y, rows=rows).toarray()
    assert np.flatnonzero(np.isnan(masked).all(axis=1)).tolist() == [2, 5]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda Y: drop_labels(Y, 60), "60 % is 0.6"),
        (lambda Y: drop_labels(Y, float("nan")), "between 0 and 1"),
        (lambda Y: drop_labels(Y, 0.1, keep_per_label=-1), "keep_per_label=-1"),
        (lambda Y: mask_entries(Y, -0.1), "between 0 and 1"),
        (lambda Y: mask_rows(Y), "either rate or rows"),
        (lambda Y: mask_rows(Y, 0.5, rows=[1]), "either rate or rows"),
    ],
)
def test_wrong_parameters_are_named(Y, call, message):
    with pytest.raises(ValueError, match=message):
        call(Y)
