"""Rules that are learnt when they are first used; most never are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock

from dlst.decisions.base import DecisionRule
from dlst.errors import DataError


class LazyRules(Mapping[str, DecisionRule]):
    """Rules by name, each learnt once, when it is first used.

    Rules that cannot be learnt are left out; iterating over the mapping learns all of them.

    Parameters
    ----------
    names : iterable of str
    learn : callable
        Learns the rule of a name, or raises DataError. It is released, with the data it learns
        from, when no rule is left to learn.

    Examples
    --------
    >>> from dlst.decisions import make_rule
    >>> rules = LazyRules(["top"], lambda name: make_rule(name, r=2).fit(None, [[0, 1]]))
    >>> rules["top"].r_
    2
    """

    def __init__(self, names: Iterable[str], learn: Callable[[str], DecisionRule]) -> None:
        self._waiting = dict.fromkeys(names, learn)
        self._names = tuple(self._waiting)
        self._learnt: dict[str, DecisionRule] = {}
        self._lock = Lock()

    def learn(self, name: str) -> DecisionRule:
        """Return a rule, or raise the error of learning it."""
        with self._lock:
            if name in self._waiting:
                try:
                    self._learnt[name] = self._waiting[name](name)
                except DataError:
                    del self._waiting[name]
                    raise
                del self._waiting[name]
        return self._learnt[name]

    def __getitem__(self, name: str) -> DecisionRule:
        try:
            return self.learn(name)
        except DataError as error:
            raise KeyError(name) from error

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)
