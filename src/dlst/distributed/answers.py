"""Predictions where the rows, or the model's voters, are on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp
from dask import delayed
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from dlst._matrices import FeatureMatrix
from dlst.distributed.blocks import feature_blocks, row_lengths, tree_sum
from dlst.distributed.shards import Voters
from dlst.distributed.votes import Candidates, candidates, merged, nearest_in
from dlst.errors import DataError
from dlst.methods.answers import ROWS_AT_ONCE, Predictions
from dlst.metrics import TopLabels

ANSWERED = (
    "predict_proba",
    "decision_function",
    "predict",
    "predict_top",
    "predict_all",
    "transform",
)


class _Queries(NamedTuple):
    codes: Any
    X: FeatureMatrix


def answer(model: Any, method: str, X: Any, *arguments: Any, **named: Any) -> Any:
    """Call a method of a fitted model for rows of a Dask array, or with voters on a cluster.

    Returns
    -------
    What the method returns, with Dask arrays in place of arrays if ``X`` is one; these are lazy.
    """
    check_is_fitted(model)
    if method not in ANSWERED:
        raise DataError(
            f"{method} must have rows and model in memory; on a cluster there are "
            f"{', '.join(ANSWERED)}. Use X.compute(), or fit in memory."
        )
    lazy = hasattr(X, "__dask_graph__")
    parts = _dask_parts(X) if lazy else _memory_parts(model._checked_features(X))
    if lazy and X.shape[1] != model.n_features_in_:
        raise DataError(f"X must have {model.n_features_in_} features; got {X.shape[1]}.")
    light = copy(model)
    voters = vars(light).pop("cluster_voters_", None)
    light = delayed(light, traverse=False)
    call = delayed(partial(_answered, method=method, arguments=arguments, named=named))
    voters = None if method == "transform" else voters
    found = [call(light, rows, _near(light, rows, model, voters)) for rows, _ in parts]
    if not lazy:
        return _joined(dask.compute(*found))
    return _as_dask(model, method, found, [length for _, length in parts], arguments, named)


def _near(light: Any, rows: Any, model: Any, voters: Sequence[Any] | None) -> Any:
    """Find the voters on rows among the shards of a cluster; None for a model in memory."""
    if voters is None:
        return None
    votes = [each for each in model.decoder_.evidences_ if each.space is not None]
    if not votes:
        return None
    wanted = max(vote.k_ for vote in votes) + 1
    queries = delayed(_queries)(light, rows)
    spaces = tuple(vote.space for vote in votes)
    parts = [delayed(_near_in)(shard, queries, wanted, spaces) for shard in voters]
    return tree_sum(partial(merged, wanted=wanted), parts)


def _queries(model: Any, X: FeatureMatrix) -> _Queries:
    return _Queries(*model._latent(model._checked_features(X)))


def _near_in(shard: Voters, queries: _Queries, wanted: int, spaces: tuple[str, ...]) -> Candidates:
    searched = {"codes": (shard.codes, queries.codes), "features": (shard.X, queries.X)}
    found = []
    for space in spaces:
        rows, queries = searched[space]
        found.append(nearest_in(rows, wanted, queries))
    return candidates(found, shard.start, shard.Y)


def _answered(
    model: Any,
    X: FeatureMatrix,
    near: Candidates | None,
    *,
    method: str,
    arguments: tuple[Any, ...],
    named: dict[str, Any],
) -> Any:
    if near is not None:
        model = copy(model)
        model.decoder_ = model.decoder_.given(near)
    return getattr(model, method)(X, *arguments, **named)


def _dask_parts(X: Any) -> list[tuple[Any, int]]:
    """Split the blocks of a Dask array into lazy parts to be scored at once, with their lengths."""
    parts = []
    for block, length in zip(feature_blocks(X), row_lengths(X), strict=True):
        for cut in gen_batches(length, ROWS_AT_ONCE):
            part = block if length <= ROWS_AT_ONCE else block[cut]
            parts.append((part, cut.stop - cut.start))
    return parts


def _memory_parts(X: FeatureMatrix) -> list[tuple[Any, int]]:
    cuts = list(gen_batches(X.shape[0], ROWS_AT_ONCE))
    return [(delayed(X[cut], traverse=False), cut.stop - cut.start) for cut in cuts]


def _joined(parts: Sequence[Any]) -> Any:
    first = parts[0]
    if isinstance(first, tuple):
        return type(first)(*map(_joined, zip(*parts, strict=True)))
    if sp.issparse(first):
        return sp.csr_array(sp.vstack(parts, format="csr"))
    return np.concatenate(parts)


def _as_dask(
    model: Any,
    method: str,
    found: Sequence[Any],
    lengths: Sequence[int],
    arguments: tuple[Any, ...],
    named: dict[str, Any],
) -> Any:
    K, targets = model.n_labels_, model._targets

    def column(parts: Sequence[Any], width: int, dtype: Any, *, sparse: bool = False) -> Any:
        meta = sp.csr_array((0, width), dtype=dtype) if sparse else np.empty((0, width), dtype)
        blocks = [
            da.from_delayed(part, (length, width), dtype=dtype, meta=meta)
            for part, length in zip(parts, lengths, strict=True)
        ]
        return da.concatenate(blocks, axis=0)

    def field(place: int) -> list[Any]:
        return [part[place] for part in found]

    if method == "transform":
        return column(found, model.regressor_.readout_.weights.shape[1], np.float64)
    if method == "predict":
        return column(found, K, np.dtype(targets.dtype), sparse=targets.sparse)
    if method == "predict_top":
        k = int(named.get("k", arguments[0] if arguments else 5))
        return TopLabels(column(field(0), k, np.int64), column(field(1), k, np.float64))
    if method == "predict_all":
        decided = column(field(0), K, np.dtype(targets.dtype), sparse=targets.sparse)
        return Predictions(decided, *(column(field(i), K, np.float64) for i in (1, 2)))
    return column(found, K, np.float64)
