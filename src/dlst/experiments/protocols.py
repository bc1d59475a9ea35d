"""From a data set to the training and test rows of a cell.

A protocol is a mapping with any of

- ``test_size``: share of the rows that a random split tests on (default 0.5 for data without an
  official split, else the official sizes);
- ``rows``: ``[n_train, n_test]``, at most so many rows of either side, drawn at random;
- ``fraction``: train on this share of each class of the training rows; ``reading`` says how (see
  :func:`dlst.data.per_class_fraction`). Data without an official split are drawn from whole, and
  what is not drawn is tested on;
- ``folds``: of so many folds of the training rows the one that the seed numbers is tested on, the
  others train; official test rows stay unseen;
- ``missing``: share of the training positives to drop (see :func:`dlst.data.drop_labels`);
- ``transductive``: give the features of the test rows, without their labels, to the methods that
  learn from unlabelled rows;
- ``simulate``: parameters of :func:`dlst.data.simulate_features`, which draws features for data
  that have labels only; data with features keep theirs;
- ``options``: what the reader of the data takes, such as ``{"difficult": "ignore"}``; for a
  table ``{"labels": "tags", "columns": {"text": ["title"]}}``, the kinds in the words of
  :class:`dlst.inputs.TableEncoder`;
- ``decision``: the rule that all methods decide by, a name of :mod:`dlst.decisions` or "own"
  (default: each method's own parameter, which is "f1" for DLST and "own" for the others);
- ``tau``: prior correction of the ranking of all methods, a number or "auto" (default 0, none);
- ``rules``: keep the measures of the decisions by each rule in the record;
- ``per_label``: keep the measures of each label in the record;
- ``per_row``: keep the average precision of test rows (of at most 1,000), which tells whether a
  difference on one split is more than chance;
- ``redraws``: measure also on so many samples of the test rows, drawn with replacement and the same
  for all methods, which tells the same of every measure;
- ``map``: settings of the probe of that name, for the method that it names ("dlst" by default): the
  fitted model is mapped too, and need not be fitted again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from dlst._nearest import did_you_mean
from dlst._parameters import Constraint, integer, number, one_of
from dlst.data import (
    Dataset,
    Split,
    drop_labels,
    k_fold,
    per_class_fraction,
    random_split,
    with_simulated_features,
)
from dlst.data.splits import Reading, repeated_random_splits
from dlst.decisions import DECISIONS
from dlst.decisions.prior_correction import TAU
from dlst.errors import DataError, PlanError
from dlst.inputs import Tally
from dlst.inputs.table import encoder_of
from dlst.tagging.tables import placed, training_frame


def _is_pair_of_counts(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(COUNT.allows, value))


COUNT = Constraint("a whole number from 1 on", integer(at_least=1).allows)
_SHARE = Constraint("at least 0 and below 1", number(at_least=0, below=1).allows)
_TABLE = Constraint("a table of parameters", lambda value: isinstance(value, Mapping))
_FLAG = Constraint("true or false", lambda value: isinstance(value, bool))
_MEANINGS = {
    "test_size": _SHARE,
    "rows": Constraint("[n_train, n_test]", _is_pair_of_counts),
    "fraction": _SHARE,
    "reading": one_of(*get_args(Reading)),
    "folds": Constraint("a whole number from 2 on", integer(at_least=2).allows),
    "missing": _SHARE,
    "transductive": _FLAG,
    "simulate": _TABLE,
    "options": _TABLE,
    "decision": one_of(*DECISIONS),
    "tau": Constraint('a number or "auto"', TAU.allows),
    "rules": _FLAG,
    "per_label": _FLAG,
    "per_row": _FLAG,
    "redraws": COUNT,
    "map": _TABLE,
}
KEYS = tuple(_MEANINGS)
DRAWN = ("fraction", "missing", "rows", "folds")
"""Keys that draw rows or labels by the seed, on an official split too."""

DEFAULT_TEST_SIZE = 0.5


@dataclass(frozen=True, eq=False)
class Rows:
    """Training and test rows, and how they came about."""

    train: Dataset
    test: Dataset
    drawn: Split
    """Which rows of the data these are."""
    complete_cardinality: float
    """Labels of a training row before any were dropped."""
    is_scaled: bool
    """Whether methods are to take the features as they are: those of a table."""
    effective_missing: float | None = None
    """Share of the training positives that was dropped, where some were to be."""

    @property
    def split(self) -> str:
        """Name of the split."""
        return self.drawn.name


def check_protocol(protocol: Mapping[str, Any]) -> None:
    """Refuse keys and values that mean nothing."""
    check_keys("a protocol", protocol, KEYS)
    for key, given in protocol.items():
        _MEANINGS[key].check(key, given, PlanError)


def check_keys(owner: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse keys that are not known."""
    if strange := sorted(set(given) - set(known)):
        meant = did_you_mean(strange[0], known)
        raise PlanError(f"{owner} has {', '.join(known)}; got {', '.join(strange)}.{meant}")


