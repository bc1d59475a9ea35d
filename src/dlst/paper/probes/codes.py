"""The probe "codes": codes of a label matrix for growing lengths."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.stats import pearsonr, spearmanr

from dlst._matrices import FloatArray
from dlst.data import Dataset
from dlst.encoders import (
    DistributionEncoder,
    LabelSets,
    PrincipalEncoder,
    distinct_label_sets,
    kl_divergence,
)
from dlst.errors import PlanError
from dlst.experiments.latent_plane import spread_rows
from dlst.experiments.protocols import rows_of

LADDER = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
MOST_SHOWN_COMPONENTS = 100
ROWS_SHOWN = 60
MOST_PAIRS = 20_000

FEWEST_PAIRS = 20
"""A label distance with fewer pairs has no quartiles worth drawing."""

NEAR_ZERO = 0.01
"""What is nearer to 0 counts as 0; the step from "without a label" to "with it" is 1."""


class _Pairs(NamedTuple):
    """Pairs of training rows, and the number of labels in which they differ."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    label_distances: FloatArray


def codes(data: Dataset, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Encode the labels of the training rows by principal and by KL-aligned codes.

    Parameters
    ----------
    data : Dataset
        The official training rows are used, or a random half; an unknown label is none.
    settings : mapping
        ``n_components``: lengths of codes, or "auto", a ladder from 1 to the rank of the labels;
        ``rows_shown``: how many rows to keep as an example; ``seed``.

    Returns
    -------
    dict
        ``labels`` (for each row shown, its labels), ``principal`` and ``aligned`` (their codes at
        ``shown_components``, half the rank), ``density`` (share of the label matrix that is not
        near zero, as it is and with each label's mean subtracted), and ``steps``: for each length
        what :func:`_judged` says of both codes.
    """
    seed = settings.get("seed", 0)
    rows = rows_of(data, "auto", seed, {})
    Y = (rows.train.Y.toarray() == 1).astype(np.float64)
    sets = distinct_label_sets(Y)
    rank = max(1, PrincipalEncoder().fit(Y).rank_)
    shown_components = min(-(-rank // 2), MOST_SHOWN_COMPONENTS)
    shown = _like_beside_like(Y, settings.get("rows_shown", ROWS_SHOWN))
    pairs = _drawn_pairs(Y, seed)
    steps, examples = [], {}
    for r in _lengths(settings.get("n_components", "auto"), rank, shown_components):
        clock = [time.perf_counter()]
        principal = PrincipalEncoder(r).fit_transform(Y)
        clock.append(time.perf_counter())
        encoder = DistributionEncoder(r, random_state=seed)
        aligned = encoder.fit_transform(Y)
        clock.append(time.perf_counter())
        if r == shown_components:
            examples = {
                "principal": np.round(principal[shown], 3).tolist(),
                "aligned": np.round(aligned[shown], 3).tolist(),
            }
        seconds = np.round(np.diff(clock), 4).tolist()
        steps.append(
            {
                "n_components": r,
                "principal": {**_judged(Y, sets, principal, pairs), "seconds": seconds[0]},
                "aligned": {**_judged(Y, sets, aligned, pairs), "seconds": seconds[1]},
                "iterations": encoder.n_iter_,
                "converged": bool(encoder.converged_),
            }
        )
    return {
        "data": data.name,
        "split": rows.split,
        "n_train": len(Y),
        "n_labels": data.n_labels,
        "n_label_sets": len(sets),
        "rank": rank,
        "label_names": list(rows.train.label_names),
        "rows": shown.tolist(),
        "labels": [np.flatnonzero(row).tolist() for row in Y[shown]],
        "shown_components": shown_components,
        **examples,
        "near_zero": NEAR_ZERO,
        "density": {"labels": _density(Y), "centred": _density(Y - Y.mean(axis=0))},
        "n_pairs": len(pairs.first),
        "fewest_pairs": FEWEST_PAIRS,
        "steps": steps,
    }


def _lengths(wanted: Any, rank: int, shown: int) -> list[int]:
    """Return the lengths to try, the shown one and the rank among them; none exceeds the rank."""
    if wanted == "auto":
        wanted = LADDER
    if not isinstance(wanted, list | tuple) or not all(
        isinstance(r, int) and not isinstance(r, bool) and r > 0 for r in wanted
    ):
        raise PlanError(
            f'n_components must be "auto" or a list of integers above 0; got {wanted!r}.'
        )
    return sorted({*(min(r, rank) for r in wanted), shown, rank})


def _like_beside_like(Y: FloatArray, n_shown: int) -> NDArray[np.intp]:
    """Take evenly spaced rows, and order them by their labels."""
    chosen = spread_rows(len(Y), n_shown)
    if len(chosen) < 3:
        return chosen
    tree = linkage(Y[chosen], "average", metric="cityblock", optimal_ordering=True)
    return np.asarray(chosen[leaves_list(tree)])


def _drawn_pairs(Y: FloatArray, seed: int) -> _Pairs:
    n = len(Y)
    if n * (n - 1) // 2 <= MOST_PAIRS:
        first, second = np.triu_indices(n, 1)
    else:
        rng = np.random.default_rng(seed)
        first = rng.integers(n, size=MOST_PAIRS)
        second = (first + rng.integers(1, n, size=MOST_PAIRS)) % n
    return _Pairs(first, second, (Y[first] != Y[second]).sum(axis=1).astype(np.float64))


def _judged(Y: FloatArray, sets: LabelSets, Z: FloatArray, pairs: _Pairs) -> dict[str, Any]:
    """Say what codes keep of the labels.

    ``kl`` is KL(Q ‖ U) in nats; ``density`` the share of entries not near zero; ``pearson`` and
    ``spearman`` correlate squared code distances with label distances; ``largest_gap`` is the
    largest difference of the two over the pairs; ``variance_read`` is the share of the labels'
    variance that an affine function of the code gives back; ``curve`` has, for each label
    distance, mean and quartiles of the squared code distances.
    """
    # Equal distances must stay equal, or their ranks would differ by rounding.
    distances = np.round(((Z[pairs.first] - Z[pairs.second]) ** 2).sum(axis=1), 9)
    divergence, _ = kl_divergence(sets.sets, Z[sets.first], weights=sets.counts)
    constant = not np.ptp(distances) or not np.ptp(pairs.label_distances)
    correlated = (pairs.label_distances, distances)
    return {
        "kl": _rounded(round(divergence, 12)),
        "density": _density(Z),
        "pearson": None if constant else _rounded(pearsonr(*correlated).statistic),
        "spearman": None if constant else _rounded(spearmanr(*correlated).statistic),
        "largest_gap": _rounded(np.abs(distances - pairs.label_distances).max(initial=0.0)),
        "variance_read": _variance_read(Y, Z),
        "curve": _curve(pairs.label_distances, distances),
    }


def _density(values: FloatArray) -> float:
    return _rounded((np.abs(values) > NEAR_ZERO).mean())


def _variance_read(Y: FloatArray, Z: FloatArray) -> float | None:
    centred, inputs = Y - Y.mean(axis=0), Z - Z.mean(axis=0)
    total = (centred**2).sum()
    if not total:
        return None
    weights = np.linalg.lstsq(inputs, centred, rcond=None)[0]
    return _rounded(1 - ((centred - inputs @ weights) ** 2).sum() / total)


def _curve(label_distances: FloatArray, distances: FloatArray) -> list[dict[str, float]]:
    curve = []
    for step in np.unique(label_distances):
        those = distances[label_distances == step]
        if len(those) >= FEWEST_PAIRS:
            low, median, high = np.quantile(those, (0.25, 0.5, 0.75))
            curve.append(
                {
                    "label_distance": int(step),
                    "pairs": len(those),
                    "mean": _rounded(those.mean()),
                    "low": _rounded(low),
                    "median": _rounded(median),
                    "high": _rounded(high),
                }
            )
    return curve


def _rounded(value: Any) -> float:
    """Keep five digits, and no sign of zero."""
    return float(f"{value:.5g}") + 0.0
