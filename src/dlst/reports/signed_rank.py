"""Wilcoxon's signed-rank test, exact with ties."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata, wilcoxon

from dlst._matrices import FloatArray

MOST_EXACT = 50
"""As in SciPy: beyond, the normal approximation is good."""


def signed_rank_p(differences: Sequence[float] | FloatArray | pd.Series) -> float:
    """Return the two-sided p-value of paired differences; zeros are left out.

    Written by hand because :func:`scipy.stats.wilcoxon` permutes where differences tie, a second
    for each test, and reports make hundreds. Doubled mid-ranks are whole numbers, so the
    distribution of their sum over all signs is a short convolution, ties or not.

    Examples
    --------
    >>> signed_rank_p([1, 2, 3, 4, 5, 6])
    0.03125
    >>> signed_rank_p([1, 1, 1, 1, 1, -1])
    0.21875
    """
    values: FloatArray = np.asarray(differences, dtype=np.float64)
    values = values[values != 0]
    if not len(values):
        return 1.0
    if len(values) > MOST_EXACT:
        return float(wilcoxon(values).pvalue)
    doubled = np.rint(2 * rankdata(np.abs(values))).astype(int)
    chances = np.ones(1)
    for rank in doubled:
        # Each rank counts or does not, with equal chances.
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    observed = int(doubled[values > 0].sum())
    tail = min(chances[: observed + 1].sum(), chances[observed:].sum())
    return float(min(1.0, 2 * tail))
