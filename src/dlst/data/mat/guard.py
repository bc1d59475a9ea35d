"""A check of MAT files before scipy reads them, so that damaged or hostile ones do no harm.

scipy allocates what a header asks for, follows type codes without a check and recurses as deep
as cells are nested. This walk reads the same tags in the same order, keeps none of the values,
and refuses what the bytes in the file cannot back. Compressed elements are inflated in small
pieces and thrown away: one more pass over the data is the price.
"""

from __future__ import annotations

import math
import os
import struct
import zlib
from collections import Counter
from typing import BinaryIO, NamedTuple

from dlst._files import PathLike
from dlst._limits import MEMORY_RATIO
from dlst.errors import ReadError

MEMORY_FLOOR = 256 * 2**20
"""Below this many bytes even a bomb does no harm."""

MAX_DEPTH = 32
"""Cells within cells; scipy reads each level on the C stack."""

_CHUNK = 2**16
_BYTES_PER_OBJECT = 256  # an array inside a cell, as Python holds it

_COMPRESSED, _MATRIX = 15, 14
_INTEGER_SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 12: 8, 13: 8}
_NUMBER_SIZES = _INTEGER_SIZES | {7: 4, 9: 8}
_TEXT_TYPES = {1, 2, 4, 16, 17, 18}
_CELL, _STRUCT, _CHAR, _SPARSE = 1, 2, 4, 5
_NUMERIC_CLASSES = range(6, 16)
_OBJECT, _FUNCTION, _OPAQUE = 3, 16, 17


class _UnsupportedError(Exception):
    """A well-formed variable of a kind that holds no data: function handles and objects."""


def scan(path: PathLike, stream: BinaryIO) -> list[str]:
    """Check a MAT file of version 4 to 7 and return the names of its readable variables.

    Function handles and objects are left out. Raises :class:`ReadError` for everything that is
    damaged, cut, absurdly large, or of version 7.3.
    """
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    head = stream.read(128)
    guard = _Guard(path, size)
    if head.startswith(b"\x89HDF\r\n\x1a\n") or head[124:128] in (b"\x00\x02IM", b"\x02\x00MI"):
        raise ReadError(
            path,
            "expected a MAT file of version 4 to 7, got version 7.3 (HDF5). "
            "Save it in MATLAB with save(file, '-v7').",
        )
    if len(head) >= 20 and 0 in head[:4] and any(head[:20]):
        return _scan_version_4(guard, stream)
    if head[124:128] not in (b"\x00\x01IM", b"\x01\x00MI"):
        raise guard.error("got a file without the header of one")
    return _Version5(guard, stream, "<" if head[126:] == b"IM" else ">").scan()


class _Guard:
    """What all versions share: the memory that may still be asked for, and the error."""

    def __init__(self, path: PathLike, size: int):
        self.path = path
        self.size = size
        self._allowed = max(MEMORY_FLOOR, MEMORY_RATIO.value * size)
        self._left = self._allowed

    def charge(self, n_bytes: int) -> None:
        self._left -= n_bytes
        if self._left < 0:
            raise ReadError(
                self.path,
                f"its variables need more than {self._allowed:,} bytes of memory, out of "
                f"{self.size:,} bytes of file: it is damaged or a decompression bomb. "
                f"{MEMORY_RATIO.remedy}",
            )

    def error(self, got: str) -> ReadError:
        return ReadError(
            self.path,
            f"expected a whole MAT file of version 4 to 7, {got}. Save or fetch it again.",
        )


def _scan_version_4(guard: _Guard, stream: BinaryIO) -> list[str]:
    stream.seek(0)
    order = "<" if struct.unpack("<i", stream.read(4))[0] in range(5001) else ">"
    names: list[str] = []
    position = 0
    while position < guard.size:
        stream.seek(position)
        header = stream.read(20)
        if len(header) < 20:
            raise guard.error("got one that ends inside a header")
        kind, n_rows, n_columns, is_complex, name_length = struct.unpack(f"{order}5i", header)
        precision, matrix_class = kind // 10 % 10, kind % 10
        # Thousands above 1 are the number formats of VAX and Cray; hundreds are always 0.
        if kind not in range(2000) or kind // 100 % 10 or precision > 5 or matrix_class > 2:
            raise guard.error(f"got the unknown matrix type {kind}")
        if min(n_rows, n_columns) < 0 or not 0 < name_length <= 1024:
            raise guard.error(
                f"got a matrix of shape {n_rows} by {n_columns} with a name of {name_length} bytes"
            )
        if matrix_class == 2 and (n_rows == 0 or n_columns not in (3, 4)):
            raise guard.error(f"got a sparse matrix of {n_columns} columns where 3 or 4 belong")
        names.append(stream.read(name_length).strip(b"\0").decode("latin-1"))
        n_bytes = n_rows * n_columns * (8, 4, 4, 2, 2, 1)[precision]
        if is_complex == 1 and matrix_class != 2:
            n_bytes *= 2
        position += 20 + name_length + n_bytes
        if position > guard.size:
            raise guard.error(
                f"got {n_rows} by {n_columns} values for {names[-1]!r} and too few bytes for them"
            )
        guard.charge(8 * n_rows * n_columns + _BYTES_PER_OBJECT)
    return _distinct(guard, names)


