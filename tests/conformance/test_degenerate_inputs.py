"""Degenerate inputs × every method: one expected outcome each, an answer or the documented error.

A row of a table is a name, what is made of a small problem, and the outcome. Nothing may warn but
where the outcome says so. The second table asks models that are fitted once for each method.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from small_methods import made

from dlst.methods import available, method_info

N, D, K = 20, 4, 3


def small_problem():
    """Rows that say something of their labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D)).round(3)
    Y = (X @ rng.normal(size=(D, K)) + 0.5 * rng.normal(size=(N, K)) > 0).astype(np.int64)
    return X, Y


@cache
def fitted(name):
    """Return the model of the small problem; nobody changes it."""
    return made(name).fit(*small_problem())


# Outcomes: each takes the name of a method and the input.


def answers(name, X, Y):
    """Probabilities, finite scores and decisions, without a warning."""
    model = made(name).fit(X, Y)
    P = model.predict_proba(X)
    assert P.shape == Y.shape
    assert ((P >= 0) & (P <= 1)).all()
    assert np.isfinite(model.decision_function(X)).all()
    assert model.predict(X).shape == Y.shape
    return P


def same(name, X, Y):
    """The method itself is given what it is given of the plain problem, to the last bit.

    Reading is shared by all methods, so none need be fitted to see that.
    """
    for mine, plain in zip(_given(name, X, Y), _given(name, *small_problem()), strict=True):
        assert type(mine) is type(plain)
        mine, plain = (A.toarray() if sp.issparse(A) else A for A in (mine, plain))
        assert mine.dtype == plain.dtype
        assert mine.tobytes() == plain.tobytes()


def _given(name, X, Y):
    model, given = made(name), []

    def record(X, Y, weights):
        given.extend((X, Y))
        raise InterruptedError

    model._fit_weighted = record
    with pytest.raises(InterruptedError):
        model.fit(X, Y)
    return given


def alike(name, X, Y):
    """Rows that are equal are answered equally."""
    P = answers(name, X, Y)
    np.testing.assert_allclose(P, np.tile(P[0], (len(P), 1)), rtol=0, atol=1e-12)


def constants(name, X, Y):
    """The one value that a label has, certain; one warning that tells how many there are."""
    Y = np.asarray(Y)
    constant = (Y[0] == Y).all(axis=0)
    told = f"{constant.sum()} of {Y.shape[1]} labels have only one value"
    with pytest.warns(UserWarning, match=told) as caught:
        P = answers(name, X, Y)
    assert len(caught) == 1
    np.testing.assert_array_equal(P[:, constant], Y[:, constant])


def refused(pattern):
    """One error of the documented words."""

    def check(name, X, Y):
        with pytest.raises((ValueError, TypeError), match=pattern) as caught:
            made(name).fit(X, Y)
        assert str(caught.value).strip()

    return check


def needs_meaning(outcome):
    """This outcome where single unknown labels have a meaning for the method, else its error."""
    without = refused("must know every label of a labelled row; got")

    def check(name, X, Y):
        (outcome if method_info(name).takes_unknown else without)(name, X, Y)

    return check


def unknown_label(name, X, Y):
    """A label of which nothing is known has one value at most: none."""
    with pytest.warns(UserWarning, match="1 of 3 labels have only one value"):
        answers(name, X, Y)


def put(A, place, value):
    A = np.array(A, dtype=np.float64)
    A[place] = value
    return A


def twice(X):
    """CSR whose entries are each two halves, unsorted."""
    row, col = np.nonzero(np.ones_like(X))
    halves = np.concatenate([X.ravel(), X.ravel()]) / 2
    order = np.lexsort((-np.tile(col, 2), np.tile(row, 2)))
    indptr = np.arange(0, 2 * X.size + 1, 2 * X.shape[1])
    return sp.csr_array((halves[order], np.tile(col, 2)[order], indptr), shape=X.shape)


def with_zeros(A):
    """CSR that says its zeros."""
    A = np.asarray(A, dtype=np.float64)
    return sp.csr_array(
        (A.ravel(), np.indices(A.shape)[1].ravel(), np.arange(0, A.size + 1, A.shape[1]))
    )


def frozen(A):
    A = A.copy()
    A.flags.writeable = False
    return A


