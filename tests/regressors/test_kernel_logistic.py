from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import check_grad, minimize
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold

from dlst._kernels.ridge import Spectrum
from dlst.regressors import KernelLogisticRegression
from dlst.regressors._logistic import PRINTED, SOFT, LogisticProblem, Loss

RNG = np.random.default_rng(4)
X = RNG.normal(size=(50, 3))
Z = np.hstack([np.tanh(X[:, :2]), X[:, :1] * X[:, 2:]]) + 0.2 * RNG.normal(size=(50, 3))
NEW = RNG.normal(size=(8, 3))


def scaled(Z):
    return (Z - Z.min(axis=0)) / (Z.max(axis=0) - Z.min(axis=0))


def slow_objective(c, K, K_B, targets, loss, penalty, alpha):
    """Sum the loss as it is written, entry by entry."""
    f = K @ c
    total = alpha * (c @ K_B @ c if penalty == "rkhs" else c @ c)
    for value, target in zip(f, targets, strict=True):
        if loss == "soft":
            total -= target * np.log(expit(value)) + (1 - target) * np.log(expit(-value))
        else:
            total += np.log(1 + np.exp(-target * value))
    return total


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("loss", "targets"), [(SOFT, scaled(Z)), (PRINTED, Z)])
def test_the_gradient_is_that_of_finite_differences(loss, targets, intercept, rng):
    spectrum = Spectrum.of(rng.normal(size=(50, 4)), centred=intercept)
    problem = LogisticProblem(spectrum, targets, loss, np.array([0.25, 0.1, 1.0]), 0.3, intercept)
    point = rng.normal(size=3 * (4 + intercept))
    error = check_grad(lambda u: problem(u)[0], lambda u: problem(u)[1], point)
    assert error < 1e-5 * np.linalg.norm(problem(point)[1])
    direction = rng.normal(size=point.size)
    ahead, behind = (problem(point + step * direction)[1] for step in (1e-5, -1e-5))
    np.testing.assert_allclose(
        problem.hessian(point) @ direction, (ahead - behind) / 2e-5, rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("penalty", ["rkhs", "ridge"])
@pytest.mark.parametrize("loss", ["soft", "printed"])
def test_the_solution_is_the_minimum_of_the_loss_as_written(loss, penalty, rng):
    model = KernelLogisticRegression(
        gamma=0.5, alpha=0.2, loss=loss, penalty=penalty, n_basis=12, random_state=0, tol=1e-9
    ).fit(X, Z)
    B = X[model.basis_.indices_]
    K, K_B = rbf_kernel(X, B, gamma=0.5), rbf_kernel(B, gamma=0.5)
    targets = scaled(Z) if loss == "soft" else Z
    total = 0.0
    for j in range(3):
        arguments = (K, K_B, targets[:, j], loss, penalty, 0.2)
        here = slow_objective(model.dual_coef_[:, j], *arguments)
        best = minimize(slow_objective, model.dual_coef_[:, j], arguments, method="BFGS").fun
        assert here <= best + 1e-8
        steps = 1e-3 * rng.normal(size=(20, 12))
        assert all(slow_objective(model.dual_coef_[:, j] + s, *arguments) > here for s in steps)
        total += here
    assert model.objective_ == pytest.approx(total, rel=1e-10)


@pytest.mark.parametrize("loss", ["soft", "printed"])
def test_the_exact_solution_meets_its_stationarity_equation(loss):
    # With all rows and the RKHS norm: dual weights are −loss'(f)/(2 alpha).
    model = KernelLogisticRegression(gamma=0.5, alpha=0.2, loss=loss, tol=1e-10).fit(X, Z)
    f = model.margins(X)
    slopes = expit(f) - scaled(Z) if loss == "soft" else -Z * expit(-Z * f)
    np.testing.assert_allclose(
        rbf_kernel(X, gamma=0.5) @ (model.dual_coef_ + slopes / 0.4), 0, atol=1e-6
    )
    assert model.slope_ < 1e-7


def test_labels_with_an_intercept_are_ordinary_logistic_regression(rng):
    y = (X[:, 0] + rng.normal(size=50) > 0.7) * 1.0
    model = KernelLogisticRegression(
        "linear", alpha=0.5, fit_intercept=True, output="probability", tol=1e-9
    ).fit(X, y)
    twin = LogisticRegression(C=1.0, tol=1e-10).fit(X, y)  # alpha ‖w‖² = ‖w‖²/(2C)
    np.testing.assert_allclose(model.predict(NEW), twin.predict_proba(NEW)[:, 1], atol=1e-6)
    np.testing.assert_array_equal(model.predict_proba(NEW), model.predict(NEW))
    np.testing.assert_allclose(model.intercept_, twin.intercept_, atol=1e-5)


def test_outputs_are_readings_of_one_margin():
    read = {
        output: KernelLogisticRegression(output=output).fit(X, Z).predict(NEW)
        for output in ("code", "probability", "margin", "signed")
    }
    model = KernelLogisticRegression().fit(X, Z)
    np.testing.assert_array_equal(model.margins(NEW), read["margin"])
    np.testing.assert_array_equal(model.probabilities(NEW), read["probability"])
    np.testing.assert_allclose(logit(read["probability"]), read["margin"], rtol=1e-9)
    np.testing.assert_allclose(read["signed"], np.tanh(read["margin"] / 2), atol=1e-12)
    low, high = Z.min(axis=0), Z.max(axis=0)
    np.testing.assert_array_equal(model.range_, [low, high])
    np.testing.assert_allclose(read["code"], low + read["probability"] * (high - low))
    assert not hasattr(model, "predict_proba")


def test_shifting_and_scaling_a_code_shifts_and_scales_its_prediction():
    plain = KernelLogisticRegression(tol=1e-9).fit(X, Z).predict(NEW)
    moved = KernelLogisticRegression(tol=1e-9).fit(X, 5 * Z - 2).predict(NEW)
    np.testing.assert_allclose(moved, 5 * plain - 2, atol=1e-6)


def test_the_printed_loss_pays_only_for_signs(rng):
    signs = np.where(rng.random(50) < 0.5, -1.0, 1.0)
    model = KernelLogisticRegression(loss="printed", gamma=5.0, output="signed").fit(X, signs)
    assert (np.sign(model.predict(X)) == signs).all()
    # Labels −1/+1 in the printed loss are labels 0/1 in the other.
    soft = KernelLogisticRegression(gamma=5.0).fit(X, (signs + 1) / 2)
    np.testing.assert_allclose(model.margins(NEW), soft.margins(NEW), atol=1e-4)


def test_all_targets_at_once_are_each_target_alone():
    together = KernelLogisticRegression(tol=1e-9).fit(X, Z).predict(NEW)
    for j in range(3):
        alone = KernelLogisticRegression(tol=1e-9).fit(X, Z[:, j]).predict(NEW)
        assert alone.shape == (8,)
        np.testing.assert_allclose(together[:, j], alone, atol=1e-6)


def test_constant_codes_are_predicted_as_they_are():
    targets = np.column_stack([Z[:, 0], np.full(50, -7.0), np.zeros(50), np.ones(50)])
    model = KernelLogisticRegression(fit_intercept=True).fit(X, targets)
    np.testing.assert_array_equal(model.predict(NEW)[:, 1:], np.tile([-7.0, 0.0, 1.0], (8, 1)))
    probabilities = model.probabilities(NEW)
    assert (probabilities[:, 2] < 0.01).all()
    assert (probabilities[:, 3] > 0.99).all()
    alone = KernelLogisticRegression(loss="printed").fit(X, np.zeros(50))
    np.testing.assert_array_equal(alone.predict(NEW), 0)


def test_sparse_rows_and_precomputed_kernels_predict_alike():
    options = {"gamma": 0.4, "n_basis": 20, "random_state": 0, "tol": 1e-9}
    dense = KernelLogisticRegression(**options).fit(X, Z)
    sparse = KernelLogisticRegression(**options).fit(sp.csr_array(X), sp.csr_array(Z))
    given = KernelLogisticRegression("precomputed", **options).fit(rbf_kernel(X, gamma=0.4), Z)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(NEW)), dense.predict(NEW), atol=1e-6)
    np.testing.assert_allclose(
        given.predict(rbf_kernel(NEW, X, gamma=0.4)), dense.predict(NEW), atol=1e-6
    )


