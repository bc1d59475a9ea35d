"""A model as the server sees it: the form of its rows, and the answers to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst.errors import DataError
from dlst.inputs import Tally


class Subject(ABC):
    """The interface of served models, for any kind of rows.

    Attributes
    ----------
    method : str
        The name of its method.
    labels : ndarray of str, shape (K,)
    columns : list of dict
        Description of a row for people: ``name``, ``kind``, ``required`` and, where known,
        ``values`` and ``notation``.
    row_schema : dict
        The same for programs: a JSON schema.
    example : row
        A valid row.
    explains : bool
        Whether it can give reasons; known after :meth:`warm_up`.
    """

    method: str
    labels: NDArray[np.object_]
    columns: list[dict[str, Any]]
    row_schema: Mapping[str, Any]
    example: Any
    explains = False

    def rows_in(self, body: Any) -> list[Any]:
        """Return the rows of a request: a list of them, or a single one."""
        return body if isinstance(body, list) else [body]

    @abstractmethod
    def read(self, row: Any, place: int) -> Any:
        """Check one row of a request, the ``place``-th; an error says what is wrong."""

    @abstractmethod
    def predict(self, rows: Sequence[Any], top: int, tally: Tally) -> list[dict[str, Any]]:
        """Answer checked rows: decided tags, and the ``top`` best with probabilities."""

    @abstractmethod
    def explain(self, rows: Sequence[Any], top: int, tally: Tally) -> list[dict[str, Any]]:
        """Answer with reasons."""

    def warm_up(self) -> None:
        """Answer the example, so that code is compiled and in memory before the first request."""
        rows = [self.read(self.example, 0)]
        self.predict(rows, 1, Tally())
        try:
            self.explain(rows, 1, Tally())
        except DataError:  # the method says so itself
            self.explains = False
        else:
            self.explains = True
