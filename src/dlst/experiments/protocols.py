"""From a data set to training and test rows, as a cell asks for them.

A protocol is a mapping with any of

- ``test_size``: share of the rows that a random split tests on (default 0.5 for data without an
  official split, else the official sizes);
- ``rows``: ``[n_train, n_test]``, at most so many rows of either side, drawn at random;
- ``fraction``: train on this share of each class of the training rows; ``reading`` says how (see
  :func:`dlst.data.per_class_fraction`);
- ``missing``: share of the training positives to drop (see :func:`dlst.data.drop_labels`);
- ``transductive``: give the features of the test rows, without their labels, to the methods that
  learn from unlabelled rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst.data import Dataset, Split, drop_labels, per_class_fraction, random_split
from dlst.data.splits import repeated_random_splits
from dlst.errors import PlanError

KEYS = ("test_size", "rows", "fraction", "reading", "missing", "transductive")
DEFAULT_TEST_SIZE = 0.5


@dataclass(frozen=True, eq=False)
class Rows:
    """Training and test rows, and how they came about.

    Attributes
    ----------
    train, test : Dataset
    split : str
        Name of the split.
    effective_missing : float or None
        Share of the training positives that was dropped, where some were to be.
    """

    train: Dataset
    test: Dataset
    split: str
    effective_missing: float | None = None


def check_protocol(protocol: Mapping[str, Any]) -> None:
    """Refuse keys and values that mean nothing."""
    strange = sorted(set(protocol) - set(KEYS))
    if strange:
        raise PlanError(f"a protocol has {', '.join(KEYS)}; got {', '.join(strange)}.")
    for key in ("test_size", "fraction", "missing"):
        share = protocol.get(key, 0.5)
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < 1:
            raise PlanError(f"{key} must lie between 0 and 1; got {share!r}.")
    rows = protocol.get("rows", [1, 1])
    if len(rows) != 2 or not all(isinstance(count, int) and count > 0 for count in rows):
        raise PlanError(f"rows must be [n_train, n_test]; got {rows!r}.")


def rows_of(data: Dataset, split: str, seed: int, protocol: Mapping[str, Any]) -> Rows:
    """Draw the rows of a cell: the same for the same seed, whatever the method."""
    drawn = _limited(_drawn_split(data, split, seed, protocol), seed, protocol.get("rows"))
    if "fraction" in protocol:
        inner = per_class_fraction(
            data,
            protocol["fraction"],
            reading=protocol.get("reading", "stratified"),
            rows=drawn.train,
            random_state=seed,
        )
        drawn = Split(inner.train, drawn.test, name=inner.name)
    parts = data.with_split(drawn)
    train, test = parts.train, parts.test
    if "missing" not in protocol:
        return Rows(train, test, drawn.name)
    dropped = drop_labels(train, protocol["missing"], random_state=seed)
    return Rows(replace(train, Y=dropped.Y), test, drawn.name, dropped.effective_rate)


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
    if split == "official" or (split == "auto" and data.split is not None):
        return data.official_split()
    size = protocol.get("test_size")
    if size is None and data.split is not None:
        return next(repeated_random_splits(data, 1, random_state=seed))
    return random_split(data, DEFAULT_TEST_SIZE if size is None else size, random_state=seed)


def _limited(split: Split, seed: int, rows: Any) -> Split:
    if rows is None:
        return split
    rng = np.random.default_rng(seed)
    sides = [
        np.sort(rng.permutation(side)[:most])
        for side, most in zip((split.train, split.test), rows, strict=True)
    ]
    return Split(sides[0], sides[1], name=f"{split.name}, {len(sides[0])}/{len(sides[1])} rows")