FITTED = {
    # Rows and columns: none, one, few, many.
    "no rows": (lambda X, Y: (X[:0], Y[:0]), refused("0 sample")),
    "one row": (lambda X, Y: (X[:1], Y[:1]), refused("at least 2 rows")),
    "two rows": (lambda X, Y: (X[:2], np.array([[1, 0], [0, 1]])), answers),
    "two equal rows that disagree": (lambda X, Y: (X[[0, 0]], np.array([[1, 0], [0, 1]])), alike),
    "three rows": (lambda X, Y: (X[:3], np.array([[1, 0], [0, 1], [1, 1]])), answers),
    "fewer rows than neighbours": (
        lambda X, Y: (X[:6], np.tile(np.eye(2, dtype=int), (3, 1))),
        answers,
    ),
    "no features": (lambda X, Y: (X[:, :0], Y), refused("0 feature")),
    "one feature": (lambda X, Y: (X[:, :1], Y), answers),
    "more features than rows": (lambda X, Y: (np.tile(X, 10) + np.eye(N, 40), Y), answers),
    "rows of another number": (
        lambda X, Y: (X[:-1], Y),
        refused("inconsistent numbers of samples"),
    ),
    "every row three times": (
        lambda X, Y: (np.repeat(X[:7], 3, 0), np.repeat(Y[:7], 3, 0)),
        answers,
    ),
    # Values of features.
    "all features constant": (lambda X, Y: (np.ones_like(X), Y), alike),
    "all features zero": (lambda X, Y: (np.zeros_like(X), Y), alike),
    "sparse without entries": (lambda X, Y: (sp.csr_array(X.shape), Y), alike),
    "a constant feature": (lambda X, Y: (np.column_stack([X, np.full(N, 7.0)]), Y), answers),
    "a feature twice": (lambda X, Y: (np.column_stack([X, X[:, 0]]), Y), answers),
    "one huge feature": (lambda X, Y: (X * [1e99, 1, 1, 1], Y), answers),
    "all features huge": (lambda X, Y: (X * 1e99, Y), answers),
    "all features tiny": (lambda X, Y: (X * 1e-200, Y), answers),
    "far from zero": (lambda X, Y: (X + 1e8, Y), answers),
    "too large to square": (
        lambda X, Y: (put(X, (3, 1), 1e300), Y),
        refused(r"below 1e\+100.*got 1e\+300 in row 3, column 1"),
    ),
    "too large, sparse": (
        lambda X, Y: (sp.csr_array(put(X, (3, 1), -1e300)), Y),
        refused(r"got -1e\+300 in row"),
    ),
    "NaN": (lambda X, Y: (put(X, (3, 1), np.nan), Y), refused("contains NaN")),
    "infinity": (lambda X, Y: (put(X, (3, 1), np.inf), Y), refused("contains infinity")),
    "infinity, sparse": (
        lambda X, Y: (sp.csr_array(put(X, (3, 1), -np.inf)), Y),
        refused("contains infinity"),
    ),
    "complex numbers": (lambda X, Y: (X + 1j, Y), refused("Complex data not supported")),
    "texts": (
        lambda X, Y: (np.full(X.shape, "a"), Y),
        refused("could not convert string to float"),
    ),
    # Forms of features.
    "one dimension": (lambda X, Y: (X[:, 0], Y), refused("Expected 2D array")),
    "three dimensions": (lambda X, Y: (X[:, :, None], Y), refused("3 dim|dim 3|Expected 2D")),
    "ragged lists": (lambda X, Y: ([[1.0, 2.0], [3.0]] * 10, Y), refused("inhomogeneous")),
    "lists": (lambda X, Y: (X.tolist(), Y), same),
    "objects": (lambda X, Y: (X.astype(object), Y), same),
    "columns first": (lambda X, Y: (np.asfortranarray(X), np.asfortranarray(Y)), same),
    "every other row of more": (
        lambda X, Y: (np.repeat(X, 2, 0)[::2], np.repeat(Y, 2, 0)[::2]),
        same,
    ),
    "not to be written": (lambda X, Y: (frozen(X), frozen(Y)), same),
    "halves that sum up, unsorted": (lambda X, Y: (twice(X), Y), answers),
    "zeros said": (lambda X, Y: (with_zeros(np.maximum(X, 0)), with_zeros(Y)), answers),
    # Labels.
    "no labels": (
        lambda X, Y: (X, Y[:, :0]),
        refused("at least one label|must have .*label|0 label"),
    ),
    "one label": (lambda X, Y: (X, Y[:, :1]), answers),
    "more labels than rows": (lambda X, Y: (X[:8], np.tile(Y[:8], 4)), answers),
    "a label set for each row": (lambda X, Y: (X[:8], np.eye(8, dtype=int)), answers),
    "a label twice": (lambda X, Y: (X, Y[:, [0, 0, 1]]), answers),
    "a label and its opposite": (
        lambda X, Y: (X, np.column_stack([Y[:, 0], 1 - Y[:, 0]])),
        answers,
    ),
    "a label of one row": (lambda X, Y: (X, np.column_stack([Y, np.arange(N) == 3])), answers),
    "a label of all rows but one": (
        lambda X, Y: (X, np.column_stack([Y, np.arange(N) != 3])),
        answers,
    ),
    "rows without any label": (lambda X, Y: (X, Y * (np.arange(N) % 2)[:, None]), answers),
    "a label of no row": (lambda X, Y: (X, np.insert(Y, 1, 0, axis=1)), constants),
    "a label of every row": (lambda X, Y: (X, np.insert(Y, 1, 1, axis=1)), constants),
    "no row has a label": (lambda X, Y: (X, np.zeros_like(Y)), constants),
    "all rows have all": (lambda X, Y: (X, np.ones_like(Y)), constants),
    "one label set": (lambda X, Y: (X, np.tile([1, 0, 1], (N, 1))), constants),
    "truth values": (lambda X, Y: (X, Y.astype(bool)), same),
    "a two": (lambda X, Y: (X, put(Y, (3, 1), 2)), refused("got 2|multiclass-multioutput")),
    "a minus one": (lambda X, Y: (X, put(Y, (3, 1), -1)), refused("got -1|multiclass-multioutput")),
    "a half": (lambda X, Y: (X, put(Y, (3, 1), 0.5)), refused("continuous-multioutput|got 0.5")),
    "an infinite label": (lambda X, Y: (X, put(Y, (3, 1), np.inf)), refused("inf")),
    "words": (lambda X, Y: (X, np.full(Y.shape, "a")), refused("Y must hold 0, 1 or NaN")),
    "no target": (lambda X, Y: (X, None), refused("requires y to be passed")),
    # Labels that are not known.
    "an unknown label in a row": (lambda X, Y: (X, put(Y, (3, 1), np.nan)), needs_meaning(answers)),
    "one known label in each row": (
        lambda X, Y: (X, np.where(np.arange(N)[:, None] % K != np.arange(K), np.nan, Y)),
        needs_meaning(answers),
    ),
    "nothing known of a label": (
        lambda X, Y: (X, put(Y, (slice(None), 1), np.nan)),
        needs_meaning(unknown_label),
    ),
    "rows of which nothing is known": (lambda X, Y: (X, put(Y, slice(0, 4), np.nan)), answers),
    "nothing known": (
        lambda X, Y: (X, np.full(Y.shape, np.nan)),
        refused("must have a known entry; got NaN only"),
    ),
}


