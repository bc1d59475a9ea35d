"""The layer between a method's probabilities and its answers."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pytest
import scipy.sparse as sp
from rule_problems import NAN, probabilities
from scipy.special import expit, logit

from dlst._weights import Weights
from dlst.decisions import RULES, DecisionLayer, PriorCorrection, make_rule
from dlst.errors import DataError
from dlst.metrics import instance_average_precision
from dlst.parts import OutOfSample


def out_of_sample(P, votes=None):
    return OutOfSample(np.arange(len(P)), P, votes)


def test_calibrated_probabilities_are_left_alone_and_others_are_mended():
    P, Y = probabilities(3000, 4)
    labels = sp.csr_array(Y)
    right = DecisionLayer("f1").fit(out_of_sample(P), labels)
    np.testing.assert_allclose(right.calibrated(P), P, atol=0.02)
    bent = expit(2.5 * logit(np.clip(P, 1e-6, 1 - 1e-6)) + 1.0)
    mended = DecisionLayer("f1").fit(out_of_sample(bent), labels)
    np.testing.assert_allclose(mended.calibrated(bent), P, atol=0.03)


def test_all_rules_are_learnt_from_out_of_sample_probabilities_and_top_without():
    P, Y = probabilities(60, 4)
    labels = sp.csr_array(Y)
    layer = DecisionLayer("micro").fit(out_of_sample(P), labels)
    assert layer.learns
    assert list(layer.rules_) == list(RULES)
    expected = make_rule("micro").fit(layer.calibrated(P), Y)
    assert layer.rule("micro").threshold_ == expected.threshold_
    without = DecisionLayer("own").fit(None, labels)
    assert not DecisionLayer("own").learns
    assert DecisionLayer("own", tau="auto").learns
    assert list(without.rules_) == ["top"]
    with pytest.raises(DataError, match=r"'macro' was not learnt.*decision='own'"):
        without.rule("macro")
    with pytest.raises(ValueError, match="decision must be one of f1"):
        without.rule("best")


def test_what_the_labels_cannot_teach_is_missed_where_it_is_asked_for():
    P, Y = probabilities(30, 3)
    Y[np.arange(30), np.arange(30) % 3] = NAN
    labels = sp.csr_array(Y)
    layer = DecisionLayer("f1").fit(out_of_sample(P), labels)
    assert "subset" not in layer.rules_
    with pytest.raises(DataError, match="needs rows with all labels known"):
        DecisionLayer("subset").fit(out_of_sample(P), labels)


def test_a_rule_is_learnt_when_it_is_asked_for_and_the_deciding_one_at_once(monkeypatch):
    learnt = []

    def noted(rule):
        class Noted(rule):
            def fit(self, *given, **named):
                learnt.append(rule.__name__)
                return super().fit(*given, **named)

        return Noted

    for name, rule in RULES.items():
        monkeypatch.setitem(RULES, name, noted(rule))
    P, Y = probabilities(60, 4)
    layer = DecisionLayer("micro").fit(out_of_sample(P), sp.csr_array(Y))
    assert learnt == ["MicroRule"]
    layer.rule("macro"), layer.rule("macro"), layer.rule("micro")
    assert learnt == ["MicroRule", "MacroRule"]
    assert len(layer.rules_) == len(learnt) == len(RULES)
    assert list(layer.rules_) == list(RULES)
    assert len(learnt) == len(RULES)


def test_rules_asked_for_late_or_of_a_copy_are_those_of_the_fit():
    P, Y = probabilities(200, 4, seed=3)
    Y[:20, 1] = NAN
    votes = sp.random_array((200, 200), density=0.1, rng=np.random.default_rng(0), format="csr")
    votes.setdiag(0)
    labels, counts = sp.csr_array(Y), np.full(200, 2.0)
    weights = Weights(counts, np.ones(4))
    layer = DecisionLayer("f1").fit(out_of_sample(P, votes), labels, weights)
    copied, kept = deepcopy(layer), pickle.loads(pickle.dumps(layer))  # noqa: S301 - our own
    expected = {
        name: rule().fit(
            layer.calibrated(P),
            Y.copy(),
            counts.copy(),
            label_weight=np.ones(4),
            rows=np.arange(200),
            votes=votes.copy(),
        )
        for name, rule in RULES.items()
    }
    # The caller may use his arrays for something else.
    labels.data[:], counts[:] = 1.0, 1.0
    for one in (layer, copied, kept):
        assert list(one.rules_) == list(RULES)
        for name, rule in expected.items():
            found = one.rule(name).apply(P, votes=votes).toarray()
            np.testing.assert_array_equal(found, rule.apply(P, votes=votes).toarray())
    assert type(copied.rules_) is type(kept.rules_) is dict


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"decision": "best"}, "decision must be one of own, f1"),
        ({"cardinality": -1}, "cardinality must be a number above 0"),
        ({"tau": "big"}, "tau must be a finite number or 'auto'"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        DecisionLayer(**parameters).check()


def near_the_best(values):
    best = max(values.values(), key=np.mean)
    below = {tau: best - found for tau, found in values.items()}
    errors = {tau: lost.std(ddof=1) / np.sqrt(len(lost)) for tau, lost in below.items()}
    return [tau for tau in values if below[tau].mean() <= 2.0 * errors[tau]]


@pytest.mark.parametrize(("n", "doubt"), [(2000, 0.3), (2000, 1.0), (25, 0.3)])
def test_the_prior_correction_is_near_the_studied_one_where_none_is_shown_to_be_better(n, doubt):
    rng = np.random.default_rng(0)
    prior = np.array([0.6, 0.3, 0.05, 0.02])
    evidence = 1.5 * rng.normal(size=(n, 4))
    Y = (rng.random((n, 4)) < expit(logit(prior) + evidence)).astype(float)
    # A method that doubts what it sees ranks rare labels too low.
    scores = logit(prior) + doubt * evidence
    found = PriorCorrection("auto").fit(scores, Y)
    judged = np.flatnonzero(Y.any(axis=1))
    precision, first = {}, {}
    for tau in found.average_precision_:
        ranked = (scores - tau * found.log_prior_)[judged]
        precision[tau] = instance_average_precision(Y[judged], ranked, average=None)
        first[tau] = np.array([Y[i, np.argmax(row)] for i, row in zip(judged, ranked, strict=True)])
    means = {tau: values.mean() for tau, values in precision.items()}
    within = near_the_best(precision)
    both = [tau for tau in within if tau in near_the_best(first)]
    assert found.tau_ == min(both or within, key=lambda tau: abs(tau - 0.2))
    assert found.first_right_ == pytest.approx({tau: hits.mean() for tau, hits in first.items()})
    assert found.average_precision_ == pytest.approx(means)
    assert (found.tau_ > 0.2) == ((n, doubt) == (2000, 0.3))
    np.testing.assert_allclose(found.apply(scores), scores - found.tau_ * found.log_prior_)


def test_nothing_is_corrected_where_nothing_can_be_judged():
    found = PriorCorrection("auto").fit(np.zeros((3, 2)), np.array([[0, 0], [0, 0], [1, 0]]))
    assert found.tau_ == 0.0
    assert found.average_precision_ == {}


def test_no_correction_changes_nothing_and_own_scores_are_kept():
    P, Y = probabilities(40, 3)
    layer = DecisionLayer("own", tau=0.0).fit(None, sp.csr_array(Y))
    own = np.arange(120.0).reshape(40, 3)
    assert layer.rank(P, own) is own
    lifted = DecisionLayer("own", tau=0.5).fit(None, sp.csr_array(Y)).rank(P, own)
    np.testing.assert_allclose(
        lifted, logit(P) - 0.5 * np.log((Y.sum(axis=0) + 0.5) / 41), atol=1e-9
    )


def test_weights_of_rows_and_labels_are_repetition_in_the_whole_layer():
    P, Y = probabilities(60, 4)
    bent = expit(2.0 * logit(np.clip(P, 1e-6, 1 - 1e-6)))
    weights = Weights(np.random.default_rng(5).integers(1, 4, size=60), np.array([1, 2, 1, 3]))
    rows, columns = (np.repeat(np.arange(len(each)), each) for each in weights)
    weights = Weights(*(each.astype(float) for each in weights))
    new = probabilities(50, 4, seed=8)[0]
    by_weight = DecisionLayer("f1", tau="auto").fit(out_of_sample(bent), sp.csr_array(Y), weights)
    of_rows = DecisionLayer("f1", tau="auto").fit(
        out_of_sample(bent), sp.csr_array(Y), weights._replace(labels=np.ones(4))
    )
    copies = DecisionLayer("f1", tau="auto").fit(out_of_sample(bent[rows]), sp.csr_array(Y[rows]))
    np.testing.assert_allclose(of_rows.calibrated(new), copies.calibrated(new), atol=1e-9)
    assert of_rows.prior_correction_.tau_ == copies.prior_correction_.tau_
    assert of_rows.prior_correction_.average_precision_ == pytest.approx(
        copies.prior_correction_.average_precision_
    )
    twice = DecisionLayer("f1").fit(
        out_of_sample(bent[rows][:, columns]), sp.csr_array(Y[rows][:, columns])
    )
    np.testing.assert_allclose(
        by_weight.calibrated(new)[:, columns], twice.calibrated(new[:, columns]), atol=1e-9
    )
    found = by_weight.decide(by_weight.rule("f1"), new, None, None).toarray()[:, columns]
    expected = twice.decide(twice.rule("f1"), new[:, columns], None, None).toarray()
    np.testing.assert_array_equal(found, expected)


def test_an_unknown_label_is_no_first_label():
    Y = np.array([[np.nan, 1.0, 0.0]] * 5 + [[0.0, 1.0, 0.0]])
    found = PriorCorrection("auto").fit(np.tile([3.0, 1.0, 0.0], (6, 1)), Y)
    assert found.first_right_[0.0] == pytest.approx(5 / 6)
