"""Blocks of ARFF rows to X and Y."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._files import Block, PathLike
from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst.data.arff import rows_kernel as kernels
from dlst.data.arff.columns import ColumnPlan
from dlst.data.arff.header import unescape
from dlst.data.text.number_parsing import exact_floats
from dlst.errors import ReadError

_QUEUE_ENTRIES = 4096


def read_rows(
    path: PathLike, blocks: Iterable[Block], plan: ColumnPlan
) -> tuple[FeatureMatrix, sp.csr_array]:
    """Read all rows; the first one decides whether the file is dense or sparse."""
    sparse: bool | None = None
    features: list[FeatureMatrix] = []
    labels: list[sp.csr_array] = []
    for block in blocks:
        if sparse is None:
            sparse = _starts_sparse(block)
        if sparse is None:
            continue
        read = _read_sparse_block if sparse else _read_dense_block
        X, Y = read(_BlockReader(path, block, plan))
        features.append(X)
        labels.append(Y)
    if not features:
        return np.zeros((0, plan.n_raw_features)), sp.csr_array((0, plan.n_labels))
    if len(features) == 1:
        return features[0], labels[0]
    Y = sp.csr_array(sp.vstack(labels, format="csr"))
    if sparse:
        return sp.csr_array(sp.vstack(features, format="csr")), Y
    return np.concatenate(features), Y


def _starts_sparse(block: Block) -> bool | None:
    """Return whether the first row is sparse; None when there is no row here."""
    text, _, position = block
    while position < len(text):
        end = text.find(b"\n", position)
        end = len(text) if end < 0 else end
        line = text[position:end].strip()
        if line and not line.startswith(b"%"):
            return line.startswith(b"{")
        position = end + 1
    return None


@dataclass
class _BlockReader:
    """One block on its way through a kernel: drains the queue, turns stops into errors."""

    path: PathLike
    block: Block
    plan: ColumnPlan

    def __post_init__(self) -> None:
        self.text = np.frombuffer(self.block.text, dtype=np.uint8)
        n_attributes = len(self.plan.attributes)
        self.queue = np.empty((max(_QUEUE_ENTRIES, n_attributes), 4), dtype=np.int64)

    def run(
        self, kernel: Callable[..., Any], store: Callable[[int, int, float], None], *filled: Any
    ) -> int:
        """Let a kernel fill arrays until the block is done; return the number of rows."""
        begin, row = self.block.start, 0
        while True:
            stop: kernels.Stop = kernel(
                self.text, self.plan.schema, self.queue, *filled, begin, row
            )
            self._drain(stop.queued, store)
            begin, row = stop.position, stop.rows
            if stop.status == kernels.DONE:
                return row
            if stop.status != kernels.QUEUE_FULL:
                raise self._error(stop)

    def _drain(self, queued: int, store: Callable[[int, int, float], None]) -> None:
        """Settle what the kernel could not, and store it by (place, attribute, value)."""
        entries = self.queue[:queued]
        nominal = self.plan.schema.kind[entries[:, 1]] == kernels.NOMINAL
        numbers = entries[~nominal]
        values = exact_floats(self.block.text, numbers[:, 2], numbers[:, 3])
        for (place, attribute, start, end), value in zip(
            numbers.tolist(), values.tolist(), strict=True
        ):
            if self.plan.target[attribute] < 0 and value not in (0.0, 1.0) and value == value:
                raise self._error(
                    kernels.Stop(kernels.BAD_LABEL, 0, 0, start, start, end, attribute)
                )
            store(place, attribute, value)
        for place, attribute, start, end in entries[nominal].tolist():
            text = unescape(self.block.text[start:end].decode(self.plan.encoding, "replace"))
            found = self.plan.category_value(attribute, text)
            if found is None:
                raise self._error(
                    kernels.Stop(kernels.UNKNOWN_CATEGORY, 0, 0, start, start, end, attribute)
                )
            store(place, attribute, found)

    def _error(self, stop: kernels.Stop) -> ReadError:
        line = self.block.first_line + self.block.text.count(b"\n", 0, stop.position)
        raw = self.block.text[stop.cell_start : stop.cell_stop]
        got = repr(raw[:40].decode("utf-8", "replace"))
        names = self.plan.attributes
        attribute = names[stop.attribute].name if stop.attribute < len(names) else ""
        expected = {
            kernels.BAD_NUMBER: f"expected a number for {attribute!r}, got {got}. "
            "A missing value is written '?'.",
            kernels.UNKNOWN_CATEGORY: f"expected one of the categories of {attribute!r}, "
            f"got {got}. Add it to the @attribute line.",
            kernels.BAD_LABEL: f"expected 0 or 1 for label {attribute!r}, got {got}.",
            kernels.EMPTY_CELL: f"expected a value for attribute {stop.attribute} "
            f"({attribute!r}), got nothing. A missing value is written '?'.",
            kernels.OPEN_QUOTE: f"expected a closing quote and a comma after {got}.",
            kernels.TOO_FEW_CELLS: f"expected {len(names)} values, got {stop.attribute}.",
            kernels.TOO_MANY_CELLS: f"expected a comma or the end of the row, got {got}; "
            f"there are {len(names)} attributes.",
            kernels.BAD_INDEX: f"expected an index from 0 to {len(names) - 1}, got {got}.",
            kernels.INDEX_NOT_ASCENDING: f"expected ascending indices, got {got} after a "
            "greater or equal one.",
            kernels.OPEN_ROW: "expected '}' at the end of the row, got none. Is the file cut?",
            kernels.TEXT_AFTER_ROW: f"expected the end of the row, got {got}; "
            "instance weights are not read.",
            kernels.OTHER_ROW_STYLE: f"expected all rows dense or all sparse, got {got}.",
        }
        return ReadError(self.path, expected[stop.status], line)


def _read_dense_block(reader: _BlockReader) -> tuple[FeatureMatrix, sp.csr_array]:
    plan, (text, _, start) = reader.plan, reader.block
    # A row of A cells has at least 2A - 1 bytes, so a block of blank lines claims no memory.
    shortest_row = 2 * len(plan.attributes) - 1
    capacity = min(text.count(b"\n", start) + 1, len(text) // shortest_row + 1)
    features = np.empty((capacity, plan.n_raw_features))
    labels = np.empty((capacity, plan.n_labels), dtype=np.int8)

    def store(row: int, attribute: int, value: float) -> None:
        target = plan.target[attribute]
        if target >= 0:
            features[row, target] = value
        else:
            labels[row, -1 - target] = -1 if np.isnan(value) else value

    n = reader.run(kernels.read_dense_rows, store, features, labels)
    # A view keeps the spare rows alive: few, unless the block is full of comments.
    X = features[:n] if capacity - n <= 2 + n // 50 else features[:n].copy()
    return X, _labels_from_marks(labels[:n])


def _labels_from_marks(marks: NDArray[np.int8]) -> sp.csr_array:
    rows, columns = np.nonzero(marks)
    values = np.where(marks[rows, columns] < 0, np.nan, 1.0)
    bounds = np.concatenate([[0], np.cumsum(np.count_nonzero(marks, axis=1))])
    return sp.csr_array((values, columns.astype(np.int32), bounds), shape=marks.shape)


def _read_sparse_block(reader: _BlockReader) -> tuple[FeatureMatrix, sp.csr_array]:
    plan, (text, _, start) = reader.plan, reader.block
    rows = text.count(b"{", start)
    capacity = text.count(b",", start) + rows
    entries = np.zeros(2, dtype=np.int64)
    columns = np.empty(capacity, dtype=np.int32)
    values = np.empty(capacity)
    feature_counts = np.empty(rows, dtype=np.int64)
    label_counts = np.empty(rows, dtype=np.int64)

    def store(place: int, attribute: int, value: float) -> None:
        values[place] = value - plan.schema.default[attribute]

    filled = entries, columns, values, feature_counts, label_counts
    n = reader.run(kernels.read_sparse_rows, store, *filled)
    n_features, n_labels = entries.tolist()
    X = _csr(values[:n_features], columns[:n_features], feature_counts[:n], plan.n_raw_features)
    last_first = slice(capacity - n_labels, capacity)
    truths, places = values[last_first][::-1].copy(), columns[last_first][::-1].copy()
    Y = _csr(truths, places, label_counts[:n], plan.n_labels)
    return _with_defaults(X, plan, 0), _with_defaults(Y, plan, -1)


def _csr(
    values: FloatArray, columns: NDArray[np.int32], counts: IntArray, width: int
) -> sp.csr_array:
    bounds = np.concatenate([[0], np.cumsum(counts)])
    return sp.csr_array((values, columns, bounds), shape=(len(counts), width))


def _with_defaults(matrix: sp.csr_array, plan: ColumnPlan, side: int) -> sp.csr_array:
    """Add what a left-out attribute means where that is not zero, as with ``{1,0}``.

    The kernel stores differences from the default, so adding it back gives the values.
    """
    default = np.zeros(matrix.shape[1])
    for target, value, attribute in zip(
        plan.target, plan.schema.default, plan.attributes, strict=True
    ):
        if (target >= 0) == (side == 0) and attribute.kind != kernels.TEXT:
            default[target if side == 0 else -1 - target] = value
    if not default.any():
        return matrix
    full = sp.csr_array(np.ones((matrix.shape[0], 1))) @ sp.csr_array(default[None, :])
    total = sp.csr_array(matrix + full)
    total.eliminate_zeros()
    return total
