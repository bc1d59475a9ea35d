"""What a cell may take."""

from __future__ import annotations

from dataclasses import dataclass

from dlst._parameters import integer, number


@dataclass(frozen=True)
class Limits:
    """What a cell may take.

    Attributes
    ----------
    seconds : float
        Of wall time, tuning included.
    memory_mib : float or None
        Beyond what Python and the libraries take; where the system can limit it.
    jobs : int
        Cells at a time.
    threads : int, optional
        Of the numeric libraries in each cell; by default the cores divided among the jobs. On a
        busy machine one is faster than two: threads that wait for each other wait long.

    Raises
    ------
    ValueError
        For what is no positive number.

    Examples
    --------
    >>> Limits(seconds=600, jobs=2).memory_mib is None
    True
    """

    seconds: float = 3600.0
    memory_mib: float | None = None
    jobs: int = 1
    threads: int | None = None

    def __post_init__(self) -> None:
        number(above=0).check("seconds", self.seconds)
        integer(at_least=1).check("jobs", self.jobs)
        if self.memory_mib is not None:
            number(above=0).check("memory_mib", self.memory_mib)
        if self.threads is not None:
            integer(at_least=1).check("threads", self.threads)
