"""Weights of instances and labels are repetition."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from dlst.errors import DataError
from dlst.metrics import available, evaluate, macro_average_precision, metric_info

NAN = float("nan")


def problem(seed=0, n=30, K=6):
    rng = np.random.default_rng(seed)
    P = np.round(rng.random((n, K)), 2)
    Y = (rng.random((n, K)) < P**1.5).astype(float)
    Y[rng.random((n, K)) < 0.1] = NAN
    Y[3] = NAN
    Y[:, 4] = 0
    rows, labels = rng.integers(0, 4, size=n), rng.integers(0, 4, size=K)
    return Y, P, (P > 0.6).astype(float), rows, labels


def second_argument(metric, P, D):
    return D if metric.needs == "decisions" else P


WEIGHTS = ("sample_weight", "label_weight")


@pytest.mark.parametrize(
    ("name", "axis"),
    [
        (name, axis)
        for name in available()
        for axis in (0, 1)
        if metric_info(name).takes(WEIGHTS[axis])
    ],
)
def test_weights_of_instances_and_of_labels_are_repetition(name, axis):
    metric = metric_info(name)
    for seed in range(3):
        Y, P, D, *counts = problem(seed)
        given, n = second_argument(metric, P, D), Y.shape[axis]

        rare = {"propensities": np.linspace(0.2, 1.0, 6)} if metric.takes("propensities") else {}

        def weighed(weights, Y=Y, given=given, rare=rare):
            return metric.function(Y, given, **rare, **{WEIGHTS[axis]: weights})

        again = np.repeat(np.arange(n), counts[axis])
        expected = metric.function(Y.take(again, axis), given.take(again, axis), **rare)
        assert weighed(counts[axis]) == pytest.approx(expected, nan_ok=True)
        assert weighed(counts[axis] / 8) == pytest.approx(weighed(counts[axis]))
        assert weighed(np.full(n, 0.3)) == pytest.approx(metric.function(Y, given, **rare))


def test_all_metrics_take_weights_of_instances():
    assert all(metric_info(name).takes("sample_weight") for name in available())


def test_weighted_rankings_of_instances_are_those_of_scikit_learn():
    Y, P, _, rows, _ = problem()
    Y, rows = np.nan_to_num(Y), rows + 0.5
    # Label 4 has no positives: scikit-learn has no area for it.
    some = [0, 1, 2, 3, 5]
    given = Y[:, some], P[:, some]
    for name, theirs in [("average_precision", average_precision_score), ("auc", roc_auc_score)]:
        for average in ("macro", "micro"):
            ours = metric_info(f"{average}_{name}").function(*given, sample_weight=rows)
            assert ours == pytest.approx(theirs(*given, average=average, sample_weight=rows))


def test_weighted_rankings_have_one_rule_for_ties():
    Y, P, _, rows, _ = problem()
    with pytest.raises(ValueError, match="with sample_weight ties must be 'pessimistic'"):
        macro_average_precision(Y, P, convention="mulan", sample_weight=rows)


def test_evaluate_passes_weights_on_and_refuses_what_cannot_count_so():
    Y, P, D, rows, labels = problem()
    again = np.repeat(np.arange(len(Y)), rows)
    names = ("instance_average_precision", "micro_f1", "hamming_loss")
    assert evaluate(Y, P, names, Y_pred=D, sample_weight=rows) == pytest.approx(
        evaluate(Y[again], P[again], names, Y_pred=D[again])
    )
    with pytest.raises(ValueError, match="instance_average_precision does not take label_weight"):
        evaluate(Y, P, ["instance_average_precision"], label_weight=labels)


@pytest.mark.parametrize("weights", [[1.0], [-1.0, 1.0], [0.0, 0.0], [NAN, 1.0]])
def test_wrong_weights_are_refused(weights):
    with pytest.raises(DataError, match="sample_weight must"):
        evaluate(
            [[1, 0], [0, 1]], None, ["micro_f1"], Y_pred=[[1, 0], [0, 1]], sample_weight=weights
        )
