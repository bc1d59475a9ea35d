"""What the paper printed in its tables and on NUS-WIDE, digit by digit.

Nothing here was measured by this library, and some of it cannot be measured: a report shows these
values beside its own, with the floor and the ceiling of the protocol.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from dlst.data.layouts.voc import CLASSES


class Printed(NamedTuple):
    """A mean and a standard deviation."""

    mean: float
    std: float


class Described(NamedTuple):
    """A data set of Tables I and V: rows, features, labels and labels per row."""

    title: str
    type: str
    n: int
    d: int
    K: int
    cardinality: float


DATASETS = {
    "scene": Described("Scene", "image", 2407, 294, 6, 1.074),
    "emotions": Described("Emotions", "music", 593, 72, 6, 1.869),
    "yeast": Described("Yeast", "biology", 2417, 103, 14, 4.237),
    "mediamill": Described("Mediamill", "video", 43907, 120, 101, 4.376),
    "msrc": Described("MSRC", "image", 591, 512, 23, 2.508),
    "sunattribute": Described("SUNattribute", "image", 14240, 512, 102, 15.526),
    "voc2007": Described("Pascal VOC", "image", 9963, 2048, 20, 1.56),
    "nus-wide": Described("NUS-WIDE", "image", 269648, 500, 81, 1.869),
}

MEASURES = {
    "instance_average_precision_labelled": "Average Precision",
    "micro_f1_top_r": "Micro F1",
    "macro_f1_top_r": "Macro F1",
}
"""What the paper calls the measures of its Tables II and III."""

NINE = ("br", "cplst", "faie", "mlloc", "mc", "miml", "slrm", "mrv", "leml")
"""What the paper compares with."""


def _by_measure(table: str) -> dict[str, dict[str, list[float]]]:
    """Read parts of a table, one for each measure, parted by an empty line."""
    parts = [map(str.split, part.splitlines()) for part in table.strip().split("\n\n")]
    found = [{data: [float(value) for value in values] for data, *values in part} for part in parts]
    return dict(zip(MEASURES, found, strict=True))


MAIN = {
    measure: {data: dict(zip((*NINE, "dlst"), row, strict=True)) for data, row in rows.items()}
    for measure, rows in _by_measure("""
scene        0.4306 0.4492 0.4501 0.4327 0.4580 0.4888 0.5082 0.5125 0.4718 0.5365
emotions     0.2734 0.2958 0.3012 0.3146 0.3068 0.3235 0.3487 0.3574 0.3128 0.3864
yeast        0.3225 0.3364 0.3425 0.3389 0.3567 0.3842 0.4005 0.4082 0.3620 0.4312
mediamill    0.4086 0.4264 0.4265 0.4326 0.4509 0.4465 0.4691 0.4653 0.4324 0.4980
msrc         0.3145 0.3281 0.3346 0.2070 0.2353 0.2801 0.3864 0.3725 0.3376 0.4016
sunattribute 0.2876 0.3009 0.3387 0.2876 0.3052 0.2954 0.3286 0.3124 0.3092 0.3584

scene        0.5987 0.6496 0.6528 0.6630 0.6282 0.6713 0.7022 0.7324 0.6825 0.7642
emotions     0.3450 0.3633 0.3428 0.3596 0.3088 0.3694 0.4012 0.5424 0.5280 0.5642
yeast        0.4435 0.4520 0.4631 0.4552 0.4328 0.4784 0.4950 0.6413 0.6086 0.6971
mediamill    0.4234 0.5785 0.6422 0.6381 0.6273 0.6412 0.6476 0.5283 0.5562 0.6632
msrc         0.4383 0.5109 0.5357 0.3692 0.4196 0.5538 0.5890 0.5726 0.3981 0.6235
sunattribute 0.4425 0.4605 0.4936 0.4441 0.4670 0.4521 0.5043 0.4631 0.4430 0.4926

scene        0.3153 0.3264 0.3358 0.3125 0.3562 0.3458 0.3745 0.3964 0.3692 0.4235
emotions     0.1928 0.2034 0.2135 0.2234 0.2580 0.2542 0.2718 0.2826 0.2984 0.3260
yeast        0.2436 0.2580 0.2624 0.2578 0.2842 0.2673 0.3016 0.3245 0.3326 0.3794
mediamill    0.1150 0.0982 0.1302 0.1399 0.1269 0.1298 0.1413 0.1526 0.1254 0.1738
msrc         0.3562 0.3317 0.3467 0.1048 0.2541 0.4083 0.4481 0.4468 0.3575 0.4738
sunattribute 0.1842 0.2196 0.2630 0.1923 0.2507 0.2852 0.2687 0.2716 0.2535 0.3283
""").items()
}
"""Table II: measure, data set, method. The paper sets DLST in bold everywhere."""

PRINTED_VARIANTS = {
    measure: {
        data: dict(zip(("dlst1", "dlst2", "dlst"), map(Printed, row[::2], row[1::2]), strict=True))
        for data, row in rows.items()
    }
    for measure, rows in _by_measure("""
scene    0.446 0.005  0.453 0.020  0.536 0.001
emotions 0.297 0.006  0.304 0.013  0.386 0.002
yeast    0.334 0.002  0.352 0.009  0.431 0.004

scene    0.661 0.008  0.690 0.016  0.763 0.004
emotions 0.465 0.006  0.480 0.014  0.564 0.003
yeast    0.525 0.003  0.594 0.008  0.697 0.002

scene    0.306 0.004  0.314 0.012  0.423 0.002
emotions 0.204 0.008  0.218 0.005  0.326 0.001
yeast    0.253 0.005  0.264 0.008  0.379 0.003
""").items()
}
"""Table III: measure, data set, variant."""

VOC_TABLE = "Table IV"

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

PRINTED_AS = {"mediamill-2000": "mediamill", "dlst-paper": "dlst", "dlst-literal": "dlst"}
"""Data sets and methods here that a printed name stands for."""


def main_value(measure: str, data: str, method: str) -> float | None:
    """Look a value of Table II up; None where the paper has none.

    Examples
    --------
    >>> main_value("micro_f1_top_r", "scene", "dlst")
    0.7642
    >>> main_value("micro_f1_top_r", "scene", "krr") is None
    True
    """
    by_method = MAIN.get(measure, {}).get(PRINTED_AS.get(data, data), {})
    return by_method.get(PRINTED_AS.get(method, method))


def variant_value(measure: str, data: str, method: str) -> Printed | None:
    """Look a value of Table III up; None where the paper has none."""
    return PRINTED_VARIANTS.get(measure, {}).get(data, {}).get(PRINTED_AS.get(method, method))


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
