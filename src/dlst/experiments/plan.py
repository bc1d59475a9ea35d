"""Plans: data sets × protocols × splits × seeds × methods, as cells with stable keys."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from dlst._parameters import one_of
from dlst.errors import DlstError, PlanError
from dlst.experiments.probes import check_probe
from dlst.experiments.protocols import DRAWN, check_keys, check_protocol
from dlst.methods import make, method_info

SplitKind = Literal["auto", "official", "random"]
SPLITS = one_of(*get_args(SplitKind))
Tuning = Literal["none", "once", "cell"]

TUNING_MEANINGS = {
    "none": "default parameters",
    "once": "parameters chosen once for each data set and method, by cross-validation on the "
    "training rows of the first split, then fixed",
    "cell": "parameters chosen in each cell, by cross-validation on its training rows",
}


@dataclass(frozen=True)
class Variant:
    """A method with the parameters that a plan fixes.

    Attributes
    ----------
    method : str
        Its name in :func:`dlst.methods.available`, or ``module:name`` of one of your own, as
        :func:`dlst.methods.make` takes it.
    parameters : mapping
        What differs from its defaults; these are not tuned.
    title : str
        For tables; default: the method's own, with the parameters.

    Examples
    --------
    >>> Variant("plst", {"n_components": 0.5}, "PLST, half the labels").title
    'PLST, half the labels'
    """

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""

    def __post_init__(self) -> None:
        # An unknown name or parameter is an error before anything runs.
        make(self.method, **self.parameters)
        object.__setattr__(self, "method", method_info(self.method).name)
        if not self.title:
            fixed = [f"{key.replace('__', '.')}={each}" for key, each in self.parameters.items()]
            own = method_info(self.method).title
            object.__setattr__(self, "title", f"{own} ({', '.join(fixed)})" if fixed else own)


@dataclass(frozen=True)
class Source:
    """A data set that a plan treats in its own way; what is None is as in the plan.

    Attributes
    ----------
    name : str
        Registry name or path.
    splits, seeds, protocols
        As in :class:`Plan`.

    Examples
    --------
    >>> Source("msrc", splits=["random"], protocols=[{"fraction": 0.1}]).name
    'msrc'
    """

    name: str
    splits: Sequence[SplitKind] | None = None
    seeds: int | Sequence[int] | None = None
    protocols: Sequence[Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        _check_listed(self, ("splits", "protocols"))
        if self.seeds is not None:
            object.__setattr__(self, "seeds", _seeds(self.seeds))
        _check_parts(self.splits or (), self.protocols or ())


@dataclass(frozen=True)
class Cell:
    """One unit of work, and one record.

    Attributes
    ----------
    data : str
        Registry name or path.
    method, parameters
        As in :class:`Variant`.
    split : {"auto", "official", "random"}
        Which rows train; "auto" is the official split where the data have one, else random.
    seed : int
        Of the split, the protocol and the method.
    protocol : mapping
        See :mod:`dlst.experiments.protocols`.
    tuning : {"none", "once", "cell"}
        How other parameters were or will be chosen.

    Examples
    --------
    >>> cell = Cell("yeast", "dlst", seed=3)
    >>> cell.split, cell.key == Cell("yeast", "dlst", seed=3).key
    ('auto', True)
    """

    data: str
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    split: SplitKind = "auto"
    seed: int = 0
    protocol: Mapping[str, Any] = field(default_factory=dict)
    tuning: Tuning = "none"

    @property
    def key(self) -> str:
        """A name made of what the cell is: the same in every run, on every machine."""
        return stable_key(asdict(self))


@dataclass(frozen=True)
class Plan:
    """Data sets × protocols × splits × seeds × methods.

    Attributes
    ----------
    data : sequence of str or Source
        Registry names and paths, or data sets with splits, seeds and protocols of their own.
    methods : sequence of str or Variant
        What to compare; none where there are probes only.
    splits : sequence of {"auto", "official", "random"}
    seeds : int or sequence of int
        A number n stands for 0 … n − 1. Official splits are run for the first seed alone.
    protocols : sequence of mapping
        See :mod:`dlst.experiments.protocols`.
    tuning : {"none", "once", "cell"}
        See :data:`TUNING_MEANINGS`.
    probes : sequence of mapping
        What else to find out about data: see :mod:`dlst.experiments.probes`.
    name : str
        For the title of the report; default: the methods and the data.
    item : str
        What the report is laid out as: see :func:`dlst.reports.register_layout`.
    command : str
        What gives these records, for the report.

    Examples
    --------
    >>> plan = Plan(["emotions", "scene"], ["dlst", "br"], splits=["random"], seeds=3)
    >>> len(plan.cells())
    12
    """

    data: Sequence[str | Source] = ()
    methods: Sequence[str | Variant] = ()
    splits: Sequence[SplitKind] = ("auto",)
    seeds: int | Sequence[int] = 1
    protocols: Sequence[Mapping[str, Any]] = ({},)
    tuning: Tuning = "none"
    probes: Sequence[Mapping[str, Any]] = ()
    name: str = ""
    item: str = ""
    command: str = ""

    def __post_init__(self) -> None:
        _check_listed(self, ("data", "methods", "splits", "protocols", "probes"))
        for part in ("splits", "protocols") if self.probes else ("data", "methods"):
            if not getattr(self, part):
                raise PlanError(f"{part} must be a list with at least one entry; got none.")
        object.__setattr__(self, "seeds", _seeds(self.seeds))
        method = "a method must be a name, or method, parameters and title"
        object.__setattr__(self, "methods", tuple(_made(Variant, x, method) for x in self.methods))
        data = "data must be names, or name, splits, seeds and protocols"
        object.__setattr__(self, "data", tuple(_made(Source, each, data) for each in self.data))
        _check_parts(self.splits, self.protocols)
        one_of(*get_args(Tuning)).check("tuning", self.tuning, PlanError)
        for probe in self.probes:
            check_probe(probe)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The methods, each with its parameters."""
        return self.methods  # type: ignore[return-value]

    @property
    def sources(self) -> tuple[Source, ...]:
        """The data sets, each with what it does in its own way."""
        return self.data  # type: ignore[return-value]

    def cells(self) -> list[Cell]:
        """Expand into cells, in the order in which they are run; none occurs twice."""
        return list({cell.key: cell for cell in self._all_cells()}.values())

    def _all_cells(self) -> Iterator[Cell]:
        for source in self.sources:
            for protocol in source.protocols or self.protocols:
                for split in source.splits or self.splits:
                    seeds: Any = self.seeds if source.seeds is None else source.seeds
                    drawn = split != "official" or any(key in protocol for key in DRAWN)
                    for seed in seeds if drawn else seeds[:1]:
                        for variant in self.variants:
                            yield Cell(
                                data=source.name,
                                method=variant.method,
                                parameters=dict(variant.parameters),
                                split=split,
                                seed=seed,
                                protocol=dict(protocol),
                                tuning=self.tuning,
                            )

    def words_for(self, cell: Cell) -> dict[str, str]:
        """Say what a report needs to name a cell, for it knows no methods."""
        fixed = dict(cell.parameters)
        title = next(
            each.title
            for each in self.variants
            if each.method == cell.method and dict(each.parameters) == fixed
        )
        return {
            "title": title,
            "meaning": method_info(cell.method).meaning,
            "tuning_meaning": TUNING_MEANINGS[cell.tuning],
        }

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return json.loads(_canonical(asdict(self)))  # type: ignore[no-any-return]


