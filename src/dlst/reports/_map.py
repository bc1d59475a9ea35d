"""The latent map as drawing positions: one scale for both axes, label names side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst.experiments import DemoResult

FloatArray = NDArray[np.float64]

WIDTH = 720.0
MARGIN = 26.0
TALLEST, FLATTEST = 720.0, 300.0
TAG_HEIGHT = 24.0
LETTER_WIDTH = 9.0


def map_view(result: DemoResult) -> dict[str, Any]:
    """Return size, points and label tags of the drawing, in its own units.

    Points are ``{x, y, row}``; tags have the place of the label (``x``, ``y``) and of its name
    (``tag_x``, ``tag_y``), which stands aside where names would lie on each other.
    """
    latent = result.latent_map
    everything = np.vstack([latent.points, latent.centres])
    low, high = everything.min(axis=0), everything.max(axis=0)
    across, up = np.maximum(high - low, 1e-9)
    scale = min((WIDTH - 2 * MARGIN) / across, (TALLEST - 2 * MARGIN) / up)
    size = np.array([WIDTH, max(FLATTEST, up * scale + 2 * MARGIN)])

    def place(points: FloatArray) -> FloatArray:
        # Up is plus in the plane and minus on the screen.
        placed: FloatArray = size / 2 + (points - (low + high) / 2) * (scale, -scale)
        return placed

    centres = place(latent.centres)
    names = [result.label_names[label] for label in latent.labels]
    widths = np.array([LETTER_WIDTH * len(name) + 16 for name in names])
    tags = _apart(centres, widths, size)
    return {
        "width": round(float(size[0])),
        "height": round(float(size[1])),
        "points": np.round(place(latent.points), 1).tolist(),
        "tag_height": TAG_HEIGHT,
        "tags": [
            {
                "name": name,
                "label": label,
                "x": round(float(x), 1),
                "y": round(float(y), 1),
                "tag_x": round(float(tag_x), 1),
                "tag_y": round(float(tag_y), 1),
                "width": round(float(width), 1),
            }
            for name, label, (x, y), (tag_x, tag_y), width in zip(
                names, latent.labels, centres, tags, widths, strict=True
            )
        ],
        "first_label": int(result.truth.sum(axis=0).argmax()),
    }


def _apart(centres: FloatArray, widths: FloatArray, size: FloatArray) -> FloatArray:
    """Push tags off each other, the way that is shorter, until none overlap or patience ends."""
    tags = centres.copy()
    for _ in range(200):
        moved = False
        for i in range(len(tags)):
            for j in range(i):
                gap = tags[i] - tags[j]
                room = np.array([(widths[i] + widths[j]) / 2 + 4, TAG_HEIGHT + 4])
                overlap = room - np.abs(gap)
                if (overlap <= 0).any():
                    continue
                axis = int(overlap.argmin())
                step = overlap[axis] / 2 * (1.0 if gap[axis] >= 0 else -1.0)
                tags[i, axis] += step
                tags[j, axis] -= step
                moved = True
        if not moved:
            break
    reach = np.column_stack([widths / 2, np.full(len(widths), TAG_HEIGHT / 2)])
    return np.clip(tags, reach, size - reach)
