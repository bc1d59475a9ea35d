"""Sparse text: LIBSVM's multi-label format and that of the extreme-classification repository.

Both have one instance per line, ``label,label index:value index:value``. The parser is our own:
scikit-learn's loader gives labels as Python tuples of floats and errors without a line number.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst._files import Block, atomic_write, text_blocks
from dlst.data._origin import name_of, origin_of
from dlst.data.dataset import Dataset
from dlst.data.sparse_text import rows_kernel as kernel
from dlst.data.text.number_parsing import exact_floats
from dlst.data.text.number_writing import sparse_rows
from dlst.errors import DataError, ReadError

MAX_COLUMNS = 10**8
"""More features or labels than this are taken for a damaged file."""

_SHAPE_COMMENT = re.compile(rb"# n_features=([0-9]{1,18}) n_labels=([0-9]{1,18})\r?(?:\n|$)")
_HEADER = re.compile(rb"([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t\r]*(?:\n|$)")
_BOM = b"\xef\xbb\xbf"

_MESSAGES = {
    kernel.BAD_LABEL: "labels must be whole numbers from 0, separated by commas; got {token!r}. "
    "Number the labels.",
    kernel.BAD_PAIR: "expected index:value, got the control character {token!r}. "
    "Is this a text file?",
    kernel.BAD_INDEX: "a feature must be index:value with a whole number from 0; got {token!r}.",
    kernel.BAD_VALUE: "a feature must be index:value with a number; got {token!r}.",
    kernel.LARGE_LABEL: "label numbers must be at most " + f"{MAX_COLUMNS:,}" + "; got {token!r}.",
    kernel.LARGE_INDEX: "feature numbers must be at most "
    + f"{MAX_COLUMNS:,}"
    + "; got {token!r}.",
    kernel.NO_COLON: "expected index:value after the labels, got {token!r}. "
    "Separate labels by commas without blanks.",
}


def read_svmlight(
    path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    n_labels: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
) -> Dataset:
    r"""Read LIBSVM multi-label text, plain or ``.gz``.

    Parameters
    ----------
    path : path-like
        The file. Labels are whole numbers from 0 and become column numbers; a line without labels
        begins with its features; ``#`` begins a comment, ``qid:`` tokens are passed over.
    n_features, n_labels : int, optional
        d and K; by default the largest numbers in the file decide, or the comment with which
        :func:`write_svmlight` keeps them.
    zero_based : bool or "auto"
        Whether features count from 0. "auto": only when some index is 0.

    Returns
    -------
    Dataset
        X is CSR. Blank lines are no instances: one with neither label nor feature is written with
        an explicit zero, such as ``1:0``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.svm"
    >>> _ = path.write_text("0,2 1:0.5 3:1\n 2:4\n")
    >>> data = read_svmlight(path)
    >>> data.X.toarray()
    array([[0.5, 0. , 1. ],
           [0. , 4. , 0. ]])
    >>> data.Y.toarray()
    array([[1., 0., 1.],
           [0., 0., 0.]])
    """
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"zero_based must be True, False or 'auto'; got {zero_based!r}.")
    stated: list[int] = []
    table = _read_table(path, _blocks(path, _SHAPE_COMMENT, stated), every_line=False)
    if stated:
        n_features = stated[0] if n_features is None else n_features
        n_labels = stated[1] if n_labels is None else n_labels
    elif not table.n_rows:
        raise ReadError(path, "expected at least one instance, got none.")
    smallest = int(table.indices.min(initial=1))
    counts_from = int(smallest > 0) if zero_based == "auto" else int(not zero_based)
    if smallest < counts_from:
        raise ReadError(
            path,
            "features must be counted from 1 with zero_based=False; got index 0.",
            table.line_of_pair(int(table.indices.argmin())),
        )
    note = f"features counted from {counts_from}"
    return _dataset(path, table, n_features, n_labels, counts_from, note)


def read_xc(
    path: str | os.PathLike[str], *, n_features: int | None = None, n_labels: int | None = None
) -> Dataset:
    """Read text in the format of the extreme-classification repository, plain or ``.gz``.

    Parameters
    ----------
    path : path-like
        The file. The first line may be the header ``n d K``; every other line is an instance,
        blank or not; labels and features count from 0.
    n_features, n_labels : int, optional
        d and K for a file without header; by default the largest numbers in it decide.

    Returns
    -------
    Dataset
        X is CSR.
    """
    header: list[int] = []
    table = _read_table(path, _blocks(path, _HEADER, header), every_line=True)
    if not header and not table.n_rows:
        raise ReadError(path, "expected a header n d K or an instance, got an empty file.")
    if header:
        n, n_features, n_labels = header
        if table.n_rows != n:
            raise ReadError(
                path,
                f"the header promises {n:,} instances, the file has {table.n_rows:,}. "
                "Fetch it again, or mend the header.",
                1,
            )
    return _dataset(path, table, n_features, n_labels, 0, "with header" if header else "no header")


def write_svmlight(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    """Write LIBSVM multi-label text, features counted from 1; a name in ``.gz`` is compressed.

    Reading gives the same arrays. Names are not kept. A first line ``# n_features=d n_labels=K`` is
    written only when the last feature or label never occurs, because LIBSVM's own programs know
    no comments.
    """
    _check_labels_known(dataset)
    used = _last_used(dataset.X), _last_used(dataset.Y)
    with atomic_write(path) as stream:
        if used != (dataset.n_features, dataset.n_labels):
            comment = f"# n_features={dataset.n_features} n_labels={dataset.n_labels}\n"
            stream.write(comment.encode())
        stream.writelines(_lines(dataset, 1, "1:0" if dataset.n_features else "qid:0"))


def write_xc(dataset: Dataset, path: str | os.PathLike[str]) -> None:
    """Write XC text with its ``n d K`` header; a name in ``.gz`` is compressed.

    Reading gives the same arrays. Names are not kept.
    """
    _check_labels_known(dataset)
    with atomic_write(path) as stream:
        header = f"{dataset.n_samples} {dataset.n_features} {dataset.n_labels}\n"
        stream.write(header.encode())
        stream.writelines(_lines(dataset, 0, ""))


class _Table(NamedTuple):
    row_lines: NDArray[np.int64]
    label_starts: NDArray[np.int64]
    labels: NDArray[np.int32]
    pair_starts: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float64]

    @property
    def n_rows(self) -> int:
        return len(self.row_lines)

    def line_of_pair(self, entry: int) -> int:
        return int(self.row_lines[np.searchsorted(self.pair_starts, entry, side="right") - 1])

    def line_of_label(self, entry: int) -> int:
        return int(self.row_lines[np.searchsorted(self.label_starts, entry, side="right") - 1])


def _blocks(
    path: str | os.PathLike[str], first_line: re.Pattern[bytes], numbers: list[int]
) -> Iterator[Block]:
    """Yield the blocks after a first line that matches, whose numbers are kept."""
    for block in text_blocks(path):
        if block.first_line == 1:
            text = block.text.removeprefix(_BOM)
            found = first_line.match(text)
            if found:
                numbers += [int(number) for number in found.groups()]
                d, K = numbers[-2:]
                if max(d, K) > MAX_COLUMNS:
                    raise ReadError(
                        path,
                        f"the header may promise at most {MAX_COLUMNS:,} features and labels; "
                        f"got {d:,} and {K:,}.",
                        1,
                    )
                text = text[found.end() :]
            yield Block(text, 2 if found else 1)
        else:
            yield block


def _read_table(path: str | os.PathLike[str], blocks: Iterator[Block], every_line: bool) -> _Table:
    parts = [_read_block(path, block, every_line) for block in blocks]
    if not parts:
        parts = [_read_block(path, Block(b"", 1), every_line)]
    lines, label_starts, labels, pair_starts, indices, values = zip(*parts, strict=True)
    return _Table(
        np.concatenate(lines),
        _joined_starts(label_starts),
        np.concatenate(labels),
        _joined_starts(pair_starts),
        np.concatenate(indices),
        np.concatenate(values),
    )


def _read_block(path: str | os.PathLike[str], block: Block, every_line: bool) -> _Table:
    rows = kernel.parse_rows(np.frombuffer(block.text, np.uint8), MAX_COLUMNS, every_line)
    if rows.status != kernel.OK:
        token = block.text[rows.start : min(rows.stop, rows.start + 40)]
        message = _MESSAGES[rows.status].format(token=token.decode("utf-8", "backslashreplace"))
        raise ReadError(path, message, block.first_line + rows.line)
    rows.values[rows.hard] = exact_floats(block.text, rows.hard_starts, rows.hard_stops)
    if not rows.in_order:
        unused = np.empty(len(rows.labels))
        for what, starts, columns, values in (
            ("label", rows.label_starts, rows.labels, unused),
            ("feature", rows.pair_starts, rows.indices, rows.values),
        ):
            row, column = kernel.sort_rows(starts, columns, values)
            if row >= 0:
                raise ReadError(
                    path,
                    f"each {what} may stand once in a line; got {what} {column} twice. Remove one.",
                    block.first_line + int(rows.row_lines[row]),
                )
    # Copies, because the parsed arrays are as long as the block might have needed.
    return _Table(
        rows.row_lines + block.first_line,
        rows.label_starts,
        rows.labels.copy(),
        rows.pair_starts,
        rows.indices.copy(),
        rows.values.copy(),
    )


def _joined_starts(parts: tuple[NDArray[np.int64], ...]) -> NDArray[np.int64]:
    counts = np.concatenate([np.diff(starts) for starts in parts])
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _dataset(
    path: str | os.PathLike[str],
    table: _Table,
    n_features: int | None,
    n_labels: int | None,
    counts_from: int,
    note: str,
) -> Dataset:
    indices = table.indices - np.int32(counts_from)
    d = _n_columns(path, "features", n_features, indices, table.line_of_pair)
    K = _n_columns(path, "labels", n_labels, table.labels, table.line_of_label)
    n = table.n_rows
    return Dataset(
        sp.csr_array((table.values, indices, table.pair_starts), shape=(n, d)),
        sp.csr_array((np.ones(len(table.labels)), table.labels, table.label_starts), shape=(n, K)),
        name=name_of(path),
        provenance=origin_of(path, note),
    )


def _n_columns(
    path: str | os.PathLike[str],
    what: str,
    promised: int | None,
    columns: NDArray[np.int32],
    line_of: Callable[[int], int],
) -> int:
    largest = int(columns.max(initial=-1))
    if promised is None:
        return largest + 1
    if largest >= promised:
        raise ReadError(
            path,
            f"the file or the caller promises {promised:,} {what}; "
            f"got number {largest:,}, counted from 0. Correct one of them.",
            line_of(int(columns.argmax())),
        )
    return promised


def _check_labels_known(dataset: Dataset) -> None:
    if np.isnan(dataset.Y.data).any():
        raise DataError(
            "this text format has no sign for unknown labels; got NaN in Y. "
            "Write CSV or MAT, which keep them, or set them to 0 first."
        )


def _last_used(matrix: Any) -> int:
    """Return one more than the last column that holds something."""
    if sp.issparse(matrix):
        return int(matrix.indices.max(initial=-1)) + 1
    return int(np.flatnonzero((matrix != 0).any(axis=0)).max(initial=-1)) + 1


def _lines(dataset: Dataset, counts_from: int, empty: str) -> Iterator[bytes]:
    rows = zip(sparse_rows(dataset.X), sparse_rows(dataset.Y), strict=True)
    for (columns, values), (labels, _) in rows:
        pairs = [
            f"{column + counts_from}:{value}" for column, value in zip(columns, values, strict=True)
        ]
        if not pairs and not labels:
            pairs = [empty]
        yield f"{','.join(map(str, labels))} {' '.join(pairs)}\n".encode()
