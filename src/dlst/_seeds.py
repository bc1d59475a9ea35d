"""What is drawn at random: seeds for parts that have none, and some of the rows."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

_Part = TypeVar("_Part")


def draw_seed(random_state: Any) -> int:
    """Draw a seed that every library takes."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def give_seed(part: _Part, seed: Any) -> _Part:
    """Give an estimator a seed, drawn if ``seed`` is a generator, where it needs one and has none.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> give_seed(LogisticRegression(), 3).random_state, give_seed(LogisticRegression(), 3).C
    (3, 1.0)
    >>> give_seed(LogisticRegression(random_state=7), 3).random_state
    7
    """
    estimator: Any = part
    if estimator.get_params(deep=False).get("random_state", 0) is None:
        estimator.set_params(random_state=seed if isinstance(seed, int) else draw_seed(seed))
    return part


def drawn_rows(rows: NDArray[np.int64], most: int, random_state: Any) -> NDArray[np.int64]:
    """Return the rows in order, so many of them at the most."""
    if len(rows) <= most:
        return rows
    return np.sort(check_random_state(random_state).choice(rows, most, replace=False))
