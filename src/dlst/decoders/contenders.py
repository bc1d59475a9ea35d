"""The labels that can rank among the best of a row, where most have no vote."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from dlst._kernels.contenders import contending_labels
from dlst._matrices import FloatArray
from dlst.decoders.evidences.ballot import VOTE_MARGIN, Poll

LEAST, SURE, SLACK = -34.6, 20.0, 1e-7
"""Probabilities do not distinguish logits below the first, and blur those above the second; between
them, rounding is far below the third."""


def contenders(
    known: FloatArray,
    polls: Sequence[tuple[FloatArray, Poll]],
    at_least: int,
    handicap: FloatArray | None = None,
) -> sp.csr_array:
    """Return the logits of all labels that can be among the best of their row.

    Votes are counted for labels that some voter has; any other label has the prior's vote, which is
    bounded for all rows at once. Labels that these bounds exclude are left out: the ``at_least``
    best by logit less handicap are always stored, and few others.

    Parameters
    ----------
    known : ndarray of shape (n, K)
        Logits without the votes.
    polls : sequence of slopes, shape () or (K,), and Poll
        One or more, of the same voters.
    at_least : int
        Number of best labels; at most K.
    handicap : ndarray of shape (K,), optional
        Subtracted from each label's logit before ranking.

    Returns
    -------
    csr_array of shape (n, K)
        Logits, identical to those of scoring all labels.
    """
    n, K = known.shape
    slopes = np.stack([np.broadcast_to(slope, K) for slope, _ in polls])
    votes = [poll for _, poll in polls]
    electorate = votes[0].ballot
    bounds = [
        sum(slope * poll.unvoted(worth(poll.n_eff)) for slope, poll in polls)
        for worth in ((np.max, np.min) if n else ())
    ] or [np.zeros(K)] * 2
    starts, labels, given = contending_labels(
        np.ascontiguousarray(known),
        np.zeros(K) if handicap is None else handicap,
        slopes,
        *bounds,
        tuple(poll.voters for poll in votes),
        tuple(poll.weights for poll in votes),
        np.stack([poll.total for poll in votes]),
        np.stack([poll.n_eff for poll in votes]),
        electorate.prior,
        electorate.values.indptr,
        electorate.values.indices,
        VOTE_MARGIN,
        (LEAST, SURE, SLACK),
        at_least,
    )
    rows = np.repeat(np.arange(n), np.diff(starts))
    logits = known[rows, labels]
    for slope, poll, gift in zip(slopes, votes, given, strict=True):
        logits += slope[labels] * poll.evidence(gift, rows, labels)
    return sp.csr_array((logits, labels, starts), shape=(n, K))
