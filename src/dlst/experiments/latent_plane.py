"""Codes seen in a plane, and what made a row's labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._matrices import BoolArray, FloatArray
from dlst.data import Dataset
from dlst.decoders import Explanation, NeighbourVotes
from dlst.methods import CodeSpaceClassifier

IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Reason:
    """Why a label got its probability: terms, intercept first, that add up to the logit."""

    label: int
    terms: tuple[float, ...]
    logit: float
    probability: float


@dataclass(frozen=True, eq=False)
class CodePlane:
    """The plane in which some codes vary most.

    Attributes
    ----------
    origin : ndarray of shape (r,)
        The mean training code, which has its place at (0, 0).
    axes : ndarray of shape (r, 2)
        Orthonormal; the second is 0 where codes have one dimension.
    variance_shown : float
        Share of the codes' variance that lies in the plane.
    """

    origin: FloatArray
    axes: FloatArray
    variance_shown: float

    def place(self, codes: FloatArray) -> FloatArray:
        """Project codes, shape (n, 2)."""
        placed: FloatArray = (codes - self.origin) @ self.axes
        return placed

    def place_labels(self, model: CodeSpaceClassifier) -> tuple[tuple[int, ...], FloatArray]:
        """Give the labels that vary, and the places of the mean codes of their training rows."""
        number = {name: label for label, name in enumerate(model.label_names_)}
        table = model.label_map()
        # A model's centres are relative to the mean training code already.
        centres = np.asarray(table[model.get_feature_names_out()], dtype=np.float64)
        return tuple(number[name] for name in table.index), centres @ self.axes


def plane_of(model: CodeSpaceClassifier, codes: FloatArray) -> CodePlane:
    """Find the plane in which predicted codes vary most; its axes have fixed signs."""
    _, lengths, directions = np.linalg.svd(codes - codes.mean(axis=0), full_matrices=False)
    axes = np.zeros((codes.shape[1], 2))
    axes[:, : len(directions[:2])] = directions[:2].T
    # An axis has no sign of its own; the largest loading points up or right.
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    variance = lengths**2
    shown = float(variance[:2].sum() / max(variance.sum(), 1e-300))
    return CodePlane(model.codes_.mean(axis=0), axes, shown)


def code_voters(why: Explanation) -> NeighbourVotes | None:
    """Give who voted by the nearness of codes, if anybody did."""
    return next((votes for votes in why.neighbours.values() if votes.space == "codes"), None)


def reasons_for(why: Explanation, labels: Iterable[Iterable[int]]) -> list[tuple[Reason, ...]]:
    """Say for some labels of each explained row what made their probabilities."""
    probability = why.probability
    return [
        tuple(
            Reason(
                label=int(label),
                terms=(float(why.intercept[label]), *map(float, why.contributions[row, label])),
                logit=float(why.logit[row, label]),
                probability=float(probability[row, label]),
            )
            for label in chosen
        )
        for row, chosen in enumerate(labels)
    ]


def spread_rows(n: int, most: int) -> IntArray:
    """Choose at most so many of n rows, at even distances: nobody picked them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))


def grey_images(data: Dataset) -> FloatArray | None:
    """Give the rows as grey images with values up to 1, when they are such images."""
    images = data.images
    if images is None or images.ndim != 3:
        return None
    top = images.max(initial=0.0)
    return images / top if top > 1 else images


def present_labels(Y: Any) -> BoolArray:
    """Give a label indicator as an array; an unknown entry is no label."""
    values = Y.toarray() if sp.issparse(Y) else np.asarray(Y)
    present: BoolArray = values == 1
    return present
