"""Records of a run: JSON lines that are only ever appended, safe against kills and full disks."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from dlst._files import atomic_write, flush_folder, open_binary
from dlst.errors import RunError
from dlst.experiments.record_lines import LineError, from_line, to_line

RECORDS = "records.jsonl"
PACKED = f"{RECORDS}.gz"
PLAN = "plan.json"
HELD = ".held"

_LISTS = ("data", "methods", "probes")


class RecordFolder:
    """The folder of a run: its plan, its records, and who is working on what.

    Each record is one line with a checksum. A line that a killed process left unfinished is no
    record: readers pass over it and the next writer cuts it off. A record that was appended
    survives a loss of power. Locks belong to a process and end with it.

    Parameters
    ----------
    path : path-like
        The folder; made when something is written. One with packed records can be read only.

    Attributes
    ----------
    n_unknown : int
        Lines that the last :meth:`read` left out, as they are of a later format or of another kind.

    Examples
    --------
    >>> import tempfile
    >>> list(RecordFolder(tempfile.mkdtemp()).read())
    []
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self.file = self.path / RECORDS
        self.n_unknown = 0
        self._read_up_to = 0
        self._read_lines = 0
        self._folder_is_safe = False

    @property
    def exists(self) -> bool:
        """Whether there are records to read, as lines or packed."""
        return self.file.is_file() or (self.path / PACKED).is_file()

    def make(self) -> None:
        """Make the folder, where it is not there."""
        try:
            (self.path / HELD).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{self.path}: cannot hold a run: {error.strerror}.") from error

    def save_plan(self, plan: dict[str, Any]) -> None:
        """Write the plan beside the records, for people and for the report."""
        self.make()
        with _one_sentence(self.path), atomic_write(self.path / PLAN, text=True) as stream:
            json.dump(plan, stream, indent=2, ensure_ascii=False)

    def plan(self) -> dict[str, Any]:
        """Read the plan; empty when the folder has none."""
        file = self.path / PLAN
        if not file.is_file():
            return {}
        remedy = "Delete it: the command that made the run writes it again."
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise RunError(f"{file}:{error.lineno}: is no plan ({error.msg}). {remedy}") from error
        except (ValueError, RecursionError) as error:
            raise RunError(f"{file}: is no plan ({error}). {remedy}") from error
        wrong = _mistake_in(found)
        if wrong:
            raise RunError(f"{file}: is no plan: {wrong}. {remedy}")
        return dict(found)

    def append(self, record: dict[str, Any]) -> None:
        """Add a record; it is on disk, whole, when this returns."""
        self.make()
        line = to_line(record)
        with _one_sentence(self.path), FileLock(self.path / HELD / "records.lock"):
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            descriptor = os.open(self.file, flags, 0o666)
            try:
                _append_line(descriptor, line)
            finally:
                os.close(descriptor)
            if not self._folder_is_safe:
                # Else the file itself might be gone after a loss of power.
                flush_folder(self.path)
                flush_folder(self.path.parent)
                self._folder_is_safe = True

    def read(self) -> list[dict[str, Any]]:
        """Return all records; the last one of each key, in the order of the first."""
        found: dict[str, dict[str, Any]] = {}
        self.n_unknown = 0
        for record in self._records():
            if record is None:
                self.n_unknown += 1
            else:
                found[record["key"]] = record
        return list(found.values())

    def news(self) -> list[dict[str, Any]]:
        """Return the records that came since the last call, from any process.

        A run looks often, and must not read all that it wrote each time.
        """
        if not self.file.is_file():
            return []
        with open(self.file, "rb") as stream:
            stream.seek(self._read_up_to)
            whole, end, _ = stream.read().rpartition(b"\n")
        self._read_up_to += len(whole) + len(end)
        lines = whole.split(b"\n") if end else []
        first, self._read_lines = self._read_lines + 1, self._read_lines + len(lines)
        found = (self._record(line, number) for number, line in enumerate(lines, start=first))
        return [record for record in found if record is not None]

    def pack(self, folder: str | os.PathLike[str]) -> None:
        """Write the plan and the last record of each cell to a folder, to be kept for good."""
        target = RecordFolder(folder)
        target.path.mkdir(parents=True, exist_ok=True)
        with atomic_write(target.path / PACKED) as stream:
            stream.writelines(map(to_line, self.read()))
        if (self.path / PLAN).is_file():
            with atomic_write(target.path / PLAN, text=True) as stream:
                stream.write((self.path / PLAN).read_text(encoding="utf-8"))

    @contextmanager
    def hold(self, key: str) -> Iterator[bool]:
        """Hold a cell while working on it; gives False when another process does."""
        self.make()
        lock = FileLock(self.path / HELD / f"{key}.lock", blocking=False)
        try:
            with _one_sentence(self.path):
                lock.acquire()
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            with _one_sentence(self.path):
                lock.release()

    def _records(self) -> Iterator[dict[str, Any] | None]:
        if not self.exists:
            return
        with open_binary(self.file if self.file.is_file() else self.path / PACKED) as stream:
            for number, line in enumerate(stream, start=1):
                if line.endswith(b"\n"):
                    yield self._record(line, number)

    def _record(self, line: bytes, number: int) -> dict[str, Any] | None:
        try:
            return from_line(line)
        except LineError as error:
            raise RunError(
                f"{self.file}:{number}: is no record: {error}. Delete that line: its cell will be "
                "run again."
            ) from error


def _append_line(descriptor: int, line: bytes) -> None:
    end = _end_of_last_line(descriptor)
    os.ftruncate(descriptor, end)
    try:
        while line:
            line = line[os.write(descriptor, line) :]
        os.fsync(descriptor)
    except OSError:
        # Half a line must not stay; cutting needs no room on the disk.
        os.ftruncate(descriptor, end)
        raise


def _end_of_last_line(descriptor: int) -> int:
    """Find where the last whole line ends, reading backwards."""
    place = os.lseek(descriptor, 0, os.SEEK_END)
    while place > 0:
        start = max(0, place - 65536)
        os.lseek(descriptor, start, os.SEEK_SET)
        cut = os.read(descriptor, place - start).rfind(b"\n")
        if cut >= 0:
            return start + cut + 1
        place = start
    return 0


def _mistake_in(plan: Any) -> str | None:
    if not isinstance(plan, dict):
        return f"expected an object, got {type(plan).__name__}"
    for name in _LISTS:
        listed = plan.get(name, [])
        if not isinstance(listed, list) or not all(isinstance(each, str | dict) for each in listed):
            return f"its {name} must be a list of names or objects"
    return None


@contextmanager
def _one_sentence(path: Path) -> Iterator[None]:
    """Turn an error of the system into one sentence that says what is safe."""
    try:
        yield
    except (RunError, Timeout):
        raise
    except (OSError, NotImplementedError) as error:  # the latter where files cannot be locked
        reason = getattr(error, "strerror", None) or error
        raise RunError(
            f"{path}: could not be written: {reason}. Records written before are whole; "
            "make room and start the same command again."
        ) from error
