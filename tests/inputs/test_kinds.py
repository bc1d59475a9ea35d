from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dlst.errors import DataError
from dlst.inputs import CellError
from dlst.inputs.kinds import recognise


def kind_of(cells: object, name: str = "c", **given: object) -> str:
    (column,) = recognise(pd.DataFrame({name: cells}), given)
    return column.kind


SENTENCES = [f"the {word} of ticket {i} is broken again" for i, word in enumerate("abcdefghij" * 4)]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1.5, 2.5, np.nan], "number"),
        (["1.5", " 2 ", "", "N/A", "null"], "number"),
        ([True, False, True], "number"),
        (["true", "False", ""], "number"),
        (["red", "blue", "red", "blue"], "category"),
        (["yes", "no", "yes", "yes"], "category"),
        (pd.Series(["red", "blue"], dtype="category"), "category"),
        (SENTENCES, "text"),
        (["Very urgent and important now", "Not so urgent at all"] * 30, "category"),
        (["打印机坏了请帮忙修理一下", "密码忘记了无法登录账户", "发票金额有错误请退款"], "text"),
        (["2024-01-31", "2024-02-01", ""], "date"),
        (["31.1.2024 08:30", "1.2.2024"], "date"),
        (pd.to_datetime(["2024-01-31", "2024-02-01"]), "date"),
        ([f"img/{i}.JPG" for i in range(5)], "image"),
        ([f"report{i}.pdf" for i in range(30)], "id"),
        ([f"T{i:04d}" for i in range(40)], "id"),
        ([f"user{i % 30}@example.com" for i in range(40)], "category"),
        (["red", "blue", "green"], "category"),
        ([7.0, 7.0, 7.0], "number"),
        ([1e300, -2e300], "number"),
        (["same", "same"], "ignored"),
        ([None, "", "?"], "ignored"),
    ],
)
def test_kinds_are_recognised(cells: object, kind: str) -> None:
    assert kind_of(cells) == kind


def test_numbers_are_ids_by_name_or_by_counting() -> None:
    numbers = np.random.default_rng(0).permutation(1000)[:50]
    assert kind_of(numbers, "user_id") == kind_of(numbers, "ID") == "id"
    assert kind_of(numbers, "userId") == kind_of(numbers, "order no") == "id"
    for name in ("size", "paid", "heat_index", "piano"):
        assert kind_of(numbers, name) == "number"
    assert kind_of(range(10), "Unnamed: 0") == "id"
    assert kind_of(range(10), "size") == "number"
    long = [str(2**53 + i) for i in range(50)]  # floats of these are the same two by two
    assert kind_of(long, "id") == "id"
    assert kind_of(long, "size") == "number"


@pytest.mark.parametrize("bad", ["2.O", "1,000", "3,5", "1_000", "inf", "none"])
def test_one_bad_cell_in_a_number_column_is_an_error_with_row_and_column(bad: str) -> None:
    cells = ["1", "2.5", "", bad, "4"]
    with pytest.raises(CellError, match=r"column 'size', row 3 .*expected a number as in 3") as got:
        kind_of(cells, "size")
    assert (got.value.column, got.value.row) == ("size", 3)
    assert kind_of(cells, "size", category="size") == "category"


def test_a_comma_in_a_number_is_told() -> None:
    with pytest.raises(CellError, match="decimal point and without signs between the thousands"):
        kind_of(["1", "2", "1,000"], "size")
    with pytest.raises(CellError, match=r"expected a number, got '1,5'\. Write numbers with a dec"):
        kind_of(["1,5", "2,5", "-3,25"], "size")


def test_given_kinds_win() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x y z w", "u v"], "c": [3, 4]})
    columns = recognise(frame, {"category": ["a"], "id": "b", "drop": "c"})
    assert [(c.kind, c.reason) for c in columns] == [
        ("category", "given"),
        ("id", "given"),
        ("ignored", "given"),
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": "sise"}, "text: expected a column 'sise', got none. Did you mean 'size'"),
        ({"text": "size", "number": ["size"]}, "must have one kind"),
        ({"words": "size"}, "must be given as number, category, text, date"),
    ],
)
def test_kinds_of_unknown_columns_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        recognise(pd.DataFrame({"size": [1, 2]}), given)  # type: ignore[arg-type]


@pytest.mark.parametrize("cells", [[[1], [2]], [1j, 2j], [{"a": 1}, {}]])
def test_cells_of_no_kind_are_refused(cells: object) -> None:
    with pytest.raises(DataError, match="must hold numbers, texts or dates"):
        kind_of(cells)
