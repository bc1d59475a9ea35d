"""One method against another over many data sets: Wilcoxon's test and its Bayesian counterpart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from dlst._matrices import FloatArray
from dlst.errors import DataError
from dlst.reports.ranks import TIE_DECIMALS, complete_scores
from dlst.reports.signed_rank import signed_rank_p

ROPE = 0.01
"""Differences up to this are none in practice, for scores between 0 and 1."""

N_DRAWS = 50_000
PRIOR_STRENGTH = 0.5
"""Weight of the prior's one pseudo-observation, where a data set weighs 1."""

BLOCK_VALUES = 2**20
"""Weights drawn at a time: 8 MiB."""


@dataclass(frozen=True)
class BayesianComparison:
    """Probabilities that one method is practically better than another, equal or worse.

    Attributes
    ----------
    better, equal, worse : float
        They add up to 1.
    rope : float
        Largest difference that counts as none.
    n_data : int
        Data sets compared.

    Examples
    --------
    >>> BayesianComparison(0.9, 0.08, 0.02, rope=0.01, n_data=12).better
    0.9
    """

    better: float
    equal: float
    worse: float
    rope: float
    n_data: int


def wilcoxon_against(
    scores: pd.DataFrame, reference: str, *, higher_is_better: bool = True
) -> pd.DataFrame:
    """Compare one method with each other by Wilcoxon's signed-rank test, two-sided.

    Parameters
    ----------
    scores : DataFrame of shape (n_data, n_methods)
        Data sets that lack a method are left out, as in :func:`~dlst.reports.ranks.mean_ranks`.
    reference : str
        One of the methods.
    higher_is_better : bool

    Returns
    -------
    DataFrame of shape (n_methods - 1, 6)
        A row for each other method: ``wins``, ``ties`` and ``losses`` of the reference,
        ``mean_difference`` (plus where the reference is better), ``p_value``, and ``p_holm``,
        corrected for the number of methods. Data sets that tie are not part of the test; where
        all do, the p-value is 1.

    References
    ----------
    Demšar (2006). Statistical comparisons of classifiers over multiple data sets.

    Examples
    --------
    >>> scores = pd.DataFrame({"dlst": [0.9, 0.8, 0.7, 0.9], "br": [0.8, 0.8, 0.5, 0.6]})
    >>> wilcoxon_against(scores, "dlst")[["wins", "ties", "losses", "mean_difference", "p_holm"]]
            wins  ties  losses  mean_difference  p_holm
    method
    br         3     1       0             0.15    0.25
    """
    complete, _ = complete_scores(scores)
    if reference not in complete.columns:
        raise ValueError(
            f"reference must be one of the methods ({', '.join(map(str, complete.columns))}); "
            f"got {reference!r}. Name one of them."
        )
    rows = {}
    for other in complete.columns.drop(reference):
        gaps = _advantage(complete[reference], complete[other], higher_is_better=higher_is_better)
        rows[other] = {
            "wins": int((gaps > 0).sum()),
            "ties": int((gaps == 0).sum()),
            "losses": int((gaps < 0).sum()),
            "mean_difference": float(gaps.mean()),
            "p_value": signed_rank_p(gaps),
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")
    return table.assign(p_holm=holm(table["p_value"]))


def holm(p_values: Sequence[float] | FloatArray | pd.Series) -> FloatArray:
    """Correct p-values for their number by Holm's step-down method.

    Parameters
    ----------
    p_values : sequence of float

    Returns
    -------
    ndarray of the same length

    References
    ----------
    Holm (1979). A simple sequentially rejective multiple test procedure.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    values: FloatArray = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    left = np.arange(len(values), 0, -1)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * left), 1.0)
    return corrected


def bayesian_signed_rank(
    scores_a: Sequence[float] | FloatArray | pd.Series,
    scores_b: Sequence[float] | FloatArray | pd.Series,
    rope: float = ROPE,
    n_draws: int = N_DRAWS,
    random_state: Any = None,
    *,
    higher_is_better: bool = True,
) -> BayesianComparison:
    """Return the probabilities that ``a`` is practically better than ``b``, equal or worse.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_data,)
        On the same data sets in the same order; pairs with a missing score are left out.
    rope : float
        Largest difference that counts as none (region of practical equivalence).
    n_draws : int
        Draws from the posterior; the error of a probability is at most ``0.5 / sqrt(n_draws)``.
    random_state : None, int or RandomState
    higher_is_better : bool

    Returns
    -------
    BayesianComparison

    Notes
    -----
    The differences and one pseudo-observation at 0 get Dirichlet weights, 1 for each data set and
    0.5 for the prior. A draw goes to the region (below, within, above the rope) that holds most of
    the weight of the averages of all pairs of differences; the probabilities are shares of draws.

    References
    ----------
    A. Benavoli, G. Corani, J. Demšar, M. Zaffalon, "Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis", JMLR 18, 2017.

    Examples
    --------
    >>> ours, theirs = [0.71, 0.85, 0.64, 0.90, 0.77], [0.65, 0.80, 0.60, 0.82, 0.70]
    >>> bayesian_signed_rank(ours, theirs, random_state=0).better > 0.95
    True
    """
    if not (np.isfinite(rope) and rope >= 0):
        raise ValueError(f"rope must be 0 or more; got {rope}. The usual one is {ROPE}.")
    if n_draws < 1:
        raise ValueError(f"n_draws must be 1 or more; got {n_draws}. The usual one is {N_DRAWS}.")
    differences = _paired_differences(scores_a, scores_b, higher_is_better=higher_is_better)
    above, below = _regions(differences, rope)
    random = check_random_state(random_state)
    strengths = np.append(np.ones(len(differences)), PRIOR_STRENGTH)
    block = max(1, BLOCK_VALUES // len(strengths))
    shares = np.zeros(3)
    for start in range(0, n_draws, block):
        weights = random.dirichlet(strengths, size=min(block, n_draws - start))
        better = ((weights @ above) * weights).sum(axis=1)
        worse = ((weights @ below) * weights).sum(axis=1)
        regions = np.column_stack([better, 1 - better - worse, worse])
        # A draw that two regions share counts half for each, so that swapping a and b is exact.
        most = regions == regions.max(axis=1, keepdims=True)
        shares += (most / most.sum(axis=1, keepdims=True)).sum(axis=0)
    better_p, equal_p, worse_p = (shares / n_draws).tolist()
    return BayesianComparison(better_p, equal_p, worse_p, rope, len(differences))


def _advantage(ours: Any, theirs: Any, *, higher_is_better: bool) -> FloatArray:
    """Return how much better ours are, without the noise of the last bits."""
    gaps = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    # Wilcoxon's ranks see a tie only where it is exact: 0.8 - 0.7 is not 0.7 - 0.6 in floats.
    advantage: FloatArray = np.round(gaps if higher_is_better else -gaps, TIE_DECIMALS)
    return advantage


def _paired_differences(scores_a: Any, scores_b: Any, *, higher_is_better: bool) -> FloatArray:
    are_named = isinstance(scores_a, pd.Series) and isinstance(scores_b, pd.Series)
    if are_named and not scores_a.index.equals(scores_b.index):
        raise DataError(
            "both methods must have the same data sets in the same order; got two that differ. "
            "Take both from one frame."
        )
    if np.shape(scores_a) != np.shape(scores_b) or np.ndim(scores_a) != 1:
        raise DataError(
            "both methods must have one score for each data set; "
            f"got shapes {np.shape(scores_a)} and {np.shape(scores_b)}. Pair them."
        )
    advantage = _advantage(scores_a, scores_b, higher_is_better=higher_is_better)
    known = advantage[np.isfinite(advantage)]
    if len(known) < 2:
        raise DataError(
            f"a comparison needs at least 2 data sets that both methods have scores of; "
            f"got {len(known)}. Add results."
        )
    return known


def _regions(differences: FloatArray, rope: float) -> tuple[FloatArray, FloatArray]:
    """Say for each pair, the pseudo-observation included, whether its average leaves the rope."""
    points = np.append(differences, 0.0)
    averages = np.round((points[:, None] + points) / 2, TIE_DECIMALS)
    return (averages > rope).astype(np.float64), (averages < -rope).astype(np.float64)
