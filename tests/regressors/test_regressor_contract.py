"""What every regressor of a composition promises: prepared by labels, regressed onto codes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.multioutput import MultiOutputRegressor
from sklearn.svm import SVR

from dlst.errors import DataError
from dlst.regressors import (
    CrossFitted,
    KernelLogisticRegression,
    KernelRidge,
    LinearRidge,
    as_regressor,
)

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 4))
LABELS = sp.csr_array((X @ RNG.normal(size=(4, 5)) > 0.3).astype(float))
Z = LABELS.toarray() @ RNG.normal(size=(5, 3))
NEW = RNG.normal(size=(6, 4))

REGRESSORS = [
    KernelRidge(),
    KernelRidge("linear", alpha=0.3, n_basis=15, random_state=0),
    LinearRidge(),
    LinearRidge(0.5, intercept="penalised"),
    KernelLogisticRegression(alpha=0.1),
    KernelLogisticRegression(alpha="auto", loss="binary", random_state=0),
    CrossFitted(Ridge(0.5)),
]


def prepared(regressor):
    regressor = clone(regressor)
    return regressor, regressor.prepare(X, LABELS)


@pytest.mark.parametrize("regressor", REGRESSORS, ids=str)
def test_regressing_in_two_steps_predicts_what_fitting_does(regressor):
    model, regression = prepared(regressor)
    regression.regress(Z)
    twin = clone(regressor)
    if isinstance(twin, KernelRidge):
        twin.fit(X, Z, selection_targets=LABELS)
    else:
        twin.set_params(**{"alpha": model.alpha_} if isinstance(twin, LinearRidge) else {})
        twin.fit(X, Z)
    np.testing.assert_allclose(model.predict(NEW), twin.predict(NEW), atol=1e-10)
    assert model.predict(NEW).shape == (6, 3)


@pytest.mark.parametrize("regressor", REGRESSORS[:4], ids=str)
def test_out_of_sample_codes_are_exact_where_the_regressor_has_leave_one_out(regressor):
    model, regression = prepared(regressor)
    found = regression.out_of_sample(Z)
    if isinstance(model, LinearRidge):
        fixed = clone(regressor).set_params(alpha=model.alpha_)
        for i in (0, 17):
            others = np.delete(np.arange(40), i)
            refitted = fixed.fit(X[others], Z[others]).predict(X[[i]])
            np.testing.assert_allclose(found[[i]], refitted, atol=1e-8)
    else:
        np.testing.assert_array_equal(found, model.smoother_.leave_one_out(Z))
        assert regression.smoother is model.smoother_


def test_labels_choose_the_width_and_the_penalty_codes_do_not():
    chosen = {}
    for targets in (Z, RNG.normal(size=Z.shape)):
        model, regression = prepared(KernelRidge())
        regression.regress(targets)
        chosen[model.gamma_, model.alpha_] = True
    assert len(chosen) == 1
    alpha = {prepared(LinearRidge())[0].alpha_, LinearRidge().fit(X, LABELS.toarray()).alpha_}
    assert len(alpha) == 1


@pytest.mark.parametrize("regressor", REGRESSORS[4:], ids=str)
def test_others_are_cross_fitted_in_five_folds(regressor):
    model, regression = prepared(regressor)
    targets = regression.regress(Z)
    found = regression.out_of_sample(Z)
    assert regression.smoother is None
    twin = clone(model)
    if isinstance(twin, KernelLogisticRegression):
        twin.set_params(alpha=model.alpha_, loss="soft")
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        fold = clone(twin).fit(X[train], targets[train]).predict(X[test])
        np.testing.assert_array_equal(found[test], fold)


def test_what_was_cross_fitted_is_not_cross_fitted_again(monkeypatch):
    _, regression = prepared(CrossFitted(Ridge()))
    first = regression.out_of_sample(Z)
    monkeypatch.setattr(Ridge, "fit", lambda *given: pytest.fail("fitted again"))
    assert regression.out_of_sample(Z) is first


def test_binary_losses_say_what_they_aim_at():
    for loss, cut in (("binary", 0.0), ("binary-median", np.median(Z, axis=0))):
        _, regression = prepared(KernelLogisticRegression(alpha=0.1, loss=loss))
        np.testing.assert_array_equal(regression.regress(Z), (cut < Z).astype(float))
    _, regression = prepared(KernelLogisticRegression(alpha=0.1))
    assert regression.regress(Z) is Z


def test_plain_regressors_are_wrapped_and_ours_are_not():
    ours = KernelRidge()
    assert as_regressor(ours) is ours
    assert isinstance(as_regressor(LinearRegression()), CrossFitted)
    with pytest.raises(ValueError, match=r"regressor must be a regressor of .*; got 'ridge'"):
        as_regressor("ridge")
    with pytest.raises(ValueError, match=r"regressor must be a regressor of .*; got Logistic"):
        as_regressor(LogisticRegression())


def test_a_regressor_of_one_number_is_told_what_to_wrap_it_in():
    with pytest.raises(
        DataError, match=r"codes of 3 dimensions; got SVR\(\).*MultiOutputRegressor"
    ):
        CrossFitted(SVR()).fit(X, np.repeat(Z[:, :1], 3, axis=1))
    wrapped = CrossFitted(MultiOutputRegressor(SVR())).fit(X, np.repeat(Z[:, :1], 3, axis=1))
    assert wrapped.predict(NEW).shape == (6, 3)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        CrossFitted(LinearRegression()).fit(X, Z[:3])


def test_one_code_is_a_column():
    forest = CrossFitted(RandomForestRegressor(3, random_state=0))
    regression = forest.prepare(X, LABELS)
    regression.regress(Z[:, 0])
    assert forest.predict(NEW).shape == (6, 1)
