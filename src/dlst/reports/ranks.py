"""Methods ranked on many data sets: mean ranks, Friedman's test and Nemenyi's after it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import chi2, f, studentized_range

from dlst._matrices import FloatArray
from dlst.errors import DataError

TIE_DECIMALS = 12
"""Scores that agree so far are tied: means summed in another order differ in the last bits."""


@dataclass(frozen=True)
class Ranks:
    """Ranks of methods; 1 is the best.

    Attributes
    ----------
    by_data : DataFrame of shape (n_data, n_methods)
        Ranks on each data set; tied methods share the average of their ranks.
    mean : Series of shape (n_methods,)
        Over data sets, in the order of the methods given.
    left_out : tuple of str
        Data sets that have no finite score for some method, and are not counted.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.6, 0.65]}, index=["x", "y", "z"])
    >>> mean_ranks(scores).mean.tolist()
    [1.0, 2.0]
    """

    by_data: pd.DataFrame
    mean: pd.Series
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Friedman:
    """Friedman's test that all methods are alike, in its two forms.

    Attributes
    ----------
    chi_square, chi_square_p : float
        Friedman's statistic, corrected for ties, and its p-value.
    f, f_p : float
        Iman and Davenport's statistic, which is less conservative, and its p-value.
    n_data, n_methods : int

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.6, 0.65]}, index=["x", "y", "z"])
    >>> friedman_test(scores).n_methods
    2
    """

    chi_square: float
    chi_square_p: float
    f: float
    f_p: float
    n_data: int
    n_methods: int


@dataclass(frozen=True)
class Nemenyi:
    """All methods against all.

    Attributes
    ----------
    level : float
        Chance of one false difference or more, if all methods are alike.
    critical_difference : float
        Mean ranks that lie this far apart differ at the level.
    p_values : DataFrame of shape (n_methods, n_methods)

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.6, 0.65]}, index=["x", "y", "z"])
    >>> round(nemenyi(scores).critical_difference, 2)
    1.13
    """

    level: float
    critical_difference: float
    p_values: pd.DataFrame


def complete_scores(scores: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the data sets that have a finite score of every method, and the names of the others.

    A DataError, with fewer than two methods or two complete data sets, or a name twice.
    """
    for names, kind in ((scores.columns, "method"), (scores.index, "data set")):
        if not names.is_unique:
            twice = sorted(map(str, names[names.duplicated()].unique()))
            raise DataError(
                f"each {kind} must have a name of its own; got {', '.join(twice)} more than once. "
                "Average or rename them."
            )
    if scores.shape[1] < 2:
        raise DataError(
            f"ranks need at least 2 methods; got {scores.shape[1]}. Add results of other methods."
        )
    values = scores.astype(float)
    finite = pd.DataFrame(np.isfinite(values.to_numpy()), values.index, values.columns)
    whole = finite.all(axis=1)
    if whole.sum() < 2:
        poorest = finite.sum().idxmin()
        raise DataError(
            "ranks need at least 2 data sets with a score of every method; "
            f"got {whole.sum()} of {len(scores)}. "
            f"Add results, or leave out methods such as {poorest!r}, "
            f"which has {finite[poorest].sum()} scores."
        )
    return values[whole], tuple(map(str, scores.index[~whole]))


def mean_ranks(scores: pd.DataFrame, *, higher_is_better: bool = True) -> Ranks:
    """Rank the methods on each data set, and average the ranks.

    Parameters
    ----------
    scores : DataFrame of shape (n_data, n_methods)
        NaN where a method has no score; such data sets are left out, and named in the result.
    higher_is_better : bool

    Returns
    -------
    Ranks

    References
    ----------
    Demšar (2006). Statistical comparisons of classifiers over multiple data sets.

    Examples
    --------
    >>> scores = pd.DataFrame(
    ...     {"br": [0.6, 0.7, 0.5], "plst": [0.6, 0.8, 0.6], "dlst": [0.9, 0.9, float("nan")]},
    ...     index=["scene", "yeast", "corel5k"],
    ... )
    >>> ranks = mean_ranks(scores)
    >>> ranks.mean.to_dict()
    {'br': 2.75, 'plst': 2.25, 'dlst': 1.0}
    >>> ranks.left_out
    ('corel5k',)
    """
    complete, left_out = complete_scores(scores)
    by_data = complete.round(TIE_DECIMALS).rank(axis=1, ascending=not higher_is_better)
    return Ranks(by_data, by_data.mean(), left_out)


