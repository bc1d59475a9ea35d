from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from dlst.errors import DataError
from dlst.inputs.frames import as_frame

ROWS = [{"size": 1, "text": "blue sky"}, {"size": 2, "text": "red sea"}]


@pytest.mark.parametrize(
    "table",
    [
        ROWS,
        pd.DataFrame(ROWS, index=[7, 9]),
        pl.DataFrame(ROWS),
        pl.DataFrame(ROWS).to_arrow(),
        {"size": [1, 2], "text": ["blue sky", "red sea"]},
    ],
    ids=["dicts", "pandas", "polars", "arrow", "columns"],
)
def test_tables_of_all_kinds_are_one_frame(table: object) -> None:
    frame = as_frame(table)
    assert list(frame.index) == [0, 1]
    assert frame.to_dict("records") == ROWS


def test_texts_make_one_column() -> None:
    texts = ["blue sky", "red sea"]
    for given in (texts, tuple(texts), np.array(texts), pd.Series(texts), pl.Series(texts)):
        assert as_frame(given)["text"].tolist() == texts


def test_some_texts_may_be_missing() -> None:
    texts = ["blue sky", None, "red sea"]
    given = (texts, np.array(texts, object), pd.Series(texts), pl.Series(texts), ["a", np.nan])
    for each in given:
        assert as_frame(each)["text"].isna().sum() == 1


@pytest.mark.parametrize(
    ("table", "got"),
    [([], "got an empty list."), ([1, "a"], "got a list of int and str."), ([None], "NoneType.")],
)
def test_what_came_is_named(table: object, got: str) -> None:
    with pytest.raises(DataError, match=rf"2-D array; .*{got}$"):
        as_frame(table)


def test_polars_columns_with_gaps() -> None:
    table = pl.DataFrame({"n": [1, None], "t": ["a", None], "b": [True, None]})
    assert as_frame(table).isna().sum().tolist() == [1, 1, 1]


def test_arrays_get_names() -> None:
    assert as_frame(np.eye(2)).columns.tolist() == ["x0", "x1"]


@pytest.mark.parametrize("table", [sp.csr_array(np.eye(2)), "text", 5, [1, 2], None])
def test_other_things_are_refused(table: object) -> None:
    with pytest.raises(DataError, match="expected a frame"):
        as_frame(table)


def test_equal_names_are_refused() -> None:
    with pytest.raises(DataError, match="got 'a' twice"):
        as_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))
