"""How much the ranking of a row's labels is to lean towards rare ones, learnt on left-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dlst.decoders._inputs import FloatArray
from dlst.metrics import instance_average_precision

TAUS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
JUDGED_ENTRIES = 2_000_000


def learnt_correction(
    logits: FloatArray, Y: Any, prior: FloatArray, taus: Sequence[float] = TAUS
) -> float:
    """Return the tau with which logit p - tau · log prior ranks best.

    Best is the highest average precision of a row's known labels, the mean over rows; of equal ones
    the lowest.

    Parameters
    ----------
    logits : ndarray of shape (n, K)
        Of training rows, each predicted without itself. Of more than four million entries some
        rows at even steps are enough.
    Y : csr_array of shape (n, K)
        Their labels, NaN where unknown.
    prior : ndarray of shape (K,)
        Of the labels, above 0.
    taus : sequence of float
        What is tried.
    """
    n, K = logits.shape
    judged = slice(0, n, max(1, n * K // JUDGED_ENTRIES))
    logits, Y = logits[judged], Y[judged]
    if K < 2 or not (Y.data == 1).any():
        return float(taus[0])
    found = [float(instance_average_precision(Y, logits - tau * np.log(prior))) for tau in taus]
    return float(taus[int(np.argmax(found))])