@pytest.mark.parametrize("name", available())
@pytest.mark.parametrize("case", FITTED)
def test_training_rows(case, name):
    change, outcome = FITTED[case]
    outcome(name, *change(*small_problem()))


def rows_of_zeros(model, X):
    P = model.predict_proba(np.zeros_like(X))
    np.testing.assert_allclose(P, np.tile(P[0], (len(P), 1)), rtol=0, atol=1e-12)


def far_away(model, X):
    P = model.predict_proba(X * 1e90)
    assert ((P >= 0) & (P <= 1)).all()
    assert np.isfinite(model.decision_function(X * 1e90)).all()


def one_by_one(model, X):
    together = model.decision_function(X)
    alone = np.vstack([model.decision_function(row[None]) for row in X[:4]])
    np.testing.assert_allclose(alone, together[:4], rtol=1e-9, atol=1e-9)


def in_any_order(model, X):
    S = model.decision_function(X[::-1])
    np.testing.assert_allclose(S[::-1], model.decision_function(X), rtol=1e-9, atol=1e-9)


def raises(pattern, change):
    def check(model, X):
        for ask in (model.predict, model.predict_proba, model.decision_function):
            with pytest.raises(ValueError, match=pattern):
                ask(change(X))

    return check


def not_fitted(model, X):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        type(model)().predict_proba(X)


ASKED = {
    "rows of zeros": rows_of_zeros,
    "rows far away": far_away,
    "rows alone are rows in a batch": one_by_one,
    "rows in any order": in_any_order,
    "no rows": raises("0 sample", lambda X: X[:0]),
    "fewer features": raises("features", lambda X: X[:, 1:]),
    "more features": raises("features", lambda X: np.hstack([X, X])),
    "one dimension": raises("Expected 2D array", lambda X: X[0]),
    "NaN": raises("contains NaN", lambda X: put(X, (2, 1), np.nan)),
    "infinity": raises("contains infinity", lambda X: put(X, (2, 1), np.inf)),
    "too large": raises(
        r"got 2e\+200 in row 2, column 1\. Divide that column", lambda X: put(X, (2, 1), 2e200)
    ),
    "a model that was not fitted": not_fitted,
}


@pytest.mark.parametrize("name", available())
@pytest.mark.parametrize("case", ASKED)
def test_new_rows(case, name):
    ASKED[case](fitted(name), small_problem()[0])
