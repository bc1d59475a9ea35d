"""PLST's and CPLST's codes: closed forms, special cases, the reference program's projectors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from encoder_problems import some_labels

from dlst.data.registry import load_registered
from dlst.decoders import LinearDecoder
from dlst.encoders import ConditionalPrincipalEncoder, PrincipalEncoder
from dlst.errors import DataError


def projector(encoder):
    return encoder.components_ @ encoder.components_.T


def some_features(n=40, d=5, seed=1):
    return np.random.default_rng(seed).normal(size=(n, d)) + 1.0


def hat(X, alpha):
    return X @ np.linalg.solve(X.T @ X + alpha * np.eye(X.shape[1]), X.T)


@pytest.mark.parametrize("shape", [(40, 6), (7, 20)])
@pytest.mark.parametrize("r", [1, 2, 4])
def test_what_the_code_loses_are_the_other_squared_singular_values(shape, r):
    Y = some_labels(*shape)
    encoder = PrincipalEncoder(r)
    Z = encoder.fit_transform(Y)
    centred = Y - Y.mean(axis=0)
    lengths = np.linalg.svd(centred, compute_uv=False)
    np.testing.assert_allclose(encoder.scatter_, lengths[: encoder.rank_] ** 2, atol=1e-10)
    lost = ((Y - encoder.inverse_transform(Z)) ** 2).sum()
    np.testing.assert_allclose(lost, (lengths[r:] ** 2).sum(), atol=1e-10)
    np.testing.assert_allclose(Z, centred @ encoder.components_, atol=1e-12)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("r", [1, 3, 5])
def test_the_inverse_is_the_least_squares_decoder(r):
    Y = some_labels()
    encoder = PrincipalEncoder(r)
    Z = encoder.fit_transform(Y)
    noisy = Z + np.random.default_rng(0).normal(size=Z.shape)
    decoder = LinearDecoder().fit(noisy, Y, targets=Z)
    np.testing.assert_allclose(
        encoder.inverse_transform(noisy), decoder.decision_function(noisy), atol=1e-12
    )


@pytest.mark.parametrize("features", [False, True])
def test_a_label_that_all_rows_have_changes_nothing(features):
    Y, X = some_labels(), some_features()
    made = ConditionalPrincipalEncoder if features else PrincipalEncoder
    plain = made(3).fit(Y, X)
    more = made(3).fit(np.insert(Y, 2, 1, axis=1), X)
    np.testing.assert_allclose(more.components_[2], 0, atol=1e-12)
    rest = np.delete(more.components_, 2, axis=0)
    np.testing.assert_allclose(rest, plain.components_, atol=1e-10)


@pytest.mark.parametrize(("wanted", "length"), [(None, 5), ("half", 3), (0.5, 3), (0.2, 2), (9, 5)])
def test_the_length_is_what_was_asked_for_up_to_the_rank(wanted, length):
    Y = some_labels()
    Y[:, 5] = 1 - Y[:, 0]
    encoder = PrincipalEncoder(wanted).fit(Y)
    assert encoder.rank_ == 5
    assert encoder.n_components_ == encoder.transform(Y).shape[1] == length
    assert len(encoder.get_feature_names_out()) == length


@pytest.mark.parametrize("made", [PrincipalEncoder, ConditionalPrincipalEncoder])
def test_equal_label_sets_have_the_code_zero(made):
    Y = np.tile([1.0, 0.0, 1.0], (4, 1))
    encoder = made(2)
    np.testing.assert_array_equal(encoder.fit_transform(Y, some_features(4)), np.zeros((4, 1)))
    assert encoder.rank_ == 0
    np.testing.assert_array_equal(encoder.inverse_transform([[3.0]]), [[1.0, 0.0, 1.0]])


@pytest.mark.parametrize("made", [PrincipalEncoder, ConditionalPrincipalEncoder])
def test_unknown_entries_take_the_mean_of_the_label(made):
    Y, X = some_labels(missing=0.2), some_features()
    encoder = made(3)
    Z = encoder.fit_transform(Y, X)
    mean = np.nanmean(Y, axis=0)
    np.testing.assert_allclose(encoder.mean_, mean)
    expected = np.where(np.isnan(Y), 0, Y - mean) @ encoder.components_
    np.testing.assert_allclose(Z, expected, atol=1e-12)
    np.testing.assert_allclose(encoder.transform(np.full((1, 6), np.nan)), 0, atol=1e-12)


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("shape", [(40, 5), (12, 30)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_conditional_axes_are_eigenvectors_of_the_predicted_scatter(centred, shape, kind):
    Y, X = some_labels(shape[0]), some_features(*shape)
    encoder = ConditionalPrincipalEncoder(alpha=0.7, centred=centred).fit(sp.csr_array(Y), kind(X))
    used = X - X.mean(axis=0) if centred else X
    predicted = (Y - Y.mean(axis=0)).T @ hat(used, 0.7) @ (Y - Y.mean(axis=0))
    V = encoder.components_
    np.testing.assert_allclose(predicted @ V, V * encoder.scatter_, atol=1e-10)
    np.testing.assert_allclose(V.T @ V, np.eye(encoder.n_components_), atol=1e-12)
    eigenvalues = np.linalg.eigvalsh(predicted)[::-1]
    np.testing.assert_allclose(encoder.scatter_, eigenvalues[: encoder.rank_], atol=1e-10)


def test_without_penalty_and_with_few_rows_it_is_the_principal_code():
    Y, X = some_labels(15), some_features(15, 30)
    conditional = ConditionalPrincipalEncoder(3, alpha=0).fit(Y, X)
    np.testing.assert_allclose(projector(conditional), projector(PrincipalEncoder(3).fit(Y)))
    alone = ConditionalPrincipalEncoder(3).fit(Y)
    np.testing.assert_array_equal(alone.components_, PrincipalEncoder(3).fit(Y).components_)


def test_without_penalty_no_projection_has_a_smaller_error():
    Y, X = some_labels(), some_features()
    V = ConditionalPrincipalEncoder(2, alpha=0).fit(Y, X).components_
    Yc, H = Y - Y.mean(axis=0), hat(X - X.mean(axis=0), 0)

    def objective(V):
        coded = Yc @ V
        return ((H @ coded - coded) ** 2).sum() + ((Yc - coded @ V.T) ** 2).sum()

    reached = objective(V)
    np.testing.assert_allclose(reached, (Yc**2).sum() - np.trace(V.T @ Yc.T @ H @ Yc @ V))
    rng = np.random.default_rng(0)
    others = (np.linalg.qr(rng.normal(size=(6, 2)))[0] for _ in range(3000))
    assert min(objective(other) for other in others) >= reached


def test_without_penalty_invertible_maps_of_the_features_change_nothing():
    Y, X = some_labels(), some_features()
    turn = np.random.default_rng(0).normal(size=(5, 5))
    plain = ConditionalPrincipalEncoder(3, alpha=0).fit(Y, X)
    turned = ConditionalPrincipalEncoder(3, alpha=0).fit(Y, X @ turn)
    np.testing.assert_allclose(projector(turned), projector(plain), atol=1e-10)


@pytest.mark.real_data
@pytest.mark.golden
@pytest.mark.parametrize(("name", "lengths"), [("emotions", (2, 3)), ("yeast", (2, 3, 7))])
def test_projectors_and_eigenvalues_of_the_reference_program(name, lengths, real_data, golden):
    expected = np.load(golden / f"lsdr_{name}_raw.npz")
    train = load_registered(name).train
    X = np.asarray(train.X).astype(np.float32).astype(np.float64)
    for r in lengths:
        principal = PrincipalEncoder(r).fit(train.Y)
        conditional = ConditionalPrincipalEncoder(r, alpha=0.1, centred=False).fit(train.Y, X)
        for encoder, prefix in ((principal, f"plst_r{r}"), (conditional, f"cplst_r{r}")):
            np.testing.assert_allclose(projector(encoder), expected[f"{prefix}_VVt"], atol=1e-10)
            np.testing.assert_allclose(2 * encoder.mean_ - 1, expected[f"{prefix}_shift"].ravel())
            # Their labels are −1 and +1: codes twice as long.
            Z = 2 * encoder.transform(train.Y[:40])
            np.testing.assert_allclose(Z @ Z.T, expected[f"{prefix}_ZZt40"], atol=1e-9)
    lengths_of_labels = expected["sv_plst"].ravel()
    np.testing.assert_allclose(2 * np.sqrt(principal.scatter_), lengths_of_labels, rtol=1e-10)
    eigenvalues = np.sort(expected["ev_cplst"].ravel())[::-1]
    np.testing.assert_allclose(4 * conditional.scatter_, eigenvalues, rtol=1e-10)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (PrincipalEncoder(0), "n_components must be .*; got 0"),
        (PrincipalEncoder("all"), "n_components must be .*; got 'all'"),
        (ConditionalPrincipalEncoder(alpha=-1), "alpha must be a number of at least 0; got -1"),
        (ConditionalPrincipalEncoder(alpha="auto"), "alpha must be a number"),
    ],
)
def test_mistakes_are_named(made, message):
    with pytest.raises(ValueError, match=message):
        made.fit(some_labels(), some_features())


def test_features_of_other_rows_are_refused():
    with pytest.raises(DataError, match="X and Y must have the same rows; got 39 and 40"):
        ConditionalPrincipalEncoder().fit(some_labels(), some_features(39))
