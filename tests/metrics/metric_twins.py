"""Slow and obvious versions of the metrics, written from their definitions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np


def judged(y, s):
    """Give the judged part of a row."""
    keep = [j for j in range(len(y)) if not math.isnan(y[j])]
    return [y[j] for j in keep], [s[j] for j in keep]


def orders(y, s, ties) -> Iterator[list[int]]:
    """Give the rankings (best first) that a tie rule allows."""
    labels = range(len(y))
    if ties == "first":
        yield sorted(labels, key=lambda j: (-s[j], j))
    elif ties == "last":
        yield sorted(labels, key=lambda j: (-s[j], -j))
    elif ties == "pessimistic":
        yield sorted(labels, key=lambda j: (-s[j], y[j]))
    elif ties == "optimistic":
        yield sorted(labels, key=lambda j: (-s[j], -y[j]))
    else:
        for order in itertools.permutations(labels):
            if all(s[a] >= s[b] for a, b in itertools.pairwise(order)):
                yield list(order)


def mean_over_orders(of_order, y, s, ties):
    values = [of_order([y[j] for j in order]) for order in orders(y, s, ties)]
    return sum(values) / len(values)


def precision_of_ranked(ranked):
    """Average precision of relevances in ranked order."""
    hits, total = 0, 0.0
    for rank, relevant in enumerate(ranked, start=1):
        if relevant:
            hits += 1
            total += hits / rank
    return total / hits


def average_precision(y, s, ties="pessimistic"):
    if ties != "pessimistic":
        return mean_over_orders(precision_of_ranked, y, s, ties)
    values = []
    for j in range(len(y)):
        if y[j]:
            rank = sum(other >= s[j] for other in s)
            hits = sum(y[i] and s[i] >= s[j] for i in range(len(y)))
            values.append(hits / rank)
    return sum(values) / len(values)


def eleven_points(y, s):
    points = []
    for tenth in range(11):
        best = 0.0
        for level in s:
            hits = sum(y[i] and s[i] >= level for i in range(len(y)))
            if 10 * hits >= tenth * sum(y):
                best = max(best, hits / sum(other >= level for other in s))
        points.append(best)
    return sum(points) / 11


def wrong_pairs(y, s, ties="pessimistic"):
    def count(ranked):
        return sum(not a and b for a, b in itertools.combinations(ranked, 2))

    return mean_over_orders(count, y, s, ties)


def depth(y, s, ties="pessimistic"):
    return mean_over_orders(lambda ranked: 1 + max(np.flatnonzero(ranked)), y, s, ties)


def top_is_wrong(y, s, ties="pessimistic"):
    return mean_over_orders(lambda ranked: float(not ranked[0]), y, s, ties)


def hits_at(y, s, k, ties):
    return mean_over_orders(lambda ranked: sum(ranked[:k]) / k, y, s, ties)


def gain_at(y, s, k, ties, weights=None):
    """DCG at k; weights are those of the labels."""
    weights = [1.0] * len(y) if weights is None else weights
    gains = [a * b for a, b in zip(y, weights, strict=True)]
    values = [
        sum(gains[j] / math.log2(p + 2) for p, j in enumerate(order[:k]))
        for order in orders(y, s, ties)
    ]
    return sum(values) / len(values)


def counts(y, p):
    tp = sum(a == 1 and b == 1 for a, b in zip(y, p, strict=True))
    fp = sum(a == 0 and b == 1 for a, b in zip(y, p, strict=True))
    fn = sum(a == 1 and b == 0 for a, b in zip(y, p, strict=True))
    return tp, fp, fn
