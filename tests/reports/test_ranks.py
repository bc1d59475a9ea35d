"""Ranks and tests over data sets agree with the textbook, with peers and with slow twins."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from dlst.errors import DataError
from dlst.reports import paired_tests
from dlst.reports.paired_tests import bayesian_signed_rank, holm, wilcoxon_against
from dlst.reports.ranks import friedman_test, mean_ranks, nemenyi

# AUC of four decision trees on 14 data sets: the worked example of Demšar (JMLR 7, 2006, table 6).
# "voting" is printed as .975 twice, but ranked 2 and 3: its last value stands a little lower here.
TREES = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.9749],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
    index=[f"set {i}" for i in range(14)],
)


def random_scores(n_data, n_methods, seed=0, *, decimals=3):
    values = np.random.default_rng(seed).normal(0.7, 0.1, size=(n_data, n_methods))
    values += 0.03 * np.arange(n_methods)
    return pd.DataFrame(
        values.round(decimals),
        index=[f"d{i}" for i in range(n_data)],
        columns=[f"m{j}" for j in range(n_methods)],
    )


tables = arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(2, 5)),
    # Few values, so that ties are common.
    elements=st.integers(0, 6).map(lambda i: i / 10),
).map(pd.DataFrame)


# Mean ranks ------------------------------------------------------------------------------------


def test_the_textbook_example_has_its_printed_mean_ranks():
    mean = mean_ranks(TREES).mean
    assert mean.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]


@given(tables)
def test_ranks_count_what_is_better_and_half_of_what_is_equal(scores):
    for higher in (True, False):
        ranks = mean_ranks(scores, higher_is_better=higher)
        for data, method in itertools.product(scores.index, scores.columns):
            own, row = scores.at[data, method], scores.loc[data]
            better = sum(value > own if higher else value < own for value in row)
            equal = sum(value == own for value in row) - 1
            assert ranks.by_data.at[data, method] == 1 + better + equal / 2
        pd.testing.assert_series_equal(ranks.mean, ranks.by_data.mean())


@given(tables, st.integers(0, 1000))
def test_a_constant_for_each_data_set_changes_no_rank(scores, seed):
    shifts = np.random.default_rng(seed).normal(size=len(scores))
    shifted = scores.add(shifts, axis=0)
    pd.testing.assert_frame_equal(mean_ranks(shifted).by_data, mean_ranks(scores).by_data)


@given(tables, st.randoms())
def test_the_order_of_methods_and_data_sets_does_not_matter(scores, random):
    columns, rows = list(scores.columns), list(scores.index)
    random.shuffle(columns)
    random.shuffle(rows)
    shuffled = scores.loc[rows, columns]
    pd.testing.assert_series_equal(
        mean_ranks(shuffled).mean[scores.columns], mean_ranks(scores).mean
    )
    assert friedman_test(shuffled).chi_square == pytest.approx(friedman_test(scores).chi_square)
    pd.testing.assert_frame_equal(
        nemenyi(shuffled).p_values.loc[scores.columns, scores.columns], nemenyi(scores).p_values
    )


def test_scores_that_differ_in_the_last_bits_are_tied():
    scores = pd.DataFrame({"a": [0.1 + 0.2, 0.5], "b": [0.3, 0.4]})
    assert mean_ranks(scores).by_data.loc[0].tolist() == [1.5, 1.5]


def test_data_sets_that_lack_a_method_are_left_out_and_named():
    scores = random_scores(6, 3)
    scores.loc["d1", "m0"] = np.nan
    scores.loc["d4", "m2"] = np.inf
    ranks = mean_ranks(scores)
    assert ranks.left_out == ("d1", "d4")
    whole = scores.drop(index=["d1", "d4"])
    pd.testing.assert_frame_equal(ranks.by_data, mean_ranks(whole).by_data)
    assert friedman_test(scores) == friedman_test(whole)
    pd.testing.assert_frame_equal(nemenyi(scores).p_values, nemenyi(whole).p_values)
    pd.testing.assert_frame_equal(wilcoxon_against(scores, "m0"), wilcoxon_against(whole, "m0"))


@pytest.mark.parametrize(
    "compute",
    [mean_ranks, friedman_test, nemenyi, lambda scores: wilcoxon_against(scores, "m0")],
    ids=["mean_ranks", "friedman_test", "nemenyi", "wilcoxon_against"],
)
def test_too_little_to_rank_is_one_clear_error(compute):
    with pytest.raises(DataError, match="at least 2 methods; got 1"):
        compute(random_scores(5, 1))
    with pytest.raises(DataError, match=r"at least 2 data sets .* got 1 of 1"):
        compute(random_scores(1, 3))
    failed = random_scores(5, 3).assign(m2=np.nan)
    with pytest.raises(DataError, match=r"got 0 of 5.*'m2', which has 0 scores"):
        compute(failed)


def test_names_that_come_twice_are_refused():
    scores = random_scores(4, 3)
    with pytest.raises(DataError, match=r"each method .* got m0 more than once"):
        mean_ranks(scores.set_axis(["m0", "m0", "m1"], axis=1))
    with pytest.raises(DataError, match=r"each data set .* got d1 more than once"):
        mean_ranks(scores.set_axis(["d1", "d1", "d2", "d3"], axis=0))


# Friedman --------------------------------------------------------------------------------------


def test_the_textbook_example_has_its_printed_friedman_statistics():
    result = friedman_test(TREES)
    # The book leaves ties uncorrected: three pairs (6 each) and one row of four (60).
    without_correction = result.chi_square * (1 - 78 / (14 * (4**3 - 4)))
    assert without_correction == pytest.approx(9.28, abs=0.005)
    f_without = 13 * without_correction / (14 * 3 - without_correction)
    assert f_without == pytest.approx(3.69, abs=0.005)
    assert (result.n_data, result.n_methods) == (14, 4)


@pytest.mark.parametrize("decimals", [3, 1])
def test_friedman_agrees_with_scipy_with_ties_and_without(decimals):
    scores = random_scores(12, 5, decimals=decimals)
    expected = stats.friedmanchisquare(*scores.to_numpy().T)
    result = friedman_test(scores)
    assert result.chi_square == pytest.approx(expected.statistic)
    assert result.chi_square_p == pytest.approx(expected.pvalue)


def test_iman_and_davenport_is_the_analysis_of_variance_of_the_ranks():
    scores = random_scores(9, 4, decimals=1)
    ranks = mean_ranks(scores).by_data.to_numpy()
    n, k = ranks.shape
    residual = ranks - ranks.mean(axis=0) - ranks.mean(axis=1, keepdims=True) + ranks.mean()
    between = n * ((ranks.mean(axis=0) - ranks.mean()) ** 2).sum() / (k - 1)
    within = (residual**2).sum() / ((k - 1) * (n - 1))
    result = friedman_test(scores)
    assert result.f == pytest.approx(between / within)
    assert result.f_p == pytest.approx(stats.f.sf(between / within, k - 1, (k - 1) * (n - 1)))


def test_two_methods_make_the_sign_test():
    scores = pd.DataFrame({"a": [1.0] * 7 + [0.0] * 3, "b": [0.5] * 10})
    # (wins - losses)² / (wins + losses)
    assert friedman_test(scores).chi_square == pytest.approx((7 - 3) ** 2 / 10)


def test_methods_tied_everywhere_are_alike():
    result = friedman_test(pd.DataFrame(1.0, index=range(4), columns=list("abc")))
    assert (result.chi_square, result.chi_square_p) == (0.0, 1.0)
    assert (result.f, result.f_p) == (0.0, 1.0)


@pytest.mark.parametrize("row", [[1, 2, 3], [1, 2, 2], [1, 1, 2, 2]])
def test_total_agreement_has_its_exact_probability(row):
    scores = pd.DataFrame([row] * 3, dtype=float)
    orders = list(itertools.permutations(row))
    agree = sum(
        first == second == third for first, second, third in itertools.product(orders, repeat=3)
    )
    result = friedman_test(scores)
    assert math.isinf(result.f)
    assert result.f_p == pytest.approx(agree / len(orders) ** 3)


# Nemenyi ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "printed"), [(0.05, 1.25), (0.10, 1.12)])
def test_the_textbook_example_has_its_printed_critical_difference(level, printed):
    # The book's q at .05 and .10 for four methods: 2.569 and 2.291.
    assert nemenyi(TREES, level).critical_difference == pytest.approx(printed, abs=0.01)


@pytest.mark.parametrize(
    ("n_methods", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (7, 2.949), (10, 3.164)]
)
def test_critical_values_are_those_of_the_printed_table(n_methods, q):
    n_data = 11
    expected = q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_data))
    found = nemenyi(random_scores(n_data, n_methods)).critical_difference
    assert found == pytest.approx(expected, rel=5e-4)


@given(tables, st.sampled_from([0.01, 0.05, 0.1]))
def test_a_difference_is_critical_where_its_p_value_is_below_the_level(scores, level):
    result, mean = nemenyi(scores, level), mean_ranks(scores).mean.to_numpy()
    gaps = np.abs(mean[:, None] - mean)
    p_values = result.p_values.to_numpy()
    assert (p_values == p_values.T).all()
    assert np.diag(p_values) == pytest.approx(1)
    clear = np.abs(gaps - result.critical_difference) > 1e-6
    assert ((gaps > result.critical_difference) == (p_values < level))[clear].all()


@pytest.mark.parametrize("level", [0, 1, -0.1, math.nan])
def test_a_level_outside_its_range_is_refused(level):
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        nemenyi(TREES, level)


@pytest.mark.parametrize("scores", [TREES, random_scores(20, 8), random_scores(6, 3, decimals=1)])
def test_nemenyi_agrees_with_scikit_posthocs(scores):
    posthocs = pytest.importorskip("scikit_posthocs", reason="a peer of the test group")
    expected = posthocs.posthoc_nemenyi_friedman(scores.to_numpy())
    np.testing.assert_allclose(nemenyi(scores).p_values, expected, atol=1e-6)


# Wilcoxon and Holm -----------------------------------------------------------------------------


def test_the_textbook_pair_differs_by_wilcoxon():
    # The book: C4.5 against C4.5+m, rank sums 12 and 93, critical value 21 at .05.
    row = wilcoxon_against(TREES[["C4.5", "C4.5+m"]], "C4.5+m").loc["C4.5"]
    assert (row["wins"], row["ties"], row["losses"]) == (10, 2, 2)
    assert row["mean_difference"] == pytest.approx(0.0155, abs=5e-4)
    assert row["p_value"] < 0.05


def test_wilcoxon_agrees_with_scipy_where_nothing_ties():
    scores = random_scores(15, 4, decimals=8)
    table = wilcoxon_against(scores, "m2")
    assert list(table.index) == ["m0", "m1", "m3"]
    for other, row in table.iterrows():
        assert row["p_value"] == pytest.approx(stats.wilcoxon(scores["m2"], scores[other]).pvalue)
        assert row["mean_difference"] == pytest.approx((scores["m2"] - scores[other]).mean())
        assert row["wins"] == (scores["m2"] > scores[other]).sum()


@pytest.mark.parametrize(
    "differences", [[1, 1, 1, -1, 2, 3], [0, 0, 1, 2, 3, 4, -2], [0] * 14 + [1]]
)
def test_wilcoxon_is_exact_by_all_signs_where_few_data_sets_tie(differences):
    scores = pd.DataFrame({"a": differences, "b": 0}, dtype=float)
    decided = np.array([d for d in differences if d], dtype=float)
    ranks = stats.rankdata(np.abs(decided))
    observed = abs((np.sign(decided) * ranks).sum())
    signs = itertools.product([-1, 1], repeat=len(decided))
    extreme = [abs((np.array(s) * ranks).sum()) >= observed for s in signs]
    assert wilcoxon_against(scores, "a").at["b", "p_value"] == pytest.approx(np.mean(extreme))


def test_differences_equal_but_for_the_last_bits_tie_in_wilcoxon():
    rough = pd.DataFrame({"a": [0.8, 0.7, 0.3, 0.9], "b": [0.7, 0.6, 0.4, 0.7]})
    clean = pd.DataFrame({"a": [1.0, 1.0, -1.0, 2.0], "b": 0.0})
    found, expected = wilcoxon_against(rough, "a"), wilcoxon_against(clean, "a")
    assert found.at["b", "p_value"] == expected.at["b", "p_value"]


def test_losses_turn_the_signs_and_keep_the_p_values():
    scores = random_scores(10, 3)
    more, less = (
        wilcoxon_against(frame, "m0", higher_is_better=higher)
        for frame, higher in ((scores, True), (-scores, False))
    )
    pd.testing.assert_frame_equal(more, less)
    turned = wilcoxon_against(scores, "m0", higher_is_better=False)
    assert (turned["wins"] == more["losses"]).all()
    assert turned["mean_difference"].tolist() == pytest.approx((-more["mean_difference"]).tolist())
    assert turned["p_value"].tolist() == pytest.approx(more["p_value"].tolist())


def test_a_twin_of_the_reference_has_p_value_one():
    row = wilcoxon_against(TREES.assign(twin=TREES["C4.5"]), "C4.5").loc["twin"]
    assert (row["wins"], row["ties"], row["losses"], row["p_value"]) == (0, 14, 0, 1.0)


def test_an_unknown_reference_is_named():
    with pytest.raises(ValueError, match=r"one of the methods \(C4.5, .*got 'dlst'"):
        wilcoxon_against(TREES, "dlst")


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_goes_down_step_by_step(p_values):
    twin = [0.0] * len(p_values)
    largest = 0.0
    for step, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - step) * p_values[place]))
        twin[place] = largest
    assert holm(p_values).tolist() == pytest.approx(twin)


def test_wilcoxon_is_corrected_by_holm():
    table = wilcoxon_against(random_scores(12, 5), "m4")
    assert table["p_holm"].tolist() == pytest.approx(holm(table["p_value"]).tolist())
    assert (table["p_holm"] >= table["p_value"]).all()


# Bayesian signed-rank test ---------------------------------------------------------------------


def slow_bayesian(differences, rope, n_draws, seed):
    """Draw by draw and pair by pair, with weights from gamma variables."""
    rng = np.random.default_rng(seed)
    points = [*differences, 0.0]
    winners = [0, 0, 0]
    for _ in range(n_draws):
        raw = [rng.gamma(1.0) for _ in differences] + [rng.gamma(0.5)]
        mass = [0.0, 0.0, 0.0]
        for (u, x), (v, y) in itertools.product(zip(raw, points, strict=True), repeat=2):
            region = 0 if x + y > 2 * rope else 2 if x + y < -2 * rope else 1
            mass[region] += u * v
        winners[mass.index(max(mass))] += 1
    return np.array(winners) / n_draws


@pytest.mark.parametrize(
    "differences",
    [[0.03, 0.012, -0.02, 0.04, 0.005], [-0.03, -0.05, 0.015, 0.0, 0.02, -0.015, 0.025]],
)
def test_the_bayesian_test_agrees_with_loops(differences):
    n_slow = 4000
    expected = slow_bayesian(differences, 0.01, n_slow, seed=1)
    found = bayesian_signed_rank(differences, np.zeros(len(differences)), random_state=0)
    # Four standard errors of the slow twin.
    shares = [found.better, found.equal, found.worse]
    assert shares == pytest.approx(expected.tolist(), abs=4 * 0.5 / math.sqrt(n_slow))
    assert sum(shares) == pytest.approx(1)
    assert found.n_data == len(differences)


def test_two_equal_gains_have_a_known_probability():
    # Better holds all pairs but those of the pseudo-observation with itself and, since half the
    # gain is in the rope, with the others: (1 - w)² > 1 - (1 - w)², so w < 1 - sqrt(1/2) for
    # w ~ Beta(1/2, 2).
    expected = stats.beta(0.5, 2).cdf(1 - math.sqrt(0.5))
    found = bayesian_signed_rank([0.015, 0.015], [0, 0], 0.01, 200_000, 0)
    assert found.better == pytest.approx(expected, abs=0.005)
    assert found.equal == pytest.approx(1 - expected, abs=0.005)
    assert found.worse == 0


@given(arrays(np.float64, (6, 2), elements=st.integers(0, 20).map(lambda i: i / 100)))
def test_swapping_the_methods_swaps_better_and_worse(scores):
    one = bayesian_signed_rank(scores[:, 0], scores[:, 1], n_draws=200, random_state=3)
    other = bayesian_signed_rank(scores[:, 1], scores[:, 0], n_draws=200, random_state=3)
    assert one.better == pytest.approx(other.worse)
    assert one.equal == pytest.approx(other.equal)
    losses = bayesian_signed_rank(
        scores[:, 1], scores[:, 0], n_draws=200, random_state=3, higher_is_better=False
    )
    assert losses == one


def test_clear_cases_are_clear():
    base = np.linspace(0.5, 0.7, 10)
    assert bayesian_signed_rank(base + 0.1, base, random_state=0).better > 0.99
    assert bayesian_signed_rank(base + 0.001, base, random_state=0).equal == 1
    # The end of the rope belongs to it, whatever the last bits say.
    assert bayesian_signed_rank(base + 0.01, base, random_state=0).equal == 1


def test_draws_do_not_depend_on_the_size_of_blocks(monkeypatch):
    a, b = random_scores(9, 2).to_numpy().T
    whole = bayesian_signed_rank(a, b, n_draws=1000, random_state=5)
    monkeypatch.setattr(paired_tests, "BLOCK_VALUES", 70)
    assert bayesian_signed_rank(a, b, n_draws=1000, random_state=5) == whole


def test_pairs_with_a_missing_score_are_left_out():
    a, b = random_scores(9, 2).to_numpy().T
    expected = bayesian_signed_rank(a, b, n_draws=500, random_state=5)
    found = bayesian_signed_rank([*a, np.nan, 0.3], [*b, 0.2, np.nan], n_draws=500, random_state=5)
    assert found == expected


def test_wrong_input_of_the_bayesian_test_is_refused():
    with pytest.raises(DataError, match=r"shapes \(2,\) and \(3,\)"):
        bayesian_signed_rank([1, 2], [1, 2, 3])
    with pytest.raises(DataError, match=r"at least 2 data sets .* got 1"):
        bayesian_signed_rank([1, np.nan], [1, 2])
    with pytest.raises(DataError, match="the same data sets in the same order"):
        bayesian_signed_rank(TREES["C4.5"], TREES["C4.5+m"].iloc[::-1])
    for rope in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="rope must be 0 or more"):
            bayesian_signed_rank([1, 2], [1, 2], rope)
    with pytest.raises(ValueError, match="n_draws must be 1 or more; got 0"):
        bayesian_signed_rank([1, 2], [1, 2], n_draws=0)
