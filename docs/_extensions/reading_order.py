"""Tutorials in the order of the front page's doors; examples by their numbers."""

from __future__ import annotations

TUTORIALS = ["tickets.py", "comparison.py", "paper.py"]


class ReadingOrder:
    """Sort key of sphinx-gallery, which makes one for each folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, filename: str) -> tuple[int, str]:
        """Return what a script is sorted by."""
        place = TUTORIALS.index(filename) if filename in TUTORIALS else len(TUTORIALS)
        return place, filename
