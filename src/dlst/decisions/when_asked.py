"""Rules that are learnt when they are first asked for: most never are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock

from dlst.decisions.base import DecisionRule
from dlst.errors import DataError


class RulesWhenAsked(Mapping[str, DecisionRule]):
    """Rules by name, each learnt once, when it is first asked for.

    What cannot be learnt is not there; to ask which are there is to ask for all.

    Parameters
    ----------
    names : iterable of str
    learn : callable
        Learns the rule of a name, or raises DataError. It is let go, with what it learns from,
        when there is nothing left to learn.

    Examples
    --------
    >>> from dlst.decisions import make_rule
    >>> rules = RulesWhenAsked(["top"], lambda name: make_rule(name, r=2).fit(None, [[0, 1]]))
    >>> rules["top"].r_
    2
    """

    def __init__(self, names: Iterable[str], learn: Callable[[str], DecisionRule]) -> None:
        self._waiting = dict.fromkeys(names, learn)
        self._names = tuple(self._waiting)
        self._learnt: dict[str, DecisionRule] = {}
        self._lock = Lock()

    def learn(self, name: str) -> DecisionRule:
        """Return a rule, or raise what keeps it from being learnt."""
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
