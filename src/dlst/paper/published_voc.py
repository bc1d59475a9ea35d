"""The paper's figures on VOC 2007 (Table IV) and NUS-WIDE, exactly as it printed them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from dlst.data.layouts.voc import CLASSES

TABLE = "Table IV"

_PRINTED_CLASSES = (
    "plane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow",
    "table", "dog", "horse", "motor", "person", "plant", "sheep", "sofa", "train", "tv",
)  # fmt: skip
VOC_CLASSES = dict(zip(_PRINTED_CLASSES, CLASSES, strict=True))
"""The table's name of each class, in its order, and the name in the data."""

VOC_LABELS = (
    1.2, 1.9, 1.1, 1.4, 2.4, 2.0, 1.7, 1.4, 2.5, 1.4,
    2.8, 1.6, 1.9, 1.9, 2.0, 2.3, 1.3, 2.4, 1.3, 2.2,
)  # fmt: skip
"""Labels of an image that has the class, the class itself included."""

VOC_SAMPLES = (
    445, 505, 622, 364, 502, 380, 1536, 676, 1117, 273,
    510, 863, 573, 482, 4192, 527, 195, 727, 522, 534,
)  # fmt: skip
"""Images of the class."""

VOC_AP: Mapping[str, tuple[float, ...]] = {
    "HCP-1000C": (
        95.1, 90.1, 92.8, 89.9, 51.5, 80.0, 91.7, 91.6, 57.7, 77.8,
        70.9, 89.3, 89.3, 85.2, 93.0, 64.0, 85.7, 62.7, 94.4, 78.3,
    ),
    "CNN-RNN": (
        96.7, 83.1, 94.2, 92.8, 61.2, 82.1, 89.1, 94.2, 64.2, 83.6,
        70.0, 92.4, 91.7, 84.2, 93.7, 59.8, 93.2, 75.3, 99.7, 78.6,
    ),
    "DLST₁": (
        95.5, 93.1, 92.4, 91.8, 90.2, 83.4, 73.6, 85.4, 67.5, 85.3,
        84.2, 80.4, 84.6, 84.2, 40.8, 85.2, 84.7, 83.2, 82.8, 74.6,
    ),
    "DLST": (
        96.8, 95.2, 93.4, 96.3, 95.1, 96.4, 84.2, 93.3, 88.4, 97.2,
        94.8, 91.8, 94.3, 94.8, 51.5, 94.8, 98.2, 93.0, 94.2, 94.6,
    ),
}  # fmt: skip
"""Average precision of each class in percent; the first two methods are themselves quoted there."""

VOC_MAP: Mapping[str, float] = {"HCP-1000C": 81.5, "CNN-RNN": 84.0, "DLST₁": 79.6, "DLST": 85.7}
"""The printed last column, mAP."""

NUSWIDE_MEANS: Mapping[str, tuple[float, float]] = {
    "DLST": (0.5375, 0.4489),
    "CNN-RNN": (0.405, 0.304),
}
"""Precision and recall averaged over the 81 classes.

The paper prints those of DLST, and that they are 32.6 % and 47.6 % higher than CNN-RNN's; those of
CNN-RNN are from its authors, for the three best labels of an image.
"""

NUSWIDE_GAINS = (0.326, 0.476)
"""What the paper prints as the relative gain of DLST over CNN-RNN."""

NUSWIDE_CLASSES: Mapping[str, tuple[str, ...]] = {
    "high precision, low recall": ("computer", "protest", "wedding"),
    "low precision, high recall": ("map", "book", "rainbow"),
    "comparable": ("clouds", "grass", "person"),
}
"""What the paper says of classes by name."""


def recomputed_map() -> dict[str, float]:
    """Average the printed classes of each method, which should give the printed mAP.

    Examples
    --------
    >>> {method: round(mean, 3) for method, mean in recomputed_map().items()}
    {'HCP-1000C': 81.55, 'CNN-RNN': 83.99, 'DLST₁': 82.145, 'DLST': 91.915}
    """
    return {method: math.fsum(values) / len(values) for method, values in VOC_AP.items()}


def classes_not_led() -> dict[str, list[str]]:
    """List, for each class in which DLST is not ahead as printed, the methods that are not behind.

    The paper says that DLST is "consistently higher across all label classes".

    Examples
    --------
    >>> classes_not_led()["cat"]
    ['CNN-RNN']
    """
    rivals = {method: ap for method, ap in VOC_AP.items() if method != "DLST"}
    return {
        name: ahead
        for place, (name, ours) in enumerate(zip(VOC_CLASSES, VOC_AP["DLST"], strict=True))
        if (ahead := [method for method, ap in rivals.items() if ap[place] >= ours])
    }