@pytest.mark.parametrize("how", ["random", "kmeans++", "leverage"])
def test_the_same_seed_gives_the_same_bytes(how):
    model = KernelLogisticRegression(n_basis=15, basis=how, random_state=2).fit(X, Z)
    assert model.predict(NEW).tobytes() == clone(model).fit(X, Z).predict(NEW).tobytes()


def test_too_few_steps_warn_and_say_what_to_change():
    with pytest.warns(ConvergenceWarning, match=r"after 2 steps\. Raise max_iter=2, alpha=0.01"):
        model = KernelLogisticRegression(max_iter=2).fit(X, Z)
    assert model.n_iter_ == 2
    assert model.slope_ > 1e-6


@pytest.mark.parametrize("loss", ["soft", "printed"])
@pytest.mark.parametrize("alpha", [1e-4, 0.2, 50.0])
@pytest.mark.parametrize("tol", [1e-9, 1e-12, 1e-15])
def test_an_end_by_rounding_is_an_end(tol, alpha, loss):
    # L-BFGS ends near 1e-8 for want of digits in the objective; any warning is an error here.
    model = KernelLogisticRegression(
        gamma=0.5, alpha=alpha, loss=loss, fit_intercept=True, tol=tol, max_iter=5000
    ).fit(X, Z)
    assert model.slope_ < max(tol, 1e-11)


