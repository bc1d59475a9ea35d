"""Our metrics against the reference values of scikit-learn, Mulan, MLC_toolbox and definitions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from dlst import metrics as m

pytestmark = pytest.mark.golden

CASES = (
    "clean",
    "degenerate",
    "neartie",
    "signed",
    "ties",
    "ties_nofull",
    "mlknn_emotions_k10",
    "mlknn_scene_k10",
)


class Case(NamedTuple):
    Y: np.ndarray
    S: np.ndarray
    P: np.ndarray


def mulan(function: Callable[..., Any]) -> Callable[[Case], float]:
    return lambda c: function(c.Y, c.S, convention="mulan")


def at(function: Callable[..., Any], k: int, ties: str) -> Callable[[Case], float]:
    return lambda c: function(c.Y, c.S, k, ties=ties)


def scored(function: Callable[..., Any], **options: Any) -> Callable[[Case], float]:
    return lambda c: function(c.Y, c.S, **options)


def decided(function: Callable[..., Any], **options: Any) -> Callable[[Case], float]:
    return lambda c: function(c.Y, c.P, **options)


OURS: dict[str, Callable[[Case], float]] = {
    "sklearn__lrap": scored(m.instance_average_precision),
    "sklearn__lrap_nonempty_rows": scored(m.instance_average_precision, empty="skip"),
    "sklearn__ranking_loss": scored(m.ranking_loss),
    "sklearn__ranking_loss_proper_rows": scored(m.ranking_loss, empty="skip"),
    "sklearn__coverage_error": scored(m.coverage),
    "sklearn__coverage_error_nonempty_rows": scored(m.coverage, empty="skip"),
    "sklearn__hamming_loss": decided(m.hamming_loss),
    "sklearn__subset_accuracy": decided(m.subset_accuracy),
    "sklearn__jaccard_samples_zd0": decided(m.jaccard),
    "sklearn__label_map_skip_empty": scored(m.macro_average_precision, empty="skip"),
    "sklearn__label_map_empty0": scored(m.macro_average_precision),
    "sklearn__label_auc_skip": scored(m.macro_auc),
    "sklearn__instance_auc_skip": scored(m.instance_auc),
    "own__AP_first_index_nonempty": scored(
        m.instance_average_precision, ties="first", empty="skip"
    ),
    "own__AP_last_index_nonempty": scored(m.instance_average_precision, ties="last", empty="skip"),
    "mulan__AveragePrecision": mulan(m.instance_average_precision),
    "mulan__RankingLoss": mulan(m.ranking_loss),
    "mulan__Coverage": mulan(m.coverage),
    "mulan__OneError": mulan(m.one_error),
    "mulan__MeanAveragePrecision": mulan(m.macro_average_precision),
    "mulan__ErrorSetSize": mulan(m.error_set_size),
    "mulan__HammingLoss": decided(m.hamming_loss),
    "mulan__SubsetAccuracy": decided(m.subset_accuracy),
    "mulan__ExampleBasedFMeasure": decided(m.instance_f1, convention="mulan"),
    "mulan__ExampleBasedAccuracy": decided(m.jaccard, convention="mulan"),
    "mulan__MicroFMeasure": decided(m.micro_f1),
    "mulan__MacroFMeasure": decided(m.macro_f1, convention="mulan"),
    "toolbox__Gauc": scored(m.micro_auc),
    "toolbox__Lauc": scored(m.instance_auc),
    "toolbox__Lauc_labelwise": scored(m.macro_auc),
    "toolbox__exact": decided(m.subset_accuracy),
    "toolbox__hamming_score": lambda c: 1 - m.hamming_loss(c.Y, c.P),
    "toolbox__macroF1": decided(m.macro_f1),
    "toolbox__microF1": decided(m.micro_f1),
    "toolbox__fscore": decided(m.instance_f1, empty="skip"),
    "toolbox__acc": decided(m.jaccard, empty="skip"),
    "toolbox__avgprec": scored(m.instance_average_precision, ties="last", empty="skip"),
    "toolbox__one_error": scored(m.one_error, ties="optimistic"),
    "toolbox__ranking_score": lambda c: 1 - m.ranking_loss(c.Y, c.S, empty="skip"),
    "toolbox__coverage_norm": lambda c: (
        # An empty row contributes -1 there.
        m.coverage(c.Y, c.S, ties="last", convention="mulan", empty=-1.0) / c.Y.shape[1]
    ),
    "sk_per_instance_lrap": scored(m.instance_average_precision, average=None),
    "sk_per_instance_ranking_loss": scored(m.ranking_loss, average=None),
    "sk_per_instance_coverage": scored(m.coverage, average=None),
}
for zd in (0, 1):
    OURS[f"sklearn__f1_micro_zd{zd}"] = decided(m.micro_f1, empty=float(zd))
    OURS[f"sklearn__f1_macro_zd{zd}"] = decided(m.macro_f1, empty=float(zd))
    OURS[f"sklearn__f1_samples_zd{zd}"] = decided(m.instance_f1, empty=float(zd))
for rule in ("optimistic", "pessimistic", "expected", "first", "last"):
    suffix = f"{rule}_index" if rule in ("first", "last") else rule
    OURS[f"own__one_error_{suffix}"] = scored(m.one_error, ties=rule)
for rule in ("first", "last"):
    OURS[f"own__rloss_{rule}_index_allrows"] = scored(m.ranking_loss, ties=rule)
    OURS[f"own__rloss_{rule}_index_proper"] = scored(m.ranking_loss, ties=rule, empty="skip")
    OURS[f"own__coverage0_{rule}_index_allrows"] = scored(m.coverage, ties=rule, convention="mulan")
for k in (1, 3, 5):
    OURS[f"own__P@{k}_first_index"] = at(m.precision_at_k, k, "first")
    OURS[f"own__P@{k}_last_index"] = at(m.precision_at_k, k, "last")
    OURS[f"own__P@{k}_expected_ties"] = at(m.precision_at_k, k, "expected")
    OURS[f"sklearn__ndcg@{k}"] = at(m.ndcg_at_k, k, "expected")
    OURS[f"sklearn__ndcg@{k}_ignore_ties"] = at(m.ndcg_at_k, k, "last")
    OURS[f"toolbox__P@{k}"] = at(m.precision_at_k, k, "first")
    OURS[f"toolbox__nDCG@{k}"] = at(m.ndcg_at_k, k, "first")

NOT_A_METRIC = {"toolbox__n_after_RankBased": "the number of rows that a toolbox slip leaves over"}

AXIS_SLIP = "the toolbox drops a row by summing over the wrong axis"
NEGATIVE_SLIP = "the toolbox overwrites a picked score by 0, so it is picked again below 0"
DIFFERENT: dict[tuple[str, str], str] = {
    ("degenerate", "toolbox__avgprec"): AXIS_SLIP,
    ("degenerate", "toolbox__one_error"): AXIS_SLIP,
    ("degenerate", "toolbox__ranking_score"): AXIS_SLIP,
    ("neartie", "toolbox__avgprec"): AXIS_SLIP,
    ("neartie", "toolbox__one_error"): AXIS_SLIP,
    ("neartie", "toolbox__ranking_score"): AXIS_SLIP,
    ("signed", "toolbox__P@3"): NEGATIVE_SLIP,
    ("signed", "toolbox__P@5"): NEGATIVE_SLIP,
    ("signed", "toolbox__nDCG@3"): NEGATIVE_SLIP,
    ("signed", "toolbox__nDCG@5"): NEGATIVE_SLIP,
    ("ties", "toolbox__ranking_score"): "a full row raises an error in the toolbox (stored as NaN)",
}
UNSPECIFIED = "scikit-learn's ignore_ties takes whatever order its sort leaves tied labels in"
DIFFERENT |= {
    (name, f"sklearn__ndcg@{k}_ignore_ties"): UNSPECIFIED
    for name in ("signed", "ties", "ties_nofull")
    for k in (1, 3, 5)
}


@pytest.fixture(scope="module")
def stored(golden: Path) -> dict[str, np.ndarray]:
    values = dict(np.load(golden / "metrics.npz"))
    for name in ("emotions", "scene"):
        values[f"mlknn_{name}_k10__S"] = np.load(golden / f"mlknn_{name}_k10.npz")["posterior"]
    return values


def case_of(stored: dict[str, np.ndarray], name: str) -> Case:
    S = stored[f"{name}__S"]
    return Case(stored[f"{name}__Y"], S, np.greater_equal(S, stored[f"{name}__threshold"]))


@pytest.mark.parametrize("metric", OURS)
@pytest.mark.parametrize("name", CASES)
def test_equals_the_reference(stored: dict[str, np.ndarray], name: str, metric: str):
    found = OURS[metric](case_of(stored, name))
    expected = stored[f"{name}__{metric}"]
    if (name, metric) not in DIFFERENT:
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    elif DIFFERENT[name, metric] is not UNSPECIFIED:
        assert not np.isclose(found, expected, rtol=0, atol=1e-6), "listed as different, yet equal"


def test_every_stored_value_has_a_call_of_ours_or_a_reason(stored: dict[str, np.ndarray]):
    inputs = {f"{name}__{part}" for name in CASES for part in ("S", "Y", "threshold")}
    covered = {f"{name}__{metric}" for name in CASES for metric in (*OURS, *NOT_A_METRIC)}
    assert set(stored) == inputs | covered


@pytest.mark.parametrize("name", ["signed", "ties", "ties_nofull"])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_ndcg_in_an_unspecified_order_lies_between_the_worst_and_the_best(stored, name, k):
    case = case_of(stored, name)
    low, high = (m.ndcg_at_k(case.Y, case.S, k, ties=t) for t in ("pessimistic", "optimistic"))
    assert low - 1e-12 <= stored[f"{name}__sklearn__ndcg@{k}_ignore_ties"] <= high + 1e-12


@pytest.mark.parametrize("name", ["degenerate", "neartie"])
@pytest.mark.parametrize("metric", ["avgprec", "one_error", "ranking_score"])
def test_toolbox_agrees_on_the_rows_that_its_axis_slip_leaves(stored, name, metric):
    case = case_of(stored, name)
    dropped = np.flatnonzero(case.Y.sum(axis=0) == case.Y.shape[1])
    left = Case(*(np.delete(part, dropped, axis=0) for part in case))
    assert len(left.Y) == stored[f"{name}__toolbox__n_after_RankBased"]
    found = OURS[f"toolbox__{metric}"](left)
    assert found == pytest.approx(stored[f"{name}__toolbox__{metric}"], abs=1e-12)


def test_sparse_truth_and_scores_give_the_dense_values(stored: dict[str, np.ndarray]):
    for name in CASES:
        case = case_of(stored, name)
        sparse = Case(*(sp.csr_array(part) for part in case))
        for metric, ours in OURS.items():
            # At k an unstored score is unscored, not 0, so zero scores differ on purpose.
            if "@" not in metric:
                np.testing.assert_allclose(ours(sparse), ours(case), rtol=0, atol=1e-14)