class _Tag(NamedTuple):
    kind: int
    size: int
    inside: bytes | None
    """The data, when they fit into the tag itself."""


class _Version5:
    """The walk through the tags of versions 5 to 7."""

    def __init__(self, guard: _Guard, stream: BinaryIO, order: str):
        self._guard = guard
        self._stream = stream
        self._order = order
        self._source: _Plain | _Inflated

    def scan(self) -> list[str]:
        names: list[str] = []
        position = 128
        while position < self._guard.size:
            self._stream.seek(position)
            self._source = _Plain(self._guard, self._stream, self._guard.size - position)
            kind, size = self._full_tag()
            position += 8 + size
            if size == 0 or position > self._guard.size:
                raise self._guard.error(
                    f"got a variable of {size:,} bytes, {max(0, position - self._guard.size):,} "
                    "beyond the end of the file"
                )
            if kind == _COMPRESSED:
                self._source = _Inflated(self._guard, self._stream, size)
                kind, _ = self._full_tag()
            else:
                self._source = _Plain(self._guard, self._stream, size)
            if kind != _MATRIX:
                raise self._guard.error(f"got the unknown element type {kind}")
            try:
                name = self._matrix(depth=0)
            except _UnsupportedError:
                continue
            if name:  # the nameless one is the workspace of function handles
                names.append(name)
        return _distinct(self._guard, names)

    def _full_tag(self) -> tuple[int, int]:
        kind, size = struct.unpack(f"{self._order}2I", self._source.read(8))
        return kind, size

    def _tag(self) -> _Tag:
        head = self._source.read(8)
        kind, size = struct.unpack(f"{self._order}2I", head)
        if kind >> 16:
            if kind >> 16 > 4:
                raise self._guard.error("got a small element of more than 4 bytes")
            return _Tag(kind & 0xFFFF, kind >> 16, head[4 : 4 + (kind >> 16)])
        return _Tag(kind, size, None)

    def _read_element(self, kinds: tuple[int, ...], limit: int, what: str) -> bytes:
        tag = self._tag()
        if tag.kind not in kinds or tag.size > limit:
            raise self._guard.error(f"got {what} of type {tag.kind} and {tag.size:,} bytes")
        if tag.inside is not None:
            return tag.inside
        data = self._source.read(tag.size)
        self._source.skip(-tag.size % 8)
        return data

    def _skip_element(self, kinds: dict[int, int] | set[int], what: str) -> _Tag:
        tag = self._tag()
        if tag.kind not in kinds:
            raise self._guard.error(f"got {what} of type {tag.kind}")
        # At worst every byte becomes a number of 8 bytes.
        self._guard.charge(8 * tag.size)
        if tag.inside is None:
            self._source.skip(tag.size + -tag.size % 8)
        return tag

    def _matrix(self, depth: int) -> str:
        """Walk one array whose tag was read; return its name."""
        if depth > MAX_DEPTH:
            raise self._guard.error(f"got cells nested more than {MAX_DEPTH} deep")
        self._guard.charge(_BYTES_PER_OBJECT)
        kind, size, flags, _ = struct.unpack(f"{self._order}4I", self._source.read(16))
        if kind != 6 or size != 8:
            raise self._guard.error("got an array without flags")
        array_class = flags & 0xFF
        if array_class == _OPAQUE:
            raise _UnsupportedError
        shape = self._shape()
        name = self._read_element((1, 16), 4096, "a name").decode("latin-1")
        if array_class in (_OBJECT, _FUNCTION):
            raise _UnsupportedError
        count = math.prod(shape)
        is_complex = bool(flags >> 11 & 1)
        if array_class in _NUMERIC_CLASSES:
            for _ in range(1 + is_complex):
                self._numbers(name, shape, count)
        elif array_class == _SPARSE:
            self._sparse(name, shape, is_complex)
        elif array_class == _CHAR:
            # Text of zero bytes stands for blanks, so the count is charged on its own.
            self._guard.charge(8 * count)
            self._skip_element(_TEXT_TYPES, "text")
        elif array_class == _CELL:
            self._children(name, shape, count, 1, depth)
        elif array_class == _STRUCT:
            self._children(name, shape, count, self._n_fields(), depth)
        else:
            raise self._guard.error(f"got an array of the unknown class {array_class}")
        return name

    def _shape(self) -> tuple[int, ...]:
        data = self._read_element((5, 6), 128, "dimensions")
        if len(data) % 4 or len(data) < 8:
            raise self._guard.error("got an array with fewer than two dimensions")
        shape = struct.unpack(f"{self._order}{len(data) // 4}i", data)
        if min(shape) < 0:
            raise self._guard.error(f"got an array of shape {shape}")
        return shape

    def _numbers(self, name: str, shape: tuple[int, ...], count: int) -> None:
        tag = self._tag()
        item = _NUMBER_SIZES.get(tag.kind)
        if item is None or tag.size != item * count:
            raise self._guard.error(
                f"got {tag.size:,} bytes of type {tag.kind} for {name!r} of shape {shape}"
            )
        self._guard.charge(8 * count)
        if tag.inside is None:
            self._source.skip(tag.size + -tag.size % 8)

    def _sparse(self, name: str, shape: tuple[int, ...], is_complex: bool) -> None:
        self._skip_element(_INTEGER_SIZES, "row numbers")
        starts = self._skip_element(_INTEGER_SIZES, "column starts")
        if len(shape) != 2 or starts.size < (shape[1] + 1) * _INTEGER_SIZES[starts.kind]:
            raise self._guard.error(
                f"got {starts.size:,} bytes of column starts for sparse {name!r} of shape {shape}"
            )
        for _ in range(1 + is_complex):
            self._skip_element(_NUMBER_SIZES, "values")

    def _n_fields(self) -> int:
        data = self._read_element((5, 6), 4, "the length of field names")
        length = struct.unpack(f"{self._order}i", data)[0] if len(data) == 4 else 0
        if length <= 0:
            raise self._guard.error(f"got a struct with field names of {length} bytes")
        names = self._read_element((1, 16), 2**20, "field names")
        # scipy reads each name up to its zero byte.
        if any(0 not in names[end - length : end] for end in range(length, len(names), length)):
            raise self._guard.error("got a struct with field names that have no end")
        return len(names) // length

    def _children(
        self, name: str, shape: tuple[int, ...], count: int, n_fields: int, depth: int
    ) -> None:
        # Each takes at least the 8 bytes of its tag; no fields take none, hence the charge.
        self._guard.charge(8 * count * max(1, n_fields))
        if count * n_fields * 8 > self._source.at_most:
            raise self._guard.error(f"got {name!r} of shape {shape} and too few bytes for it")
        for _ in range(count * n_fields):
            kind, size = self._full_tag()
            if kind != _MATRIX:
                raise self._guard.error(f"got element type {kind} in a cell of {name!r}")
            if size:
                self._matrix(depth + 1)
            else:
                self._guard.charge(_BYTES_PER_OBJECT)


