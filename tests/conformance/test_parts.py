"""Every encoder and decoder keeps scikit-learn's habits; a part added later is covered unaided."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

import dlst.decoders
import dlst.encoders


def classes_with(module, *methods):
    return [
        member
        for name in module.__all__
        if inspect.isclass(member := getattr(module, name))
        and issubclass(member, BaseEstimator)
        and not inspect.isabstract(member)
        and all(hasattr(member, method) for method in methods)
    ]


def made(part):
    """Make a part with its defaults; an adapter around a classifier."""
    return part(GaussianNB()) if part is dlst.decoders.ClassifierDecoder else part()


ENCODERS = classes_with(dlst.encoders, "fit_transform", "transform")
DECODERS = classes_with(dlst.decoders, "fit", "predict_proba", "decision_function")


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    codes = rng.normal(size=(80, 3))
    Y = (codes @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(80, 4)) > 0.3).astype(float)
    return codes, Y


def test_there_are_parts_to_test():
    assert len(ENCODERS) >= 2
    assert len(DECODERS) >= 4


@pytest.mark.parametrize("part", [*ENCODERS, *DECODERS], ids=lambda part: part.__name__)
def test_constructors_only_assign_and_parts_clone(part):
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(part).parameters.items()
        if parameter.default is not parameter.empty
    }
    one = made(part)
    assert vars(one) == one.get_params(deep=False)
    assert all(getattr(one, name) is value for name, value in defaults.items())
    assert clone(one).get_params(deep=False).keys() == one.get_params(deep=False).keys()
    assert str(clone(one)) == str(one)


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda part: part.__name__)
def test_encoders_give_the_same_codes_for_arrays_sparse_matrices_and_frames(encoder, problem):
    _, Y = problem
    part = encoder()
    first = part.fit_transform(Y)
    assert part.fit_transform(Y).tobytes() == first.tobytes(), "fitting again changes nothing"
    for same in (sp.csr_array(Y), pd.DataFrame(Y, columns=list("abcd"))):
        assert encoder().fit_transform(same).tobytes() == first.tobytes()
    np.testing.assert_allclose(part.fit(Y).transform(Y), first, atol=1e-10)
    assert first.shape[0] == len(Y)
    assert np.isfinite(encoder().fit_transform(np.where(np.arange(4) == 3, np.nan, Y))).all()
    with pytest.raises(NotFittedError):
        encoder().transform(Y)


@pytest.mark.parametrize("decoder", DECODERS, ids=lambda part: part.__name__)
def test_decoders_give_the_same_probabilities_for_arrays_and_sparse_matrices(decoder, problem):
    codes, Y = problem
    part = made(decoder)
    encoder = dlst.encoders.PrincipalEncoder(3).fit(Y)
    given = {"targets": codes + 0.1, "X": codes, "encoder": encoder}

    def fitted(labels):
        return part.fit(codes, labels, **given).predict_proba(codes[:10], X=codes[:10])

    first = fitted(Y)
    assert fitted(Y).tobytes() == first.tobytes(), "fitting again changes nothing"
    assert fitted(sp.csr_array(Y)).tobytes() == first.tobytes()
    assert first.shape == (10, 4)
    assert ((first >= 0) & (first <= 1)).all()
    unknown = Y.copy()
    unknown[::7, 1] = np.nan
    assert np.isfinite(fitted(unknown)).all()
    assert np.isfinite(part.decision_function(codes[:10], X=codes[:10])).all()
    with pytest.raises(NotFittedError):
        made(decoder).predict_proba(codes)


@pytest.mark.parametrize("decoder", DECODERS, ids=lambda part: part.__name__)
def test_decoders_keep_their_contract(decoder, problem):
    codes, Y = problem
    Y[3] = np.nan
    encoder = dlst.encoders.PrincipalEncoder(3).fit(Y)
    part = made(decoder).fit(codes, Y, targets=codes + 0.1, X=codes, encoder=encoder)
    P, S = part.scores(codes[:10], X=codes[:10])
    np.testing.assert_array_equal(P, part.predict_proba(codes[:10], X=codes[:10]))
    np.testing.assert_array_equal(S, part.decision_function(codes[:10], X=codes[:10]))
    judged = part.out_of_sample()
    if judged is not None:
        assert judged.probabilities.shape == (len(judged.rows), 4)
        assert not (judged.rows == 3).any()
        assert ((judged.probabilities >= 0) & (judged.probabilities <= 1)).all()
    searched = part.searched()
    if searched is not None:
        assert searched.codes.shape == (len(searched.rows), 3)
        votes = part.explain(codes[:2], X=codes[:2]).neighbours.values()
        near = [vote for vote in votes if vote.space == "codes"]
        assert set(near[0].indices.ravel()) <= set(searched.rows)
