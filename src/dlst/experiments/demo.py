"""The demo: DLST and its rivals fitted on images, measured, and explained."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn
from threadpoolctl import threadpool_limits

from dlst import __version__
from dlst._progress import progress_bar
from dlst.data import Dataset
from dlst.decoders import Explanation, NeighbourVotes
from dlst.errors import DataError
from dlst.experiments.demo_result import (
    BoolArray,
    DemoResult,
    FloatArray,
    LatentMap,
    Neighbour,
    Reason,
    Row,
    ShownImage,
)
from dlst.methods import LabelSpaceClassifier, MultiLabelClassifier, make, method_info
from dlst.metrics import evaluate, instance_average_precision, labels_per_row, top_r_ceiling

DEMO_METHODS = ("dlst", "dlst-paper", "dlst1", "dlst2", "mlknn")
"""Rows of the table; the first is the one that is shown and explained."""

N_NEIGHBOURS_SHOWN = 5
SHOWN_VOTE = "code vote"


def run_demo(
    data: Dataset,
    *,
    seed: int = 0,
    n_shown: int = 12,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
) -> DemoResult:
    """Fit the methods of the demo on the official split, measure and explain them.

    Parameters
    ----------
    data : Dataset
        Images with an official split.
    seed : int
        Of everything random in the methods.
    n_shown : int
        Test images to explain, at even distances in the test set: nobody chose them.
    parameters : mapping of str to mapping, optional
        Parameters of single methods, by name.

    Returns
    -------
    DemoResult
    """
    started = time.perf_counter()
    if data.image_shape is None or len(data.image_shape) != 2:
        raise DataError(
            f"the demo shows grey images; got image_shape={data.image_shape}. "
            "Give Dataset(image_shape=(height, width))."
        )
    train, test = data.train, data.test
    given = parameters or {}
    r = min(labels_per_row(train.Y), data.n_labels)
    rows: dict[str, Row] = {}
    bar = progress_bar("fitting methods", len(DEMO_METHODS))
    # One thread: these matrices are small, and threads that wait for each other on a busy machine
    # make the fits many times slower.
    with bar as advance, threadpool_limits(1, user_api="blas"):
        # The quick ones first, so that the bar soon has something to show.
        for name in reversed(DEMO_METHODS):
            model = _seeded(name, seed, given.get(name, {}))
            rows[name] = _measured(name, model, train, test, r)
            advance(1)
    if not isinstance(model, LabelSpaceClassifier):
        raise TypeError(f"{DEMO_METHODS[0]} must have codes and explanations to show")
    truth = _dense(test.Y)
    found = _dense(model.predict(test.X))
    term_names, n_voters, shown = _explained(model, train, test, found, n_shown)
    return DemoResult(
        dataset=data.name,
        n_train=train.n_samples,
        n_labels_per_row=r,
        cardinality=train.cardinality,
        label_names=tuple(data.label_names),
        rows=(*(rows[name] for name in DEMO_METHODS), _ceiling(test, r), _prior(train, test, r)),
        images=_images(test),
        truth=truth,
        found=found,
        latent_map=_latent_map(model, test),
        term_names=term_names,
        n_voters=n_voters,
        shown=shown,
        seed=seed,
        seconds=time.perf_counter() - started,
        versions={
            "dlst": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
    )


def _seeded(name: str, seed: int, parameters: Mapping[str, Any]) -> MultiLabelClassifier:
    model = make(name, **parameters)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return model


def _measured(name: str, model: Any, train: Dataset, test: Dataset, r: int) -> Row:
    started = time.perf_counter()
    model.fit(train.X, train.Y)
    scores, decisions = model.decision_function(test.X), model.predict(test.X)
    seconds = time.perf_counter() - started
    info = method_info(name)
    row = _scored(Row(name, info.title, info.meaning, {}), test, scores, decisions, r)
    return replace(row, values={**row.values, "seconds": seconds})


def _scored(row: Row, test: Dataset, scores: Any, decisions: Any, r: int) -> Row:
    f1 = ("micro_f1", "macro_f1")
    ranking = ("instance_average_precision", "macro_average_precision")
    by_rank = evaluate(test.Y, scores, f1, r=r)
    values = {
        **evaluate(test.Y, scores, ranking),
        **{f"{key}_top_r": value for key, value in by_rank.items()},
        **evaluate(test.Y, protocol=(*f1, "hamming_loss"), Y_pred=decisions),
    }
    each = np.asarray(instance_average_precision(test.Y, scores, average=None))
    return replace(row, values=values, image_precision=each)


def _ceiling(test: Dataset, r: int) -> Row:
    best = top_r_ceiling(test.Y, r)
    values = {"micro_f1_top_r": best["micro_f1"], "macro_f1_top_r": best["macro_f1_upper_bound"]}
    return Row(
        "ceiling",
        "ceiling (top-r)",
        f"the best that any ranking can reach when every image gets exactly {r} labels",
        values,
        is_method=False,
        upper_bounds=frozenset({"macro_f1_top_r"}),
    )


def _prior(train: Dataset, test: Dataset, r: int) -> Row:
    prevalence = _dense(train.Y).mean(axis=0)
    scores = np.tile(prevalence, (test.n_samples, 1))
    row = Row(
        "prior",
        "prior",
        "labels ranked by their frequency in training, without a look at the image",
        {},
        is_method=False,
    )
    return _scored(row, test, scores, scores >= 0.5, r)


def _latent_map(model: LabelSpaceClassifier, test: Dataset) -> LatentMap:
    table, columns = model.label_map(), model.get_feature_names_out()
    origin = model.codes_.mean(axis=0)
    codes = model.transform(test.X) - origin
    _, lengths, axes = np.linalg.svd(codes - codes.mean(axis=0), full_matrices=False)
    plane = np.zeros((codes.shape[1], 2))
    plane[:, : len(axes[:2])] = axes[:2].T
    # An axis has no sign of its own; the largest loading points up or right.
    plane *= np.where(plane[np.abs(plane).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    names = list(model.label_names_)
    return LatentMap(
        points=codes @ plane,
        centres=np.asarray(table[columns], dtype=np.float64) @ plane,
        labels=tuple(names.index(name) for name in table.index),
        variance_shown=float((lengths[:2] ** 2).sum() / max((lengths**2).sum(), 1e-300)),
        n_components=codes.shape[1],
    )


def _explained(
    model: LabelSpaceClassifier, train: Dataset, test: Dataset, found: BoolArray, n_shown: int
) -> tuple[tuple[str, ...], int, tuple[ShownImage, ...]]:
    """Explain some test images: the names of the terms, how many vote, and each image."""
    chosen = np.unique(np.linspace(0, test.n_samples - 1, n_shown).astype(int))
    why = model.explain(test.X[chosen])
    concerned = _dense(test.Y) | found
    votes = why.neighbours.get(SHOWN_VOTE)
    neighbours = [()] * len(chosen) if votes is None else _nearest(votes, train)
    shown = tuple(
        ShownImage(int(row), _reasons(why, place, concerned[row]), neighbours[place])
        for place, row in enumerate(chosen)
    )
    n_voters = 0 if votes is None else votes.indices.shape[1]
    return ("start", *why.sources), n_voters, shown


def _reasons(why: Explanation, place: int, concerned: BoolArray) -> tuple[Reason, ...]:
    return tuple(
        Reason(
            label=int(label),
            terms=(float(why.intercept[label]), *map(float, why.contributions[place, label])),
            logit=float(why.logit[place, label]),
            probability=float(why.probability[place, label]),
        )
        for label in np.flatnonzero(concerned)
    )


def _nearest(votes: NeighbourVotes, train: Dataset) -> list[tuple[Neighbour, ...]]:
    """Return the nearest voters of each explained image."""
    images, carried = _images(train), _dense(train.Y)
    return [
        tuple(
            Neighbour(
                image=images[voter],
                labels=tuple(int(label) for label in np.flatnonzero(carried[voter])),
                weight=float(weight),
                distance=float(distance),
            )
            for voter, weight, distance in list(zip(*voters, strict=True))[:N_NEIGHBOURS_SHOWN]
        )
        for voters in zip(votes.indices, votes.weights, votes.distances, strict=True)
    ]


def _images(data: Dataset) -> FloatArray:
    images = data.images
    assert images is not None  # noqa: S101  run_demo has checked the shape
    top = images.max()
    return images / top if top > 1 else images


def _dense(Y: Any) -> BoolArray:
    """Return a label indicator as an array; an unknown entry is no label."""
    values = Y.toarray() if sp.issparse(Y) else np.asarray(Y)
    present: BoolArray = values == 1
    return present
