"""Reading in bounded blocks, writing all or nothing."""

from __future__ import annotations

import codecs
import errno
import gzip
import hashlib
import io
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, TypeAlias, cast

from dlst._limits import GZIP_RATIO
from dlst._progress import progress_bar
from dlst.errors import ReadError

PathLike: TypeAlias = str | os.PathLike[str]

BLOCK_BYTES = 16 * 2**20
"""How much text is held at once; a reader's memory is its arrays plus a few of these."""

MAX_LINE_BYTES = 256 * 2**20
"""One line longer than this is not data that anybody wrote."""

GZIP_RATIO_FLOOR = 16 * 2**20
"""Below this many bytes of text even a bomb does no harm."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # which begins as the mark of UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Block(NamedTuple):
    """Whole lines of a file, the 1-based number of the first, and where the data begin in them."""

    text: bytes
    first_line: int
    start: int = 0


class _GuardedGzip(io.RawIOBase):
    """A gzip stream that refuses bombs and names its file when damaged."""

    def __init__(self, path: Path):
        self._path = path
        self._compressed = max(1, path.stat().st_size)
        self._stream = gzip.GzipFile(path, "rb")
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        try:
            chunk = self._stream.read(len(view))
        except (OSError, EOFError, zlib.error) as error:
            raise ReadError(
                self._path,
                f"expected a whole gzip file, got a damaged or cut one ({error}). "
                "Fetch or compress it again.",
            ) from error
        self._given += len(chunk)
        if self._given > GZIP_RATIO_FLOOR and self._given > GZIP_RATIO.value * self._compressed:
            raise ReadError(
                self._path,
                f"expected a file that unpacks to at most {GZIP_RATIO.value} times its "
                f"{self._compressed:,} bytes, got more, as of a decompression bomb. "
                f"{GZIP_RATIO.remedy}",
            )
        view[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_binary(path: PathLike) -> BinaryIO:
    """Open a plain or ``.gz`` file for reading bytes.

    Raises
    ------
    ReadError
        When there is no such file, it is a folder, or it may not be read.
    """
    path = Path(path)
    try:
        if path.suffix.lower() == ".gz":
            return cast(BinaryIO, io.BufferedReader(_GuardedGzip(path), 2**20))
        return path.open("rb")
    except OSError as error:
        raise ReadError(path, f"cannot be opened: {error.strerror}.") from error


class _Recoded(io.RawIOBase):
    """Text of another encoding as UTF-8; bytes that are none of it are named by their line."""

    def __init__(self, path: Path, stream: BinaryIO, encoding: str):
        self._path, self._stream, self._encoding = path, stream, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._line = 1
        self._is_done = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        while not self._ready and not self._is_done:
            chunk = self._stream.read(len(view))
            self._is_done = not chunk
            self._ready = self._recoded(chunk)
        given = self._ready[: len(view)]
        self._ready = self._ready[len(view) :]
        view[: len(given)] = given
        return len(given)

    def _recoded(self, chunk: bytes) -> bytes:
        try:
            text = self._decoder.decode(chunk, final=not chunk).encode()
        except UnicodeError as error:
            before = error.object[: error.start] if isinstance(error, UnicodeDecodeError) else b""
            with suppress(UnicodeError):
                self._line += before.decode(self._encoding, "ignore").count("\n")
            raise ReadError(
                self._path,
                f"expected {self._encoding} text, got bytes that are none. Is this its encoding?",
                self._line,
            ) from error
        self._line += text.count(b"\n")
        return text

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_text(path: PathLike, encoding: str | None = None) -> BinaryIO:
    """Open a file for reading bytes of UTF-8 text, which are made of those of its encoding.

    By default a byte order mark tells UTF-16 and UTF-32; all else is left as it is.
    """
    if encoding is not None:
        _check_known(encoding)
    stream = open_binary(path)
    if encoding is None:
        head = cast(io.BufferedReader, stream).peek(4)
        encoding = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if encoding is None:
        return stream
    return cast(BinaryIO, io.BufferedReader(_Recoded(Path(path), stream, encoding), 2**20))


def _check_known(encoding: str) -> None:
    try:
        "".encode(encoding)
        codecs.getincrementaldecoder(encoding)
    except (LookupError, ValueError) as error:
        raise ValueError(
            "encoding must be the name of an encoding of text, such as latin-1, cp1252 or utf-16; "
            f"got {encoding!r}."
        ) from error


def text_blocks(
    path: PathLike, block_bytes: int = BLOCK_BYTES, *, encoding: str | None = None
) -> Iterator[Block]:
    r"""Yield a file as blocks of whole lines; ``\n``, ``\r\n`` and a missing last end all work.

    They are UTF-8, of other text as :func:`open_text` makes it.
    """
    line = 1
    rest = b""
    path = Path(path)
    with (
        open_text(path, encoding) as stream,
        progress_bar(f"reading {path.name}", _size(path, stream)) as advance,
    ):
        left = _size(path, stream)
        # read(n) takes n bytes of memory at once, however little is left to read.
        while chunk := stream.read(block_bytes if left is None else min(block_bytes, left + 1)):
            advance(len(chunk))
            left = None if left is None else max(0, left - len(chunk))
            # The last line may lack its end; it needs no cutting, hence no copying.
            cut = len(chunk) if left == 0 else chunk.rfind(b"\n") + 1
            if cut:
                block = rest + chunk[:cut]
                yield Block(block, line)
                line += block.count(b"\n")
                rest = chunk[cut:]
            else:
                rest += chunk
            if len(rest) > MAX_LINE_BYTES:
                raise ReadError(
                    path,
                    f"expected lines of at most {MAX_LINE_BYTES:,} bytes, got a longer one. "
                    "Is this a text file?",
                    line,
                )
        if rest:
            yield Block(rest, line)


def _size(path: Path, stream: BinaryIO) -> int | None:
    """Bytes to come; None of a stream that makes others of them, and of what is no file."""
    is_plain = isinstance(cast(io.BufferedReader, stream).raw, io.FileIO)
    return path.stat().st_size if is_plain and path.is_file() else None


def sha256(path: PathLike) -> str:
    """Hex sha256 of a file's bytes."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def atomic_write(path: PathLike, *, text: bool = False) -> Iterator[IO[Any]]:
    """Write to a temporary name beside ``path`` and rename when all of it is on disk.

    A reader sees the old file or the whole new one, never a part; an error leaves the old file.
    A name that ends in ``.gz`` is compressed.
    """
    path = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}.", suffix=".part"
        )
    except OSError as error:  # of a name that nobody gave
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with ExitStack() as closing:
            stream: IO[Any] = closing.enter_context(os.fdopen(handle, "wb"))
            if path.suffix.lower() == ".gz":
                # No name and no time inside: equal content gives equal bytes.
                packed = gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)
                stream = cast(IO[Any], closing.enter_context(packed))
            if text:
                wrapped = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
                stream = closing.enter_context(wrapped)
            yield stream
        _flush_to_disk(temporary)
        # mkstemp makes private files; give the rights that open() would have given.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
        flush_folder(path.parent)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError) and _is_of(temporary, error):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _is_of(temporary: str, error: OSError) -> bool:
    """Tell whether the system refused the temporary file, or bytes of it, and not what is read."""
    # Where a byte finds no room the system names no file.
    return error.filename == temporary or (error.filename is None and error.errno in _NO_ROOM)


def flush_folder(path: Path) -> None:
    """Let names that were made or changed in a folder survive a loss of power."""
    if os.name == "posix":  # elsewhere a folder cannot be opened, and need not be
        _flush_to_disk(path)


def _flush_to_disk(path: PathLike) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # what some file systems say of folders
            raise
    finally:
        os.close(descriptor)