def rows_of(data: Dataset, split: str, seed: int, protocol: Mapping[str, Any]) -> Rows:
    """Draw the rows of a cell: the same for the same seed, whatever the method."""
    drawn = _drawn_split(data, split, seed, protocol)
    drawn = _limited(drawn, seed, protocol.get("rows"))
    data, is_scaled = with_features(data, drawn.train)
    parts = _with_simulated(data.with_split(drawn), protocol.get("simulate"))
    train = parts.train
    whole = Rows(train, parts.test, drawn, train.cardinality, is_scaled)
    if not protocol.get("missing"):
        return replace(whole, effective_missing=0.0 if "missing" in protocol else None)
    dropped = drop_labels(train, protocol["missing"], random_state=seed)
    rate = float(dropped.effective_rate)
    return replace(whole, train=replace(train, Y=dropped.Y), effective_missing=rate)


def with_features(data: Dataset, train: Any) -> tuple[Dataset, bool]:
    """Make features of raw columns, by what training rows show; data that have features pass.

    Also says whether methods are to take the features as they are.
    """
    if data.table is None:
        return data, False
    encoder = encoder_of(data.table.columns)
    frame = training_frame(data.table)
    with placed(data.table.take(train)):
        encoder.fit(frame.iloc[train])
    with placed(data.table):
        X = encoder.encode(frame, Tally())
    names = encoder.get_feature_names_out().tolist()
    unique = names if len(set(names)) == len(names) else ()
    return replace(data, X=X, feature_names=unique, table=None), encoder.is_scaled_


def with_unlabelled(train: Dataset, test: Dataset) -> Dataset:
    """Append the test rows to the training rows, with their labels unknown."""
    stack = sp.vstack if sp.issparse(train.X) else np.vstack
    X = stack([train.X, test.X])
    hidden = sp.csr_array(np.full((test.n_samples, train.n_labels), np.nan))
    return replace(
        train,
        X=sp.csr_array(X) if sp.issparse(X) else X,
        Y=sp.csr_array(sp.vstack([train.Y, hidden], format="csr")),
        split=None,
    )


def _drawn_split(data: Dataset, split: str, seed: int, protocol: Mapping[str, Any]) -> Split:
    if "fraction" in protocol and data.split is None and split != "official":
        return _share(data, None, seed, protocol)
    drawn = _whole_split(data, split, seed, protocol)
    if "folds" in protocol:
        return _fold(drawn, seed, protocol["folds"])
    return _share(data, drawn, seed, protocol) if "fraction" in protocol else drawn


def _whole_split(data: Dataset, split: str, seed: int, protocol: Mapping[str, Any]) -> Split:
    if split == "official" and data.split is None:
        raise DataError(
            f"data set {data.name!r} must have an official split; got none. Ask for random splits, "
            "or for auto, which takes the official one where there is one."
        )
    if split == "official" or (split == "auto" and data.split is not None):
        return data.official_split()
    size = protocol.get("test_size")
    if size is None and data.split is not None:
        return next(repeated_random_splits(data, 1, random_state=seed))
    return random_split(data, DEFAULT_TEST_SIZE if size is None else size, random_state=seed)


def _share(data: Dataset, whole: Split | None, seed: int, protocol: Mapping[str, Any]) -> Split:
    inner = per_class_fraction(
        data,
        protocol["fraction"],
        reading=protocol.get("reading", "stratified"),
        rows=None if whole is None else whole.train,
        random_state=seed,
    )
    return inner if whole is None else Split(inner.train, whole.test, name=inner.name)


def _fold(whole: Split, seed: int, n_folds: int) -> Split:
    # The partition is one and the same for all seeds, each of which tests on its own part.
    folds = list(k_fold(len(whole.train), n_folds, random_state=0))
    fold = folds[seed % n_folds]
    return Split(whole.train[fold.train], whole.train[fold.test], name=fold.name)


def _with_simulated(data: Dataset, model: Mapping[str, Any] | None) -> Dataset:
    """Draw features where there are none, for the rows in use only: label sets can be huge."""
    if data.n_features or model is None or data.split is None:
        return data
    split = data.split
    used = np.concatenate([split.train, split.test])
    kept = with_simulated_features(
        data.with_split(Split(used, np.empty(0, dtype=np.intp))).train,
        **{"random_state": 0, **model},
    )
    n_train = len(split.train)
    return kept.with_split(
        Split(np.arange(n_train), np.arange(n_train, len(used)), name=split.name)
    )


def _limited(split: Split, seed: int, rows: Any) -> Split:
    if rows is None:
        return split
    rng = np.random.default_rng(seed)
    sides = [
        np.sort(rng.permutation(side)[:most])
        for side, most in zip((split.train, split.test), rows, strict=True)
    ]
    return Split(sides[0], sides[1], name=f"{split.name}, {len(sides[0])}/{len(sides[1])} rows")
