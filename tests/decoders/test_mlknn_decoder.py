"""ML-kNN against the authors' outputs, the card's example and a slow twin."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from decoder_problems import NAN, csr, planted, slow_search
from sklearn.base import clone

from dlst.data import load
from dlst.decoders import MLkNNDecoder
from dlst.errors import DataError


def slow_posterior(codes, Y, new, k, s):
    """Follow the card line by line; unknown entries are skipped everywhere."""
    n, K = Y.shape
    around, _ = slow_search(codes, codes, k, own=range(n))
    near, _ = slow_search(codes, new, k)
    posterior = np.zeros((len(new), K))
    for j in range(K):
        known = [i for i in range(n) if not np.isnan(Y[i, j])]
        has = [i for i in known if Y[i, j] == 1]
        prior = (s + len(has)) / (2 * s + len(known))
        counts = {True: np.zeros(k + 1), False: np.zeros(k + 1)}
        for i in known:
            counts[i in has][int(np.nansum(Y[around[i], j]))] += 1
        for t in range(len(new)):
            m = int(np.nansum(Y[near[t], j]))
            a = prior * (s + counts[True][m]) / (s * (k + 1) + counts[True].sum())
            b = (1 - prior) * (s + counts[False][m]) / (s * (k + 1) + counts[False].sum())
            posterior[t, j] = a / (a + b)
    return posterior


@pytest.mark.golden
@pytest.mark.real_data
@pytest.mark.parametrize(("name", "k"), [("emotions", 10), ("emotions", 5), ("scene", 10)])
def test_the_authors_program_is_met(name, k, golden, real_data):
    dataset = load(name)
    train, test = dataset.train, dataset.test
    # The reference features went through float32.
    X, X_new = (part.X.astype(np.float32).astype(np.float64) for part in (train, test))
    decoder = MLkNNDecoder(n_neighbors=k).fit(X, train.Y)
    with np.load(golden / f"mlknn_{name}_k{k}.npz") as expected:
        close = {"rtol": 0, "atol": 1e-9}
        np.testing.assert_allclose(decoder.prior_, expected["prior1"].ravel(), **close)
        np.testing.assert_allclose(decoder.conditional_present_, expected["cond1"], **close)
        np.testing.assert_allclose(decoder.conditional_absent_, expected["cond0"], **close)
        np.testing.assert_allclose(decoder.predict_proba(X_new), expected["posterior"], **close)
        np.testing.assert_array_equal(decoder.predict(X_new).toarray(), expected["pred"])


def test_the_hand_example_of_the_card():
    codes = np.array([[0.0], [1], [2], [10], [11], [12]])
    decoder = MLkNNDecoder(n_neighbors=2).fit(codes, np.array([[1], [1], [0], [0], [0], [0]]))
    np.testing.assert_allclose(decoder.conditional_present_, [[0.2, 0.6, 0.2]])
    np.testing.assert_allclose(decoder.conditional_absent_, np.array([[4, 1, 2]]) / 7)
    np.testing.assert_allclose(decoder.prior_, [3 / 8])
    assert decoder.predict_proba([[0.4]])[0, 0] == pytest.approx(0.295775, abs=5e-7)
    assert decoder.predict([[0.4]]).toarray()[0, 0] == 0


@pytest.mark.parametrize("unknown", [0.0, 0.3])
def test_a_slow_twin_agrees_also_where_labels_are_unknown(unknown):
    X, Y, *_ = planted(n=40, unknown=unknown, seed=3)
    new = np.random.default_rng(0).normal(size=(15, X.shape[1]))
    decoder = MLkNNDecoder(n_neighbors=4, smoothing=0.5).fit(X, csr(Y))
    np.testing.assert_allclose(decoder.predict_proba(new), slow_posterior(X, Y, new, 4, 0.5))
    np.testing.assert_allclose(
        MLkNNDecoder(n_neighbors=4, smoothing=0.5).fit(csr(X), Y).predict_proba(csr(new)),
        decoder.predict_proba(new),
    )


def test_rows_without_a_known_label_are_no_neighbours():
    X, Y, *_ = planted(n=40)
    Y[::3] = NAN
    kept = np.setdiff1d(np.arange(40), np.arange(0, 40, 3))
    with_gaps = MLkNNDecoder(n_neighbors=3).fit(X, Y)
    without = MLkNNDecoder(n_neighbors=3).fit(X[kept], Y[kept])
    np.testing.assert_array_equal(with_gaps.predict_proba(X), without.predict_proba(X))
    np.testing.assert_array_equal(with_gaps.calibration_rows_, kept)
    voters = with_gaps.explain(X).neighbours["count"]
    assert not np.isin(voters.indices, np.arange(0, 40, 3)).any()


def test_left_out_posterior_uses_tables_without_the_row():
    X, Y, *_ = planted(n=30, K=3)
    decoder = MLkNNDecoder(n_neighbors=3).fit(X, Y)
    around, _ = slow_search(X, X, 3, own=range(30))
    counts = Y[around].sum(axis=1).astype(int)
    for i in (0, 7, 29):
        others = np.delete(np.arange(30), i)
        for j in range(3):
            m, rest = counts[i, j], Y[others, j]
            same = counts[others, j] == m
            a = (1 + rest.sum()) / 31 * (1 + (same & (rest == 1)).sum()) / (4 + rest.sum())
            b = (
                (1 + (1 - rest).sum())
                / 31
                * (1 + (same & (rest == 0)).sum())
                / (4 + (1 - rest).sum())
            )
            assert decoder.out_of_sample_proba_[i, j] == pytest.approx(a / (a + b), abs=1e-12)


def test_moving_turning_and_scaling_codes_changes_nothing():
    X, Y, *_ = planted(n=50)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]
    plain = MLkNNDecoder().fit(X, Y).predict_proba(X + 0.01)
    moved = MLkNNDecoder().fit(3 * X @ turn + 5, Y).predict_proba(3 * (X + 0.01) @ turn + 5)
    np.testing.assert_allclose(plain, moved, atol=1e-12)


def test_much_smoothing_leaves_one_half_and_none_leaves_the_prior_for_unseen_counts():
    X, Y, *_ = planted(n=50)
    flat = MLkNNDecoder(smoothing=1e12).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(flat, 0.5, atol=1e-9)
    Y = np.zeros((12, 1))
    Y[:6] = 1
    codes = np.repeat([[0.0], [9.0]], 6, axis=0)
    raw = MLkNNDecoder(n_neighbors=2, smoothing=0.0).fit(codes, Y)
    assert raw.predict_proba([[4.5]])[0, 0] in (0.0, 1.0)
    raw.conditional_present_[:] = raw.conditional_absent_[:] = 0.0
    assert raw.predict_proba([[4.5]])[0, 0] == 0.5


def test_a_posterior_of_one_half_decides_for_the_label():
    decoder = MLkNNDecoder(n_neighbors=1).fit([[0.0], [1.0], [5.0], [6.0]], [[1], [0], [1], [0]])
    decoder.prior_[:] = 0.5
    decoder.conditional_absent_ = decoder.conditional_present_.copy()
    assert decoder.predict([[0.1]]).toarray()[0, 0] == 1


def test_constant_labels_get_their_prevalence():
    X, Y, *_ = planted(n=30, K=3)
    Y[:, 0], Y[:, 1] = 0, 1
    Y[3, 1] = NAN
    decoder = MLkNNDecoder(n_neighbors=3).fit(X, Y)
    posterior = decoder.predict_proba(X)
    assert (posterior[:, 0] == 0).all()
    assert (posterior[:, 1] == 1).all()
    assert np.isfinite(decoder.decision_function(X)).all()


def test_explanations_add_up_to_the_logit():
    X, Y, *_ = planted(n=40, K=3)
    Y[:, 2] = 0
    decoder = MLkNNDecoder(n_neighbors=4).fit(X, Y)
    said = decoder.explain(X, rows=[5, 2])
    np.testing.assert_allclose(said.probability, decoder.predict_proba(X)[[5, 2]], atol=1e-12)
    np.testing.assert_allclose(said.logit, decoder.decision_function(X)[[5, 2]], atol=1e-12)
    frame = said.neighbours_to_frame()
    assert list(frame["row"].unique()) == [5, 2]
    assert frame.loc[frame["rank"] == 1, "neighbour"].tolist() == [5, 2]


def test_same_bytes_for_any_number_of_jobs_and_after_a_second_fit():
    X, Y, *_ = planted()
    first = MLkNNDecoder().fit(X, Y)
    again = clone(first).set_params(n_jobs=2).fit(X, Y).fit(X, Y)
    assert first.predict_proba(X).tobytes() == again.predict_proba(X).tobytes()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be an integer"),
        ({"n_neighbors": 2.5}, "n_neighbors must be an integer"),
        ({"smoothing": -1, "n_neighbors": 2}, "smoothing must be"),
    ],
)
def test_wrong_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        MLkNNDecoder(**params).fit(np.arange(8.0)[:, None], np.eye(8)[:, :2])


def test_with_fewer_rows_than_neighbours_all_others_are_neighbours():
    X, Y, *_ = planted(n=8)
    capped = MLkNNDecoder(n_neighbors=50).fit(X, Y)
    assert (capped.n_neighbors, capped.n_neighbors_) == (50, 7)
    expected = MLkNNDecoder(n_neighbors=7).fit(X, Y)
    assert capped.predict_proba(X).tobytes() == expected.predict_proba(X).tobytes()
    with pytest.raises(DataError, match="at least 2 labelled rows; got 1"):
        MLkNNDecoder().fit([[0.0]], [[1]])


def test_wrong_data_are_named():
    Y = np.eye(8)[:, :2]
    codes = np.arange(8.0)[:, None]
    decoder = MLkNNDecoder(n_neighbors=2).fit(codes, Y)
    with pytest.raises(DataError, match="must have the 1 columns of the fit; got 2"):
        decoder.predict_proba(np.ones((3, 2)))
    with pytest.raises(DataError, match="codes must be finite"):
        decoder.fit(np.where(codes == 3, np.inf, codes), Y)
    with pytest.raises(DataError, match="same rows; got 8 codes and 7"):
        decoder.fit(codes, Y[:7])
    with pytest.raises(DataError, match="known entry"):
        decoder.fit(codes, np.full((8, 2), NAN))
    assert isinstance(decoder.predict(sp.csr_array(codes)), sp.csr_array)
