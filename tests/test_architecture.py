"""The page on the architecture names files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", sorted(set(re.findall(r"`([\w/]+\.py)`", PAGE))))
def test_a_file_that_the_page_names_exists(file):
    assert (ROOT / "src" / "dlst" / file).is_file()


def test_every_room_is_in_the_drawing():
    drawing = PAGE.split("```")[1]
    folders = [path.parent.name for path in (ROOT / "src" / "dlst").glob("*/__init__.py")]
    assert [room for room in folders if f"{room}/" not in drawing] == []
