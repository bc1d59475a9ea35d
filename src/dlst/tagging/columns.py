"""Predictions as columns of names and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst.methods import Predictions
from dlst.methods.top_labels import best_of_all

JOINS = (";", "|", ",", "\t", "\n")
"""What may stand between the tags of one cell."""


def joint(names: Iterable[str]) -> str:
    """Return the first sign that no name holds, so that a cell of tags can be taken apart.

    Examples
    --------
    >>> joint(["sky", "sea"]), joint(["sky;sea", "sun"])
    (';', '|')
    """
    text = "\0".join(names)
    return next((sign for sign in JOINS if sign not in text), JOINS[0])


def decided_tags(found: Predictions, names: NDArray[np.object_]) -> Iterator[list[str]]:
    """Yield the decided tags of each row, the best first."""
    decided = sp.csr_array(found.labels)
    for row, scores in enumerate(found.scores):
        chosen = decided.indices[decided.indptr[row] : decided.indptr[row + 1]]
        yield names[chosen[np.argsort(-scores[chosen], kind="stable")]].tolist()


def best_tags(
    found: Predictions, names: NDArray[np.object_], k: int, *, scores: bool = False
) -> Iterator[list[tuple[str, float]]]:
    """Yield the k best tags of each row with their probabilities or scores."""
    best = best_of_all(found.scores, min(k, len(names))).labels
    values = np.take_along_axis(found.scores if scores else found.probabilities, best, axis=1)
    for labels, row in zip(best, values.tolist(), strict=True):
        yield list(zip(names[labels].tolist(), row, strict=True))


def prediction_columns(
    found: Predictions,
    names: NDArray[np.object_],
    kept: Mapping[str, Any],
    *,
    top: int | None = None,
    values: NDArray[np.float64] | None = None,
    joined: bool = True,
) -> dict[str, Any]:
    """Return the kept columns, ``tags`` as ``a;b`` (joined as :func:`joint` says), and numbers.

    Parameters
    ----------
    found : Predictions
    names : ndarray of str, shape (K,)
    kept : mapping of str to columns
    top : int, optional
        Give ``tag1, probability1, …`` of the best tags.
    values : ndarray of shape (n, K), optional
        Else give a column of these for each tag.
    joined : bool
        Whether the tags of a row are one text, and not a list.
    """
    columns: dict[str, Any] = dict(kept)
    sign = joint(names)
    tags: list[Any] = list(decided_tags(found, names))
    columns[_free("tags", columns)] = [sign.join(row) for row in tags] if joined else tags
    if top is not None:
        best = list(best_tags(found, names, top))
        for place in range(min(top, len(names))):
            columns[_free(f"tag{place + 1}", columns)] = [row[place][0] for row in best]
            numbers = np.array([row[place][1] for row in best], dtype=np.float64)
            columns[_free(f"probability{place + 1}", columns)] = numbers
    elif values is not None:
        for name, column in zip(names, values.T, strict=True):
            columns[_free(name, columns)] = column
    return columns


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """Return a column name that is not taken."""
    while name in taken:
        name = f"predicted {name}"
    return name
