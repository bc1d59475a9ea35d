"""Iterative stratification: shares, sizes, groups, seeds, scikit-learn's interface."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_validate

from dlst.data.dataset import Dataset
from dlst.data.stratification import (
    IterativeStratification,
    label_deviation,
    stratified_folds,
    stratified_split,
)


@pytest.fixture(scope="module")
def skewed():
    """1,000 rows, 12 labels from common to rare, correlated in pairs, some rows empty."""
    rng = np.random.default_rng(7)
    frequencies = np.geomspace(0.5, 0.01, 12)
    Y = (rng.random((1000, 12)) < frequencies).astype(float)
    Y[:, 1] = np.where(rng.random(1000) < 0.7, Y[:, 0], Y[:, 1])
    return Y


@pytest.fixture(scope="module")
def yeast(real_data):
    halves = [
        np.loadtxt(real_data / "yeast" / f"yeast-{half}.arff", delimiter=",", comments=["@", "%"])
        for half in ("train", "test")
    ]
    return np.vstack(halves)[:, -14:]


def slow_label_deviation(Y, folds):
    n, K = Y.shape
    per_label = []
    for label in range(K):
        positives = Y[:, label].sum()
        if 0 < positives < n:
            differences = []
            for fold in sorted(set(folds.tolist())):
                inside = Y[folds == fold, label]
                ratio = inside.sum() / (len(inside) - inside.sum())
                differences.append(abs(ratio - positives / (n - positives)))
            per_label.append(np.mean(differences))
    return np.mean(per_label)


def test_every_label_is_within_two_rows_of_its_share(skewed):
    folds = stratified_folds(skewed, [1] * 5, random_state=0)
    held = np.array([skewed[folds == fold].sum(axis=0) for fold in range(5)])
    assert np.abs(held - skewed.sum(axis=0) / 5).max() < 2


def test_fold_sizes_are_those_of_k_fold(skewed):
    folds = stratified_folds(skewed[:998], [1] * 5, random_state=0)
    assert np.bincount(folds).tolist() == [len(test) for _, test in KFold(5).split(skewed[:998])]


def test_unequal_proportions_give_each_fold_its_share(skewed):
    folds = stratified_folds(skewed, [7, 2, 1], random_state=0)
    assert np.bincount(folds).tolist() == [700, 200, 100]
    for fold, share in enumerate([0.7, 0.2, 0.1]):
        wanted = share * skewed.sum(axis=0)
        assert np.abs(skewed[folds == fold].sum(axis=0) - wanted).max() < 2.5


def test_a_label_with_as_many_rows_as_folds_has_one_in_each():
    Y = np.zeros((100, 3))
    Y[:5, 0] = 1
    Y[3:8, 1] = 1
    Y[:60, 2] = 1
    folds = stratified_folds(Y, [1] * 5, random_state=3)
    for label in (0, 1):
        assert np.bincount(folds[Y[:, label] == 1]).tolist() == [1] * 5


def test_two_labels_that_stratified_k_fold_knows_are_split_as_well(skewed):
    y = skewed[:, 0].astype(int)
    folds = stratified_folds(y, [1] * 4, random_state=0)
    ours = sorted(int(y[folds == fold].sum()) for fold in range(4))
    theirs = sorted(int(y[test].sum()) for _, test in StratifiedKFold(4).split(y, y))
    assert ours == theirs


def test_classes_may_be_words():
    y = np.array(["cat", "dog", "dog", "cat", "cow", "cow"])
    folds = stratified_folds(y, [1, 1], random_state=0)
    assert sorted(y[folds == 0]) == ["cat", "cow", "dog"]


@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_matrix, pd.DataFrame, np.ndarray.tolist])
def test_the_form_of_the_labels_does_not_matter(skewed, form):
    expected = stratified_folds(skewed, [1] * 3, random_state=1)
    assert np.array_equal(stratified_folds(form(skewed), [1] * 3, random_state=1), expected)


def test_a_dataset_can_be_split(skewed):
    data = Dataset(np.zeros((1000, 1)), skewed)
    assert np.array_equal(
        stratified_split(data, 0.2, random_state=1).test,
        stratified_split(skewed, 0.2, random_state=1).test,
    )


def test_unknown_entries_are_ignored(skewed):
    unknown = skewed.copy()
    unknown[skewed == 0] = np.where(np.arange((skewed == 0).sum()) % 3 == 0, np.nan, 0)
    assert np.array_equal(
        stratified_folds(unknown, [1] * 3, random_state=1),
        stratified_folds(skewed, [1] * 3, random_state=1),
    )


def test_the_same_seed_gives_the_same_folds_and_another_seed_others(skewed):
    first, again, other = (
        stratified_folds(skewed, [1] * 5, random_state=seed) for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_generators_and_random_states_are_seeds_too(skewed, make):
    first, again = (stratified_folds(skewed, [1] * 3, random_state=make(5)) for _ in range(2))
    assert np.array_equal(first, again)


def test_without_shuffling_the_folds_depend_on_the_data_alone(skewed):
    first, again = (stratified_folds(skewed, [1] * 3, shuffle=False) for _ in range(2))
    assert np.array_equal(first, again)


@given(
    n_groups=st.integers(4, 30),
    n_folds=st.integers(2, 4),
    seed=st.integers(0, 999),
)
@settings(max_examples=40, deadline=None)
def test_groups_stay_together_and_no_row_is_lost(n_groups, n_folds, seed):
    rng = np.random.default_rng(seed)
    groups = np.append(rng.integers(n_groups, size=100), np.arange(n_groups))
    Y = rng.integers(0, 2, (groups.size, 3))
    folds = stratified_folds(Y, [1] * n_folds, groups=groups, random_state=seed)
    assert all(len(set(folds[groups == group])) == 1 for group in range(n_groups))
    assert set(folds.tolist()) <= set(range(n_folds))


def test_groups_of_one_size_are_shared_out_by_label_and_number():
    # 40 groups of 5 rows; the rows of a group have equal labels.
    rng = np.random.default_rng(0)
    group_labels = np.zeros((40, 2))
    group_labels[:20, 0] = 1
    group_labels[10:18, 1] = 1
    groups = rng.permutation(np.repeat(np.arange(40), 5))
    folds = stratified_folds(group_labels[groups], [1] * 4, groups=groups, random_state=0)
    assert np.bincount(folds).tolist() == [50] * 4
    held = np.array([group_labels[groups][folds == fold].sum(axis=0) for fold in range(4)])
    assert held.tolist() == [[25, 10]] * 4


def test_one_group_per_row_equals_no_groups(skewed):
    assert np.array_equal(
        stratified_folds(skewed, [1] * 3, groups=np.arange(1000), random_state=0),
        stratified_folds(skewed, [1] * 3, random_state=0),
    )


def test_label_deviation_agrees_with_loops(skewed):
    folds = np.random.default_rng(0).integers(5, size=1000)
    found, sizes = label_deviation(skewed, folds)
    assert found == pytest.approx(slow_label_deviation(skewed, folds), rel=1e-12)
    assert sizes == pytest.approx(np.abs(np.bincount(folds) - 200).mean())


def test_label_deviation_of_labels_that_never_vary_is_zero():
    assert label_deviation(np.ones((4, 2)), np.array([0, 1, 0, 1])) == (0.0, 0.0)


def test_rows_without_any_label_are_shared_out_evenly():
    folds = stratified_folds(np.zeros((10, 3)), [1, 1], random_state=0)
    assert np.bincount(folds).tolist() == [5, 5]


def test_a_matrix_without_labels_is_split_by_size():
    assert len(stratified_split(np.zeros((10, 0)), 3, random_state=0).test) == 3


@pytest.mark.real_data
def test_yeast_is_far_better_stratified_than_at_random(yeast):
    folds = stratified_folds(yeast, [1] * 10, random_state=0)
    shuffled = np.random.default_rng(0).permutation(folds)
    assert label_deviation(yeast, folds)[0] < 0.15 * label_deviation(yeast, shuffled)[0]
    assert np.ptp(np.bincount(folds)) == 1


@pytest.mark.parametrize(("size", "rows"), [(0.25, 250), (100, 100), (0.3333, 334)])
def test_the_test_size_is_met_exactly(skewed, size, rows):
    split = stratified_split(skewed, size, random_state=0)
    assert len(split.test) == rows
    assert np.array_equal(np.union1d(split.train, split.test), np.arange(1000))


def test_the_splitter_yields_every_row_once_as_a_test_row(skewed):
    splits = list(IterativeStratification(4, random_state=0).split(skewed, skewed))
    assert np.array_equal(np.sort(np.concatenate([test for _, test in splits])), np.arange(1000))
    assert all(np.intersect1d(train, test).size == 0 for train, test in splits)


def test_the_splitter_works_in_grid_search(skewed):
    X = np.random.default_rng(0).standard_normal((1000, 3))
    cv = IterativeStratification(3, random_state=0)
    search = GridSearchCV(RidgeClassifier(), {"alpha": [0.1, 1.0]}, cv=cv).fit(X, skewed[:, :3])
    assert search.n_splits_ == 3


@pytest.mark.parametrize("routing", [False, True])
def test_cross_validation_hands_groups_on(skewed, routing):
    X = np.random.default_rng(0).standard_normal((1000, 3))
    groups = np.repeat(np.arange(100), 10)
    handed = {"params": {"groups": groups}} if routing else {"groups": groups}
    with config_context(enable_metadata_routing=routing):
        scores = cross_validate(
            RidgeClassifier(),
            X,
            skewed[:, :3],
            cv=IterativeStratification(3, random_state=0),
            return_indices=True,
            **handed,
        )
    for test in scores["indices"]["test"]:
        assert set(np.bincount(groups[test], minlength=100)) == {0, 10}


def test_the_splitter_shows_its_parameters():
    cv = IterativeStratification(3, random_state=0)
    assert repr(cv) == "IterativeStratification(n_splits=3, random_state=0, shuffle=True)"
    assert cv.get_n_splits() == 3
    assert clone(cv, safe=False).n_splits == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda Y: stratified_folds(Y, [1]), "two or more positive numbers"),
        (lambda Y: stratified_folds(Y, [1, -1]), "two or more positive numbers"),
        (lambda Y: stratified_folds(Y[:3], [1] * 4), "got 3 for 4 folds"),
        (lambda Y: stratified_folds(Y, [1, 1], groups=[0, 1]), "each of the 1000 rows"),
        (lambda Y: stratified_split(Y, 1.5), "got 1.5 for 1000 rows"),
        (lambda Y: stratified_split(Y, 0), "from 1 to 999"),
        (lambda Y: stratified_split(Y, True), "got True"),
        (lambda Y: list(IterativeStratification(1).split(Y, Y)), "n_splits=1"),
        (lambda Y: list(IterativeStratification(2).split(Y, None)), "needs the labels"),
        (lambda Y: stratified_folds(Y, [1, 1], random_state="seven"), "cannot be used to seed"),
    ],
)
def test_wrong_parameters_are_named(skewed, call, message):
    with pytest.raises(ValueError, match=message):
        call(skewed)