def friedman_test(scores: pd.DataFrame) -> Friedman:
    """Test whether the methods are alike, that is, whether their ranks are chance.

    Parameters
    ----------
    scores : DataFrame of shape (n_data, n_methods)
        As for :func:`mean_ranks`; the direction does not matter.

    Returns
    -------
    Friedman

    Notes
    -----
    Unlike :func:`scipy.stats.friedmanchisquare` this takes two methods, and methods that are tied
    everywhere (statistic 0, p-value 1). Where all data sets rank the methods alike, Iman and
    Davenport's F is infinite and its p-value would be 0, even with two data sets; the exact
    probability of such agreement by chance stands there instead.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.6, 0.65]}, index=["x", "y", "z"])
    >>> round(friedman_test(scores).chi_square, 3)
    3.0
    """
    ranks = mean_ranks(scores).by_data.to_numpy()
    n_data, n_methods = ranks.shape
    middle = (n_methods + 1) / 2
    spread = ((ranks - middle) ** 2).sum()
    if spread == 0:
        return Friedman(0.0, 1.0, 0.0, 1.0, n_data, n_methods)
    # With ties in the ranks the spread is below its textbook value: this corrects for them.
    between = n_data**2 * ((ranks.mean(axis=0) - middle) ** 2).sum()
    chi_square = float((n_methods - 1) * between / spread)
    chi_square_p = float(chi2.sf(chi_square, n_methods - 1))
    if (ranks == ranks[0]).all():
        f_value, f_p = math.inf, _chance_of_agreement(ranks)
    else:
        f_value = (n_data - 1) * chi_square / (n_data * (n_methods - 1) - chi_square)
        f_p = float(f.sf(f_value, n_methods - 1, (n_methods - 1) * (n_data - 1)))
    return Friedman(chi_square, chi_square_p, f_value, f_p, n_data, n_methods)


def nemenyi(scores: pd.DataFrame, level: float = 0.05) -> Nemenyi:
    """Compare all methods with all by their mean ranks.

    Parameters
    ----------
    scores : DataFrame of shape (n_data, n_methods)
        As for :func:`mean_ranks`; the direction does not matter.
    level : float
        Between 0 and 1.

    Returns
    -------
    Nemenyi

    References
    ----------
    Demšar (2006). Statistical comparisons of classifiers over multiple data sets.

    Examples
    --------
    >>> scores = pd.DataFrame({"br": range(10), "plst": range(1, 11), "dlst": range(2, 12)})
    >>> round(nemenyi(scores).critical_difference, 3)
    1.048
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; got {level}. The usual one is 0.05.")
    ranks = mean_ranks(scores)
    n_data, n_methods = ranks.by_data.shape
    # Of the difference of two mean ranks, over √2: the studentized range has one spread per mean.
    error = math.sqrt(n_methods * (n_methods + 1) / (12 * n_data))
    mean = ranks.mean.to_numpy()
    gaps = np.abs(mean[:, None] - mean)
    p_values = np.clip(studentized_range.sf(gaps / error, n_methods, np.inf), 0, 1)
    return Nemenyi(
        level=level,
        critical_difference=float(studentized_range.isf(level, n_methods, np.inf) * error),
        p_values=pd.DataFrame(p_values, index=ranks.mean.index, columns=ranks.mean.index),
    )


def _chance_of_agreement(ranks: FloatArray) -> float:
    """Return the probability that equal rows of ranks, shuffled at random, are equal again."""
    n_data, n_methods = ranks.shape
    _, tied = np.unique(ranks[0], return_counts=True)
    log_orders = math.lgamma(n_methods + 1) - sum(math.lgamma(count + 1) for count in tied)
    return math.exp(-(n_data - 1) * log_orders)
