"""Which rows train and which test: official, random, folds, and a share of every class."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from dlst.data._sampling import count_of, generator_of, labels_of, positives_of
from dlst.data._sampling_kernel import fill_quotas
from dlst.data.dataset import Dataset, Split
from dlst.data.stratification import stratified_split

Reading = Literal["stratified", "union", "random", "greedy"]


def official_split(data: Dataset) -> Split:
    """Return the split that the data came with.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    Split

    Raises
    ------
    DataError
        When there is none; the message names the functions that make one.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> official_split(load_multidigits()).name
    'official'
    """
    return data.official_split()


def random_split(data: Any, test_size: float = 0.33, *, random_state: Any = None) -> Split:
    """Draw the test rows at random.

    Parameters
    ----------
    data : int, Dataset or array
        Number of rows, or something that has rows.
    test_size : float or int
        Share of the rows, rounded up, or their number.
    random_state : None, int, RandomState or Generator
        Seed.

    Returns
    -------
    Split

    Examples
    --------
    >>> random_split(10, test_size=0.3, random_state=0)
    Split('random', train=7, test=3)
    """
    n = _number_of_rows(data)
    n_test = count_of(test_size, n)
    return _draw(n, n - n_test, n_test, generator_of(random_state), "random")


def repeated_random_splits(
    data: Any, n_repeats: int = 10, test_size: float | None = None, *, random_state: Any = None
) -> Iterator[Split]:
    """Yield random splits of one size: the paper's "10 random splits".

    Parameters
    ----------
    data : int, Dataset or array
        Number of rows, or something that has rows.
    n_repeats : int
        How many. With an int seed the first ones do not depend on it.
    test_size : float or int, optional
        Share or number of rows; default the sizes of the official split where the data have
        one, else 0.33.
    random_state : None, int, RandomState or Generator
        Seed.

    Yields
    ------
    Split

    Examples
    --------
    >>> [split.test.tolist() for split in repeated_random_splits(6, 3, 2, random_state=0)]
    [[0, 4], [0, 2], [3, 5]]
    """
    n = _number_of_rows(data)
    if test_size is None and isinstance(data, Dataset) and data.split is not None:
        n_train, n_test = len(data.split.train), len(data.split.test)
    else:
        n_test = count_of(0.33 if test_size is None else test_size, n)
        n_train = n - n_test
    rng = generator_of(random_state)
    for repeat in range(n_repeats):
        yield _draw(n, n_train, n_test, rng, f"random, repeat {repeat}")


def k_fold(
    data: Any, n_splits: int = 10, *, shuffle: bool = True, random_state: Any = None
) -> Iterator[Split]:
    """Yield the splits of scikit-learn's ``KFold``.

    Parameters
    ----------
    data : int, Dataset or array
        Number of rows, or something that has rows.
    n_splits : int
        Number of folds.
    shuffle : bool
        Whether rows are put in random order first.
    random_state : None, int, RandomState or Generator
        Seed.

    Yields
    ------
    Split

    Examples
    --------
    >>> [split.test.tolist() for split in k_fold(5, 2, shuffle=False)]
    [[0, 1, 2], [3, 4]]
    """
    seed = int(generator_of(random_state).integers(2**32)) if shuffle else None
    folds = KFold(n_splits, shuffle=shuffle, random_state=seed)
    rows = np.empty((_number_of_rows(data), 0))
    for fold, (train, test) in enumerate(folds.split(rows)):
        yield Split(train, test, name=f"fold {fold} of {n_splits}")


def per_class_fraction(
    Y: Any,
    fraction: float,
    *,
    reading: Reading = "stratified",
    rows: Any = None,
    random_state: Any = None,
) -> Split:
    """Train on a fraction "of each class", test on the rest.

    Parameters
    ----------
    Y : Dataset or label indicator of shape (n, K)
        NaN entries are ignored.
    fraction : float
        Share of each class, in (0, 1).
    reading : {"stratified", "union", "random", "greedy"}
        What the words mean when an instance has several classes:

        - ``"stratified"``: this fraction of the rows, by iterative stratification; the only one
          whose training set has the stated size and the classes' frequencies.
        - ``"union"``: this fraction of each class's rows (at least one) is drawn, the union
          trains. With c labels per row that is about ``1 − (1 − fraction)^c`` of all rows.
        - ``"random"``: this fraction of the rows at random, after one row of each class, the
          rarest class first, as long as they fit.
        - ``"greedy"``: rows in a random order are taken if they carry a class that has not yet
          this fraction (at least one row).
    rows : array-like of int, optional
        Draw from these rows only; all others become the test rows. With the official training
        rows the official test rows stay as they are. Default: draw from all rows, and those not
        drawn are the test rows.
    random_state : None, int, RandomState or Generator
        Seed.

    Returns
    -------
    Split
        Its name gives the reading, the share of the rows reached, and how many classes that have
        positives among ``rows`` have none in the training rows.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.repeat([[1, 0], [1, 1]], 50, axis=0)
    >>> per_class_fraction(Y, 0.1, random_state=0).name
    '10 % per class (stratified): 10.0 % of the rows'
    >>> per_class_fraction(Y, 0.1, reading="union", random_state=0).name
    '10 % per class (union): 14.0 % of the rows'
    """
    labels = labels_of(Y)
    n = labels.shape[0]
    pool = np.arange(n) if rows is None else _checked_rows(rows, n)
    positives = positives_of(labels[pool])
    if not 0 < fraction < 1:
        raise ValueError(f"fraction must lie between 0 and 1; got {fraction!r}. 10 % is 0.1.")
    draws = {
        "stratified": _stratified_draw,
        "union": _union_draw,
        "random": _random_draw,
        "greedy": _greedy_draw,
    }
    if reading not in draws:
        raise ValueError(f"reading must be one of {', '.join(draws)}; got {reading!r}.")
    drawn = draws[reading](positives, fraction, generator_of(random_state))
    train = np.sort(pool[drawn])
    test = np.setdiff1d(np.arange(n), train if rows is None else pool)
    name = f"{100 * fraction:g} % per class ({reading}): {100 * drawn.size / pool.size:.1f} %"
    lost = np.count_nonzero(positives.sum(axis=0)) - np.count_nonzero(positives[drawn].sum(axis=0))
    missing = f", {lost} classes without a training row" if lost else ""
    return Split(train, test, name=f"{name} of the rows{missing}")


def _stratified_draw(
    positives: sp.csr_array, fraction: float, rng: np.random.Generator
) -> NDArray[np.intp]:
    size = _share_of_rows(positives, fraction)
    return stratified_split(positives, size, random_state=rng).test


def _union_draw(
    positives: sp.csr_array, fraction: float, rng: np.random.Generator
) -> NDArray[np.intp]:
    by_class = sp.csc_array(positives)
    drawn = np.zeros(positives.shape[0], bool)
    for start, stop in zip(by_class.indptr[:-1], by_class.indptr[1:], strict=True):
        members = by_class.indices[start:stop]
        drawn[rng.choice(members, _class_quota(members.size, fraction), replace=False)] = True
    return np.flatnonzero(drawn)


def _random_draw(
    positives: sp.csr_array, fraction: float, rng: np.random.Generator
) -> NDArray[np.intp]:
    size = _share_of_rows(positives, fraction)
    by_class = sp.csc_array(positives)
    frequencies = np.diff(by_class.indptr)
    covered = np.zeros(positives.shape[1], bool)
    drawn: list[int] = []
    for label in np.argsort(frequencies, kind="stable"):
        if frequencies[label] == 0 or covered[label] or len(drawn) == size:
            continue
        row = int(rng.choice(by_class.indices[by_class.indptr[label] : by_class.indptr[label + 1]]))
        drawn.append(row)
        covered[positives.indices[positives.indptr[row] : positives.indptr[row + 1]]] = True
    others = np.setdiff1d(np.arange(positives.shape[0]), drawn)
    filled = rng.choice(others, size - len(drawn), replace=False)
    return np.concatenate([np.asarray(drawn, dtype=np.intp), filled])


def _greedy_draw(
    positives: sp.csr_array, fraction: float, rng: np.random.Generator
) -> NDArray[np.intp]:
    frequencies = positives.sum(axis=0)
    quotas = np.array([_class_quota(int(count), fraction) for count in frequencies], np.int64)
    taken = fill_quotas(
        positives.indptr.astype(np.int64),
        positives.indices.astype(np.int64),
        rng.permutation(positives.shape[0]),
        quotas,
    )
    return np.flatnonzero(taken)


def _class_quota(n_positives: int, fraction: float) -> int:
    # Rounded, because 0.1 · 30 is a hair above 3 and its ceiling would be 4.
    return math.ceil(round(fraction * n_positives, 9))


def _share_of_rows(positives: sp.csr_array, fraction: float) -> int:
    n = positives.shape[0]
    return count_of(max(1, round(fraction * n)), n, "fraction of the rows")


def _draw(n: int, n_train: int, n_test: int, rng: np.random.Generator, name: str) -> Split:
    shuffled = rng.permutation(n)[: n_train + n_test]
    return Split(np.sort(shuffled[n_test:]), np.sort(shuffled[:n_test]), name=name)


def _number_of_rows(data: Any) -> int:
    if isinstance(data, Dataset):
        return data.n_samples
    return int(data.shape[0] if hasattr(data, "shape") and data.shape else data)


def _checked_rows(rows: Any, n: int) -> NDArray[np.intp]:
    pool = np.asarray(rows)
    if pool.dtype == bool and pool.shape == (n,):
        pool = np.flatnonzero(pool)
    distinct = np.unique(pool).astype(np.intp)
    if pool.ndim != 1 or distinct.size != pool.size or not pool.size:
        raise ValueError(f"rows must be distinct row numbers; got an array of shape {pool.shape}.")
    if distinct[0] < 0 or distinct[-1] >= n:
        raise ValueError(
            f"rows must lie between 0 and {n - 1}; got {distinct[0]} to {distinct[-1]}."
        )
    return distinct
