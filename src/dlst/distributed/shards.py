"""Computations on the training rows of one shard, on their worker."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FeatureMatrix, FloatArray, IntArray
from dlst.decoders.leave_two_out import leave_two_out_neighbours
from dlst.distributed.blocks import Block
from dlst.distributed.ridge import Regressed, RowsSmoother, stacked, targets_of
from dlst.distributed.sums import Spread
from dlst.distributed.votes import Candidates, candidates, nearest_in


class Voters(NamedTuple):
    """A shard of voting training rows: index of the first, codes, features, labels."""

    start: int
    codes: FloatArray
    X: FeatureMatrix
    Y: sp.csr_array


def scaled(block: Block, scaler: Any, varying: IntArray) -> Block:
    """Return a block with scaled features and the labels that vary."""
    everything = len(varying) == block.Y.shape[1]
    return Block(
        block.start, scaler.transform(block.X), block.Y if everything else block.Y[:, varying]
    )


def near_in(
    shard: Block,
    queries: Block,
    rows: IntArray,
    codes: Regressed,
    alpha: float,
    encoder: Any,
    wanted: int,
    rhos: tuple[float, ...],
    features: bool,
) -> Candidates:
    """Return the nearest of a shard by left-out codes, for each rho, and by features."""
    m = shard.X.shape[0]
    inside = (rows >= shard.start) & (rows < shard.start + m)
    local = stacked([Block(0, queries.X[~inside], queries.Y[~inside]), shard])
    n_outside = int((~inside).sum())
    # A query in this shard is not its own neighbour.
    places = np.empty(len(rows), dtype=np.int64)
    places[~inside] = np.arange(n_outside)
    places[inside] = n_outside + rows[inside] - shard.start
    found = leave_two_out_neighbours(
        RowsSmoother(codes, alpha, local.X),
        encoder.transform(local.Y),
        places,
        n_outside + np.arange(m),
        min(wanted, m),
        rhos,
    )
    if features:
        # One extra, as the query itself may be among them.
        found.append(nearest_in(shard.X, wanted + 1, queries.X))
    return candidates(found, shard.start, shard.Y)


def left_out_labels(
    shard: Block, labels: Regressed, alpha: float, means: FloatArray, rows: IntArray
) -> tuple[Spread, FloatArray]:
    """Return the spread of left-out read-outs of absent labels, and the read-outs of some rows."""
    smoother = RowsSmoother(labels, alpha, shard.X)
    left_out = smoother.leave_one_out(targets_of(shard, means))
    absent = (shard.Y.toarray() == 0).astype(np.float64)
    inside = rows[(rows >= shard.start) & (rows < shard.start + len(left_out))]
    return Spread.of(left_out, absent), left_out[inside - shard.start]


def voters_of(shard: Block, codes: Regressed, alpha: float, encoder: Any, rho: float) -> Voters:
    """Return a shard of voters: left-out codes, blended with a share of their targets."""
    smoother, targets = RowsSmoother(codes, alpha, shard.X), encoder.transform(shard.Y)
    left_out = smoother.leave_one_out(targets)
    return Voters(shard.start, (1.0 - rho) * left_out + rho * targets, shard.X, shard.Y)
