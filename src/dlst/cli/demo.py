"""`dlst demo`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SHADES = " ░▒▓█"
IMAGES_SHOWN = 6


def demo() -> None:
    """Show the embedded data set: images of one to three handwritten digits, and their labels."""
    from rich.columns import Columns
    from rich.console import Group
    from rich.panel import Panel
    from rich.text import Text

    from dlst.cli import views
    from dlst.data import load_multidigits

    data = load_multidigits()
    images = data.images
    assert images is not None, "load_multidigits keeps the image shape"  # noqa: S101
    panels = [
        Panel(
            Text(as_text(images[row])),
            title=" ".join(data.label_names[label] for label in data.Y[[row]].indices),
            expand=False,
        )
        for row in range(IMAGES_SHOWN)
    ]
    views.print_view(Group(Columns(panels), Text(), views.dataset_view(data)))


def as_text(image: NDArray[np.float64]) -> str:
    """Draw an image in [0, 1] with characters from blank to full.

    Examples
    --------
    >>> print(as_text(np.array([[0.0, 0.5, 1.0]])).strip())
    ▒█
    """
    levels = np.rint(image * (len(SHADES) - 1)).astype(int)
    return "\n".join("".join(SHADES[level] for level in row) for row in levels)
