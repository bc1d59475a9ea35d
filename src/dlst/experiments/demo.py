"""The demo: DLST and its rivals fitted on images, measured, and explained."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import sklearn
from threadpoolctl import threadpool_limits

from dlst import __version__
from dlst._progress import progress_bar
from dlst.data import Dataset
from dlst.decoders import NeighbourVotes
from dlst.errors import DataError
from dlst.experiments.demo_result import (
    BoolArray,
    DemoResult,
    FloatArray,
    LatentMap,
    Neighbour,
    Row,
    ShownImage,
)
from dlst.experiments.latent_plane import (
    code_voters,
    grey_images,
    plane_of,
    present_labels,
    reasons_for,
    spread_rows,
)
from dlst.experiments.tuning import seeded
from dlst.methods import CodeSpaceClassifier, method_info
from dlst.metrics import evaluate, instance_average_precision, labels_per_row, top_r_ceiling

DEMO_METHODS = ("dlst", "dlst-paper", "dlst1", "dlst2", "mlknn")
"""Rows of the table; the first is the one that is shown and explained."""

N_NEIGHBOURS_SHOWN = 5


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
            model = seeded(name, given.get(name, {}), seed)
            rows[name] = _measured(name, model, train, test, r)
            advance(1)
    if not isinstance(model, CodeSpaceClassifier):
        raise TypeError(f"{DEMO_METHODS[0]} must have codes and explanations to show")
    truth = present_labels(test.Y)
    found = present_labels(model.predict(test.X))
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


def _measured(name: str, model: Any, train: Dataset, test: Dataset, r: int) -> Row:
    started = time.perf_counter()
    model.fit(train.X, train.Y)
    decisions, _, scores = model.predict_all(test.X)
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
    prevalence = present_labels(train.Y).mean(axis=0)
    scores = np.tile(prevalence, (test.n_samples, 1))
    row = Row(
        "prior",
        "prior",
        "labels ranked by their frequency in training, without a look at the image",
        {},
        is_method=False,
    )
    return _scored(row, test, scores, scores >= 0.5, r)


def _latent_map(model: CodeSpaceClassifier, test: Dataset) -> LatentMap:
    codes = model.transform(test.X)
    plane = plane_of(model, codes)
    labels, centres = plane.place_labels(model)
    return LatentMap(
        points=plane.place(codes),
        centres=centres,
        labels=labels,
        variance_shown=plane.variance_shown,
        n_components=codes.shape[1],
    )


def _explained(
    model: CodeSpaceClassifier, train: Dataset, test: Dataset, found: BoolArray, n_shown: int
) -> tuple[tuple[str, ...], int, tuple[ShownImage, ...]]:
    """Explain some test images: the names of the terms, how many vote, and each image."""
    chosen = spread_rows(test.n_samples, n_shown)
    why = model.explain(test.X[chosen])
    concerned = present_labels(test.Y[chosen]) | found[chosen]
    votes = code_voters(why)
    shown = tuple(
        ShownImage(int(row), reasons, neighbours)
        for row, reasons, neighbours in zip(
            chosen,
            reasons_for(why, map(np.flatnonzero, concerned)),
            [()] * len(chosen) if votes is None else _nearest(votes, train),
            strict=True,
        )
    )
    n_voters = 0 if votes is None else votes.indices.shape[1]
    return ("start", *why.sources), n_voters, shown


def _nearest(votes: NeighbourVotes, train: Dataset) -> list[tuple[Neighbour, ...]]:
    """Return the nearest voters of each explained image."""
    images, carried = _images(train), present_labels(train.Y)
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
    images = grey_images(data)
    assert images is not None  # noqa: S101  run_demo has checked the shape
    return images
