"""The signed-rank test against SciPy and against all sign patterns."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata, wilcoxon

from dlst.reports.signed_rank import signed_rank_p


def slow_twin(values):
    """Try all signs."""
    values = np.asarray([value for value in values if value])
    ranks = rankdata(np.abs(values))
    observed = ranks[values > 0].sum()
    sums = np.array([np.dot(signs, ranks) for signs in product((0, 1), repeat=len(values))])
    lower, upper = (sums <= observed + 1e-9).mean(), (sums >= observed - 1e-9).mean()
    return min(1.0, 2 * min(lower, upper))


@pytest.mark.parametrize("seed", range(8))
def test_without_ties_it_is_scipys_exact_test(seed):
    values = np.random.default_rng(seed).normal(0.4, size=5 + seed)
    assert signed_rank_p(values) == pytest.approx(wilcoxon(values, method="exact").pvalue)


@pytest.mark.parametrize("seed", range(8))
def test_with_ties_it_is_the_share_of_sign_patterns(seed):
    values = np.random.default_rng(seed).integers(-3, 5, size=9)
    assert signed_rank_p(values) == pytest.approx(slow_twin(values))


def test_many_pairs_are_left_to_scipy():
    values = np.random.default_rng(0).normal(0.1, size=200)
    assert signed_rank_p(values) == wilcoxon(values).pvalue


def test_nothing_but_zeros_says_nothing():
    assert signed_rank_p([0.0, 0.0]) == 1.0