class _Plain:
    """The bytes of one element."""

    def __init__(self, guard: _Guard, stream: BinaryIO, at_most: int):
        self._guard = guard
        self._stream = stream
        self.at_most = at_most

    def read(self, count: int) -> bytes:
        self._take(count)
        return self._stream.read(count)

    def skip(self, count: int) -> None:
        self._take(count)
        self._stream.seek(count, os.SEEK_CUR)

    def _take(self, count: int) -> None:
        self.at_most -= count
        if self.at_most < 0:
            raise self._guard.error("got a variable that ends too early")


class _Inflated:
    """The bytes of one compressed element, inflated piece by piece."""

    def __init__(self, guard: _Guard, stream: BinaryIO, size: int):
        self._guard = guard
        self._stream = stream
        self._packed = size
        self._inflater = zlib.decompressobj()
        self._ready = b""
        self.at_most = 1032 * size  # what deflate can reach

    def read(self, count: int) -> bytes:
        pieces = []
        while count:
            if not self._ready:
                self._inflate()
            piece, self._ready = self._ready[:count], self._ready[count:]
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)

    def skip(self, count: int) -> None:
        while count > len(self._ready):
            count -= len(self._ready)
            self._inflate()
        self._ready = self._ready[count:]

    def _inflate(self) -> None:
        """Make at least one more byte ready."""
        self._ready = b""
        while not self._ready:
            packed = self._inflater.unconsumed_tail
            if not packed:
                packed = self._stream.read(min(_CHUNK, self._packed))
                self._packed -= len(packed)
            if self._inflater.eof or not packed:
                raise self._guard.error("got a compressed variable that ends too early")
            try:
                self._ready = self._inflater.decompress(packed, 4 * _CHUNK)
            except zlib.error as error:
                raise self._guard.error(f"got a damaged compressed variable ({error})") from error


def _distinct(guard: _Guard, names: list[str]) -> list[str]:
    for name, count in Counter(names).most_common(1):
        if count > 1:
            raise guard.error(f"got the variable {name!r} {count} times")
    return names
