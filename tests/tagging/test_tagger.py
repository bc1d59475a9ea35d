from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import dlst
from dlst import DLST, MLkNN, Tagger
from dlst.errors import DataError
from dlst.inputs import InputNote, TableEncoder


def test_tags_are_learnt_from_text_and_columns(fitted: Tagger, tickets: pd.DataFrame) -> None:
    assert fitted.classes_.tolist() == ["billing", "login", "printer"]
    assert fitted.encoder_.report().split() == [
        *("ticket", "id", "different", "in", "nearly", "every", "row"),
        *("text", "text", "9", "words", "in", "a", "cell"),
        *("team", "category", "2", "values"),
        *("size_kb", "number", "numbers"),
        *("opened", "date", "dates"),
    ]
    assert fitted.score(tickets[160:], "tags") > 0.95
    assert fitted.score(tickets[160:], tickets["tags"][160:]) > 0.95


def test_the_same_rows_in_any_shape_give_the_same(fitted: Tagger, tickets: pd.DataFrame) -> None:
    new = tickets[160:170]
    P = fitted.predict_proba(new)
    shapes = (
        new.drop(columns="tags"),
        new[new.columns[::-1]],
        new.to_dict("records"),
        pl.DataFrame(new.to_dict("list")),
    )
    for same in shapes:
        np.testing.assert_array_equal(fitted.predict_proba(same), P)
    np.testing.assert_allclose(fitted.predict_proba(new[3:4]), P[3:4], atol=1e-12)


@pytest.mark.parametrize("shape", ["lists", "sets", "texts", "frame", "indicator"])
def test_tags_in_any_shape_give_the_same(fitted: Tagger, tickets: pd.DataFrame, shape: str) -> None:
    train = tickets[:160]
    lists = [cell.split(";") for cell in train["tags"]]
    Y = train["tags"].str.get_dummies(";")
    tags = {
        "lists": lists,
        "sets": [set(tags) for tags in lists],
        "texts": train["tags"].tolist(),
        "frame": Y,
        "indicator": Y.to_numpy(),
    }[shape]
    other = Tagger(random_state=0).fit(train.drop(columns="tags"), tags)
    new = tickets.drop(columns="tags")[160:]
    expected = ["label0", "label1", "label2"] if shape == "indicator" else list(Y.columns)
    assert other.classes_.tolist() == expected
    np.testing.assert_array_equal(other.predict_proba(new), fitted.predict_proba(new))


def test_names_come_out(fitted: Tagger, tickets: pd.DataFrame) -> None:
    new = tickets[160:170]
    decided = fitted.predict(new)
    for row, tags in enumerate(fitted.predict_tags(new)):
        assert sorted(tags) == fitted.classes_[decided[row] == 1].tolist()
    P, S = fitted.predict_proba(new), fitted.decision_function(new)
    for row, best in enumerate(fitted.predict_top(new, 2)):
        assert [tag for tag, _ in best] == fitted.classes_[np.argsort(-S[row])[:2]].tolist()
        assert best[0][1] == P[row, np.argmax(S[row])]
    assert fitted.predict_top(new, 1, scores=True)[0][0][1] == S[0].max()


def test_a_table_has_ids_tags_and_probabilities(fitted: Tagger, tickets: pd.DataFrame) -> None:
    new = tickets[160:165]
    table = fitted.predict_table(new)
    assert table.columns.tolist() == ["ticket", "tags", "billing", "login", "printer"]
    assert table["ticket"].tolist() == new["ticket"].tolist()
    assert table["tags"].str.split(";").tolist() == fitted.predict_tags(new)
    top = fitted.predict_table(new, top=1, keep=True)
    assert top.columns.tolist() == [*tickets.columns, "predicted tags", "tag1", "probability1"]
    bare = fitted.predict_table(new, probabilities=False)
    assert bare.columns.tolist() == ["ticket", "tags"]


