"""Folds in which every label has its share: iterative stratification for multi-label data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from dlst._matrices import FloatArray, IntArray
from dlst.data._sampling import count_of, generator_of, labels_of, positives_of
from dlst.data.dataset import Split
from dlst.data.stratification.balancing_kernel import even_out
from dlst.data.stratification.spreading_kernel import spread_units

# Measured on yeast, delicious and planted labels: more of either changes the third digit at most.
_MAX_PASSES = 20
_N_PARTNERS = 10


class IterativeStratification(BaseCrossValidator):  # type: ignore[misc]  # scikit-learn is untyped
    """Cross-validation in folds of equal label frequencies; a scikit-learn splitter.

    Parameters
    ----------
    n_splits : int
        Number of folds.
    shuffle : bool
        Serve the rows in a random order; without it the folds depend on the data alone.
    random_state : None, int, RandomState or Generator
        Seed; the same int gives the same folds.

    See Also
    --------
    stratified_folds : The algorithm, and folds of unequal size.

    References
    ----------
    Sechidis, Tsoumakas, Vlahavas (2011). On the stratification of multi-label data.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.array([[1, 0], [1, 1], [0, 1], [0, 0]] * 3)
    >>> for train, test in IterativeStratification(3, random_state=0).split(Y, Y):
    ...     print(len(train), len(test), Y[test].sum(axis=0))
    8 4 [2 2]
    8 4 [2 2]
    8 4 [2 2]
    """

    # Lets `cross_validate(params={"groups": ...})` hand groups on when metadata routing is on.
    __metadata_request__split = {"groups": True}  # noqa: RUF012

    def __init__(self, n_splits: int = 5, *, shuffle: bool = True, random_state: Any = None):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds; the arguments are ignored, as in scikit-learn."""
        return self.n_splits

    def split(
        self, X: Any, y: Any, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training and the test rows of each fold.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Only its number of rows matters.
        y : array-like, sparse or frame of shape (n, K), or classes of shape (n,)
            Label indicator.
        groups : array-like of shape (n,), optional
            Rows of one group go into the same fold.
        """
        yield from super().split(X, y, groups)

    def _iter_test_indices(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[NDArray[np.intp]]:
        if y is None:
            raise ValueError("IterativeStratification needs the labels; call split(X, Y).")
        if self.n_splits < 2:
            raise ValueError(f"n_splits must be at least 2; got n_splits={self.n_splits}.")
        folds = stratified_folds(
            y,
            [1] * self.n_splits,
            groups=groups,
            shuffle=self.shuffle,
            random_state=self.random_state,
        )
        for fold in range(self.n_splits):
            yield np.flatnonzero(folds == fold)


def stratified_split(
    Y: Any, test_size: float = 0.33, *, groups: Any = None, random_state: Any = None
) -> Split:
    """Split rows in two parts in which every label has the same frequency.

    Parameters
    ----------
    Y : Dataset, or label indicator of shape (n, K)
        NaN entries are ignored.
    test_size : float or int
        Share of the rows, rounded up, or their number. Without groups the size is met exactly.
    groups : array-like of shape (n,), optional
        Rows of one group stay together.
    random_state : None, int, RandomState or Generator
        Seed.

    Returns
    -------
    Split

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.repeat([[1, 0], [0, 1], [1, 1]], 20, axis=0)
    >>> split = stratified_split(Y, test_size=0.25, random_state=0)
    >>> len(split.test), Y[split.test].sum(axis=0)
    (15, array([10, 10]))
    """
    labels = _indicator(Y)
    n_test = count_of(test_size, labels.shape[0])
    sizes = [labels.shape[0] - n_test, n_test]
    folds = stratified_folds(labels, sizes, groups=groups, random_state=random_state)
    return Split(np.flatnonzero(folds == 0), np.flatnonzero(folds == 1), name="stratified")


def stratified_folds(
    Y: Any,
    proportions: Sequence[float],
    *,
    groups: Any = None,
    shuffle: bool = True,
    random_state: Any = None,
) -> NDArray[np.intp]:
    """Assign each row to a fold so that every label has its share in every fold.

    Parameters
    ----------
    Y : Dataset, label indicator of shape (n, K), or classes of shape (n,)
        NaN entries are ignored.
    proportions : sequence of positive numbers
        Relative sizes of the folds: ``[1] * 5`` for five equal ones, ``[8, 1, 1]``.
    groups : array-like of shape (n,), optional
        Rows of one group go into the same fold.
    shuffle : bool
        Serve the rows in a random order.
    random_state : None, int, RandomState or Generator
        Seed.

    Returns
    -------
    folds : ndarray of int, shape (n,)
        Fold number of each row. Without groups the fold sizes are exact (n times the proportion,
        rounded so that they add up); with groups they are as near as whole groups allow.

    Notes
    -----
    Sechidis, Tsoumakas and Vlahavas (2011): take the label with the fewest rows left; give each of
    its rows to the fold that lacks most of that label, on a tie to the one that lacks most rows,
    then by lot; rows without labels come last. That serves rare labels well, but leaves the
    common ones and the fold sizes to what the rare ones dictate. So single rows are moved and
    pairs swapped afterwards while ``Σ (held − wanted)² / √positives`` over folds and labels falls;
    the root is the middle between equal counts (which sacrifices rare labels) and equal
    percentages (which ignores common ones). Time is O(nnz · folds); no dense copy of Y is made.

    Groups are served the same way, largest first, and a label's rarity counts its groups.

    References
    ----------
    Sechidis, Tsoumakas, Vlahavas (2011). On the stratification of multi-label data.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.repeat([[1, 0], [0, 1]], 10, axis=0)
    >>> folds = stratified_folds(Y, [3, 1, 1], random_state=0)
    >>> [Y[folds == fold].sum(axis=0).tolist() for fold in range(3)]
    [[6, 6], [2, 2], [2, 2]]
    """
    positives = positives_of(_indicator(Y))
    n = positives.shape[0]
    unit_of_row, sizes = _units(groups, n)
    n_units = sizes.size
    quotas = _quotas(n, proportions, n_units)
    if groups is not None:
        membership = sp.csr_array(
            (np.ones(n, np.int64), (unit_of_row, np.arange(n))), shape=(n_units, n)
        )
        positives = sp.csr_array(membership @ positives)
    rng = generator_of(random_state) if shuffle else None
    order = np.arange(n_units) if rng is None else rng.permutation(n_units)
    order = order[np.argsort(-sizes[order], kind="stable")]
    ties = np.zeros(n_units) if rng is None else rng.random(n_units)

    totals = np.append(positives.sum(axis=0), n)
    targets = np.outer(totals, quotas / n)
    targets[-1] = quotas
    weights = 1 / np.sqrt(np.maximum(totals, 1))
    weights[-1] = weights[:-1].max(initial=1e-3)
    matrix = (
        positives.indptr.astype(np.int64),
        positives.indices.astype(np.int64),
        positives.data,
        sizes,
    )
    folds = spread_units(*matrix, targets, order, ties)
    even_out(*matrix, targets, weights, order, folds, _MAX_PASSES, _N_PARTNERS)
    return np.asarray(folds[unit_of_row], dtype=np.intp)


def label_deviation(Y: Any, folds: NDArray[np.intp]) -> tuple[float, float]:
    """Measure how far folds are from the whole, as Sechidis et al. do.

    Parameters
    ----------
    Y : Dataset or label indicator of shape (n, K)
        NaN entries count as absent.
    folds : ndarray of int, shape (n,)
        Fold number of each row, of folds of (nearly) equal size.

    Returns
    -------
    label_distribution : float
        LD: the difference between a label's ratio of positives to negatives in a fold and in all
        rows, averaged over folds, then over the labels that have both.
    example_distribution : float
        ED: mean difference between a fold's size and n / folds.

    References
    ----------
    Sechidis, Tsoumakas, Vlahavas (2011). On the stratification of multi-label data.

    Examples
    --------
    >>> import numpy as np
    >>> label_deviation([[1], [0], [1], [0]], np.array([0, 0, 1, 1]))
    (0.0, 0.0)
    """
    positives = positives_of(labels_of(Y))
    n = positives.shape[0]
    sizes = np.bincount(folds).astype(np.float64)
    members = sp.csr_array((np.ones(n, np.int64), (folds, np.arange(n))), shape=(sizes.size, n))
    held = (members @ positives).toarray()
    totals = held.sum(axis=0)
    judged = (totals > 0) & (totals < n)
    held, totals = held[:, judged], totals[judged]
    with np.errstate(divide="ignore"):
        differences = np.abs(held / (sizes[:, None] - held) - totals / (n - totals))
    label_distribution = float(differences.mean(axis=0).mean()) if judged.any() else 0.0
    return label_distribution, float(np.abs(sizes - n / sizes.size).mean())


def _indicator(Y: Any) -> sp.csr_array:
    """Return the label matrix; 1-D classes become one column each."""
    if not sp.issparse(Y) and getattr(Y, "ndim", None) == 1:
        classes, columns = np.unique(np.asarray(Y), return_inverse=True)
        n = columns.size
        return sp.csr_array((np.ones(n), columns, np.arange(n + 1)), shape=(n, classes.size))
    return labels_of(Y)


def _units(groups: Any, n: int) -> tuple[NDArray[np.intp], IntArray]:
    """Find the unit (group) of each row and the rows of each unit."""
    if groups is None:
        return np.arange(n), np.ones(n, np.int64)
    groups = np.asarray(groups)
    if groups.shape != (n,):
        raise ValueError(
            f"groups must give a group for each of the {n} rows; got shape {groups.shape}."
        )
    _, unit_of_row = np.unique(groups, return_inverse=True)
    return unit_of_row, np.bincount(unit_of_row).astype(np.int64)


def _quotas(n: int, proportions: Sequence[float], n_units: int) -> FloatArray:
    """Round n times the proportions to whole rows that add up to n (largest remainder)."""
    shares = np.asarray(proportions, dtype=np.float64)
    if shares.ndim != 1 or shares.size < 2 or not (np.isfinite(shares) & (shares > 0)).all():
        raise ValueError(
            f"proportions must be two or more positive numbers, one per fold; got {proportions!r}."
        )
    if shares.size > n_units:
        raise ValueError(
            f"there must be at least as many rows or groups as folds; got {n_units} for "
            f"{shares.size} folds. Lower the number of folds."
        )
    exact = n * shares / shares.sum()
    quotas: FloatArray = np.floor(exact)
    short = n - int(quotas.sum())
    quotas[np.argsort(quotas - exact, kind="stable")[:short]] += 1
    return quotas