def read_plan(path: str | os.PathLike[str]) -> Plan:
    r"""Read a plan from a TOML file, whose keys are the attributes of :class:`Plan`.

    A method is a name or a table with ``method``, ``parameters`` and ``title``.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Plan

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "plan.toml"
    >>> _ = path.write_text('data = ["yeast"]\nmethods = ["dlst", "br"]\n')
    >>> len(read_plan(path).cells())
    2
    """
    path = Path(path)
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"{path}: could not be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PlanError(f"{path}: is not TOML: {error}.") from error
    try:
        return plan_of(given)
    except (DlstError, ValueError) as error:
        raise PlanError(f"{path}: {error}") from error


def plan_of(given: Mapping[str, Any]) -> Plan:
    """Make a plan of plain values, such as those of :meth:`Plan.as_dict`.

    Parameters
    ----------
    given : mapping

    Returns
    -------
    Plan

    Examples
    --------
    >>> len(plan_of({"data": ["yeast"], "methods": ["dlst", "br"]}).cells())
    2
    """
    check_keys("a plan", given, [each.name for each in fields(Plan)])
    missing = [name for name in ("data", "methods") if name not in given]
    if missing and not given.get("probes"):
        raise PlanError(f"a plan must say its {' and '.join(missing)}.")
    return Plan(**given)


def _made(kind: type[Variant] | type[Source], given: Any, words: str) -> Variant | Source:
    """Take a part of a plan that is ready, or make it of a name or of plain values."""
    if isinstance(given, kind):
        return given
    try:
        return kind(**given) if isinstance(given, Mapping) else kind(str(given))
    except TypeError as error:
        raise PlanError(f"{words}; got {given!r}.") from error


def _check_listed(owner: Any, parts: Sequence[str]) -> None:
    """Make the named attributes tuples; what is no list is refused."""
    for part in parts:
        given = getattr(owner, part)
        if given is None:
            continue
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise PlanError(f"{part} must be a list with at least one entry; got {given!r}.")
        object.__setattr__(owner, part, tuple(given))


def _check_parts(splits: Sequence[str], protocols: Sequence[Mapping[str, Any]]) -> None:
    for split in splits:
        SPLITS.check("splits", split, PlanError)
    for protocol in protocols:
        check_protocol(protocol)


def _seeds(given: Any) -> tuple[int, ...]:
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return tuple(range(given))
    listed = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else ()
    if not listed or not all(isinstance(seed, int) and seed >= 0 for seed in listed):
        raise PlanError(f"seeds must be a number of seeds or a list of them; got {given!r}.")
    return listed


def stable_key(value: Any) -> str:
    """Name plain values by what they are: the same in every run, on every machine."""
    return hashlib.sha256(_canonical(value).encode()).hexdigest()[:20]


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
