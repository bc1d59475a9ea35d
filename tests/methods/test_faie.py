"""FaIE: scores of the reference program, and what the feature weight does."""

from __future__ import annotations

import numpy as np
import pytest
from linear_code_problems import AS_REFERENCE, planted, reference_data, ridge_scores

from dlst.methods.faie import FAIE


@pytest.mark.real_data
@pytest.mark.golden
@pytest.mark.parametrize(("name", "lengths"), [("emotions", (2, 3)), ("yeast", (2, 3, 7))])
@pytest.mark.parametrize("coding", ["01", "pm1"])
@pytest.mark.parametrize(("weight", "written"), [(0.1, "0p1"), (100.0, "100")])
def test_scores_of_the_reference_program(name, lengths, coding, weight, written, real_data, golden):
    expected = np.load(golden / f"lsdr_{name}_raw.npz")
    X, Y, X_test = reference_data(name)
    for r in lengths:
        prefix = f"faie_{coding}_a{written}_r{r}_"
        model = FAIE(
            r, feature_weight=weight, weighting="absolute", coding=coding, **AS_REFERENCE
        ).fit(X, Y)
        S = model.decision_function(X_test)
        # Ours are scores of 0/1 labels, less a half, in either coding.
        theirs = S + 0.5 if coding == "01" else 2 * S
        np.testing.assert_allclose(theirs, expected[prefix + "S"], atol=1e-10)
        if coding == "pm1":
            decided = 2 * model.predict(X_test).toarray() - 1
            np.testing.assert_array_equal(decided, expected[prefix + "Ypred"])


def test_without_feature_weight_full_codes_are_ridge_regression_of_each_label():
    X, Y, X_new = planted()
    model = FAIE(feature_weight=0.0, alpha=0.5, scaling="none").fit(X, Y)
    expected = ridge_scores(X, Y, X_new, 0.5)
    np.testing.assert_allclose(model.decision_function(X_new) + 0.5, expected, atol=1e-10)


def test_the_decoder_has_no_shift():
    X, Y, X_new = planted()
    model = FAIE(3, scaling="none").fit(X, Y)
    decoded = model.transform(X_new) @ model.encoder_.decoding_
    np.testing.assert_allclose(model.decision_function(X_new) + 0.5, decoded, atol=1e-12)
    codes = model.encoder_.transform(Y, X)
    np.testing.assert_allclose(model.encoder_.decoding_, codes.T @ Y, atol=1e-9)


def test_more_feature_weight_makes_codes_that_are_predicted_better():
    X, Y, _ = planted()
    missed = []
    for weight in (0.0, 1.0, 100.0):
        model = FAIE(2, feature_weight=weight, alpha=1.0, scaling="none", intercept="free")
        model.fit(X, Y)
        codes = model.encoder_.transform(Y, X)
        missed.append(((codes - model.transform(X)) ** 2).sum())
    assert missed[0] > missed[1] > missed[2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"feature_weight": -0.1}, "feature_weight must be a number of at least 0; got -0.1"),
        ({"weighting": "both"}, "weighting must be one of .*; got 'both'"),
        ({"coding": 1}, "coding must be one of .*; got 1"),
    ],
)
def test_mistakes_are_named(parameters, message):
    X, Y, _ = planted()
    with pytest.raises(ValueError, match=message):
        FAIE(**parameters).fit(X, Y)
