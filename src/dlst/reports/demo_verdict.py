"""The demo's table in two sentences, whoever won."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dlst.experiments import COLUMNS, Column, DemoResult, Row

SCORES = tuple(column for column in COLUMNS if column.is_score)
RANKING = SCORES[0]


def demo_verdict(result: DemoResult) -> str:
    """Say in two sentences how the first method did, from the numbers alone."""
    return f"{_ranking_sentence(result)} {_count_sentence(result)}"


def lost_columns(result: DemoResult) -> list[tuple[Column, tuple[Row, ...]]]:
    """List the scores in which another method beats the first, and which do."""
    ours = result.methods[0]
    best = [(column, result.best(column)) for column in SCORES]
    return [(column, rows) for column, rows in best if ours not in rows]


def _ranking_sentence(result: DemoResult) -> str:
    ours, prior = result.methods[0], result.row("prior")
    rival = max(result.methods[1:], key=lambda row: row.values[RANKING.key])
    mean, error = _paired_difference(ours, rival)
    if abs(mean) < 2 * error or not abs(mean):
        standing = "level with"
        chance = f", a difference within chance ({mean:+.3f} ± {error:.3f})"
    else:
        standing, chance = ("ahead of" if mean > 0 else "behind"), f" ({mean:+.3f} ± {error:.3f})"
    scores = [RANKING.text(row.values[RANKING.key]) for row in (ours, rival, prior)]
    return (
        f"On {len(result.images):,} unseen images {ours.title} ranks the right labels with an "
        f"{RANKING.title} of {scores[0]}, {standing} the next best, {rival.title}, at {scores[1]}"
        f"{chance}, where ranking by frequency alone gives {scores[2]}."
    )


def _count_sentence(result: DemoResult) -> str:
    ours, lost = result.methods[0], lost_columns(result)
    if not lost:
        return f"No method beats it in any of the {len(SCORES)} scores."
    winners: dict[str, list[str]] = {}
    for column, rows in lost:
        winners.setdefault(_listed([row.title for row in rows]), []).append(column.title)
    told = _listed([f"{_listed(titles)} to {winner}" for winner, titles in winners.items()])
    won = len(SCORES) - len(lost)
    return f"{ours.title} is best in {won or 'none'} of the {len(SCORES)} scores; it loses {told}."


def _paired_difference(ours: Row, theirs: Row) -> tuple[float, float]:
    """Mean difference over the test images, and its standard error."""
    if ours.image_precision is None or theirs.image_precision is None:
        raise ValueError("a method must have the average precision of each image; got None.")
    difference = ours.image_precision - theirs.image_precision
    error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else np.inf
    return float(difference.mean()), float(error)


def _listed(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
