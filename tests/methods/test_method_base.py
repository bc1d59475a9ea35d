"""What a method gets from the base when it implements no more than it must."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from dlst.methods import MultiLabelClassifier
from dlst.methods.answers import logit, with_logits


class Recorder(MultiLabelClassifier):
    """Remember what was given to learn from; the first feature is every label's probability."""

    def __init__(self, decision="own", cardinality=None, tau=0.0):
        self.decision = decision
        self.cardinality = cardinality
        self.tau = tau

    def _fit(self, X, Y):
        self.seen_ = X, Y

    def _scores(self, X):
        return with_logits(np.repeat(X[:, :1], self.seen_[1].shape[1], axis=1))


X = np.array([[0.1, 9.0], [0.5, 9.0], [0.9, 9.0], [0.3, 9.0]])
Y = np.array([[1, 0, 1, np.nan], [np.nan, np.nan, np.nan, np.nan], [0, 0, 1, 1], [1, 0, 0, 0]])


@pytest.fixture
def model():
    with pytest.warns(UserWarning, match="1 of 4 labels have only one value"):
        return Recorder().fit(X, Y)


def test_a_method_sees_labelled_rows_and_labels_that_vary(model):
    features, labels = model.seen_
    np.testing.assert_array_equal(features, X[[0, 2, 3]])
    assert isinstance(labels, sp.csr_array)
    np.testing.assert_array_equal(labels.toarray(), Y[[0, 2, 3]][:, [0, 2, 3]])
    np.testing.assert_allclose(model.prevalence_, [2 / 3, 0, 2 / 3, 1 / 2])


def test_scores_are_logits_and_the_likelier_is_decided_for(model):
    P = model.predict_proba(X)
    np.testing.assert_array_equal(P[:, 1], 0)
    np.testing.assert_array_equal(P[:, [0, 2, 3]], np.repeat(X[:, :1], 3, axis=1))
    np.testing.assert_array_equal(model.decision_function(X), logit(P))
    np.testing.assert_array_equal(model.predict(X), P >= 0.5)


def test_predictions_do_not_depend_on_blocks(model, monkeypatch):
    whole = model.predict(X), model.predict_top(X, 2)
    monkeypatch.setattr("dlst.methods.answers.ROWS_AT_ONCE", 3)
    np.testing.assert_array_equal(model.predict(X), whole[0])
    np.testing.assert_array_equal(model.predict_top(X, 2), whole[1])


def test_one_class_is_certain():
    model = Recorder().fit(X, ["only"] * 4)
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((4, 1)))
    assert model.predict(X).tolist() == ["only"] * 4


def test_classes_that_all_have_no_chance_keep_their_prevalence():
    model = Recorder().fit(X, ["a", "b", "c", "a"])
    np.testing.assert_allclose(model.predict_proba([[0.0, 1.0]]), [[0.5, 0.25, 0.25]])


def test_logits_are_finite_at_the_ends():
    assert np.isfinite(logit(np.array([0.0, 0.5, 1.0]))).all()
    assert logit(np.array([0.5]))[0] == 0


@pytest.mark.parametrize("target", [["a", "b", "a", "b"], np.zeros((4, 2)), Y[:, 2:3]])
def test_a_decision_that_nobody_knows_is_refused_whatever_the_target(target):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Recorder().fit(X, target)
    with pytest.raises(ValueError, match=r"decision must be one of own, f1.*Did you mean 'micro'"):
        model.predict(X, decision="mikro")


def test_an_unfitted_method_says_so():
    with pytest.raises(NotFittedError):
        Recorder().predict_proba(X)
