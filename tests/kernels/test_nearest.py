"""The largest values of a row: few and many of them, equal ones, negative ones, one's own."""

from __future__ import annotations

import numpy as np
import pytest

from dlst._kernels.nearest import MANY, largest

RNG = np.random.default_rng(0)
N = 600
ROWS = {
    "normal": RNG.normal(size=(4, N)),
    "ties": RNG.integers(-3, 4, size=(4, N)) / 2,
    "signed zeros": np.where(RNG.random(size=(4, N)) < 0.5, 0.0, -0.0),
    "negative": -RNG.exponential(size=(4, N)),
    "of every size": RNG.choice([-1.0, 1.0], size=(4, N)) * 10.0 ** RNG.integers(-38, 38, (4, N)),
    "infinite": RNG.choice([-np.inf, 0.0, 1.0, np.inf], size=(4, N)),
}


def by_sorting(values, own, k):
    order = [c for c in np.argsort(-values, kind="stable") if c != own]
    return sorted(order[:k])


@pytest.mark.parametrize("k", [1, N // MANY, N // MANY + 1, N // 2, N - 1])
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
def test_the_largest_are_those_of_a_stable_sort(rows, k):
    similarities, own = rows.astype(np.float32), np.array([-1, 0, 17, N - 1])
    found = largest(similarities, own, k)
    for values, row, left_out in zip(similarities, found, own, strict=True):
        assert row.tolist() == by_sorting(values, left_out, k)
