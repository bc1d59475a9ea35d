"""Why a label got its score: contributions that add up to the logit, and who voted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.special import expit

from dlst._matrices import BoolArray, FloatArray, IntArray

Space: TypeAlias = Literal["codes", "features"]
"""Where neighbours are searched."""

CONSTANT_LOGIT = 30.0
"""Bound of logits, reached by labels that were always or never present: p = 1 or 0."""


@dataclass(frozen=True, eq=False)
class NeighbourVotes:
    """The training rows that voted on each explained row, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (n, k)
        Training rows.
    distances : ndarray of shape (n, k)
        Euclidean distances.
    weights : ndarray of shape (n, k)
        Weights of their votes.
    space : {"codes", "features"}
        What they are near in.

    Examples
    --------
    >>> votes = NeighbourVotes(np.array([[3, 1]]), np.array([[0.1, 0.4]]), np.array([[0.9, 0.3]]))
    >>> votes.matrix(4).toarray().round(2).tolist()
    [[0.0, 0.25, 0.0, 0.75]]
    """

    indices: IntArray
    distances: FloatArray
    weights: FloatArray
    space: Space = "codes"

    def matrix(self, n_training: int) -> sp.csr_array:
        """Return the weights as a matrix of voted on rows by training rows; rows add up to 1."""
        n, k = self.indices.shape
        shares = self.weights / self.weights.sum(axis=1, keepdims=True)
        return sp.csr_array(
            (shares.ravel(), self.indices.ravel(), np.arange(n + 1) * k), shape=(n, n_training)
        )

    def nearest(self, row: int, most: int) -> list[dict[str, Any]]:
        """Return the nearest voters of a row in plain values: row, distance, weight."""
        columns = (self.indices, self.distances, self.weights)
        voters = zip(*(column[row, :most].tolist() for column in columns), strict=True)
        return [dict(zip(("row", "distance", "weight"), voter, strict=True)) for voter in voters]


@dataclass(frozen=True, eq=False)
class Explanation:
    """What made the scores of some rows.

    ``intercept + contributions.sum(axis=2)`` is the logit of the probability; for a label that was
    always or never present in training the intercept alone stands at ±``CONSTANT_LOGIT``.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        The explained rows of what was given.
    sources : tuple of str
        Names of the m evidences.
    intercept : ndarray of shape (K,)
        What each label starts from.
    contributions : ndarray of shape (n, K, m)
        Weight times value of each evidence.
    neighbours : dict of str to NeighbourVotes
        For each evidence that is a vote, who voted.
    constant : ndarray of shape (K,)
        Labels with a constant score.

    Examples
    --------
    >>> from dlst.data import load_multidigits
    >>> data = load_multidigits()
    >>> from dlst import DLST
    >>> model = DLST(random_state=0).fit(data.train.X[:150], data.train.Y[:150])
    >>> why = model.explain(data.test.X[:1])
    >>> np.allclose(why.logit, why.intercept + why.contributions.sum(axis=2))
    True
    """

    rows: IntArray
    sources: tuple[str, ...]
    intercept: FloatArray
    contributions: FloatArray
    neighbours: dict[str, NeighbourVotes]
    constant: BoolArray

    @cached_property
    def logit(self) -> FloatArray:
        """Sum of the contributions, shape (n, K)."""
        terms = np.moveaxis(self.contributions, 2, 0)
        return add_contributions(self.intercept, terms, len(self.rows))

    @property
    def probability(self) -> FloatArray:
        """What ``predict_proba`` says, shape (n, K)."""
        probability: FloatArray = expit(self.logit)
        return np.where(self.constant, np.rint(probability), probability)

    def of_rows(
        self, predicted: Any, names: Sequence[str], *, top: int, voters: int
    ) -> list[dict[str, Any]]:
        """Return what made the labels of each row in plain values, ready for JSON.

        ``predicted`` are the same rows as ``predict_all`` gives them. To what :func:`best_labels`
        says of a row come what adds up to the logits of its labels, and the nearest ``voters`` by
        source.
        """
        found = best_labels(predicted, names, top)
        order = np.argsort(-predicted.scores, axis=1, kind="stable")
        for row, facts in enumerate(found):
            for about, label in zip(facts["labels"], order[row], strict=False):
                terms = self.contributions[row, label].tolist()
                about |= {
                    "logit": float(self.logit[row, label]),
                    "start": float(self.intercept[label]),
                    "contributions": dict(zip(self.sources, terms, strict=True)),
                    "because": [],
                }
            votes = self.neighbours.items()
            facts["voters"] = {source: each.nearest(row, voters) for source, each in votes}
        return found

    def to_frame(self, label_names: Sequence[str] | None = None) -> pd.DataFrame:
        """Return one line per row, label and source: columns row, label, source, contribution.

        The lines of a (row, label) pair, intercept included, add up to its logit.
        """
        n, K, _ = self.contributions.shape
        names = np.arange(K) if label_names is None else np.asarray(label_names)
        start = np.broadcast_to(self.intercept[:, None], (n, K, 1))
        values = np.concatenate([start, self.contributions], axis=2)
        sources = ("intercept", *self.sources)
        return pd.DataFrame(
            {
                "row": np.repeat(self.rows, K * len(sources)),
                "label": np.tile(np.repeat(names, len(sources)), n),
                "source": np.tile(np.asarray(sources), n * K),
                "contribution": values.ravel(),
            }
        )

    def neighbours_to_frame(self) -> pd.DataFrame:
        """Return one line per voting neighbour: row, source, rank, neighbour, distance, weight."""
        columns = ["row", "source", "rank", "neighbour", "distance", "weight"]
        frames = [pd.DataFrame(columns=columns)] if not self.neighbours else []
        for source, votes in self.neighbours.items():
            n, k = votes.indices.shape
            values = (
                np.repeat(self.rows, k),
                source,
                np.tile(np.arange(1, k + 1), n),
                votes.indices.ravel(),
                votes.distances.ravel(),
                votes.weights.ravel(),
            )
            frames.append(pd.DataFrame(dict(zip(columns, values, strict=True))))
        return pd.concat(frames, ignore_index=True)


def best_labels(predicted: Any, names: Any, top: int) -> list[dict[str, Any]]:
    """Return for each row its decided labels, ``tags``, and its ``top`` best, in plain values.

    ``predicted`` is what ``predict_all`` gives; best are labels by their scores.
    """
    decided = sp.csr_array(predicted.labels).toarray() != 0
    order = np.argsort(-predicted.scores, axis=1, kind="stable")
    return [
        {
            "tags": [names[label] for label in best if chosen[label]],
            "labels": [
                {
                    "tag": names[label],
                    "probability": float(probabilities[label]),
                    "decided": bool(chosen[label]),
                }
                for label in best[:top]
            ],
        }
        for best, chosen, probabilities in zip(order, decided, predicted.probabilities, strict=True)
    ]


def add_contributions(
    intercept: FloatArray, contributions: Iterable[FloatArray], n_rows: int
) -> FloatArray:
    """Add arrays of shape (n, K) to the intercept, one by one: equal terms give equal bytes."""
    total = np.tile(intercept, (n_rows, 1))
    for contribution in contributions:
        total += contribution
    return total
