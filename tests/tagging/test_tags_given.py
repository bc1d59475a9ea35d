"""What lists, arrays and columns of tags are read as."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from dlst.errors import DataError
from dlst.tagging.targets import read_tags

NUMBERS = {
    "ragged lists": [[11, 25], [3], [11]],
    "lists of one": [[11], [25], [3], [11]],
    "lists of two": [[11, 25], [3, 4]],
    "one number each": [11, 25, 3],
    "an array": np.array([11, 25, 3]),
    "a column": pd.Series([11, 25, 3], name="genre"),
}


@pytest.mark.parametrize("tags", NUMBERS.values(), ids=NUMBERS.keys())
def test_numbers_name_tags(tags: Any) -> None:
    labels = read_tags(tags)
    lists = [each if isinstance(each, list) else [each] for each in tags]
    assert {"11", "25"} <= set(labels.names)
    for row, wanted in zip(labels.Y.toarray(), lists, strict=True):
        found = [name for name, value in zip(labels.names, row, strict=True) if value]
        assert found == sorted(map(str, wanted))


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]]),
        ([[1, None], [0, 1]], [[1, np.nan], [0, 1]]),
        ([np.array([True, False]), np.array([True, True])], [[1, 0], [1, 1]]),
        ([1, 0, None], [[1], [0], [np.nan]]),
        (pd.Series([1.0, np.nan, 0.0]), [[1], [np.nan], [0]]),
    ],
)
def test_zeros_and_ones_are_an_indicator(tags: Any, expected: Any) -> None:
    np.testing.assert_array_equal(read_tags(tags).Y.toarray(), expected)


@pytest.mark.parametrize("tags", [[[0, 1], [1, 0], [0, 2]], [0, 1, 1, 0, 2], [0.5, 1.5]])
def test_a_wrong_entry_of_an_indicator_is_told(tags: Any) -> None:
    with pytest.raises(DataError, match=r"got '?(2|0.5)"):
        read_tags(tags)
