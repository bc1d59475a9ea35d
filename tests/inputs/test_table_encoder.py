from __future__ import annotations

import io
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from dlst.errors import DataError
from dlst.inputs import InputNote, TableEncoder, Tally
from dlst.persistence import _our_types

FRAME = pd.DataFrame(
    {
        "size_kb": [1.0, 2.0, 3.0, 4.0],
        "team": ["red", "blue", "red", "blue"],
        "text": ["the printer is broken now", "my invoice is quite wrong", "no", "paper jam again"],
        "opened": ["2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"],
    }
)


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def test_the_order_of_columns_does_not_matter() -> None:
    encoder = TableEncoder().fit(FRAME)
    other = encoder.transform(FRAME[FRAME.columns[::-1]])
    np.testing.assert_array_equal(dense(other), dense(encoder.transform(FRAME)))


def test_a_subset_of_rows_is_encoded_as_among_all() -> None:
    encoder = TableEncoder()
    X = dense(encoder.fit_transform(FRAME))
    for row in range(len(FRAME)):
        np.testing.assert_allclose(
            dense(encoder.transform(FRAME.iloc[[row]])), X[[row]], atol=1e-15
        )


def test_features_have_names() -> None:
    encoder = TableEncoder()
    X = encoder.fit_transform(FRAME)
    names = list(encoder.get_feature_names_out())
    assert len(names) == X.shape[1]
    assert {"size_kb", "team=red", "opened trend", "text: printer"} <= set(names)


def test_a_column_whose_name_is_not_alike_is_not_offered_for_a_missing_one() -> None:
    encoder = TableEncoder().fit(FRAME)
    with pytest.raises(DataError) as caught:
        encoder.transform(FRAME.rename(columns={"text": "zzz"}))
    assert str(caught.value) == (
        "column 'text' is missing; the model learnt from it, so add it. Not known to the model: "
        "the columns 'zzz'."
    )


def test_missing_and_renamed_columns_are_named() -> None:
    encoder = TableEncoder().fit(FRAME)
    renamed = FRAME.rename(columns={"size_kb": "size", "team": "zzz"})
    expected = (
        "column 'size_kb' is missing; 'size' is not known, did you mean it? column 'team' is "
        "missing; the model learnt from it, so add it. Not known to the model: the columns 'zzz'."
    )
    with pytest.raises(DataError) as caught:
        encoder.transform(renamed)
    assert str(caught.value) == expected


def test_unused_columns_may_be_absent_and_strange_ones_are_told() -> None:
    frame = FRAME.assign(nr=[f"T{i}" for i in range(4)])
    encoder = TableEncoder(id="nr").fit(frame)
    encoder.transform(FRAME)
    with pytest.warns(InputNote, match="'other': column is not known to the model"):
        encoder.transform(frame.assign(other=1))


def test_text_alone_has_rows_of_length_one() -> None:
    X = TableEncoder().fit_transform(["blue sky", "the red sea", "sky"])
    assert sp.issparse(X)
    np.testing.assert_allclose(np.asarray((X * X).sum(axis=1)), 1.0)


def test_numbers_alone_are_left_to_the_method() -> None:
    encoder = TableEncoder()
    X = encoder.fit_transform(FRAME[["size_kb"]])
    assert X.tolist() == [[1], [2], [3], [4]]
    assert not encoder.is_scaled_


def test_a_text_column_weighs_as_much_as_all_plain_columns() -> None:
    encoder = TableEncoder()
    X = dense(encoder.fit_transform(FRAME))
    is_text = np.array([name.startswith("text: ") for name in encoder.get_feature_names_out()])
    assert X[:, ~is_text].var(axis=0).sum() == pytest.approx(1.0)
    assert (X[:, is_text] ** 2).sum(axis=1) == pytest.approx(1.0)


def test_a_table_of_ids_teaches_nothing() -> None:
    with pytest.raises(
        DataError, match=r"no column to learn from; 'c' is id \(different in nearly every row\)"
    ):
        TableEncoder().fit({"c": [f"T{i}" for i in range(30)]})


def test_an_encoder_clones() -> None:
    encoder = TableEncoder(date={"opened": "%Y-%m-%d"}, drop=["team"])
    again = clone(encoder).fit(FRAME)
    assert again.names_of("ignored") == ["team"]


def test_the_report_tells_every_column() -> None:
    assert TableEncoder(drop="team").fit(FRAME).report().splitlines() == [
        "size_kb  number   numbers",
        "team     ignored  given",
        "text     text     3.5 words in a cell",
        "opened   date     dates",
    ]


# --- round trips by random tables -------------------------------------------------------------

cells = {
    "number": st.none() | st.floats(-1e6, 1e6),
    "category": st.sampled_from(["red", "blue", "green", "", "N/A"]),
    "text": st.lists(st.sampled_from(["the", "blue", "red", "sky", "!"]), max_size=6).map(" ".join),
    "date": st.none() | st.dates().map(lambda day: f"{day:%Y-%m-%d}" if day.year >= 1900 else None),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, list[str]]]:
    kinds = draw(st.lists(st.sampled_from(list(cells)), min_size=1, max_size=5))
    names = [f"c{i}" for i in range(len(kinds))]

    def frame(n: int) -> pd.DataFrame:
        columns = {
            name: draw(st.lists(cells[kind], min_size=n, max_size=n))
            for name, kind in zip(names, kinds, strict=True)
        }
        return pd.DataFrame(columns, dtype=object)

    train, new = frame(draw(st.integers(3, 8))), frame(draw(st.integers(1, 4)))
    for name, kind in zip(names, kinds, strict=True):
        train.loc[0, name] = {"number": 1.5, "category": "red", "text": "sky"}.get(
            kind, "2024-02-29"
        )
    given = {k: [n for n, kind in zip(names, kinds, strict=True) if kind == k] for k in set(kinds)}
    return train, new, given


@settings(max_examples=60)
@given(tables(), st.randoms(use_true_random=False))
def test_a_saved_encoder_reads_any_rows_as_the_one_in_memory(drawn, random) -> None:
    train, new, given_kinds = drawn
    encoder = TableEncoder(**given_kinds)
    X_train = dense(encoder.fit_transform(train))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputNote)
        np.testing.assert_allclose(dense(encoder.transform(train)), X_train, atol=1e-12)
        X = dense(encoder.transform(new))
    packed = io.BytesIO(skops.io.dumps(encoder, compression=zipfile.ZIP_STORED)).getvalue()
    loaded = skops.io.loads(packed, trusted=sorted(_our_types()))
    columns = list(new.columns)
    random.shuffle(columns)
    np.testing.assert_array_equal(dense(loaded.encode(new[columns], Tally())), X)
    for row in range(len(new)):
        one = dense(loaded.encode(new.iloc[[row]], Tally()))
        np.testing.assert_allclose(one, X[[row]], atol=1e-12)
    assert np.isfinite(X).all()
