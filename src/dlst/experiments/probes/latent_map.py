"""The probe "map": test and training rows in the plane of their codes, who voted, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dlst._matrices import BoolArray, FloatArray
from dlst.data import Dataset, Split, random_split
from dlst.decoders import Explanation, NeighbourVotes
from dlst.errors import DataError, PlanError
from dlst.experiments.latent_plane import (
    CodePlane,
    IntArray,
    grey_pixels,
    plane_of,
    present_labels,
    spread_rows,
)
from dlst.experiments.plan import SPLITS
from dlst.experiments.protocols import COUNT, check_keys, with_features
from dlst.experiments.tuning import seeded
from dlst.methods import CodeSpaceClassifier, MultiLabelClassifier, method_info
from dlst.methods.scaling import take_as_they_are

DEFAULTS: Mapping[str, Any] = {
    "method": "dlst",
    "parameters": {},
    "split": "auto",
    "seed": 0,
    "n_test": 300,
    "n_train": 700,
    "n_neighbours": 8,
    "n_reasons": 8,
}
COUNTS = ("n_test", "n_train", "n_neighbours", "n_reasons")

DIGITS = 4
"""Significant digits of places, distances and weights."""
DECIMALS = 3
"""Decimals of what adds up, and of probabilities."""


def latent_map(data: Dataset, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Fit a method with codes, and tell what an interactive map of them shows.

    Parameters
    ----------
    data : Dataset
        With features.
    settings : mapping
        Any of ``method`` and its ``parameters``; ``split``: "official", "random" (half of the
        rows) or "auto" (official where there is one); ``seed`` of split and method; ``n_test``:
        at most so many test rows, at even distances; ``n_neighbours``: of those who voted on a
        test row the nearest; ``n_train``: these neighbours, all of them, and other training rows
        up to so many; ``n_reasons``: labels of a test row that are explained. Those that it has
        or was given are all explained, and the most probable of the others while there is room.

    Returns
    -------
    dict
        ``data``, ``method``, ``split``, ``n_components``, ``variance_shown`` (the plane's share
        of the variance of the shown codes), ``label_names``, ``terms`` (whose values add up to a
        logit) and ``n_voters``; ``test``, with ``row`` (of the whole data set), place, ``truth``,
        ``found``, ``neighbours`` (``train`` is a position in the list of that name) and
        ``reasons``; ``train``, with the place at which the decoder finds the row; ``centres``,
        the mean codes of the labels; and ``images`` and ``train_images``, grey pixels from 0 to
        255 of the test rows and of their neighbours, or None.
    """
    chosen = _checked(settings)
    split = _split_of(data, chosen["split"], chosen["seed"])
    data, is_scaled = with_features(data, split.train)
    return _mapped(_fitted(data.subset(split.train), chosen, is_scaled), data, split, chosen)


