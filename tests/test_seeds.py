"""Seeds go to what needs one and has none; rows are drawn in order."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression

from dlst._seeds import draw_seed, drawn_rows, give_seed


def test_a_generator_draws_only_for_who_needs_a_seed():
    random = np.random.RandomState(0)
    before = random.get_state()[2]
    give_seed(LinearRegression(), random)
    give_seed(LogisticRegression(random_state=7), random)
    assert random.get_state()[2] == before
    assert give_seed(LogisticRegression(), random).random_state == draw_seed(0)


def test_some_rows_are_drawn_once_and_stay_in_order():
    rows = np.arange(5, 105, 2)
    some = drawn_rows(rows, 20, 3)
    assert len(some) == 20
    assert (np.diff(some) > 0).all()
    assert np.isin(some, rows).all()
    np.testing.assert_array_equal(some, drawn_rows(rows, 20, 3))
    np.testing.assert_array_equal(drawn_rows(rows, 50, 3), rows)
