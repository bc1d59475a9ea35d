"""Guaranteed label sets: by simulation, by hand, and beside MAPIE."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from rule_problems import NAN
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from dlst.decisions import ConformalLabels, ConformalRule
from dlst.decisions.risk_control import GRID, p_value, row_losses, safest_first
from dlst.errors import DataError
from dlst.methods import KRR

DRAWS = 200


def drawn(n, seed, K=5):
    """Probabilities that are wrong on purpose, and labels."""
    rng = np.random.default_rng(seed)
    truth = rng.beta(0.4, 0.6, size=(n, K))
    return truth**1.7, (rng.random((n, K)) < truth).astype(float)


POPULATION = drawn(20_000, 999)


@cache
def true_risk(risk, threshold):
    P, Y = POPULATION
    counts = Y.any(axis=1) if risk == "recall" else np.ones(len(Y), dtype=bool)
    return row_losses(P[counts], Y[counts], risk, threshold).mean()


@pytest.mark.parametrize(("risk", "alpha"), [("recall", 0.1), ("precision", 0.2), ("hamming", 0.3)])
def test_the_expected_loss_keeps_the_bound_over_draws(risk, alpha):
    risks = [
        true_risk(risk, ConformalRule(risk, alpha).fit(*drawn(150, seed)).threshold_)
        for seed in range(DRAWS)
    ]
    assert np.mean(risks) <= alpha + 2 * np.std(risks) / np.sqrt(DRAWS)
    # The bound is of use: recall loses at most 1/(n + 1), the tests what surety costs.
    assert np.mean(risks) > alpha - (0.015 if risk == "recall" else 0.1)


@pytest.mark.parametrize(("risk", "alpha"), [("recall", 0.1), ("precision", 0.2), ("hamming", 0.3)])
def test_the_bound_fails_no_more_often_than_delta_over_draws(risk, alpha):
    delta = 0.1
    failed = [
        true_risk(risk, ConformalRule(risk, alpha, delta).fit(*drawn(150, seed)).threshold_) > alpha
        for seed in range(DRAWS)
    ]
    assert np.mean(failed) <= delta + 2 * np.sqrt(delta * (1 - delta) / DRAWS)


def test_the_recall_threshold_is_the_highest_that_the_inequality_allows():
    for seed in range(20):
        P, Y = drawn(40, seed)
        rule = ConformalRule("recall", 0.15).fit(P, Y)
        rows = Y.any(axis=1)
        P, Y, n = P[rows], Y[rows], rows.sum()

        def bound(t, P=P, Y=Y, n=n):
            return (n * row_losses(P, Y, "recall", t).mean() + 1) / (n + 1)

        assert bound(rule.threshold_) <= 0.15 + 1e-12
        above = P[rule.threshold_ < P]
        assert above.size == 0 or bound(np.nextafter(rule.threshold_, 1)) > 0.15


def slow_loss(p, y, risk, t):
    known = [j for j in range(len(y)) if not np.isnan(y[j])]
    found = {j for j in known if p[j] >= t}
    true = {j for j in known if y[j] == 1}
    if risk == "recall":
        return len(true - found) / len(true) if true else 0.0
    if risk == "precision":
        return len(found - true) / len(found) if found else 0.0
    return len(found ^ true) / len(known)


def test_losses_are_those_of_the_slow_twin_and_unknown_labels_are_not_judged():
    P, Y = drawn(30, 0)
    Y[np.random.default_rng(1).random(Y.shape) < 0.2] = NAN
    thresholds = (0.0, 0.2, 0.5, 1.0)
    for risk in ("recall", "precision", "hamming"):
        for t in thresholds:
            slow = [slow_loss(p, y, risk, t) for p, y in zip(P, Y, strict=True)]
            np.testing.assert_allclose(row_losses(P, Y, risk, t), slow)


def test_thresholds_are_tested_from_the_safest_on():
    assert safest_first("recall")[0] == 0
    assert safest_first("precision")[0] == 1
    assert safest_first("hamming")[0] == 0.5
    for risk in ("recall", "precision", "hamming"):
        assert set(safest_first(risk)) <= set(GRID)


def test_too_few_rows_give_all_labels_or_an_error_never_a_false_promise():
    P, Y = drawn(6, 0)
    assert ConformalRule("recall", 0.05).fit(P, Y).threshold_ == 0
    assert ConformalRule("recall", 0.05).fit(P, Y).apply(P).sum() == P.size
    with pytest.raises(DataError, match=r"no threshold keeps the hamming risk.*6 calibration rows"):
        ConformalRule("hamming", 0.05).fit(P, Y)
    with pytest.raises(DataError, match="none has a label"):
        ConformalRule("recall").fit(P, np.zeros_like(Y))
    with pytest.raises(DataError, match="same shape"):
        ConformalRule("recall").fit(P, Y[:3])
    with pytest.raises(ValueError, match="alpha must be a number above 0 and below 1"):
        ConformalRule("recall", 1.0).fit(P, Y)
    with pytest.raises(DataError, match="dense array"):
        ConformalRule("recall").fit(np.full((2, 2), NAN), np.ones((2, 2)))


def classified(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(n, 3)) > 0).astype(int)
    return X, Y


def test_any_classifier_can_be_wrapped_held_out_or_fitted_before():
    X, Y = classified()
    plain = OneVsRestClassifier(LogisticRegression())
    held = ConformalLabels(plain, "recall", 0.1, random_state=0).fit(X, Y)
    assert held.rule_.n_calibration_ <= 120
    assert held.guarantee_.startswith("proven")
    fitted = OneVsRestClassifier(LogisticRegression()).fit(X[:200], Y[:200])
    prefit = ConformalLabels(fitted, "recall", 0.1, rows="prefit").fit(X[200:], Y[200:])
    assert prefit.model_ is fitted
    P = prefit.predict_proba(X)
    np.testing.assert_array_equal(prefit.predict(X).toarray(), prefit.rule_.threshold_ <= P)
    sparse = ConformalLabels(plain, "recall", 0.1, random_state=0).fit(sp.csr_array(X), Y)
    assert sparse.rule_.threshold_ == pytest.approx(held.rule_.threshold_, abs=1e-3)


def test_rows_left_out_by_the_method_itself_calibrate_nearly_as_well():
    X, Y = classified(2400)
    model = ConformalLabels(KRR(), "recall", 0.1, rows="left-out").fit(X[:400], Y[:400])
    assert model.rule_.n_calibration_ == Y[:400].any(axis=1).sum()
    assert model.guarantee_.startswith("nearly")
    new = Y[400:][Y[400:].any(axis=1)]
    found = model.predict(X[400:][Y[400:].any(axis=1)]).toarray()
    assert 1 - ((found * new).sum(axis=1) / new.sum(axis=1)).mean() < 0.12
    plain = OneVsRestClassifier(LogisticRegression())
    with pytest.raises(DataError, match="rows='left-out' needs a method of dlst"):
        ConformalLabels(plain, rows="left-out").fit(X[:400], Y[:400])


def test_delta_says_more_in_words_and_asks_for_more():
    X, Y = classified()
    plain = OneVsRestClassifier(LogisticRegression())
    sure = ConformalLabels(plain, "recall", 0.1, delta=0.1, random_state=0).fit(X, Y)
    mean = ConformalLabels(plain, "recall", 0.1, random_state=0).fit(X, Y)
    assert "with probability 0.9" in sure.guarantee_
    assert sure.rule_.threshold_ <= mean.rule_.threshold_


def mapie_controller(P, Y, **options):
    risk_control = pytest.importorskip("mapie.risk_control", reason="MAPIE is not installed")
    return risk_control.MultiLabelClassificationController(
        predict_function=lambda X: P, predict_params=np.arange(0, 1, 0.01), **options
    ).calibrate(np.zeros((len(P), 1)), Y)


def labelled(n, seed):
    P, Y = drawn(n, seed)
    P[:, 0] = np.maximum(P[:, 0], 0.995)
    Y[:, 0] = 1
    return P, Y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(5))
def test_recall_thresholds_are_those_of_mapie_up_to_its_grid(seed):
    P, Y = labelled(120, seed)
    theirs = mapie_controller(P, Y, risk="recall", method="crc", target_level=0.9)
    ours = ConformalRule("recall", 0.1).fit(P, Y).threshold_
    assert theirs.best_predict_param[0] <= ours <= theirs.best_predict_param[0] + 0.02


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(3))
def test_precision_risks_are_those_of_mapie_and_betting_in_a_fixed_order_finds_more(seed):
    # With the first label always found no row is given none, which MAPIE counts 1 and we count 0.
    P, Y = labelled(300, seed)
    theirs = mapie_controller(
        P, Y, risk="precision", method="ltt", target_level=0.8, confidence_level=0.9
    )
    for threshold, risk in zip(np.arange(0, 1, 0.01), theirs.r_hat, strict=True):
        above = np.nextafter(threshold, 1)  # MAPIE's labels are above the threshold, ours at it
        assert row_losses(P, Y, "precision", above).mean() == pytest.approx(risk)
    ours = ConformalRule("precision", 0.2, delta=0.1).fit(P, Y).threshold_
    assert ours <= theirs.best_predict_param[0] + 0.01


def test_a_test_errs_no_more_often_than_its_p_value_says():
    rng = np.random.default_rng(0)
    # Losses of two values with the mean exactly at the bound: the hardest case of the hypothesis.
    found = [p_value((rng.random(80) < 0.2).astype(float), 0.2, 0.1) for _ in range(2000)]
    for level in (0.02, 0.1, 0.3):
        assert np.mean(np.array(found) <= level) <= level + 2 * np.sqrt(level / 2000)


def test_the_gamblers_capital_is_that_of_the_slow_twin():
    losses = np.random.default_rng(1).random(30) * 0.3
    seen, capital, best = [], 1.0, 1.0
    for loss in losses:
        running = [(0.5 + sum(seen[: i + 1])) / (i + 2) for i in range(len(seen))]
        squares = sum((s - m) ** 2 for s, m in zip(seen, running, strict=True))
        variance = (0.25 + squares) / (len(seen) + 1)
        stake = min(1.0, np.sqrt(2 * np.log(1 / 0.1) / (30 * variance)))
        capital *= 1 - stake * (loss - 0.3)
        best = max(best, capital)
        seen.append(loss)
    assert p_value(losses, 0.3, 0.1) == pytest.approx(1 / best)
