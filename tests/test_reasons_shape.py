"""Explanations in plain values, the one shape that terminal, server and tagger show."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp

from dlst.explanation import Explanation, NeighbourVotes

VOTES = NeighbourVotes(
    np.array([[7, 2, 5]]), np.array([[0.1, 0.2, 0.4]]), np.array([[0.9, 0.6, 0.3]])
)
WHY = Explanation(
    np.array([0]),
    ("direct", "votes"),
    np.array([-1.0, 0.5]),
    np.array([[[0.25, 0.5], [-1.0, 2.0]]]),
    {"votes": VOTES},
    np.array([False, False]),
)
PREDICTED = SimpleNamespace(
    labels=sp.csr_array([[0, 1]]),
    probabilities=np.array([[0.4, 0.8]]),
    scores=np.array([[-0.25, 1.5]]),
)


def test_the_nearest_voters_come_first_and_no_more_than_asked():
    assert VOTES.nearest(0, 2) == [
        {"row": 7, "distance": 0.1, "weight": 0.9},
        {"row": 2, "distance": 0.2, "weight": 0.6},
    ]


def test_a_row_in_plain_values_has_the_best_label_first():
    (facts,) = WHY.of_rows(PREDICTED, ["sky", "sea"], top=2, voters=1)
    assert facts["tags"] == ["sea"]
    assert [label["tag"] for label in facts["labels"]] == ["sea", "sky"]
    best = facts["labels"][0]
    assert (best["probability"], best["decided"], best["start"]) == (0.8, True, 0.5)
    assert best["contributions"] == {"direct": -1.0, "votes": 2.0}
    assert best["logit"] == best["start"] + sum(best["contributions"].values())
    assert facts["voters"] == {"votes": VOTES.nearest(0, 1)}
    assert json.loads(json.dumps(facts)) == facts


def test_no_more_labels_than_asked():
    assert len(WHY.of_rows(PREDICTED, ["sky", "sea"], top=1, voters=0)[0]["labels"]) == 1
