"""Classifiers of scikit-learn as methods, and methods named by where they are."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from dlst import Tagger, load_model, save_model
from dlst.errors import DataError, UnknownNameError
from dlst.methods import PLST, AnyClassifier, make, method_info

X, Y = make_multilabel_classification(90, 12, n_classes=4, random_state=0)

CLASSIFIERS = {
    "one versus rest": OneVsRestClassifier(LogisticRegression()),
    "each output": MultiOutputClassifier(LogisticRegression()),
    "decisions alone": MultiOutputClassifier(LinearSVC()),
    "chain": ClassifierChain(LogisticRegression()),
    "forest": RandomForestClassifier(10),
    "neighbours": KNeighborsClassifier(),
    "single label": LogisticRegression(),
    "margins": LinearSVC(),
    "ridge": RidgeClassifier(),
    "dense alone": HistGradientBoostingClassifier(max_iter=5),
    "pipeline": make_pipeline(StandardScaler(with_mean=False), LinearSVC()),
}


@pytest.mark.parametrize("n_labels", [1, 4])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_own_decisions_are_those_of_the_classifier(name, storage, n_labels):
    features, target = storage(X), Y[:, :n_labels]
    model = AnyClassifier(CLASSIFIERS[name], random_state=0).fit(features, target)
    alone = model.estimator_.predict(features if model.takes_sparse_ else X)
    predicted = model.predict(features)
    np.testing.assert_array_equal(predicted, np.asarray(alone).reshape(target.shape))
    assert np.mean(predicted == target) > 0.7
    assert model.predict_proba(features).shape == target.shape
    assert model.decision_function(features).shape == target.shape


def test_probabilities_and_scores_are_those_of_the_classifier():
    chain = ClassifierChain(LogisticRegression())
    P = chain.fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(AnyClassifier(chain).fit(X, Y).predict_proba(X), P)
    margins = OneVsRestClassifier(LinearSVC(random_state=0))
    S = margins.fit(X, Y).decision_function(X)
    np.testing.assert_allclose(AnyClassifier(margins).fit(X, Y).decision_function(X), S)


def test_seeds_go_to_parts_that_have_none():
    given = AnyClassifier(MultiOutputClassifier(RandomForestClassifier(3)), random_state=5)
    assert given.fit(X, Y).estimator_.estimator.random_state == 5
    kept = AnyClassifier(RandomForestClassifier(3, random_state=1), random_state=5)
    assert kept.fit(X, Y).estimator_.random_state == 1


def test_rules_decide_and_constant_labels_are_kept_from_the_classifier():
    constant = np.hstack([Y, np.zeros((len(Y), 1), dtype=int)])
    with pytest.warns(UserWarning, match="1 of 5 labels"):
        model = AnyClassifier(LogisticRegression(), decision="f1").fit(X, constant)
    assert model.predict(X).shape == constant.shape
    assert len(model.estimator_.estimators_) == 4
    assert "subset" in model.learnt_rules()


class SaysNothing(ClassifierMixin, BaseEstimator):
    """Takes label indicators, and has no tag that says so."""

    def fit(self, X, y):
        self.mean_ = np.asarray(y).mean(axis=0)
        return self

    def predict(self, X):
        return sp.csr_array(np.tile(self.mean_ > 0.5, (len(X), 1)).astype(int))


class AnswersNineColumns(SaysNothing):
    def predict(self, X):
        return np.zeros((len(X), 9))


def test_a_classifier_without_tags_can_be_fitted_to_all_labels():
    never = AnyClassifier(SaysNothing(), one_vs_rest="never").fit(X, Y)
    assert isinstance(never.estimator_, SaysNothing)
    assert (never.predict(X) == (Y.mean(axis=0) > 0.5)).all()


def test_what_does_not_fit_is_refused():
    with pytest.raises(DataError, match="estimator must be a classifier; got StandardScaler"):
        AnyClassifier(StandardScaler()).fit(X, Y)
    wide = AnyClassifier(AnswersNineColumns(), one_vs_rest="never").fit(X, Y)
    with pytest.raises(DataError, match=r"column for each of 4 labels; got shape \(90, 9\)"):
        wide.predict(X)
    with pytest.raises(DataError, match="unknown entries"):
        AnyClassifier(LogisticRegression()).fit(X, np.where(X[:, :4] > 3, np.nan, Y))
    with pytest.raises(NotFittedError):
        AnyClassifier(LogisticRegression()).predict(X)


def test_a_tagger_takes_a_classifier_and_its_file_answers_the_same(tmp_path):
    texts, tags = ["red sky", "red sea", "blue sky", "blue sea"] * 5, ["r", "r", "b", "b"] * 5
    tagger = Tagger(OneVsRestClassifier(LogisticRegression())).fit(texts, tags)
    assert tagger.predict_tags(["red", "blue"]) == [["r"], ["b"]]
    save_model(tagger, tmp_path / "own.skops")
    kept = load_model(tmp_path / "own.skops")
    np.testing.assert_array_equal(kept.predict_proba(texts), tagger.predict_proba(texts))


@pytest.fixture
def rivals(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rivals_here.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.multioutput import MultiOutputClassifier\n"
        "from dlst.methods import PLST\n"
        "each = MultiOutputClassifier(LogisticRegression())\n"
        "codes = PLST(n_components=2)\n"
        "def made(): return LogisticRegression(C=3)\n"
        "three = 3\n"
    )
    (tmp_path / "rivals_broken.py").write_text("1 +\n")
    return "rivals_here"


def test_a_method_is_imported_from_the_working_folder(rivals):
    assert make(f"{rivals}:made").estimator.C == 3
    assert isinstance(make(f"{rivals}:codes"), PLST)
    changed = make(f"{rivals}:each", estimator__estimator__C=9, decision="f1")
    assert changed.estimator.estimator.C == 9
    # What the module holds is not changed.
    assert make(f"{rivals}:each").estimator.estimator.C == 1
    about = method_info(f"{rivals}:each")
    assert (about.name, about.title) == (f"{rivals}:each", "each")
    assert about.meaning == "MultiOutputClassifier(estimator=LogisticRegression())"


def test_what_cannot_be_imported_says_why(rivals):
    for path, said in {
        f"{rivals}:eahc": "has no 'eahc'. Did you mean 'each'",
        f"{rivals}:three": "must be a classifier, its class or a function that makes one; got int",
        "rivals_nowhere:x": "No module named 'rivals_nowhere'.*must lie in",
        "rivals_broken:x": "SyntaxError",
        "sklearn.multioutput:ClassifierChain": "must be made without arguments",
    }.items():
        with pytest.raises(UnknownNameError, match=said):
            make(path)
