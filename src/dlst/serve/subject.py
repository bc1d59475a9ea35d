"""A model as the server sees it: what a row is, and what is answered to rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst.errors import DataError
from dlst.inputs import Tally


class Subject(ABC):
    """What the server asks of a model, whatever its rows are.

    Attributes
    ----------
    method : str
        The name of its method.
    labels : ndarray of str, shape (K,)
    columns : list of dict
        What a row holds, for people: ``name``, ``kind``, ``required`` and, where known, ``values``
        and ``notation``.
    row_schema : dict
        The same for programs: a JSON schema.
    example : row
        One that the model takes.
    explains : bool
        Whether it can say why; known after :meth:`warm_up`.
    """

    method: str
    labels: NDArray[np.object_]
    columns: list[dict[str, Any]]
    row_schema: Mapping[str, Any]
    example: Any
    explains = False

    def rows_in(self, body: Any) -> list[Any]:
        """Return the rows of a request: those of a list, or a single one."""
        return body if isinstance(body, list) else [body]

    @abstractmethod
    def read(self, row: Any, place: int) -> Any:
        """Check one row of a request, the ``place``-th; an error names what is wrong with it."""

    @abstractmethod
    def predict(self, rows: Sequence[Any], top: int, tally: Tally) -> list[dict[str, Any]]:
        """Answer rows that were read: decided tags, and the ``top`` best with probabilities."""

    @abstractmethod
    def explain(self, rows: Sequence[Any], top: int, tally: Tally) -> list[dict[str, Any]]:
        """Answer, and say why."""

    def warm_up(self) -> None:
        """Answer the example, so that everything is compiled and in memory before the first row."""
        rows = [self.read(self.example, 0)]
        self.predict(rows, 1, Tally())
        try:
            self.explain(rows, 1, Tally())
        except DataError:  # the method says so itself
            self.explains = False
        else:
            self.explains = True
