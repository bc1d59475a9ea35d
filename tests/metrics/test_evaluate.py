"""Protocols, the registry, and tables per label."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pandas as pd
import pytest

from dlst import metrics as m
from dlst.errors import UnknownNameError

RNG = np.random.default_rng(0)
Y = (RNG.random((40, 6)) < 0.3).astype(float)
S = RNG.random((40, 6)) * 0.7 + 0.3 * Y


def test_the_papers_metrics_are_instance_ap_and_f1_of_the_top_r():
    r = math.ceil(Y.sum() / len(Y))
    P = m.top_r_decisions(S, r)
    assert m.evaluate(Y, S) == {
        "instance_average_precision": m.instance_average_precision(Y, S),
        "micro_f1": m.micro_f1(Y, P),
        "macro_f1": m.macro_f1(Y, P),
    }
    assert m.evaluate(Y, S, r=3)["micro_f1"] == m.micro_f1(Y, m.top_r_decisions(S, 3))
    assert m.evaluate(Y, S, cardinality=2.1) == m.evaluate(Y, S, r=3)
    assert m.evaluate(Y, S, cardinality=99.0) == m.evaluate(Y, S, r=6)


def test_every_group_gives_floats_in_the_order_of_the_registry():
    p = m.propensities(Y)
    families = list(m.available())
    for group in m.METRIC_GROUPS:
        found = m.evaluate(Y, S, group, propensities=p)
        assert all(type(value) is float and math.isfinite(value) for value in found.values())
        places = [families.index(_family(name)) for name in found]
        assert places == sorted(places)
    assert {_family(name) for name in m.evaluate(Y, S, "all", propensities=p)} == set(families)


def test_each_value_is_that_of_the_function_of_its_name():
    found = m.evaluate(Y, S, "all", threshold=0.6, k=(2,))
    P = m.threshold_decisions(S, 0.6)
    for name, value in found.items():
        metric = m.metric_info(name)
        if name.endswith("_at_2"):
            assert value == metric.function(Y, S, 2)
        else:
            assert value == metric.function(Y, P if metric.needs == "decisions" else S)


def test_decisions_are_given_or_the_top_r_or_those_above_the_threshold():
    given = (RNG.random(Y.shape) < 0.5).astype(int)
    assert m.evaluate(Y, None, ["micro_f1"], Y_pred=given)["micro_f1"] == m.micro_f1(Y, given)
    found = m.evaluate(Y, S, ["micro_f1"], r=2)["micro_f1"]
    assert found == m.micro_f1(Y, m.top_r_decisions(S, 2))
    assert set(m.evaluate(Y, Y_pred=given, metrics="all")) == set(m.METRIC_GROUPS["bipartition"])


def test_all_leaves_out_what_the_input_cannot_give():
    assert "log_loss" not in m.evaluate(Y, S - 1, "all", threshold=-0.5)
    assert "propensity_scored_ndcg_at_1" not in m.evaluate(Y, S, "all")


def test_a_list_names_metrics_in_any_order_and_k_by_number_or_by_the_parameter():
    found = m.evaluate(Y, S, ["precision_at_k", "ndcg_at_4", "ndcg_at_2", "one_error"], k=(1, 2))
    assert list(found) == [
        "one_error",
        "precision_at_1",
        "precision_at_2",
        "ndcg_at_2",
        "ndcg_at_4",
    ]


def test_a_single_name_is_a_list_of_one():
    for name in ("micro_f1", "ndcg_at_3", "precision_at_k"):
        assert m.evaluate(Y, S, name) == m.evaluate(Y, S, [name])


def test_scores_that_are_no_probabilities_are_not_cut_at_a_half_in_silence():
    logits = np.log(S) - np.log1p(-S)
    for function in (m.evaluate, m.evaluate_per_class):
        with pytest.warns(UserWarning, match=r"are not probabilities.*threshold= \(0 for logits\)"):
            function(Y, logits, ["macro_f1"])
    assert m.evaluate(Y, logits, "micro_f1", threshold=0) == m.evaluate(Y, S, "micro_f1")


def test_mulan_reaches_every_metric_that_knows_it():
    tied = np.round(S, 1)
    found = m.evaluate(Y, tied, ["coverage", "macro_f1", "macro_auc"], convention="mulan")
    assert found["coverage"] == m.coverage(Y, tied, convention="mulan")
    P = m.threshold_decisions(tied)
    assert found["macro_f1"] == m.macro_f1(Y, P, convention="mulan")


def test_top_labels_serve_the_top_metrics_and_the_paper_rule():
    order = np.argsort(-S, axis=1)[:, :5]
    top = m.TopLabels(order, np.take_along_axis(S, order, axis=1))
    expected = m.evaluate(Y, S, "top")
    assert m.evaluate(Y, top, "top") == pytest.approx(expected)
    assert m.evaluate(Y, top, ["micro_f1"], r=2) == m.evaluate(Y, S, ["micro_f1"], r=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metrics": "papers"}, "metrics must be one of paper.*Did you mean 'paper'"),
        ({"metrics": "micro_f2"}, "metrics must be one of paper.*Did you mean 'micro_f1'"),
        ({"metrics": ["propensity_scored_ndcg_at_1"]}, "need propensities; got None"),
        ({"scores": None}, "scores or Y_pred must be given"),
        ({"scores": None, "metrics": ["one_error"]}, "one_error needs scores"),
    ],
)
def test_a_wrong_call_names_the_remedy(arguments, message):
    with pytest.raises(ValueError, match=message):
        m.evaluate(Y, **({"scores": S} | arguments))


def test_an_unknown_metric_is_refused_with_the_nearest_names():
    with pytest.raises(UnknownNameError, match=r"Did you mean .*micro_f1"):
        m.evaluate(Y, S, ["micro_f2"])
    with pytest.raises(UnknownNameError):
        m.metric_info("micro_f1_at_3")


@pytest.mark.parametrize("name", m.available())
def test_every_metric_is_public_documented_and_points_the_right_way(name):
    metric = m.metric_info(name)
    assert getattr(m, name) is metric.function
    assert name in m.__all__
    assert "Ties: " in metric.function.__doc__
    assert "Empty rows: " in metric.function.__doc__ or "Empty labels: " in metric.function.__doc__
    assert metric.meaning
    assert "\n" not in metric.meaning
    perfect, opposite = Y, 1 - Y
    options = {"propensities": m.propensities(Y)} if metric.takes("propensities") else {}
    good, bad = metric.function(Y, perfect, **options), metric.function(Y, opposite, **options)
    assert (good > bad) == (metric.direction == "higher")
    assert good != bad
    if metric.per_class:
        assert "average" in inspect.signature(metric.function).parameters
        assert metric.function(Y, perfect, average=None).shape == (Y.shape[1],)


def test_the_table_per_label_has_every_metric_and_names_its_rows():
    names = [f"tag {i}" for i in range(6)]
    table = m.evaluate_per_class(pd.DataFrame(Y, columns=names), S)
    assert list(table.index) == names
    assert list(table["n_positive"]) == list(Y.sum(axis=0))
    assert table["average_precision"].mean() == pytest.approx(m.macro_average_precision(Y, S))
    assert table["f1"].mean() == pytest.approx(m.macro_f1(Y, m.threshold_decisions(S)))
    assert table["log_loss"].mean() == pytest.approx(m.log_loss(Y, S))
    assert "log_loss" not in m.evaluate_per_class(Y, S - 1, threshold=-0.5)


def test_the_table_per_label_takes_decisions_like_evaluate():
    table = m.evaluate_per_class(Y, S, ["macro_f1"], r=2, label_names=list("abcdef"))
    expected = m.macro_f1(Y, m.top_r_decisions(S, 2), average=None)
    np.testing.assert_array_equal(table.loc[list("abcdef"), "f1"], expected)


def test_the_table_per_label_refuses_metrics_and_names_that_do_not_fit():
    with pytest.raises(ValueError, match="must have a value per label; got 'micro_f1'"):
        m.evaluate_per_class(Y, S, ["micro_f1"])
    with pytest.raises(ValueError, match="name each of the 6 labels; got 1"):
        m.evaluate_per_class(Y, S, ["macro_f1"], label_names=["a"])


def _family(name: str) -> str:
    stem, _, k = name.rpartition("_at_")
    return f"{stem}_at_k" if k.isdigit() else name


def test_names_of_other_libraries_lead_to_ours():
    Y, S = [[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.3]]
    for theirs, ours in {
        "P@1": "precision_at_1",
        "nDCG@5": "ndcg_at_5",
        "PSP@k": "propensity_scored_precision_at_k",
        "exact_match": "subset_accuracy",
    }.items():
        with pytest.raises(UnknownNameError, match=rf"Did you mean {ours}\?"):
            m.evaluate(Y, S, [theirs])
        with pytest.raises(ValueError, match=rf"Did you mean {ours}\?"):
            m.evaluate(Y, S, theirs)
