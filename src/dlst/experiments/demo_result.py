"""What the demo found, as plain values: all that a table or a page needs to be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

DECIMALS = 3
"""Scores are shown, and the best of them told, to this many decimals."""


@dataclass(frozen=True)
class Column:
    """One column of the table.

    Attributes
    ----------
    key, title : str
        For JSON, and for people.
    direction : {"higher", "lower"}
        Which values are better.
    meaning : str
        One line.
    """

    key: str
    title: str
    direction: Literal["higher", "lower"]
    meaning: str

    @property
    def arrow(self) -> str:
        """↑ where higher is better, else ↓."""
        return "↑" if self.direction == "higher" else "↓"

    @property
    def is_score(self) -> bool:
        """Whether it measures predictions, not the work they took."""
        return self.key != "seconds"

    def text(self, value: float) -> str:
        """Write a value as tables show it."""
        return f"{value:.{DECIMALS}f}" if self.is_score else f"{value:.1f}"


COLUMNS = (
    Column(
        "instance_average_precision",
        "instance AP",
        "higher",
        "how high an image's labels stand in the ranking of all labels, mean over images",
    ),
    Column(
        "macro_average_precision",
        "label AP",
        "higher",
        "how high a label's images stand in the ranking of all images, mean over labels",
    ),
    Column(
        "micro_f1_top_r",
        "micro-F1 top-r",
        "higher",
        "F1 over all image and label pairs when every image gets its r best labels",
    ),
    Column("macro_f1_top_r", "macro-F1 top-r", "higher", "the same, F1 of each label, then mean"),
    Column(
        "micro_f1",
        "micro-F1",
        "higher",
        "F1 over all image and label pairs when the method decides by itself how many",
    ),
    Column("macro_f1", "macro-F1", "higher", "the same, F1 of each label, then mean"),
    Column(
        "hamming_loss",
        "Hamming loss",
        "lower",
        "share of image and label pairs that the method's own decisions get wrong",
    ),
    Column("seconds", "seconds", "lower", "time to fit, and to score the test images"),
)


@dataclass(frozen=True, eq=False)
class Row:
    """One row of the table.

    Attributes
    ----------
    name, title, meaning : str
        For JSON, for tables, and in one line.
    values : mapping of str to float
        By key of column; a key that is absent has no value.
    is_method : bool
        False for the ceiling and the prior, which compete with nobody.
    upper_bounds : frozenset of str
        Keys of values that are known to lie above the true one.
    image_precision : ndarray of shape (n_test,), optional
        Average precision of each test image.
    """

    name: str
    title: str
    meaning: str
    values: Mapping[str, float]
    is_method: bool = True
    upper_bounds: frozenset[str] = frozenset()
    image_precision: FloatArray | None = None

    def text(self, column: Column) -> str:
        """Write the value of a column as tables show it."""
        if column.key not in self.values:
            return "—"
        sign = "≤" if column.key in self.upper_bounds else ""
        return sign + column.text(self.values[column.key])


@dataclass(frozen=True, eq=False)
class LatentMap:
    """The plane in which the predicted codes of the test images vary most.

    Attributes
    ----------
    points : ndarray of shape (n_test, 2)
        Codes of the test images; the origin is the mean code in training.
    centres : ndarray of shape (L, 2)
        Mean codes of the labels.
    labels : tuple of int
        The L labels that have a place.
    variance_shown : float
        Share of the codes' variance that lies in the plane.
    n_components : int
        Dimensions of the codes.
    """

    points: FloatArray
    centres: FloatArray
    labels: tuple[int, ...]
    variance_shown: float
    n_components: int


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A training image that voted: image, labels, weight of its vote and distance of its code."""

    image: FloatArray
    labels: tuple[int, ...]
    weight: float
    distance: float


@dataclass(frozen=True)
class Reason:
    """Why a label got its probability: terms, intercept first, that add up to the logit."""

    label: int
    terms: tuple[float, ...]
    logit: float
    probability: float


@dataclass(frozen=True, eq=False)
class ShownImage:
    """A test image: its row, why each of its true and found labels, and who voted."""

    row: int
    reasons: tuple[Reason, ...]
    neighbours: tuple[Neighbour, ...]


@dataclass(frozen=True, eq=False)
class DemoResult:
    """Everything the demo found.

    Attributes
    ----------
    dataset : str
        Name of the data.
    n_train, n_labels_per_row : int
        Training rows, and r of the top-r rule.
    cardinality : float
        Mean number of labels of a training row.
    label_names : tuple of str
        K names.
    rows : tuple of Row
        Methods, then ceiling and prior.
    images : ndarray of shape (n_test, height, width)
        Test images, values in [0, 1], 1 is ink.
    truth, found : ndarray of shape (n_test, K)
        Labels, and what the default DLST decides.
    latent_map : LatentMap
        Codes of the default DLST.
    term_names : tuple of str
        What the terms of each :class:`Reason` are.
    n_voters : int
        How many neighbours vote on an image; those shown are the nearest.
    shown : tuple of ShownImage
        The images that are explained.
    seed : int
    seconds : float
        The whole demo.
    versions : mapping of str to str
        Of what computed it.
    """

    dataset: str
    n_train: int
    n_labels_per_row: int
    cardinality: float
    label_names: tuple[str, ...]
    rows: tuple[Row, ...]
    images: FloatArray
    truth: BoolArray
    found: BoolArray
    latent_map: LatentMap
    term_names: tuple[str, ...]
    n_voters: int
    shown: tuple[ShownImage, ...]
    seed: int
    seconds: float
    versions: Mapping[str, str]

    @property
    def methods(self) -> tuple[Row, ...]:
        """The rows that compete."""
        return tuple(row for row in self.rows if row.is_method)

    def row(self, name: str) -> Row:
        """Look a row up by name."""
        return next(row for row in self.rows if row.name == name)

    def best(self, column: Column) -> tuple[Row, ...]:
        """Give the methods that no other beats, as far as the shown decimals tell."""
        shown = {row.name: float(column.text(row.values[column.key])) for row in self.methods}
        pick = max if column.direction == "higher" else min
        top = pick(shown.values())
        return tuple(row for row in self.methods if shown[row.name] == top)

    def to_dict(self) -> dict[str, Any]:
        """Give the table and how it came about as plain values, for JSON."""
        return {
            "dataset": self.dataset,
            "n_train": self.n_train,
            "n_test": len(self.images),
            "n_labels": len(self.label_names),
            "n_labels_per_row": self.n_labels_per_row,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "versions": dict(self.versions),
            "columns": [
                {"key": column.key, "direction": column.direction, "meaning": column.meaning}
                for column in COLUMNS
            ],
            "rows": [
                {
                    "name": row.name,
                    "title": row.title,
                    "is_method": row.is_method,
                    "upper_bounds": sorted(row.upper_bounds),
                    **{column.key: row.values.get(column.key) for column in COLUMNS},
                }
                for row in self.rows
            ],
        }
