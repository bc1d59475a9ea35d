"""Classifiers of scikit-learn as decoders."""

from __future__ import annotations

import numpy as np
import pytest
from decoder_problems import NAN, planted
from scipy.special import logit
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from dlst.decoders import ClassifierDecoder, MLkNNDecoder, as_decoder
from dlst.errors import DataError


def test_each_label_is_classified_by_the_rows_where_it_is_known():
    X, Y, *_ = planted(unknown=0.2)
    Y[:, 1] = 1
    decoder = ClassifierDecoder(LogisticRegression()).fit(X, Y)
    P, S = decoder.scores(X)
    for label in (0, 2, 3, 4):
        known = ~np.isnan(Y[:, label])
        alone = LogisticRegression().fit(X[known], Y[known, label])
        np.testing.assert_array_equal(P[:, label], alone.predict_proba(X)[:, 1])
    assert (P[:, 1] == 1).all()
    np.testing.assert_allclose(S[:, 0], logit(P[:, 0]))
    assert np.isfinite(S).all()
    assert decoder.out_of_sample() is None
    assert decoder.searched() is None
    with pytest.raises(DataError, match="does not explain"):
        decoder.explain(X)


def test_classifiers_are_wrapped_and_decoders_are_not():
    own = MLkNNDecoder()
    assert as_decoder(own) is own
    assert isinstance(as_decoder(GaussianNB()), ClassifierDecoder)
    for wrong in ("mlknn", LinearSVC()):
        with pytest.raises(ValueError, match="decoder must be a decoder, or a classifier"):
            as_decoder(wrong)


def test_a_label_known_nowhere_keeps_its_prevalence():
    X, Y, *_ = planted()
    Y[:, 2] = NAN
    P = ClassifierDecoder(GaussianNB()).fit(X, Y).predict_proba(X)
    assert (P[:, 2] == 0).all()
