"""The choice between the full code and half of it, with judges made for the test."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from dlst.encoders import ChosenCode, DistributionEncoder, FullCode

RNG = np.random.default_rng(0)
Y = sp.csr_array((RNG.random((60, 6)) < 0.4).astype(float))


def never(codes):
    raise AssertionError("there was nothing to judge")


@pytest.mark.parametrize(("better", "kind"), [("full", FullCode), ("half", DistributionEncoder)])
def test_the_code_that_the_judge_likes_is_kept(better, kind):
    def judge(codes):
        return float((codes.shape[1] == 6) == (better == "half"))

    encoder = ChosenCode()
    codes = encoder.encode(Y, None, judge)
    assert isinstance(encoder.encoder_, kind)
    assert encoder.log_loss_ == {"full": float(better == "half"), "half": float(better == "full")}
    assert codes.shape[1] == encoder.n_components_ == {"full": 6, "half": 3}[better]
    np.testing.assert_allclose(encoder.transform(Y), codes, atol=1e-12)
    assert (encoder.kl_divergence_ > 0) == (better == "half")


def test_equal_codes_stay_full():
    encoder = ChosenCode()
    encoder.encode(Y, None, lambda codes: 1.0)
    assert isinstance(encoder.encoder_, FullCode)


def test_the_half_code_is_the_aligned_one_of_eighty_iterations():
    encoder = ChosenCode(distance="euclidean")
    codes = encoder.encode(Y, None, lambda codes: codes.shape[1])
    twin = DistributionEncoder("half", distance="euclidean", max_iter=80).fit_transform(Y)
    assert codes.tobytes() == twin.tobytes()


@pytest.mark.parametrize("length", [2, 0.5, "half", None])
def test_a_length_that_is_given_is_not_judged(length):
    encoder = ChosenCode(length)
    codes = encoder.encode(Y, None, never)
    assert encoder.log_loss_ == {}
    assert codes.tobytes() == DistributionEncoder(length).fit_transform(Y).tobytes()


@pytest.mark.parametrize(
    ("encoder", "labels"),
    [
        (ChosenCode(min_rows=61), Y),
        (ChosenCode(max_label_sets=3), Y),
        (ChosenCode(), Y[:29]),
        (ChosenCode(), Y[:, :2]),
    ],
    ids=["rows", "label sets", "default rows", "labels"],
)
def test_the_code_is_full_where_choosing_does_not_pay(encoder, labels):
    codes = encoder.encode(labels, None, never)
    np.testing.assert_array_equal(codes, FullCode().fit_transform(labels))
    assert encoder.log_loss_ == {}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": "best"}, "n_components must be .*; got 'best'"),
        ({"n_components": 0}, "n_components must be .*; got 0"),
        ({"min_rows": -1}, "min_rows must be .*; got -1"),
        ({"n_components": 2, "distance": "far"}, "distance must be .*; got 'far'"),
    ],
)
def test_a_wrong_parameter_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        ChosenCode(**parameters).fit(Y)