def test_a_stop_far_from_the_end_is_a_failure():
    # With slopes that point uphill no step goes down, and none finds a flatter place.
    uphill = Loss(lambda f, t: (SOFT.slope(f, t)[0], -SOFT.slope(f, t)[1]), SOFT.bend)
    spectrum = Spectrum.of(X, centred=False)
    problem = LogisticProblem(spectrum, scaled(Z), SOFT, np.full(3, 0.25), 0.1, False)
    assert problem.solve(tol=1e-9, max_iter=100).converged
    assert not replace(problem, loss=uphill).solve(tol=1e-9, max_iter=100).converged


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "hinge"}, "loss must be one of soft, printed, binary, binary-median; got 'h"),
        ({"loss": "printed", "alpha": "auto"}, "alpha must be a number with loss='printed'"),
        ({"output": "label"}, "output must be one of code, probability, margin, signed"),
        ({"penalty": "l1"}, "penalty must be one of rkhs, ridge"),
        ({"alpha": 0}, "alpha must be a number above 0 or 'auto'; got 0"),
        ({"tol": -1}, "tol must be a number above 0"),
        ({"max_iter": 0}, "max_iter must be an integer"),
    ],
)
def test_wrong_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        KernelLogisticRegression(**options).fit(X, Z)


@pytest.mark.parametrize(("loss", "at"), [("binary", "zero"), ("binary-median", "median")])
def test_binary_losses_are_the_soft_loss_of_zeros_and_ones(loss, at, rng):
    X, Z = rng.normal(size=(30, 2)), rng.normal(size=(30, 3)) + 0.4
    cut = 0.0 if at == "zero" else np.median(Z, axis=0)
    found = KernelLogisticRegression(loss=loss, alpha=0.1).fit(X, Z)
    twin = KernelLogisticRegression(alpha=0.1).fit(X, (cut < Z).astype(float))
    assert found.predict(X).tobytes() == twin.predict(X).tobytes()
    np.testing.assert_array_equal(found.range_, [[0.0] * 3, [1.0] * 3])


def test_the_automatic_penalty_has_the_least_squared_error_in_three_folds(rng):
    X = rng.normal(size=(60, 2))
    Z = np.tanh(X) + 0.8 * rng.normal(size=(60, 2))
    found = KernelLogisticRegression(alpha="auto", random_state=0).fit(X, Z)
    rows = np.random.RandomState(0).permutation(60)
    errors = []
    for alpha in (0.01, 0.03, 0.1, 0.3, 1.0):
        folds = KFold(3, shuffle=True, random_state=0).split(rows)
        errors.append(
            np.mean(
                [
                    (
                        (
                            KernelLogisticRegression(alpha=alpha, random_state=0)
                            .fit(X[rows[train]], Z[rows[train]])
                            .predict(X[rows[test]])
                            - Z[rows[test]]
                        )
                        ** 2
                    ).mean()
                    for train, test in folds
                ]
            )
        )
    assert found.alpha_ == (0.01, 0.03, 0.1, 0.3, 1.0)[int(np.argmin(errors))]
    given = KernelLogisticRegression(alpha=found.alpha_, random_state=0).fit(X, Z)
    assert found.predict(X).tobytes() == given.predict(X).tobytes()
