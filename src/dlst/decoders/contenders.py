"""The labels that can be among the best of a row, where most have no vote."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from dlst._kernels.contenders import contending_labels
from dlst._matrices import FloatArray
from dlst.decoders.evidences.ballot import VOTE_MARGIN, Poll

LEAST, SURE, SLACK = -34.6, 20.0, 1e-7
"""Whoever ranks by probabilities sees no logit below the first, and above the second blurred ones;
between them, what is rounded is far less than the third."""


def contenders(
    known: FloatArray,
    polls: Sequence[tuple[FloatArray, Poll]],
    at_least: int,
    handicap: FloatArray | None = None,
) -> sp.csr_array:
    """Return the logits of all labels that can be among the best of their row.

    Votes on labels that some voter has are counted; any other label has the prior's vote, which is
    bounded for all rows at once. What cannot reach the best by these bounds is left out, so the
    ``at_least`` best by logit less handicap are stored whatever happens, and few others are.

    Parameters
    ----------
    known : ndarray of shape (n, K)
        Logits but for the votes.
    polls : sequence of slopes, shape () or (K,), and Poll
        One or more, of one electorate.
    at_least : int
        How many best; at most K.
    handicap : ndarray of shape (K,), optional
        What each label's logit is lessened by before it is ranked.

    Returns
    -------
    csr_array of shape (n, K)
        Logits, the very ones that all labels together would have.
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
