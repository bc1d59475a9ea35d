"""The encoders of single kinds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from dlst.errors import DataError
from dlst.inputs import CellError, Tally, WordFeatures
from dlst.inputs.dates import DateColumn
from dlst.inputs.plain import MOST_CATEGORIES, CategoryColumns, NumberColumns
from dlst.inputs.text import WORDS_AND_SIGNS, TextColumn


def encoded(part, train, new=None):
    tally = Tally()
    part.fit(pd.DataFrame(train), tally)
    return part.transform(pd.DataFrame(train if new is None else new), tally), tally.notes()


def test_numbers_fill_gaps_with_the_median_and_mark_them() -> None:
    part = NumberColumns(scaled=False)
    X, _ = encoded(part, {"a": [1.0, 2.0, 9.0, np.nan], "b": [1, 2, 3, 4]})
    assert X.tolist() == [[1, 1, 0], [2, 2, 0], [9, 3, 0], [2, 4, 1]]
    assert part.feature_names() == ["a", "b", "a empty"]
    X, notes = encoded(
        part, {"a": [1.0, 2.0, 9.0, np.nan], "b": [1, 2, 3, 4]}, {"a": ["3"], "b": [""]}
    )
    assert X.tolist() == [[3, 2.5, 0]]
    assert notes == ["'b': empty cell, read as the median of the training rows (1)"]


def test_numbers_get_mean_zero_and_deviation_one() -> None:
    X, _ = encoded(NumberColumns(), {"a": [1.0, 3.0], "b": [5.0, 5.0]})
    assert X.tolist() == [[-1, 0], [1, 0]]


def test_a_bad_number_in_new_rows_is_an_error() -> None:
    with pytest.raises(CellError, match=r"column 'a', row 1 .*expected a number, got '2.O'"):
        encoded(NumberColumns(), {"a": [1.0, 3.0]}, {"a": ["1", "2.O"]})


def test_categories_are_those_of_the_training_rows() -> None:
    part = CategoryColumns()
    X, notes = encoded(part, {"c": ["red", "blue", None]}, {"c": ["red", "green", "N/A"]})
    assert part.feature_names() == ["c=blue", "c=red"]
    assert X.tolist() == [[0, 1], [0, 0], [0, 0]]
    assert notes == [
        "'c': empty cell, read as no category (1)",
        "'c': unknown category, read as none of the known (1)",
    ]


def test_whole_numbers_are_the_same_category_however_they_are_stored() -> None:
    part = CategoryColumns()
    X, notes = encoded(part, {"c": [1, 2]}, {"c": [2.0, np.nan]})
    assert X.tolist() == [[0, 1], [0, 0]]
    assert encoded(part, {"c": [1, 2]}, {"c": ["2", "1"]})[0].tolist() == [[0, 1], [1, 0]]
    assert notes == ["'c': empty cell, read as no category (1)"]


def test_rare_categories_share_a_feature_with_unknown_ones() -> None:
    values = [f"v{i:04d}" for i in range(MOST_CATEGORIES + 5)]
    train = values + values[:MOST_CATEGORIES]
    part = CategoryColumns()
    X, notes = encoded(part, {"c": train}, {"c": ["v0000", values[-1], "other"]})
    assert X.shape == (3, MOST_CATEGORIES)
    assert X.argmax(axis=1).tolist() == [0, MOST_CATEGORIES - 1, MOST_CATEGORIES - 1]
    assert notes == []


def test_dates_have_trend_and_parts() -> None:
    part = DateColumn()
    days = ["2024-01-01", "2024-01-08", "2024-07-01 12:00", None]
    X, _ = encoded(part, {"d": days})
    names = part.feature_names()
    assert names[:2] == ["d trend", "d Mon"]
    assert "d hour sin" in names
    assert X[:3, 1].tolist() == [1, 1, 1]
    assert X[0, 0] < X[1, 0] < X[2, 0]
    assert not X[3].any()
    season = X[:, [names.index("d season sin"), names.index("d season cos")]]
    assert np.linalg.norm(season[0] - season[1]) < 0.2 < np.linalg.norm(season[0] - season[2])


@pytest.mark.parametrize(
    ("cells", "same"),
    [
        (["31/1/2024", "1/2/2024"], ["2024-01-31", "2024-02-01"]),
        (["1/31/2024", "2/1/2024"], ["2024-01-31", "2024-02-01"]),
        (["1.2.2024", "3.2.2024"], ["2024-02-01", "2024-02-03"]),
        (["2024/01/31", "2024-02-01T00:00:00Z"], ["2024-01-31", "2024-02-01"]),
        (["31.1.2024", "2024-02-01"], ["2024-01-31", "2024-02-01"]),
        (["1/31/2024 8:30 PM", "2/1/2024 12:05 am"], ["2024-01-31 20:30", "2024-02-01 00:05"]),
        (["2024-01-31T01:00:00+01:00", "2024-02-01 00:00"], ["2024-01-31", "2024-02-01"]),
        (["Jan 31, 2024", "1 February 2024"], ["2024-01-31", "2024-02-01"]),
        (["31-JAN-2024", "Thursday, February 1 2024"], ["2024-01-31", "2024-02-01"]),
        (["31.1.2024", "Feb. 1, 2024", "2024-03-01"], ["2024-01-31", "2024-02-01", "2024-03-01"]),
        (
            ["Wed, 31 Jan 2024 20:30:00 +0000", "Feb 1, 2024, 12:05 AM"],
            ["2024-01-31 20:30", "2024-02-01 00:05"],
        ),
        (pd.to_datetime(["2024-01-31", "2024-02-01"]), ["2024-01-31", "2024-02-01"]),
        (pd.to_datetime(["2024-01-31", "2024-02-01"], utc=True), ["2024-01-31", "2024-02-01"]),
        (list(pd.to_datetime(["2024-01-31", "2024-02-01"]).date), ["2024-01-31", "2024-02-01"]),
    ],
)
def test_dates_are_read_in_the_order_that_they_show(cells: object, same: list[str]) -> None:
    X, _ = encoded(DateColumn(), {"d": cells})
    np.testing.assert_allclose(X, encoded(DateColumn(), {"d": same})[0], atol=1e-12)


def test_the_order_of_the_training_dates_holds_for_new_rows() -> None:
    part = DateColumn()
    X, _ = encoded(part, {"d": ["31/1/2024", "1/2/2024"]}, {"d": ["2/1/2024"]})
    other, _ = encoded(part, {"d": ["31/1/2024", "1/2/2024"]}, {"d": [pd.Timestamp("2024-01-02")]})
    np.testing.assert_allclose(X, other)


def test_a_year_that_comes_first_is_read_by_every_model() -> None:
    part = DateColumn()
    X, _ = encoded(part, {"d": ["31/1/2024", "1/2/2024"]}, {"d": ["2024-02-01"]})
    same, _ = encoded(part, {"d": ["31/1/2024", "1/2/2024"]}, {"d": ["1/2/2024"]})
    assert X.tolist() == same.tolist()


@pytest.mark.parametrize(
    ("part", "train", "remedy"),
    [
        (DateColumn(), "2024-01-31", "dates of the training table are, or year first, or fit"),
        (DateColumn("%d/%m/%y"), "31/01/24", "dates of the training table are, or fit again"),
    ],
)
def test_the_remedy_for_a_new_row_is_not_that_of_the_fit(
    part: DateColumn, train: str, remedy: str
) -> None:
    with pytest.raises(CellError, match=remedy):
        encoded(part, {"d": [train, train]}, {"d": ["soon"]})


def test_formats_of_dates_can_be_given() -> None:
    X, _ = encoded(DateColumn("%Y%m%d"), {"d": [20240131, 20240201]})
    np.testing.assert_allclose(X, encoded(DateColumn(), {"d": ["2024-01-31", "2024-02-01"]})[0])


@pytest.mark.parametrize(
    ("cells", "error", "message"),
    [
        (["1/2/2024", "3/4/2024"], DataError, "day first or month first.*%d/%m/%Y"),
        (["2024-01-31", "soon"], CellError, r"row 1 .*expected a date \(year first\), got 'soon'"),
        (["31/1/2024", "1/31/2024"], CellError, "row 1"),
        (["31 Jan 2024", "30 Feb 2024"], CellError, "row 1"),
        (["Jan 31, 2024", "1/2/2024", "2/3/2024"], DataError, "such as '1/2/2024'"),
        (["1/31/2024 8:30 PM", "1/31/2024 13:30 PM"], CellError, "row 1 .*say what the column is"),
        ([20240131, 20240201], DataError, "Give their format"),
        ([None, ""], DataError, "got none at all"),
    ],
)
def test_doubtful_dates_are_errors(cells: object, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        encoded(DateColumn(), {"d": cells})


def test_words_are_those_of_scikit_learn() -> None:
    texts = ["Blue sky!", "blue, blue sea", "the sky at sea :)"]
    ours = WordFeatures()
    theirs = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=WORDS_AND_SIGNS)
    expected = theirs.fit_transform(texts)
    assert abs(ours.fit_transform(texts) - expected).max() < 1e-15
    assert abs(ours.transform(texts) - expected).max() < 1e-15
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    ours._fitted = None
    assert abs(ours.transform(texts) - expected).max() < 1e-15


def test_chinese_and_japanese_characters_are_words_and_pairs() -> None:
    words = WordFeatures().fit(["打印机 A4", "カード", "한국어 über"])
    names = set(words.get_feature_names_out())
    assert {"打", "打 印", "印 机", "a4", "カ ー", "한국어 über"} <= names
    assert words.transform(["这台打印机"]).nnz == 5


def test_texts_without_words_are_refused() -> None:
    with pytest.raises(DataError, match="texts must hold words"):
        WordFeatures().fit(["", " "])


def test_an_empty_text_has_no_words() -> None:
    X, notes = encoded(TextColumn(), {"t": ["blue sky", "sea"]}, {"t": [None, "sea"]})
    assert sp.issparse(X)
    assert X.sum(axis=1).tolist() == [0, 1]
    assert notes == ["'t': empty cell, read as a text without words (1)"]


class Lengths:
    """A sentence encoder of a user's, as small as can be."""

    def fit_transform(self, texts, y=None):
        return self.transform(texts)

    def transform(self, texts):
        return [[len(text)] for text in texts]

    def get_params(self, deep=True):
        return {}


def test_a_transformer_of_the_user_is_taken() -> None:
    part = TextColumn(Lengths())
    X, _ = encoded(part, {"t": ["blue sky", "sea"]})
    assert X.tolist() == [[8], [3]]
    assert part.feature_names() == ["t: 0"]


def test_a_transformer_that_loses_rows_is_refused() -> None:
    class Broken(Lengths):
        def transform(self, texts):
            return [[1.0]]

    with pytest.raises(DataError, match="a row of features for each of 2 texts"):
        encoded(TextColumn(Broken()), {"t": ["blue sky", "sea"]})
