"""Records of a run: JSON lines that are only ever appended, safe against kills and full disks."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from dlst._files import atomic_write, open_binary
from dlst.errors import RunError

RECORDS = "records.jsonl"
PACKED = f"{RECORDS}.gz"
PLAN = "plan.json"
HELD = ".held"


class RecordFolder:
    """The folder of a run: its plan, its records, and who is working on what.

    Each record is one line. A line that a killed process left unfinished is no record: readers
    pass over it and the next writer cuts it off. Locks belong to a process and end with it.

    Parameters
    ----------
    path : path-like
        The folder; made when something is written. One with packed records can be read only.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self.file = self.path / RECORDS
        self._read_up_to = 0

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
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}

    def append(self, record: dict[str, Any]) -> None:
        """Add a record; it is on disk, whole, when this returns."""
        self.make()
        line = json.dumps(finite(record), ensure_ascii=False, allow_nan=False).encode() + b"\n"
        # Unbuffered: a buffer would write its rest when it is closed, after the cut below.
        with (
            _one_sentence(self.path),
            self._writing(),
            open(self.file, "a+b", buffering=0) as stream,
        ):
            end = _end_of_last_line(stream)
            stream.truncate(end)
            try:
                while line:
                    line = line[stream.write(line) :]
                os.fsync(stream.fileno())
            except OSError:
                # Half a line must not stay; cutting needs no room on the disk.
                stream.truncate(end)
                raise

    def read(self) -> list[dict[str, Any]]:
        """Give all records; the last one of each key, in the order of the first."""
        found: dict[str, dict[str, Any]] = {}
        for record in self._lines():
            found[record["key"]] = record
        return list(found.values())

    def news(self) -> list[dict[str, Any]]:
        """Give the records that came since the last call, whoever wrote them.

        A run looks often, and must not read all that it wrote each time.
        """
        if not self.file.is_file():
            return []
        with open(self.file, "rb") as stream:
            stream.seek(self._read_up_to)
            whole, end, _ = stream.read().rpartition(b"\n")
        self._read_up_to += len(whole) + len(end)
        return [json.loads(line) for line in whole.splitlines()]

    def pack(self, folder: str | os.PathLike[str]) -> None:
        """Write the plan and the last record of each cell to a folder, to be kept for good."""
        target = RecordFolder(folder)
        target.path.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in self.read()]
        with atomic_write(target.path / PACKED) as stream:
            stream.write("".join(lines).encode())
        if (self.path / PLAN).is_file():
            with atomic_write(target.path / PLAN, text=True) as stream:
                stream.write((self.path / PLAN).read_text(encoding="utf-8"))

    def keys(self, *, failed: bool = True) -> set[str]:
        """Give the keys of finished cells, with or without those that failed."""
        return {record["key"] for record in self.read() if failed or record["status"] == "done"}

    @contextmanager
    def hold(self, key: str) -> Iterator[bool]:
        """Hold a cell while working on it; gives False when another process does."""
        self.make()
        lock = FileLock(self.path / HELD / f"{key}.lock", blocking=False)
        try:
            lock.acquire()
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def _writing(self) -> FileLock:
        return FileLock(self.path / HELD / "records.lock")

    def _lines(self) -> Iterator[dict[str, Any]]:
        if not self.exists:
            return
        with open_binary(self.file if self.file.is_file() else self.path / PACKED) as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise RunError(
                        f"{self.file}:{number}: is no record ({error}). Delete that line: its "
                        "cell will be run again."
                    ) from error


def finite(value: Any) -> Any:
    """Return plain values in which a number that JSON cannot say is None."""
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _end_of_last_line(stream: Any) -> int:
    """Find where the last whole line ends, reading backwards."""
    end = int(stream.seek(0, os.SEEK_END))
    place = end
    while place > 0:
        start = max(0, place - 65536)
        stream.seek(start)
        cut = stream.read(place - start).rfind(b"\n")
        if cut >= 0:
            return start + int(cut) + 1
        place = start
    return 0


@contextmanager
def _one_sentence(path: Path) -> Iterator[None]:
    """Turn an error of the system into one sentence that says what is safe."""
    try:
        yield
    except OSError as error:
        if isinstance(error, RunError):
            raise
        raise RunError(
            f"{path}: could not be written: {error.strerror}. Records written before are whole; "
            "make room and start the same command again."
        ) from error
