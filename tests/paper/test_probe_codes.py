"""The probe "codes": what it says of codes, against slow and obvious computations."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from dlst.data import Dataset, Split, load_multidigits
from dlst.encoders import DistributionEncoder, PrincipalEncoder
from dlst.errors import PlanError
from dlst.paper.probes.codes import NEAR_ZERO, codes

KINDS = ("principal", "aligned")


def labels(n=60, K=5, seed=0):
    rng = np.random.default_rng(seed)
    common = rng.random(n)[:, None]
    return (rng.random((n, K)) + common < 0.8).astype(float)


def small(Y, split=True):
    parts = Split(np.arange(len(Y) - 10), np.arange(len(Y) - 10, len(Y))) if split else None
    return Dataset(np.empty((len(Y), 0)), Y, name="small", split=parts)


@pytest.fixture(scope="module")
def Y():
    return labels()[:50]


@pytest.fixture(scope="module")
def result():
    return codes(small(labels()), {"n_components": [1, 2, 9], "rows_shown": 20, "seed": 0})


def encoded(Y, r):
    return {
        "principal": PrincipalEncoder(r).fit_transform(Y),
        "aligned": DistributionEncoder(r, random_state=0).fit_transform(Y),
    }


def slow_divergence(Y, Z):
    pairs = list(itertools.permutations(range(len(Y)), 2))
    q = np.array([1 / (1 + np.abs(Y[i] - Y[j]).sum()) for i, j in pairs])
    u = np.array([1 / (1 + ((Z[i] - Z[j]) ** 2).sum()) for i, j in pairs])
    q, u = q / q.sum(), u / u.sum()
    return (q * np.log(q / u)).sum()


def without_seconds(result):
    return [
        {**step, **{kind: {**step[kind], "seconds": 0} for kind in KINDS}}
        for step in result["steps"]
    ]


def test_lengths_end_at_the_rank_and_have_half_of_it(result):
    assert result["rank"] == 5
    assert result["shown_components"] == 3
    assert [step["n_components"] for step in result["steps"]] == [1, 2, 3, 5]


def test_at_the_rank_the_code_is_the_labels_rotated(result):
    full = result["steps"][-1]
    assert full["iterations"] == 0
    for kind in KINDS:
        assert full[kind]["kl"] == 0
        assert full[kind]["largest_gap"] < 1e-8
        assert full[kind]["variance_read"] == 1
        assert full[kind]["pearson"] == full[kind]["spearman"] == 1
        assert [point["mean"] for point in full[kind]["curve"]] == [
            point["label_distance"] for point in full[kind]["curve"]
        ]
    assert full["principal"]["density"] == full["aligned"]["density"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_short_code_is_judged_as_the_definitions_say(result, Y, kind):
    Z = encoded(Y, 2)[kind]
    found = result["steps"][1][kind]
    assert found["kl"] == pytest.approx(slow_divergence(Y, Z), rel=1e-4)
    assert found["density"] == pytest.approx(np.mean([abs(z) > NEAR_ZERO for z in Z.ravel()]))
    pairs = list(itertools.combinations(range(50), 2))
    assert result["n_pairs"] == len(pairs)
    near = np.array([np.abs(Y[i] - Y[j]).sum() for i, j in pairs])
    codes_near = np.array([((Z[i] - Z[j]) ** 2).sum() for i, j in pairs])
    assert found["pearson"] == pytest.approx(np.corrcoef(near, codes_near)[0, 1], abs=1e-4)
    assert found["largest_gap"] == pytest.approx(np.abs(near - codes_near).max(), rel=1e-4)
    for point in found["curve"]:
        those = codes_near[near == point["label_distance"]]
        assert point["pairs"] == len(those) >= 20
        assert point["mean"] == pytest.approx(those.mean(), rel=1e-4)
        expected = np.quantile(those, (0.25, 0.5, 0.75))
        shown = [point["low"], point["median"], point["high"]]
        assert shown == pytest.approx(expected, rel=1e-4, abs=1e-8)


def test_what_a_read_out_gives_back_is_what_principal_axes_keep(result, Y):
    spread = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False) ** 2
    for step in result["steps"]:
        kept = spread[: step["n_components"]].sum() / spread.sum()
        assert step["principal"]["variance_read"] == pytest.approx(kept, rel=1e-4)
        assert step["aligned"]["variance_read"] <= kept + 1e-4


def test_alignment_never_raises_the_divergence(result):
    for step in result["steps"]:
        assert step["aligned"]["kl"] <= step["principal"]["kl"]
        assert step["converged"]
    assert result["steps"][1]["aligned"]["kl"] < result["steps"][1]["principal"]["kl"]


def test_density_of_labels_is_the_share_of_ones_and_centring_fills_it(result, Y):
    assert result["density"]["labels"] == pytest.approx(Y.mean())
    assert result["density"]["centred"] == 1


def test_rows_shown_stand_at_even_distances_and_like_beside_like(result, Y):
    rows = result["rows"]
    even = np.linspace(0, 49, 20).astype(int)
    assert sorted(rows) == sorted(even)
    assert result["labels"] == [np.flatnonzero(Y[row]).tolist() for row in rows]

    def jumps(order):
        return np.abs(np.diff(Y[order], axis=0)).sum()

    assert jumps(rows) < 0.7 * jumps(even)
    for kind, Z in encoded(Y, 3).items():
        np.testing.assert_allclose(result[kind], Z[rows], atol=6e-4)


def test_many_pairs_are_drawn_from_different_rows_by_the_seed():
    data = load_multidigits()
    first, again, other = (codes(data, {"n_components": [1], "seed": seed}) for seed in (0, 0, 1))
    assert first["n_pairs"] == 20_000
    assert without_seconds(first) == without_seconds(again)
    assert without_seconds(first) != without_seconds(other)


def test_no_row_is_paired_with_itself():
    # 210 rows with as many label sets: only a row and itself have distance 0.
    Y = (np.arange(220)[:, None] >> np.arange(8)) & 1
    found = codes(small(Y), {"n_components": [1]})
    assert found["n_pairs"] == 20_000
    nearest = found["steps"][-1]["aligned"]["curve"][0]
    assert nearest["label_distance"] == 1


def test_the_answer_for_the_embedded_data_is_small_json():
    found = codes(load_multidigits(), {})
    assert [step["n_components"] for step in found["steps"]] == [1, 2, 3, 5, 7, 10]
    assert len(found["rows"]) == 60
    assert len(json.dumps(found, allow_nan=False)) < 30_000


def test_without_an_official_split_a_random_half_is_encoded():
    found = codes(small(labels(), split=False), {"n_components": [1]})
    assert (found["split"], found["n_train"]) == ("random", 30)


def test_an_unknown_label_is_none(Y):
    unknown = np.vstack([Y, Y[:10]])
    unknown[0, unknown[0] == 0] = np.nan
    known = np.vstack([Y, Y[:10]])
    found, expected = (codes(small(each), {"n_components": [1]}) for each in (unknown, known))
    assert without_seconds(found) == without_seconds(expected)


def test_rows_that_all_have_the_same_labels_have_nothing_to_correlate():
    found = codes(small(np.tile([1.0, 0.0], (30, 1))), {})
    (step,) = found["steps"]
    for kind in KINDS:
        assert step[kind]["kl"] == 0
        assert step[kind]["pearson"] is step[kind]["spearman"] is None
        assert step[kind]["variance_read"] is None
    assert found["density"] == {"labels": 0.5, "centred": 0.0}


@pytest.mark.parametrize("wanted", ["all", [0], [1.5], 3, [True]])
def test_lengths_that_mean_nothing_are_refused(wanted):
    with pytest.raises(PlanError, match='n_components must be "auto" or a list of integers'):
        codes(small(labels()), {"n_components": wanted})
