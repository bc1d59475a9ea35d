"""How much memory a table may ask for, by the size of its file."""

from __future__ import annotations

from dlst._files import PathLike
from dlst._limits import MEMORY_RATIO
from dlst.errors import ReadError

_FLOOR = 256 * 2**20


def allowed_memory(size: int) -> int:
    """Return how many bytes the table of a file of this size may take."""
    return max(_FLOOR, MEMORY_RATIO.value * size)


def memory_error(path: PathLike, size: int) -> ReadError:
    """Make the error of a file that needs more."""
    return ReadError(
        path,
        f"expected a file that needs at most {MEMORY_RATIO.value} times its {size:,} bytes "
        f"of memory, got more, as of a decompression bomb. {MEMORY_RATIO.remedy}",
    )
