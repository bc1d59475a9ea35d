"""The errors that a user can meet; each message names the expected, the got and the remedy."""

from __future__ import annotations

import os


class DlstError(Exception):
    """Base of all errors that this package raises on purpose.

    Examples
    --------
    >>> issubclass(DlstError, Exception)
    True
    """


class DataError(DlstError, ValueError):
    """Data that cannot be used as they are: wrong shapes, values or names.

    Examples
    --------
    >>> issubclass(DataError, ValueError)
    True
    """


class ReadError(DataError):
    """A file that cannot be read as its format.

    Parameters
    ----------
    path : path-like
        The file.
    message : str
        Expected, got, remedy.
    line : int or None
        1-based line in the (decompressed) file, for the formats that have lines.

    Examples
    --------
    >>> str(ReadError("a.csv", "expected 3 cells, got 2.", 7))
    'a.csv:7: expected 3 cells, got 2.'
    """

    def __init__(self, path: str | os.PathLike[str], message: str, line: int | None = None):
        self.path = os.fspath(path)
        self.line = line
        self.message = message
        where = self.path if line is None else f"{self.path}:{line}"
        super().__init__(f"{where}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions pickle by their args; ours has one, the constructor takes three.
        return type(self), (self.path, self.message, self.line)


class DataHomeError(DlstError, OSError):
    """A file of a known data set is missing, damaged or out of reach.

    The message says which file to put where.

    Examples
    --------
    >>> issubclass(DataHomeError, OSError)
    True
    """


class UnknownNameError(DlstError, KeyError):
    """A name that no registry knows; the message lists the nearest ones.

    Examples
    --------
    >>> from dlst.methods import make
    >>> make("dslt")
    Traceback (most recent call last):
        ...
    dlst.errors.UnknownNameError: a method must be one of ...
    """

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would quote the whole sentence.
        return str(self.args[0])


class ModelFileError(DlstError, ValueError):
    """A file that is no model of ours, or no longer; nothing in it was run.

    Examples
    --------
    >>> issubclass(ModelFileError, ValueError)
    True
    """


class MemoryPlanError(DlstError, ValueError):
    """Work that would need more memory than there is; nothing was begun.

    Examples
    --------
    >>> issubclass(MemoryPlanError, ValueError)
    True
    """


class PlanError(DlstError, ValueError):
    """A plan of experiments that cannot be carried out as written.

    Examples
    --------
    >>> issubclass(PlanError, ValueError)
    True
    """


class RunError(DlstError, OSError):
    """A folder of records that cannot be read or written; finished records are safe.

    Examples
    --------
    >>> issubclass(RunError, OSError)
    True
    """