def map_of(
    model: MultiLabelClassifier, data: Dataset, split: Split, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the same for a method that is fitted to the training rows of a split."""
    chosen = _checked(settings)
    data, _ = with_features(data, split.train)
    return _mapped(_with_codes(model, chosen["method"]), data, split, chosen)


def _mapped(
    model: CodeSpaceClassifier, data: Dataset, split: Split, chosen: Mapping[str, Any]
) -> dict[str, Any]:
    train = data.subset(split.train)
    rows = split.test[spread_rows(len(split.test), chosen["n_test"])]
    test = data.subset(rows)
    why, codes = model.explain(test.X), model.transform(test.X)
    plane = plane_of(model, codes)
    votes = next((each for each in why.neighbours.values() if each.space == "codes"), None)
    nearest = _nearest(votes, len(rows), chosen["n_neighbours"])
    searched, searched_codes = model.codes_searched()
    shown = _shown_training_rows(searched, nearest.indices, chosen["n_train"])
    places = plane.place(searched_codes[np.searchsorted(searched, shown)])
    return {
        "data": data.name,
        "method": method_info(chosen["method"]).title,
        "split": split.name,
        "n_components": codes.shape[1],
        "variance_shown": round(plane.variance_shown, DIGITS),
        "label_names": [str(name) for name in data.label_names],
        "terms": ["start", *why.sources],
        "n_voters": 0 if votes is None else votes.indices.shape[1],
        "test": [
            {"row": int(row), **_at(place), **verdict, "neighbours": neighbours}
            for row, place, verdict, neighbours in zip(
                rows,
                plane.place(codes),
                _verdicts(model, why, test, chosen["n_reasons"]),
                _neighbours(nearest, shown),
                strict=True,
            )
        ],
        "train": [
            {"row": int(row), **_at(place), "labels": np.flatnonzero(carried).tolist()}
            for row, place, carried in zip(
                split.train[shown], places, present_labels(train.Y[shown]), strict=True
            )
        ],
        "centres": _centres(model, plane),
        "images": _pixels(test),
        # Neighbours come first among the training rows shown; the others need no picture.
        "train_images": _pixels(train.subset(shown[: len(np.unique(nearest.indices))])),
    }


def _centres(model: CodeSpaceClassifier, plane: CodePlane) -> list[dict[str, Any]]:
    """Place the mean codes of the labels that vary."""
    number = {name: label for label, name in enumerate(model.label_names_)}
    table = model.label_map()
    # A model's centres are relative to the mean training code already.
    centres = np.asarray(table[model.get_feature_names_out()], dtype=np.float64) @ plane.axes
    return [
        {"label": number[name], **_at(centre)}
        for name, centre in zip(table.index, centres, strict=True)
    ]


def _checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    check_keys("the probe map", settings, tuple(DEFAULTS))
    chosen = {**DEFAULTS, **settings}
    for name in COUNTS:
        COUNT.check(name, chosen[name], PlanError)
    SPLITS.check("split", chosen["split"], PlanError)
    return chosen


def _split_of(data: Dataset, kind: str, seed: int) -> Split:
    if kind == "official" or (kind == "auto" and data.split is not None):
        return data.official_split()
    return random_split(data, 0.5, random_state=seed)


def _fitted(train: Dataset, chosen: Mapping[str, Any], is_scaled: bool) -> CodeSpaceClassifier:
    if not train.n_features:
        raise DataError(f"{train.name}: has labels only; a map of codes needs features.")
    name = chosen["method"]
    model = _with_codes(seeded(name, chosen["parameters"], chosen["seed"]), name)
    if is_scaled:
        take_as_they_are(model)
    model.fit(train.X, train.Y)
    return model


def _with_codes(model: MultiLabelClassifier, name: str) -> CodeSpaceClassifier:
    if not isinstance(model, CodeSpaceClassifier):
        raise PlanError(f"a map needs a method with codes, such as dlst; got {name!r}.")
    return model


def _nearest(votes: NeighbourVotes | None, n_rows: int, most: int) -> NeighbourVotes:
    """Return the nearest of those who voted; nobody where nobody did."""
    if votes is None:
        nobody = np.empty((n_rows, 0))
        return NeighbourVotes(nobody.astype(np.int64), nobody, nobody)
    near = np.s_[:, :most]
    return NeighbourVotes(votes.indices[near], votes.distances[near], votes.weights[near])


def _shown_training_rows(searched: IntArray, neighbours: IntArray, most: int) -> IntArray:
    """Return the neighbours of the test rows, then others at even distances while there is room."""
    near = np.unique(neighbours)
    others = np.setdiff1d(searched, near)
    room = max(0, most - len(near))
    return np.concatenate([near, others[spread_rows(len(others), room)]])


def _neighbours(nearest: NeighbourVotes, shown: IntArray) -> list[list[dict[str, Any]]]:
    position = {row: place for place, row in enumerate(shown.tolist())}
    return [
        [
            {"train": position[row], "weight": _short(weight), "distance": _short(distance)}
            for row, weight, distance in zip(*of_row, strict=True)
        ]
        for of_row in zip(nearest.indices.tolist(), nearest.weights, nearest.distances, strict=True)
    ]


def _verdicts(
    model: CodeSpaceClassifier, why: Explanation, test: Dataset, n_reasons: int
) -> list[dict[str, Any]]:
    """Return for each test row its labels, those found, and why."""
    truth, found = present_labels(test.Y), present_labels(model.predict(test.X))
    probability = why.probability
    return [
        {
            "truth": np.flatnonzero(truth[row]).tolist(),
            "found": np.flatnonzero(found[row]).tolist(),
            "reasons": [
                {
                    "label": int(label),
                    # Terms, the start first, that add up to the logit.
                    "terms": np.round(
                        [why.intercept[label], *why.contributions[row, label]], DECIMALS
                    ).tolist(),
                    "logit": round(float(why.logit[row, label]), DECIMALS),
                    "probability": round(float(probability[row, label]), DECIMALS),
                }
                for label in _explained_labels(probability[row], truth[row] | found[row], n_reasons)
            ],
        }
        for row in range(len(truth))
    ]


def _explained_labels(probability: FloatArray, concerned: BoolArray, most: int) -> IntArray:
    """Return the labels concerned, then the most probable others while there is room."""
    order = np.argsort(-probability, kind="stable")
    first, others = order[concerned[order]], order[~concerned[order]]
    return np.concatenate([first, others[: max(0, most - len(first))]])


def _pixels(data: Dataset) -> dict[str, Any] | None:
    grey = grey_pixels(data)
    if grey is None:
        return None
    n, height, width = grey.shape
    return {"width": width, "height": height, "pixels": grey.reshape(n, -1).tolist()}


def _at(place: FloatArray) -> dict[str, float]:
    return {"x": _short(place[0]), "y": _short(place[1])}


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
