"""What holds for every method of the registry when targets are label indicators."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from small_methods import quickly_made as made

from dlst.data import IterativeStratification
from dlst.decisions import DECISIONS
from dlst.errors import DataError
from dlst.methods import available, make, method_info

N, D, K = 60, 5, 4
every_method = pytest.mark.parametrize("name", available())


def takes_unknown(name):
    return method_info(name).takes_unknown


def learns_unlabelled(name):
    return method_info(name).takes_unlabelled


def every_method_and_form(parameter, first, *others):
    """Try a form of the input with every method, and others, which all read alike, with one."""
    pairs = [(name, first) for name in available()]
    return pytest.mark.parametrize(
        ("name", parameter), [*pairs, *(("mlknn", other) for other in others)]
    )


def methods_with(*parameters):
    """Choose the methods that have one of some parameters."""
    having = [name for name in available() if set(parameters) & set(make(name).get_params())]
    return pytest.mark.parametrize("name", having)


@cache
def small_problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D))
    Y = (X @ rng.normal(size=(D, K)) + rng.normal(size=(N, K)) > 0.5).astype(np.int64)
    return X, Y, rng.normal(size=(15, D))


@cache
def fitted(name):
    """Return the model of the problem as it stands, for tests that only ask it."""
    return made(name).fit(*small_problem()[:2])


@pytest.fixture(scope="module")
def problem():
    """Labels that follow from features, neither all of them nor at once."""
    return small_problem()


@pytest.fixture(scope="module")
def unknown(problem):
    """The same labels with a fifth of the entries and two whole rows unknown."""
    Y = problem[1].astype(np.float64)
    Y[np.random.default_rng(1).random(Y.shape) < 0.2] = np.nan
    Y[[7, 20]] = np.nan
    return Y


@every_method
def test_probabilities_are_probabilities_and_beat_the_prior(name, problem):
    X, Y, X_new = problem
    model = fitted(name)
    P = model.predict_proba(X_new)
    assert P.shape == (15, K)
    assert P.min() >= 0
    assert P.max() <= 1
    assert np.isfinite(model.decision_function(X_new)).all()
    if name != "dlst-literal":  # worse than the prior on some sets, which is why it is kept
        right = np.where(Y == 1, model.predict_proba(X), 1 - model.predict_proba(X)).mean()
        prior = np.where(Y == 1, Y.mean(axis=0), 1 - Y.mean(axis=0)).mean()
        assert right > prior


@every_method_and_form("dtype", np.uint8, np.int64, np.float32, np.float64, bool)
def test_decisions_keep_the_type_of_a_dense_indicator(name, dtype, problem):
    X, Y, X_new = problem
    decided = made(name).fit(X, Y.astype(dtype)).predict(X_new)
    assert isinstance(decided, np.ndarray)
    assert decided.dtype == dtype
    assert decided.shape == (15, K)
    assert set(np.unique(decided.astype(int))) <= {0, 1}


@every_method_and_form("kind", sp.csr_array, sp.csr_matrix, sp.csc_array, sp.lil_array)
def test_sparse_indicators_give_csr_and_the_same_answers(name, kind, problem):
    X, Y, X_new = problem
    dense = fitted(name)
    sparse = made(name).fit(X, kind(Y))
    decided = sparse.predict(X_new)
    assert isinstance(decided, sp.csr_array)
    assert decided.dtype == Y.dtype
    assert (decided.data == 1).all()
    np.testing.assert_array_equal(decided.toarray(), dense.predict(X_new))
    assert sparse.predict_proba(X_new).tobytes() == dense.predict_proba(X_new).tobytes()


@every_method
def test_all_predictions_at_once_are_those_one_by_one(name, problem):
    X, Y, X_new = problem
    for kind in (np.asarray, sp.csr_array):
        model = made(name).fit(X, kind(Y))
        decided, P, S = model.predict_all(X_new)
        alone = model.predict(X_new)
        assert type(decided) is type(alone)
        assert decided.dtype == alone.dtype
        assert abs(decided - alone).sum() == 0
        np.testing.assert_array_equal(P, model.predict_proba(X_new))
        np.testing.assert_array_equal(S, model.decision_function(X_new))


@every_method
def test_the_top_labels_are_the_best_by_decision_function(name, problem):
    X_new = problem[2]
    model = fitted(name)
    S = model.decision_function(X_new)
    for k in (1, 3, K):
        top = model.predict_top(X_new, k)
        assert top.labels.shape == top.scores.shape == (15, k)
        for row in range(15):
            expected = sorted(range(K), key=lambda label: (-S[row, label], label))[:k]
            assert top.labels[row].tolist() == expected
            np.testing.assert_array_equal(top.scores[row], S[row, expected])


@every_method
@pytest.mark.parametrize("k", [0, -1, K + 1, 2.5, True, "2"])
def test_an_impossible_number_of_top_labels_is_one_clear_error(name, k, problem):
    with pytest.raises(ValueError, match=r"^k must be .*; got"):
        fitted(name).predict_top(problem[2], k)


@every_method_and_form("kind", sp.csr_array, sp.csr_matrix, sp.coo_array)
def test_sparse_features_give_the_same_predictions(name, kind, problem):
    X, Y, X_new = problem
    X, X_new = X * (np.abs(X) > 0.2), X_new * (np.abs(X_new) > 0.2)
    dense = made(name, scaling="none").fit(X, Y).predict_proba(X_new)
    sparse = made(name, scaling="none").fit(kind(X), Y).predict_proba(kind(X_new))
    np.testing.assert_allclose(sparse, dense, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in available() if not learns_unlabelled(name)])
def test_rows_without_labels_are_left_out(name, problem, unknown):
    X, _, X_new = problem
    labelled = np.setdiff1d(np.arange(N), [7, 20])
    given = unknown.copy() if takes_unknown(name) else np.where(np.isnan(unknown), 0, unknown)
    given[[7, 20]] = np.nan
    model = made(name).fit(X, given)
    np.testing.assert_array_equal(model.training_rows_, labelled)
    alone = made(name).fit(X[labelled], given[labelled])
    assert model.predict_proba(X_new).tobytes() == alone.predict_proba(X_new).tobytes()
    assert not np.isnan(model.predict(X_new)).any()


@pytest.mark.parametrize("name", [name for name in available() if learns_unlabelled(name)])
def test_rows_without_labels_teach_semi_supervised_methods(name, problem):
    X, Y, X_new = problem
    labelled = np.arange(N) < 20
    given = np.where(labelled[:, None], Y, np.nan)
    model = made(name).fit(X, given)
    np.testing.assert_array_equal(model.training_rows_, np.arange(N))
    alone = made(name).fit(X[labelled], given[labelled])
    assert not np.allclose(model.predict_proba(X_new), alone.predict_proba(X_new), atol=1e-9)
    assert not np.isnan(model.predict(X_new)).any()


@pytest.mark.parametrize("name", [name for name in available() if takes_unknown(name)])
def test_unknown_entries_are_neither_ones_nor_zeros(name, problem, unknown):
    X, _, X_new = problem
    P = made(name).fit(X, unknown).predict_proba(X_new)
    assert np.isfinite(P).all()
    for filled in (0.0, 1.0):
        other = made(name).fit(X, np.where(np.isnan(unknown), filled, unknown))
        assert not np.array_equal(other.predict_proba(X_new), P)
    np.testing.assert_array_equal(made(name).fit(X, sp.csr_array(unknown)).predict_proba(X_new), P)


@pytest.mark.parametrize("name", [name for name in available() if not takes_unknown(name)])
def test_methods_without_a_meaning_for_unknown_entries_refuse_them(name, problem, unknown):
    known_rows = np.isfinite(unknown).all(axis=1)
    expected = (
        rf"must know every label.*got {np.isnan(unknown[~np.isnan(unknown).all(axis=1)]).sum()} "
    )
    with pytest.raises(DataError, match=expected):
        made(name).fit(problem[0], unknown)
    made(name).fit(problem[0][known_rows], unknown[known_rows])


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "Float64"])
def test_what_is_not_available_in_a_nullable_frame_is_unknown(dtype, problem):
    X, Y = problem[:2]
    unknown = Y.astype(float)
    unknown[3, 1] = np.nan
    frame = pd.DataFrame(unknown).astype(dtype)
    found, expected = make("krr").fit(X, frame), make("krr").fit(X, unknown)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


@every_method
def test_frames_name_features_and_labels(name, problem):
    X, Y, X_new = problem
    features, labels = list("abcde"), ["sun", "sea", "sand", "sky"]
    frame, Y_frame = pd.DataFrame(X, columns=features), pd.DataFrame(Y, columns=labels)
    model = made(name).fit(frame, Y_frame)
    assert list(model.feature_names_in_) == features
    assert list(model.label_names_) == labels
    new = pd.DataFrame(X_new, columns=features)
    plain = fitted(name)
    assert list(plain.label_names_) == ["label0", "label1", "label2", "label3"]
    assert model.predict_proba(new).tobytes() == plain.predict_proba(X_new).tobytes()
    assert model.predict(new).dtype == np.int64
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(new.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="5 features"):
        plain.predict(X_new[:, :4])


@every_method
def test_a_pipeline_predicts_what_its_steps_do(name, problem):
    X, Y, X_new = problem
    pipeline = make_pipeline(StandardScaler(), made(name, scaling="none")).fit(X, Y)
    scaler = StandardScaler().fit(X)
    alone = made(name, scaling="none").fit(scaler.transform(X), Y)
    expected = alone.predict_proba(scaler.transform(X_new))
    np.testing.assert_array_equal(pipeline.predict_proba(X_new), expected)


@every_method
def test_grid_search_over_stratified_folds(name, problem):
    X, Y, X_new = problem
    folds = IterativeStratification(n_splits=2, shuffle=True, random_state=0)
    search = GridSearchCV(made(name), {"scaling": ["standard", "none"]}, cv=folds)
    search.fit(X, Y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(X_new).shape == (15, K)


@every_method
def test_fitting_again_a_clone_or_after_other_data_gives_the_same_bytes(name, problem):
    X, Y, X_new = problem
    model = made(name)
    before = model.get_params(deep=False)
    expected = model.fit(X, Y).predict_proba(X_new).tobytes()
    assert clone(model).fit(X, Y).predict_proba(X_new).tobytes() == expected
    model.fit(X[:40, :3], Y[:40, :2])
    assert model.fit(X, Y).predict_proba(X_new).tobytes() == expected
    after = model.get_params(deep=False)
    assert all(after[key] is before[key] for key in before)


@methods_with("n_jobs", "decoder__n_jobs")
def test_the_number_of_threads_changes_no_byte(name, problem):
    X, Y, X_new = problem
    parameter = next(key for key in make(name).get_params() if key.endswith("n_jobs"))
    one, two = (made(name, **{parameter: n_jobs}).fit(X, Y) for n_jobs in (1, 2))
    assert one.decision_function(X_new).tobytes() == two.decision_function(X_new).tobytes()


@every_method
@pytest.mark.parametrize("value", [0, 1])
def test_constant_labels_keep_their_prevalence_with_one_warning(name, value, problem):
    X, Y, X_new = problem
    with_constant = np.insert(Y, 2, value, axis=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = made(name).fit(X, with_constant)
    assert [str(warning.message)[:40] for warning in caught] == [
        "1 of 5 labels have only one value in the"
    ]
    P = model.predict_proba(X_new)
    assert (P[:, 2] == value).all()
    assert (model.predict(X_new)[:, 2] == value).all()
    np.testing.assert_array_equal(np.delete(P, 2, axis=1), fitted(name).predict_proba(X_new))


@every_method
@pytest.mark.parametrize("labels", [[0, 0, 0], [1, 1, 1], [1, 0, 1]])
def test_a_single_label_set_is_what_is_predicted(name, labels, problem):
    X, _, X_new = problem
    with pytest.warns(UserWarning, match="3 of 3 labels have only one value") as caught:
        model = made(name).fit(X, np.tile(labels, (N, 1)))
    assert len(caught) == 1
    np.testing.assert_array_equal(model.predict_proba(X_new), np.tile(labels, (15, 1)))
    np.testing.assert_array_equal(model.predict(X_new), np.tile(labels, (15, 1)))
    assert model.predict_top(X_new, 1).labels.ravel().tolist() == [int(np.argmax(labels))] * 15


@every_method
def test_one_column_of_zeros_and_ones_stays_an_indicator(name, problem):
    X, Y, X_new = problem
    assert made(name).fit(X, Y[:, :1]).predict(X_new).shape == (15, 1)


@every_method
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_dimensional_targets_are_classes(name, n_classes, problem):
    X, _, X_new = problem
    words = np.array(["ash", "birch", "cedar"])[:n_classes]
    y = words[X[:, :n_classes].argmax(axis=1)]
    model = made(name).fit(X, y)
    P = model.predict_proba(X_new)
    assert model.classes_.tolist() == words.tolist()
    assert P.shape == (15, n_classes)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(X_new), words[P.argmax(axis=1)])
    assert model.decision_function(X_new).shape == ((15,) if n_classes == 2 else (15, 3))
    together = model.predict_all(X_new)
    np.testing.assert_array_equal(together.labels, model.predict(X_new))
    np.testing.assert_array_equal(together.probabilities, P)
    np.testing.assert_array_equal(together.scores, model.decision_function(X_new))


@every_method
def test_every_decision_rule_decides_whichever_the_model_was_fitted_for(name, problem):
    X, Y, X_new = problem
    model = made(name, decision="f1").fit(X, Y)
    by_rule = model.predict_by_rules(X_new)
    assert set(by_rule) == set(DECISIONS)
    r = int(np.ceil(Y.sum(axis=1).mean()))
    for rule, decided in by_rule.items():
        np.testing.assert_array_equal(decided, model.predict(X_new, decision=rule), err_msg=rule)
        assert decided.shape == (15, K)
        if rule in ("top", "budget"):
            assert (decided.sum(axis=1) == r).all()
        if rule == "instance":
            assert decided.any(axis=1).all()
        if rule == "subset":
            assert {tuple(row) for row in decided.tolist()} <= {tuple(row) for row in Y.tolist()}
    np.testing.assert_array_equal(by_rule["f1"], model.predict(X_new))


@every_method
def test_a_method_keeps_the_decisions_of_its_authors_and_rules_do_not_change_its_scores(
    name, problem
):
    X, Y, X_new = problem
    own = made(name, decision="own", tau=0.0).fit(X, Y)
    ruled = made(name, decision="macro", tau=0.0).fit(X, Y)
    np.testing.assert_array_equal(own.predict(X_new), ruled.predict(X_new, decision="own"))
    np.testing.assert_array_equal(own.predict_proba(X_new), ruled.predict_proba(X_new))
    np.testing.assert_array_equal(own.decision_function(X_new), ruled.decision_function(X_new))
    with pytest.raises(DataError, match="rule 'macro' was not learnt"):
        own.predict(X_new, decision="macro")


@every_method
def test_the_prior_correction_lifts_rare_labels_and_keeps_the_order_within_a_label(name, problem):
    X, Y, X_new = problem
    plain, lifted = (made(name, tau=tau).fit(X, Y) for tau in (0.0, 0.7))
    prior = (Y.sum(axis=0) + 0.5) / (len(Y) + 1)
    P = np.clip(plain.predict_proba(X_new), 1e-15, 1 - 1e-15)
    expected = np.log(P) - np.log1p(-P) - 0.7 * np.log(prior)
    np.testing.assert_allclose(lifted.decision_function(X_new), expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(plain.predict_proba(X_new), lifted.predict_proba(X_new))


@every_method
def test_probabilities_out_of_sample_are_those_of_rows_not_seen(name, problem):
    X, Y, _ = problem
    model = made(name)
    rows, P = model.fit_out_of_sample(X, Y)[:2]
    assert P.shape == (len(rows), K)
    assert (P >= 0).all()
    assert (P <= 1).all()
    # A row knows less of itself when it is left out.
    fitted = model.predict_proba(X[rows])
    errors = [np.abs(Y[rows] - found).mean() for found in (fitted, P)]
    assert errors[0] < errors[1] + 0.02


@every_method
def test_likely_label_sets_have_probabilities(name, problem):
    X, Y, X_new = problem
    model = made(name, decision="subset").fit(X, Y)
    found = model.predict_sets(X_new, k=3)
    first = found.sets[found.indices[:, 0]].toarray()
    np.testing.assert_array_equal(first, model.predict(X_new))
    assert (np.diff(found.probabilities, axis=1) <= 0).all()
    assert (found.probabilities.sum(axis=1) <= 1 + 1e-9).all()
    assert 0 <= model.decisions_.rules_["subset"].calibration_error_ <= 1


@every_method
def test_a_known_cardinality_decides_for_more_labels(name, problem):
    X, Y, X_new = problem
    seen = Y * (np.random.default_rng(2).random(Y.shape) < 0.5)
    known = float(Y.sum(axis=1).mean())
    plain = made(name, decision="hamming").fit(X, seen).predict(X_new)
    told = made(name, decision="hamming", cardinality=known).fit(X, seen).predict(X_new)
    assert (told >= plain).all()
    assert told.sum() > plain.sum()


@every_method
def test_a_known_cardinality_counts_labels_that_every_row_has(name, problem):
    X, Y, X_new = problem
    always = np.column_stack([Y, np.ones(N, dtype=int)])
    with pytest.warns(UserWarning, match="only one value"):
        model = made(name, decision="top", cardinality=3.0).fit(X, always)
    assert (model.predict(X_new).sum(axis=1) == 3).all()
    with (
        pytest.warns(UserWarning, match="only one value"),
        pytest.raises(ValueError, match="cardinality must be a number above 1; got 1"),
    ):
        made(name, cardinality=1.0).fit(X, always)


WRONG = [("decision", "best"), ("scaling", "huge"), ("cardinality", -1.0), ("cardinality", "two")]


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        (name, *wrong)
        for name in available()
        for wrong in WRONG
        if wrong[0] in make(name).get_params()
    ],
)
def test_a_wrong_parameter_is_named(name, parameter, value, problem):
    X, Y, _ = problem
    with pytest.raises(ValueError, match=f"^{parameter} must be .*; got {value!r}"):
        made(name, **{parameter: value}).fit(X, Y)
