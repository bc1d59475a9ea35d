"""Parquet to a frame and back, through pyarrow, which is optional."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from dlst._files import PathLike, atomic_write
from dlst.data.tables.memory import allowed_memory, memory_error
from dlst.errors import DataError, ReadError


def read_parquet_frame(path: PathLike) -> Any:
    """Return the file as a frame, its text columns as objects."""
    pa, pq = _pyarrow()
    with _opened(path) as stream:
        size = Path(path).stat().st_size
        # Equal texts stay one: a small file may repeat a long text millions of times.
        schema = pq.ParquetFile(stream).schema_arrow
        text = [field.name for field in schema if _is_text(pa, field.type)]
        file = pq.ParquetFile(stream, read_dictionary=text)
        batches = list(_bounded(path, file.iter_batches(), size))
        frame = pa.Table.from_batches(batches, schema=file.schema_arrow).to_pandas()
        return frame.assign(**{name: _shared_texts(frame[name]) for name in text})


def parquet_frames(path: PathLike, rows: int = 8192) -> Iterator[Any]:
    """Yield a file as frames of some rows."""
    pa, pq = _pyarrow()
    with _opened(path) as stream:
        for batch in pq.ParquetFile(stream).iter_batches(rows):
            yield pa.Table.from_batches([batch]).to_pandas()


@contextmanager
def _opened(path: PathLike) -> Iterator[BinaryIO]:
    """Open a file for pyarrow; whatever goes wrong is a :class:`ReadError`."""
    try:
        with open(path, "rb") as stream:
            yield stream
    except ReadError:
        raise
    except Exception as error:  # a parser of damaged bytes may raise anything
        # pyarrow's errors of content are OSErrors too, without the system's word.
        if isinstance(error, OSError) and error.strerror is not None:
            raise ReadError(path, f"cannot be opened: {error.strerror}.") from error
        what = " ".join(str(error).split())[:200]
        raise ReadError(
            path, f"expected a whole Parquet file, got a damaged one ({what})."
        ) from error


def write_parquet_frames(path: PathLike, frames: Iterable[Any]) -> None:
    """Write frames of the same columns, one row group each."""
    pa, pq = _pyarrow()
    with atomic_write(path) as stream:
        writer = None
        for frame in frames:
            table = pa.Table.from_pandas(frame, preserve_index=False)
            # Without pandas' own notes: they hold version numbers, and equal data shall give
            # equal bytes.
            table = table.replace_schema_metadata(None)
            if writer is None:
                writer = pq.ParquetWriter(stream, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()


def _bounded(path: PathLike, batches: Iterable[Any], size: int) -> Iterable[Any]:
    allowed = allowed_memory(size)
    for batch in batches:
        # Each cell becomes a number of 8 bytes at least.
        allowed -= max(batch.nbytes, 8 * batch.num_rows * max(1, batch.num_columns))
        if allowed < 0:
            raise memory_error(path, size)
        yield batch


def _is_text(pa: Any, kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _shared_texts(column: Any) -> Any:
    """Turn categories into an object column whose equal cells are one Python string."""
    texts = np.array([*column.cat.categories, None], dtype=object)
    # Code -1, the last, is a missing cell. Without dtype pandas would copy each text.
    return pd.Series(texts[column.cat.codes.to_numpy()], index=column.index, dtype=object)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise DataError(
            "Parquet files need the package pyarrow; got none installed. "
            "Install it with: pip install dlst[parquet]"
        ) from error
    return pa, pq
