"""Weights of rows and labels over the registry: repetition, or one clear refusal.

A row of weight 2 is two equal rows that are left out together. Where nothing is chosen or
calibrated by leaving rows out that is repetition to the letter, and is tested here; what is left
out has its tests beside the parts: ridges against refits, votes and calibration against copies.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.utils.validation import has_fit_parameter

from dlst.decoders import EvidenceDecoder, StagedDecoder
from dlst.encoders import DistributionEncoder, FullCode, PrincipalEncoder
from dlst.errors import DataError
from dlst.methods import available, make
from dlst.methods.scaling import FeatureScaler
from dlst.regressors import KernelRidge, LinearMachines

RNG = np.random.default_rng(11)
X = RNG.normal(size=(48, 5))
Y = (X[:, :4] + X[:, 1:] + 0.5 * RNG.normal(size=(48, 4)) > 0.4).astype(float)
NEW = RNG.normal(size=(20, 5))
WEIGHTS = RNG.integers(0, 4, size=48).astype(float)
COPIES = np.repeat(np.arange(48), WEIGHTS.astype(int))
PLAIN = {"decision": "own", "tau": 0.0}

WEIGHING = ("dlst", "dlst-linear", "krr", "br", "plst", "cplst")
NOTHING_LEFT_OUT = {
    "dlst": {
        "encoder": FullCode(),
        "regressor": KernelRidge(gamma=0.1, alpha=1.0),
        "decoder": EvidenceDecoder(min_rows=1000),
    },
    "dlst-linear": {
        "regressor": LinearMachines(0.3, tol=1e-10),
        "decoder": StagedDecoder(min_rows=1000),
    },
    "krr": {"gamma": 0.1, "alpha": 1.0},
    "br": {"gamma": 0.1, "calibration": None, "tol": 1e-8},
    "plst": {"alpha": 1.0},
    "cplst": {"alpha": 1.0},
}


def model(name, **parameters):
    made = make(name, **parameters)
    return made.set_params(random_state=0) if "random_state" in made.get_params() else made


def with_unknown(labels):
    labels = labels.copy()
    labels[RNG.random(labels.shape) < 0.1] = np.nan
    return labels


UNKNOWN = with_unknown(Y)


@pytest.mark.parametrize("labels", [Y, UNKNOWN], ids=["known", "unknown"])
@pytest.mark.parametrize("name", WEIGHING)
def test_weights_are_repetition(name, labels):
    made = model(name, **NOTHING_LEFT_OUT[name], **PLAIN)
    found = made.fit(X, labels, sample_weight=WEIGHTS).predict_proba(NEW)
    assert list(made.training_rows_) == list(np.flatnonzero(WEIGHTS))
    expected = made.fit(X[COPIES], labels[COPIES]).predict_proba(NEW)
    np.testing.assert_allclose(found, expected, atol=1e-5 if name == "br" else 1e-7)
    assert np.abs(found - made.fit(X, labels).predict_proba(NEW)).max() > 0.01


@pytest.mark.parametrize("name", WEIGHING)
def test_ones_are_no_weights_and_zero_is_no_row(name):
    made = model(name)
    plain = made.fit(X, Y).predict_proba(NEW)
    ones = made.fit(X, Y, sample_weight=np.ones(48), label_weight=np.ones(4)).predict_proba(NEW)
    np.testing.assert_array_equal(ones, plain)
    kept = WEIGHTS > 0
    found = made.fit(X, Y, sample_weight=WEIGHTS)
    answers = found.predict_proba(NEW), found.decision_function(NEW), found.predict(NEW)
    other = made.fit(X[kept], Y[kept], sample_weight=WEIGHTS[kept])
    for one, two in zip(
        answers,
        (other.predict_proba(NEW), other.decision_function(NEW), other.predict(NEW)),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)
    assert np.abs(answers[0] - plain).max() > 1e-3


@pytest.mark.parametrize("name", WEIGHING)
def test_a_heavy_row_is_predicted_better_and_rules_are_learnt_by_weight(name):
    weights = np.ones(48)
    weights[:5] = 30.0
    made = model(name, decision="f1")
    plain = made.fit(X, Y).predict_proba(X[:5])
    heavy = made.fit(X, Y, sample_weight=weights).predict_proba(X[:5])
    assert np.abs(heavy - Y[:5]).mean() < np.abs(plain - Y[:5]).mean()
    prevalence = weights @ Y / weights.sum()
    np.testing.assert_allclose(made.prevalence_, prevalence)


@pytest.mark.parametrize("name", ["krr", "plst", "dlst"])
def test_a_label_that_counts_more_is_chosen_for(name):
    noise = (RNG.random((48, 6)) < 0.5).astype(float)
    labels = np.hstack([Y[:, :1], noise])
    weights = np.array([1e6, *np.ones(6)])
    parameters = {} if name != "dlst" else {"encoder": FullCode()}
    made = model(name, **parameters)
    together = made.fit(X, labels).regressor_.alpha_
    weighed = made.fit(X, labels, label_weight=weights).regressor_.alpha_
    alone = model(name, **parameters).fit(X, labels[:, :1]).regressor_.alpha_
    assert weighed == pytest.approx(alone)
    assert together > weighed


@pytest.mark.parametrize("name", sorted(set(available()) - set(WEIGHING)))
def test_a_method_without_a_place_for_weights_says_so(name):
    made = model(name)
    assert not has_fit_parameter(made, "sample_weight")
    for given in ({"sample_weight": WEIGHTS}, {"label_weight": np.arange(1.0, 5.0)}):
        with pytest.raises(DataError, match="without sample_weight and label_weight"):
            made.fit(X, Y, **given)
    with pytest.raises(TypeError, match="weight"):
        made.fit(X, Y, weight=WEIGHTS)


@pytest.mark.parametrize("name", WEIGHING)
def test_scikit_learn_finds_and_routes_the_weights(name):
    made = model(name)
    assert has_fit_parameter(made, "sample_weight")
    with config_context(enable_metadata_routing=True):
        requested = made.set_fit_request(sample_weight=True, label_weight=False)
        assert requested.get_metadata_routing().fit.requests["sample_weight"] is True


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sample_weight": np.ones(47)}, "sample_weight must have 48 numbers"),
        ({"sample_weight": -np.ones(48)}, "sample_weight must be numbers of at least 0"),
        ({"label_weight": [1, 1, 1, 0]}, "label_weight must be above 0"),
        ({"label_weight": np.ones(5)}, "label_weight must have 4 numbers"),
    ],
)
def test_wrong_weights_are_refused(given, message):
    with pytest.raises(DataError, match=message):
        make("krr").fit(X, Y, **given)


def test_weights_that_leave_a_label_constant_are_warned_of():
    weights = np.where(Y[:, 0] == 1, 0.0, 1.0)
    with pytest.warns(UserWarning, match="1 of 4 labels have only one value"):
        found = make("krr").fit(X, Y, sample_weight=weights)
    assert found.prevalence_[0] == 0.0


@pytest.mark.parametrize("scaling", ["standard", "tfidf", "hellinger", "maxabs"])
def test_features_are_scaled_by_weight(scaling):
    counts = sp.csr_array(np.abs(np.round(X * (RNG.random(X.shape) < 0.5) * 3)))
    kept = WEIGHTS > 0
    found = FeatureScaler(scaling).fit(counts[kept], sample_weight=WEIGHTS[kept])
    expected = FeatureScaler(scaling).fit(counts[COPIES])
    one, other = found.transform(counts), expected.transform(counts)
    np.testing.assert_allclose(
        one.toarray() if sp.issparse(one) else one, other.toarray() if sp.issparse(other) else other
    )


@pytest.mark.parametrize("encoder", [FullCode(), PrincipalEncoder(2), DistributionEncoder(2)])
def test_codes_are_found_by_weight(encoder):
    kept = WEIGHTS > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = encoder.fit_transform(Y[kept], sample_weight=WEIGHTS[kept])
        expected = encoder.fit_transform(Y[COPIES])
    np.testing.assert_allclose(
        np.repeat(found, WEIGHTS[kept].astype(int), axis=0), expected, atol=1e-6
    )