def test_a_saved_tagger_gives_the_same(
    fitted: Tagger, tickets: pd.DataFrame, tmp_path: Path
) -> None:
    dlst.save_model(fitted, tmp_path / "m.skops")
    loaded = dlst.load_model(tmp_path / "m.skops")
    new = tickets[160:]
    np.testing.assert_array_equal(loaded.predict_proba(new), fitted.predict_proba(new))
    assert loaded.explain(new[:1]).rows == fitted.explain(new[:1]).rows


def test_a_subset_of_categories_means_the_same() -> None:
    colours = ["red", "blue", "green"] * 20
    tags = [{"red": "hot", "blue": "cold", "green": "mild"}[colour] for colour in colours]
    tagger = Tagger("br", random_state=0).fit({"colour": colours}, tags)
    assert tagger.predict_tags({"colour": ["green", "red"]}) == [["mild"], ["hot"]]
    with pytest.warns(InputNote, match=r"'colour': unknown category, read as none of the known"):
        tagger.predict_tags({"colour": ["mauve"]})


def test_it_clones_searches_and_pipes(tickets: pd.DataFrame) -> None:
    rows, tags = tickets.drop(columns="tags")[:90], tickets["tags"][:90].str.split(";").tolist()
    search = GridSearchCV(
        Tagger(MLkNN(), columns=TableEncoder()),
        {"method__n_neighbors": [3, 5], "columns__drop": [None, ["opened"]]},
        cv=2,
    ).fit(rows, tags)
    assert search.best_score_ > 0.5
    texts = tickets["text"][:90].tolist()
    assert cross_val_score(clone(Tagger("br")), texts, tags, cv=2).mean() > 0.5
    shorter = FunctionTransformer(lambda frame: frame[["text"]])
    piped = Pipeline([("columns", shorter), ("tagger", Tagger("br"))]).fit(rows, tags)
    assert piped.predict(rows[:3]).shape == (3, 3)


def test_a_method_with_settings_is_taken_and_not_changed(tickets: pd.DataFrame) -> None:
    method = DLST(decision="micro")
    tagger = Tagger(method, random_state=3).fit(tickets[:60], "tags")
    assert (method.scaling, method.random_state) == ("auto", None)
    assert (tagger.method_.scaling, tagger.method_.random_state) == ("none", 3)


def test_numbers_alone_are_scaled_by_the_method() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    tagger = Tagger(random_state=0).fit(X, (X > 0).astype(int))
    assert tagger.method_.scaling == "auto"
    alone = DLST(random_state=0).fit(X, (X > 0).astype(int))
    np.testing.assert_array_equal(tagger.predict_proba(X), alone.predict_proba(X))


@pytest.mark.parametrize(
    ("columns", "said"), [({"texts": "text"}, "Did you mean 'text'"), (["text"], "got ['text']")]
)
def test_a_kind_that_there_is_not_is_named(
    tickets: pd.DataFrame, columns: object, said: str
) -> None:
    with pytest.raises(DataError, match=re.escape(said)):
        Tagger("plst", columns=columns).fit(tickets, "tags")


def test_unknown_tags_are_told_and_teach_nothing(tickets: pd.DataFrame) -> None:
    tags = tickets["tags"][:60].tolist()
    with pytest.warns(InputNote, match="10 of 70 rows have unknown tags"):
        tagger = Tagger("br").fit(tickets["text"][:70].tolist(), [*tags, *([None] * 10)])
    alone = Tagger("br").fit(
        tickets["text"][:70].tolist(), [*tags, *([None] * 10)][:60] + [""] * 10
    )
    assert len(tagger.method_.training_rows_) == 60
    assert len(alone.method_.training_rows_) == 70


def test_a_lone_yes_no_column_is_one_tag(tickets: pd.DataFrame) -> None:
    frame = tickets[:80][["text"]].assign(
        urgent=["yes" if "printer" in tags else "no" for tags in tickets["tags"][:80]]
    )
    frame.loc[5, "urgent"] = "N/A"
    with pytest.warns(InputNote, match="1 of 80 rows have unknown tags"):
        tagger = Tagger("br").fit(frame, "urgent")
    assert tagger.classes_.tolist() == ["urgent"]
    assert len(tagger.method_.training_rows_) == 79
    assert tagger.predict_tags(["the printer has no paper: jam and toner"]) == [["urgent"]]


