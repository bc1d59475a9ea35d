"""Each rule against all decisions of small problems, and on the odd cases."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from rule_problems import (
    NAN,
    all_budgets,
    all_decisions,
    best_of,
    hamming,
    instance,
    macro,
    micro,
    probabilities,
)

from dlst.decisions import RULES, make_rule
from dlst.decisions._entries import as_entries, best_fraction
from dlst.errors import DataError

SIZES = [(3, 4), (4, 3), (2, 6), (6, 2), (1, 5), (7, 1)]
MEASURES = {"micro": micro, "macro": macro, "instance": instance}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("size", SIZES)
def test_one_f1_at_a_time_is_exactly_best_of_all_decisions(name, size):
    P, Y = probabilities(*size, seed=sum(size))
    found = make_rule(name).fit(P, Y).apply(P).toarray()
    best = best_of(MEASURES[name], P, all_decisions(*size))
    assert MEASURES[name](P, found) == pytest.approx(best, abs=1e-12)


def test_hamming_is_exactly_best_of_all_decisions():
    P, Y = probabilities(3, 4)
    found = make_rule("hamming").fit(None, Y).apply(P).toarray()
    assert hamming(P, found) == min(hamming(P, D) for D in all_decisions(3, 4))


def test_f1_comes_within_one_percent_of_all_decisions_nearly_always():
    gaps = []
    for seed in range(40):
        n, K = SIZES[seed % 4]
        P, Y = probabilities(n, K, seed, rare=(0.7, 1.0, 2.0)[seed % 3])
        D = all_decisions(n, K)
        hits = P * D
        values = (
            2 * hits.sum((1, 2)) / (D.sum((1, 2)) + P.sum())
            + (2 * hits.sum(1) / (D.sum(1) + P.sum(0))).mean(1)
            + 2 * (2 * hits.sum(2) / (D.sum(2) + P.sum(1))).mean(1)
        )
        rule = make_rule("f1").fit(P, Y)
        found = rule.apply(P).toarray()
        value = micro(P, found) + macro(P, found) + 2 * instance(P, found)
        assert value == pytest.approx(rule.value_)
        gaps.append(1 - value / values.max())
    assert np.mean(gaps) < 0.004
    assert np.quantile(gaps, 0.9) < 0.01
    assert max(gaps) < 0.05


def test_budget_comes_within_one_percent_of_all_decisions_with_r_labels_nearly_always():
    gaps = []
    for seed in range(40):
        n, K = SIZES[seed % 4]
        P, Y = probabilities(n, K, seed)
        r = 1 + seed % 2 * (K > 2)

        def value(P, D):
            return micro(P, D) + 0.25 * macro(P, D)

        rule = make_rule("budget", r=r).fit(P, Y)
        found = rule.apply(P).toarray()
        assert (found.sum(axis=1) == r).all()
        assert value(P, found) == pytest.approx(rule.value_)
        gaps.append(1 - value(P, found) / best_of(value, P, all_budgets(n, K, r)))
    assert np.mean(gaps) < 0.002
    assert np.quantile(gaps, 0.9) < 0.01
    assert max(gaps) < 0.03


SHAPES = {
    "rare": lambda rng, size: rng.beta(0.3, 2.0, size),
    "certain": lambda rng, size: rng.beta(0.1, 0.1, size),
    "very rare": lambda rng, size: rng.random(size) ** 6,
    "rows times labels": lambda rng, size: rng.random((size[0], 1)) * rng.random((1, size[1])),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_gaps_told_of_f1_and_budget_hold_for_skewed_probabilities(shape):
    rng, D = np.random.default_rng(3), all_decisions(3, 4)
    gaps = {"f1": [], "budget": []}

    def f1(P, D):
        return micro(P, D) + macro(P, D) + 2 * instance(P, D)

    def budget(P, D):
        return micro(P, D) + 0.25 * macro(P, D)

    for _ in range(15):
        P = SHAPES[shape](rng, (3, 4))
        Y = (rng.random(P.shape) < P).astype(float)
        found = make_rule("f1").fit(P, Y).apply(P).toarray()
        gaps["f1"].append(1 - f1(P, found) / best_of(f1, P, D))
        found = make_rule("budget", r=2).fit(P, Y).apply(P).toarray()
        gaps["budget"].append(1 - budget(P, found) / best_of(budget, P, all_budgets(3, 4, 2)))
    for each in gaps.values():
        assert np.mean(each) < 0.02
        assert max(each) < 0.15


@pytest.mark.parametrize("name", RULES)
def test_no_rows_teach_nothing_and_one_row_is_enough(name):
    P, Y = probabilities(1, 4)
    with pytest.raises(DataError, match="must have rows to learn from; got none"):
        make_rule(name).fit(P[:0], Y[:0])
    with np.errstate(all="raise"):
        found = make_rule(name).fit(P, Y).apply(P)
        nothing = make_rule(name).fit(sp.csr_array(P.shape), Y).apply(sp.csr_array(P.shape))
    assert found.shape == P.shape
    assert nothing.nnz == (Y.sum() if name == "subset" else 0)


def test_top_takes_any_scores_and_a_cardinality_changes_no_order():
    Y = np.array([[1.0, 0.0, 0.0]])
    scores = np.array([[-3.0, 7.0, 2.0]])
    found = make_rule("top", r=1).fit(None, Y).apply(scores).toarray()
    np.testing.assert_array_equal(found, [[0, 1, 0]])
    known = make_rule("top", r=1, cardinality=3.0).fit(None, Y)
    np.testing.assert_array_equal(known.apply([[0.7, 0.8, 0.9]]).toarray(), [[0, 0, 1]])
    with pytest.raises(DataError, match="scores must be numbers; got NaN"):
        known.apply([[0.7, NAN, 0.9]])
    with pytest.raises(DataError, match=r"probabilities must lie in \[0, 1\]; got -3 to 7"):
        make_rule("hamming").fit(None, Y).apply(scores)


def test_top_takes_the_best_of_the_ranking_and_the_budget_without_macro_is_the_same():
    P, Y = probabilities(5, 4)
    top = make_rule("top", r=2).fit(None, Y)
    assert micro(P, top.apply(P).toarray()) == best_of(micro, P, all_budgets(5, 4, 2))
    plain = make_rule("budget", r=2, mu=0.0).fit(P, Y)
    np.testing.assert_array_equal(plain.apply(P).toarray(), top.apply(P).toarray())
    by_score = top.apply(P, -P).toarray()
    assert (by_score.sum(axis=1) == 2).all()
    assert micro(1 - P, by_score) == best_of(micro, 1 - P, all_budgets(5, 4, 2))


@given(
    rows=st.lists(
        st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=3, max_size=3),
        min_size=1,
        max_size=5,
    )
)
def test_best_fraction_is_that_of_the_sorted_prefixes(rows):
    P = np.array(rows)
    found = best_fraction(as_entries(P), "rows")
    for row, value in zip(P, found.value, strict=True):
        sums = np.cumsum(np.sort(row)[::-1])
        slow = max(c / (k + row.sum()) for k, c in enumerate(sums, start=1))
        assert value == pytest.approx(slow)
    by_label = best_fraction(as_entries(P), "labels")
    flipped = best_fraction(as_entries(P.T), "rows")
    np.testing.assert_allclose(by_label.value, flipped.value)
    pooled = best_fraction(as_entries(P.reshape(1, -1)), "rows")
    np.testing.assert_allclose(best_fraction(as_entries(P), "all").value, pooled.value)


@pytest.mark.parametrize("name", RULES)
def test_sparse_probabilities_decide_as_dense_ones(name):
    P, Y = probabilities(60, 7)
    P[P < 0.2] = 0.0
    new = probabilities(20, 7, seed=1)[0]
    new[new < 0.2] = 0.0
    new[0] = 0.0
    dense, sparse = make_rule(name).fit(P, Y), make_rule(name).fit(sp.csr_array(P), Y)
    found = sparse.apply(sp.csr_array(new))
    expected = dense.apply(new).toarray()
    if name in ("top", "budget"):
        # Where fewer than r labels are stored, only these can be taken.
        expected = expected * (new > 0)
        assert (np.diff(found.indptr) <= np.maximum(dense.r_, 0)).all()
        few = (new > 0).sum(axis=1) < dense.r_
        np.testing.assert_array_equal(found.toarray()[~few], expected[~few])
    else:
        np.testing.assert_array_equal(found.toarray(), expected)


@pytest.mark.parametrize("name", RULES)
def test_weights_are_repetition(name):
    P, Y = probabilities(40, 5)
    weights = np.random.default_rng(2).integers(0, 4, size=40)
    rows = np.repeat(np.arange(40), weights)
    new = probabilities(30, 5, seed=3)[0]
    weighted = make_rule(name).fit(P, Y, sample_weight=weights)
    repeated = make_rule(name).fit(P[rows], Y[rows])
    np.testing.assert_array_equal(weighted.apply(new).toarray(), repeated.apply(new).toarray())


@pytest.mark.parametrize("name", ["f1", "micro", "macro", "instance", "hamming"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_weights_of_labels_are_repetition(name, container):
    P, Y = probabilities(40, 5)
    weights = np.array([1, 3, 2, 1, 4])
    columns = np.repeat(np.arange(5), weights)
    new = probabilities(1000, 5, seed=3)[0]
    weighted = make_rule(name).fit(container(P), Y, label_weight=weights)
    repeated = make_rule(name).fit(container(P[:, columns]), Y[:, columns])
    found = weighted.apply(container(new)).toarray()[:, columns]
    np.testing.assert_array_equal(found, repeated.apply(container(new[:, columns])).toarray())
    if name in ("f1", "micro", "instance"):
        assert (found != make_rule(name).fit(P, Y).apply(new).toarray()[:, columns]).any()


@pytest.mark.parametrize("name", RULES)
def test_rows_say_which_labels_the_probabilities_belong_to(name):
    P, Y = probabilities(50, 4)
    rows = np.arange(0, 50, 2)
    part = make_rule(name, cardinality=3.0).fit(P[rows], Y, rows=rows)
    assert part.observed_share_ == pytest.approx(min(1, Y.sum() / (50 * 3.0)))
    assert part.apply(P).shape == (50, 4)
    with pytest.raises(DataError, match=r"row for each of the 50 rows.*got 25.*rows="):
        make_rule(name).fit(P[rows], Y)


@pytest.mark.parametrize("name", RULES)
def test_a_label_never_seen_is_never_decided_for_and_one_always_seen_always(name):
    P, Y = probabilities(50, 4)
    P[:, 1], Y[:, 1] = 0.0, 0.0
    P[:, 2], Y[:, 2] = 1.0, 1.0
    found = make_rule(name).fit(P, Y).apply(P).toarray()
    if name not in ("top", "budget"):
        assert not found[:, 1].any()
        assert found[:, 2].all()
    else:
        assert found[:, 2].mean() > 0.9


@pytest.mark.parametrize("name", RULES)
def test_nothing_at_all_is_decided_when_all_probabilities_are_zero(name):
    Y = np.zeros((5, 3))
    Y[0, 0] = 1
    found = make_rule(name).fit(np.zeros((5, 3)), Y).apply(np.zeros((2, 3)))
    if name in ("top", "budget"):
        assert (np.diff(found.indptr) == 1).all()
    elif name != "subset":
        assert found.nnz == 0


@pytest.mark.parametrize("name", RULES)
def test_one_label(name):
    P, Y = probabilities(200, 1)
    found = make_rule(name).fit(P, Y).apply([[0.0], [0.02], [0.95]]).toarray().ravel()
    expected = {"instance": [0, 1, 1], "top": [1, 1, 1], "budget": [1, 1, 1]}
    np.testing.assert_array_equal(found, expected.get(name, [0, 0, 1]))


@pytest.mark.parametrize("name", RULES)
def test_no_rows_to_decide(name):
    P, Y = probabilities(20, 3)
    assert make_rule(name).fit(P, Y).apply(np.empty((0, 3))).shape == (0, 3)
    assert make_rule(name).fit(P, Y).apply(sp.csr_array((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("name", sorted(set(RULES) - {"subset"}))
def test_unknown_labels_count_by_their_probability(name):
    P, Y = probabilities(80, 4)
    hidden = Y.copy()
    hidden[np.random.default_rng(0).random(Y.shape) < 0.3] = NAN
    hidden[3] = NAN
    found = make_rule(name, **({"r": 2} if name in ("top", "budget") else {}))
    complete = make_rule(name, **({"r": 2} if name in ("top", "budget") else {}))
    np.testing.assert_array_equal(
        found.fit(P, hidden).apply(P).toarray(), complete.fit(P, Y).apply(P).toarray()
    )
    share = make_rule(name, cardinality=4.0).fit(P, hidden).observed_share_
    assert share == pytest.approx(np.nanmean(hidden))


@pytest.mark.parametrize("name", ["f1", "micro", "macro", "instance", "hamming", "budget"])
def test_known_cardinality_undoes_missing_positives(name):
    P, Y = probabilities(4000, 5)
    seen = np.random.default_rng(1).random(Y.shape) < 0.4
    rule = make_rule(name, cardinality=Y.sum() / len(Y)).fit(0.4 * P, Y * seen)
    assert rule.observed_share_ == pytest.approx(0.4, abs=0.01)
    wrong = rule.apply(0.4 * P).toarray() != make_rule(name).fit(P, Y).apply(P).toarray()
    assert wrong.mean() < 0.02
    naive = make_rule(name).fit(0.4 * P, Y * seen).apply(0.4 * P).toarray()
    if name == "hamming":
        assert naive.sum() == 0


def test_f1_thresholds_of_missing_positives_follow_without_the_cardinality():
    P, Y = probabilities(4000, 5)
    complete = make_rule("f1").fit(P, Y).apply(P).toarray()
    missing = make_rule("f1").fit(0.3 * P, Y).apply(0.3 * P).toarray()
    assert missing.sum() > 0.8 * complete.sum()
    assert make_rule("hamming").fit(None, Y).apply(0.3 * P).nnz == 0


def test_instance_leaves_no_row_empty():
    P, Y = probabilities(30, 6)
    found = make_rule("instance").fit(None, Y).apply(0.01 * P)
    assert (np.diff(found.indptr) > 0).all()


def test_a_new_row_is_decided_without_the_others():
    P, Y = probabilities(50, 5)
    new = probabilities(10, 5, seed=1)[0]
    for name in RULES:
        rule = make_rule(name).fit(P, Y)
        one_by_one = sp.vstack([rule.apply(row[None]) for row in new]).toarray()
        np.testing.assert_array_equal(one_by_one, rule.apply(new).toarray())


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"cardinality": 0}, "cardinality must be a number above 0 or None; got 0"),
        ({"mu": -1}, "mu must be a number of at least 0; got -1"),
        ({"max_iter": 0}, "max_iter must be an integer of at least 1; got 0"),
    ],
)
def test_wrong_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        make_rule("f1", **params).fit([[0.5]], [[1]])


def test_wrong_inputs_are_refused():
    rule = make_rule("f1").fit(*probabilities(5, 3))
    with pytest.raises(DataError, match=r"each of the 3 labels; got 2"):
        rule.apply([[0.1, 0.2]])
    with pytest.raises(DataError, match=r"lie in \[0, 1\]; got -1 to 0.5"):
        rule.apply([[0.5, -1.0, 0.2]])
    with pytest.raises(DataError, match=r"lie in \[0, 1\]; got nan"):
        rule.apply([[0.5, NAN, 0.2]])
    with pytest.raises(ValueError, match="r must be at most the number of labels; got r=4"):
        make_rule("top", r=4).fit(None, [[1, 0, 0]])
    with pytest.raises(ValueError, match="decision must be one of f1, micro"):
        make_rule("best")
    with pytest.raises(DataError, match="sample_weight must be numbers of at least 0"):
        make_rule("f1").fit([[0.5]], [[1]], sample_weight=[-1])
    with pytest.raises(DataError, match="above zero somewhere"):
        make_rule("f1").fit([[0.5]], [[1]], sample_weight=[0])
    with pytest.raises(DataError, match="NaN only"):
        make_rule("top").fit(None, [[NAN, NAN]])
