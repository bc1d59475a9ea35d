from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlst.inputs.strings import Strings


@given(st.lists(st.text(max_size=6), max_size=8))
def test_strings_are_a_sequence(texts: list[str]) -> None:
    packed = Strings(texts)
    assert list(packed) == texts
    assert [packed[i] for i in range(-len(texts), len(texts))] == texts + texts
    assert list(packed[1:]) == texts[1:]
    with pytest.raises(IndexError):
        packed[len(texts)]


def test_half_a_pair_survives() -> None:
    assert list(Strings(["\ud83d", "é"])) == ["\ud83d", "é"]