@pytest.mark.parametrize(
    ("X", "tags", "message"),
    [
        (["a b", "c d"], [["x"]], "same number of rows; got 2 and 1"),
        (["a b", "c d"], [[], []], "at least one tag"),
        (["a b", "c d"], 5, "tags must be a list"),
        ({"t": ["a b", "c d"], "u": ["x", "y"]}, "z", "expected a label column 'z'"),
    ],
)
def test_tags_that_cannot_be_used_are_refused(X: object, tags: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Tagger("br").fit(X, tags)


def test_what_is_no_classifier_is_no_method() -> None:
    with pytest.raises(DataError, match=r"method must be a name .* got FunctionTransformer"):
        Tagger(FunctionTransformer()).fit(["a b", "c d"], [["x"], ["y"]])


def test_tags_that_training_did_not_have_are_told_apart(fitted: Tagger) -> None:
    Y, strange = fitted.indicator(None, [["billing", "new"], ["login"], None])
    assert strange == ["new"]
    np.testing.assert_array_equal(Y.toarray(), [[1, 0, 0], [0, 1, 0], [np.nan] * 3])


def test_examples_need_not_be_kept(tickets: pd.DataFrame) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        method = DLST(regression="kernel")
        tagger = Tagger(method, keep_examples=False, random_state=0).fit(tickets[:60], "tags")
    voter = tagger.explain(tickets[60:61]).rows[0]["voters"]["code vote"][0]
    assert voter["text"] is None
    assert voter["tags"]


def test_rows_count_by_weight(tickets: pd.DataFrame) -> None:
    rows, tags = tickets.drop(columns="tags"), tickets["tags"].str.split(";")
    weights = np.where(np.arange(len(rows)) < 100, 1.0, 0.0)
    tagger = Tagger("krr", random_state=0).fit(rows, tags, sample_weight=weights)
    assert tagger.method_.training_rows_.tolist() == list(range(100))
    with pytest.raises(DataError, match="MLkNN must be fitted without sample_weight"):
        Tagger("mlknn").fit(rows, tags, sample_weight=weights)


def test_columns_of_tags_are_named_or_given_as_a_frame(tickets: pd.DataFrame) -> None:
    has = tickets["tags"].str.get_dummies(";")[:60]
    rows = tickets[["text"]][:60]
    named = Tagger("plst").fit(rows.join(has), list(has.columns))
    assert named.label_columns_ == named.classes_.tolist() == list(has.columns)
    words = has.replace({0: "no", 1: "Yes"}).astype(object)
    for tags in (words, pl.DataFrame(words.to_dict("list"))):
        told = Tagger("plst").fit(rows, tags)
        assert told.classes_.tolist() == list(has.columns)
        np.testing.assert_array_equal(told.predict_proba(rows), named.predict_proba(rows))


def test_one_row_is_a_dict(fitted: Tagger, tickets: pd.DataFrame) -> None:
    row = tickets.iloc[160].to_dict()
    assert fitted.predict_tags(row) == fitted.predict_tags([row])
    with pytest.raises(DataError, match=r"got str\. Put a single text into a list"):
        fitted.predict_tags("the printer")


def test_many_tags_are_predicted_in_blocks_of_few_rows(
    fitted: Tagger, tickets: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, method, sizes = tickets[160:170], type(fitted.method_), []
    whole, predict_all = fitted.predict_table(new, top=2), method.predict_all

    def counted(model: DLST, X: Any) -> Any:
        sizes.append(X.shape[0])
        return predict_all(model, X)

    monkeypatch.setattr(method, "predict_all", counted)
    monkeypatch.setattr("dlst.methods.answers.ENTRIES_AT_ONCE", 4 * len(fitted.classes_))
    pd.testing.assert_frame_equal(fitted.predict_table(new, top=2), whole)
    assert sizes == [4, 4, 2]
