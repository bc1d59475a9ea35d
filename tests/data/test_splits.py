"""Official, random and folded splits, and the four readings of "10 % of each class"."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from dlst.data.dataset import Dataset, Split
from dlst.data.splits import (
    k_fold,
    official_split,
    per_class_fraction,
    random_split,
    repeated_random_splits,
)
from dlst.errors import DataError

READINGS = ["stratified", "union", "random", "greedy"]


@pytest.fixture(scope="module")
def Y():
    rng = np.random.default_rng(0)
    return (rng.random((600, 8)) < np.geomspace(0.5, 0.03, 8)).astype(float)


@pytest.fixture(scope="module")
def with_official(Y):
    return Dataset(np.zeros((600, 1)), Y, split=Split(np.arange(350), np.arange(350, 550)))


def test_the_official_split_is_returned_as_it_is(with_official):
    assert official_split(with_official) is with_official.split


def test_data_without_official_split_say_so_in_one_sentence(Y):
    with pytest.raises(DataError, match="no official split"):
        official_split(Dataset(np.zeros((600, 1)), Y, name="mine"))


@pytest.mark.parametrize(("test_size", "n_test"), [(0.25, 150), (0.3333, 200), (7, 7)])
def test_a_random_split_has_the_stated_size_and_all_rows(Y, test_size, n_test):
    split = random_split(Y, test_size, random_state=0)
    assert len(split.test) == n_test
    assert np.array_equal(np.union1d(split.train, split.test), np.arange(600))


def test_a_number_an_array_and_a_dataset_are_split_alike(Y, with_official):
    splits = [random_split(data, 0.2, random_state=5) for data in (600, Y, with_official)]
    assert all(np.array_equal(split.test, splits[0].test) for split in splits)


def test_every_row_is_as_likely_to_be_tested_as_any_other():
    tested = np.zeros(20)
    for seed in range(2000):
        tested[random_split(20, 5, random_state=seed).test] += 1
    # Mean 500, standard deviation 19.4.
    assert np.abs(tested - 500).max() < 5 * 19.4


def test_repeated_splits_have_the_official_sizes(with_official):
    splits = list(repeated_random_splits(with_official, 10, random_state=0))
    assert len(splits) == 10
    assert {(len(split.train), len(split.test)) for split in splits} == {(350, 200)}
    assert len({tuple(split.test) for split in splits}) == 10


def test_a_stated_test_size_wins_over_the_official_one(with_official):
    (split,) = repeated_random_splits(with_official, 1, 0.5)
    assert (len(split.train), len(split.test)) == (300, 300)


def test_without_official_split_a_third_is_tested():
    (split,) = repeated_random_splits(100, 1)
    assert len(split.test) == 33


def test_more_repeats_do_not_change_the_first_ones():
    few = list(repeated_random_splits(50, 3, random_state=1))
    many = list(repeated_random_splits(50, 6, random_state=1))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(few, many, strict=False))


def test_k_fold_is_scikit_learns():
    ours = [split.test.tolist() for split in k_fold(23, 4, shuffle=False)]
    assert ours == [test.tolist() for _, test in KFold(4).split(np.zeros(23))]


def test_shuffled_k_fold_keeps_its_seed_and_covers_every_row_once():
    first, again = ([split.test for split in k_fold(23, 4, random_state=2)] for _ in range(2))
    assert np.array_equal(np.concatenate(first), np.concatenate(again))
    assert np.array_equal(np.sort(np.concatenate(first)), np.arange(23))
    assert not np.array_equal(first[0], np.arange(6))


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("fraction", [0.01, 0.05, 0.1])
def test_each_reading_draws_and_leaves_the_rest(Y, reading, fraction):
    split = per_class_fraction(Y, fraction, reading=reading, random_state=0)
    assert np.array_equal(np.union1d(split.train, split.test), np.arange(600))
    assert 0 < len(split.train) < 600
    assert f"{len(split.train) / 6:.1f} % of the rows" in split.name


@pytest.mark.parametrize("reading", ["stratified", "random"])
def test_two_readings_have_the_stated_size(Y, reading):
    assert len(per_class_fraction(Y, 0.1, reading=reading, random_state=0).train) == 60


def test_the_stratified_reading_keeps_the_label_frequencies(Y):
    train = per_class_fraction(Y, 0.1, random_state=0).train
    assert np.abs(Y[train].sum(axis=0) - 0.1 * Y.sum(axis=0)).max() < 2


@pytest.mark.parametrize("reading", ["union", "greedy"])
@given(seed=st.integers(0, 999), fraction=st.floats(0.01, 0.6))
@settings(max_examples=25, deadline=None)
def test_two_readings_give_every_class_at_least_its_fraction(Y, reading, seed, fraction):
    train = per_class_fraction(Y, fraction, reading=reading, random_state=seed).train
    assert (Y[train].sum(axis=0) >= np.maximum(fraction * Y.sum(axis=0) - 1e-6, 1)).all()


def test_the_union_has_the_size_that_the_formula_foretells(Y):
    shares = [
        len(per_class_fraction(Y, 0.1, reading="union", random_state=seed).train) / 600
        for seed in range(20)
    ]
    # A row with c labels stays out with probability 0.9^c.
    assert np.mean(shares) == pytest.approx(1 - np.mean(0.9 ** Y.sum(axis=1)), abs=0.01)


def test_a_class_of_thirty_gives_three_and_not_four():
    Y = np.eye(2)[np.repeat([0, 1], [30, 70])]
    train = per_class_fraction(Y, 0.1, reading="union", random_state=0).train
    assert Y[train].sum(axis=0).tolist() == [3, 7]


def test_the_greedy_reading_takes_no_row_that_no_class_needs(Y):
    # The row taken last was needed by a class, which then has its quota and no more.
    train = per_class_fraction(Y, 0.1, reading="greedy", random_state=0).train
    quotas = np.ceil(np.round(0.1 * Y.sum(axis=0), 9))
    assert (Y[train].sum(axis=0) == quotas).any()
    assert Y[train].sum(axis=1).min() > 0


def test_the_random_reading_has_every_class_when_the_rows_suffice():
    Y = sp.csr_array(np.vstack([np.eye(10), np.zeros((190, 10))]))
    for seed in range(5):
        split = per_class_fraction(Y, 0.05, reading="random", random_state=seed)
        assert np.array_equal(split.train, np.arange(10))
    short = per_class_fraction(Y, 0.03, reading="random", random_state=0)
    assert short.name == (
        "3 % per class (random): 3.0 % of the rows, 4 classes without a training row"
    )


@pytest.mark.parametrize("reading", READINGS)
def test_drawing_from_the_official_training_rows_keeps_the_test_rows(Y, reading):
    train_rows, test_rows = np.arange(0, 600, 2), np.arange(1, 600, 2)
    split = per_class_fraction(Y, 0.1, reading=reading, rows=train_rows, random_state=0)
    assert np.isin(split.train, train_rows).all()
    assert np.array_equal(split.test, test_rows)
    mask = np.arange(600) % 2 == 0
    again = per_class_fraction(Y, 0.1, reading=reading, rows=mask, random_state=0)
    assert np.array_equal(again.train, split.train)


@pytest.mark.parametrize("reading", READINGS)
def test_unknown_entries_count_for_no_class(reading):
    Y = np.full((50, 2), np.nan)
    Y[:20, 0] = 1
    split = per_class_fraction(Y, 0.2, reading=reading, random_state=0)
    # Only rows 0 to 19 are known to carry anything.
    carriers = np.count_nonzero(split.train < 20)
    assert carriers == len(split.train) if reading in ("union", "greedy") else carriers >= 1


@pytest.mark.parametrize("reading", READINGS)
def test_seeds_are_honoured(Y, reading):
    draws = [
        tuple(per_class_fraction(Y, 0.1, reading=reading, random_state=seed).train)
        for seed in (0, 0, 1)
    ]
    assert draws[0] == draws[1] != draws[2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda Y: random_split(5, 5), "from 1 to 4, so that both sides have rows; got 5"),
        (lambda Y: random_split(1, 0.5), "expected at least 2 rows to split, got 1 row\\. Give"),
        (lambda Y: random_split(Y[:0]), "expected at least 2 rows to split, got none\\. Give"),
        (lambda Y: per_class_fraction(Y, 10), "10 % is 0.1"),
        (lambda Y: per_class_fraction(Y, 0.1, reading="some"), "stratified, union, random, greedy"),
        (lambda Y: per_class_fraction(Y, 0.1, rows=[1, 1]), "distinct row numbers"),
        (lambda Y: per_class_fraction(Y, 0.1, rows=[]), "distinct row numbers"),
        (lambda Y: per_class_fraction(Y, 0.1, rows=[0, 600]), "between 0 and 599; got 0 to 600"),
    ],
)
def test_wrong_parameters_are_named(Y, call, message):
    with pytest.raises(ValueError, match=message):
        call(Y)
