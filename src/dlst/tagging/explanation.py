"""Why rows got their tags, in names: evidence, the words that carried it, and who voted."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from dlst.inputs import TableEncoder, Tally
from dlst.inputs.cells import texts_of
from dlst.inputs.text import words_and_rest
from dlst.tagging.examples import picture_address, summaries, thumbnail

if TYPE_CHECKING:
    from dlst.tagging.tagger import Tagger

DIRECT = "direct"
"""The evidence that comes from the row itself, not from its neighbours."""

MOST_WORDS = 80
"""Of longer texts so many distinct words are tried."""


@dataclass(frozen=True)
class TagExplanation:
    """What made the tags of some rows; ``rows`` holds plain values, ready for JSON.

    Each row has ``row``, ``id``, ``text``, ``tags`` (decided), ``labels`` and ``voters``. A label
    has ``tag``, ``probability``, ``decided``, ``logit``, ``start`` and ``contributions``, which add
    up to the logit, and ``because``: words and cells with what the direct evidence loses without
    them. ``voters`` are by evidence: training rows with distance, weight, text and tags.

    Attributes
    ----------
    rows : list of dict
    pictures : list of dict
        Small pictures of rows and voters by column, for notebooks.

    Examples
    --------
    >>> from dlst import Tagger
    >>> texts = ["cheap flights to Rome", "the printer is jammed"] * 10
    >>> tagger = Tagger(random_state=0).fit(texts, [["travel"], ["office"]] * 10)
    >>> tagger.explain(["a printer"], top=1).rows[0]["labels"][0]["tag"]
    'office'
    """

    rows: list[dict[str, Any]]
    pictures: list[dict[str, Any]]

    def to_frame(self) -> pd.DataFrame:
        """Return one line for each row, tag and word: row, tag, probability, word, contribution."""
        return pd.DataFrame(
            [
                {
                    "row": row["row"],
                    "tag": label["tag"],
                    "probability": label["probability"],
                    "what": reason["what"],
                    "contribution": reason["contribution"],
                }
                for row in self.rows
                for label in row["labels"]
                for reason in label["because"]
            ],
            columns=["row", "tag", "probability", "what", "contribution"],
        )

    def __str__(self) -> str:
        return "\n\n".join(_told(row) for row in self.rows)

    def _repr_html_(self) -> str:
        from dlst.tagging.page import explanation_html

        return explanation_html(self)


def explain_rows(
    tagger: Tagger, frame: Any, *, top: int, words: int, voters: int
) -> TagExplanation:
    """Explain the best tags of each row of a frame."""
    names, encoder = tagger.classes_, tagger.encoder_
    features = tagger.encode(frame, Tally())
    found = tagger.method_.explain(features)
    predicted = tagger.method_.predict_all(features)
    texts, ids = summaries(frame, encoder), ids_of(frame, encoder)
    rows, pictures = [], []
    for row, facts in enumerate(found.of_rows(predicted, names, top=top, voters=voters)):
        best = np.argsort(-predicted.scores[row], kind="stable")[:top]
        because = _because(tagger, frame.iloc[[row]], found, row, best, words)
        for label, reasons in zip(facts["labels"], because, strict=True):
            label["because"] = reasons
        for voter in itertools.chain(*facts["voters"].values()):
            voter |= tagger.examples_.about(voter["row"], tagger.label_names_)
        rows.append({"row": row, "id": ids[row], "text": texts[row], **facts})
        pictures.append(_pictures(tagger, frame.iloc[row], facts["voters"]))
    return TagExplanation(rows, pictures)


def ids_of(frame: Any, encoder: TableEncoder) -> list[str | None]:
    """Return the id of each row; None where there is no such column."""
    names = [name for name in encoder.names_of("id") if name in frame.columns]
    return [*texts_of(frame[names[0]])] if names else [None] * len(frame)


def _pictures(tagger: Tagger, row: Any, voters: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    images = tagger.encoder_.names_of("image")[:1]
    found: dict[str, Any] = {"row": None, "voters": {}}
    if images:
        found["row"] = picture_address(thumbnail(row[images[0]]))
        pictures = tagger.examples_.pictures
        listed = itertools.chain(*voters.values())
        found["voters"] = {voter["row"]: pictures.address(voter["row"]) for voter in listed}
    return found


def _because(
    tagger: Tagger, frame: Any, found: Any, row: int, best: NDArray[np.intp], words: int
) -> list[list[dict[str, Any]]]:
    """Take away each word and each cell in turn; what the evidence loses is what it carried."""
    tried, without = _without_each(tagger, frame)
    if not tried:
        return [[] for _ in best]
    place = found.sources.index(DIRECT) if DIRECT in found.sources else None
    others = tagger.method_.explain(without)
    if place is None:
        loss = found.logit[row, best] - others.logit[:, best]
    else:
        loss = found.contributions[row, best, place] - others.contributions[:, best, place]
    reasons = []
    for label in range(len(best)):
        largest = np.argsort(-np.abs(loss[:, label]), kind="stable")[:words]
        order = largest[np.argsort(-loss[largest, label], kind="stable")]
        reasons.append(
            [
                {**tried[each], "contribution": float(loss[each, label])}
                for each in order
                if abs(loss[each, label]) > 1e-6
            ]
        )
    return reasons


def _without_each(tagger: Tagger, frame: Any) -> tuple[list[dict[str, str]], Any]:
    """Return what was taken away, and the features of the row without each of these.

    A word is left out of its text; a number, category or date is put to the training mean.
    """
    encoder = tagger.encoder_
    features = tagger.encode(frame, Tally())
    cells, blocks = encoder.without_each_cell(features)
    tried = [{"column": name, "what": f"{name} {texts_of(frame[name])[0]}"} for name in cells]
    left = []
    for name in encoder.names_of("text"):
        text = texts_of(frame[name])[0]
        parts = words_and_rest(text)
        for word in list(dict.fromkeys(part.lower() for part in parts[1::2]))[:MOST_WORDS]:
            tried.append({"column": name, "what": word})
            rest = "".join(" " if part.lower() == word else part for part in parts)
            left.append(frame.assign(**{name: rest}))
    if not left:
        return tried, blocks
    words = tagger.encode(pd.concat(left), Tally())
    if not cells:
        return tried, words
    return tried, sp.vstack([blocks, words], format="csr") if sp.issparse(words) else np.vstack(
        [blocks, words]
    )


def _told(row: dict[str, Any]) -> str:
    lines = [f"row {row['row']}" + (f" ({row['id']})" if row["id"] else "")]
    lines += [f"  {row['text']}"] if row["text"] else []
    for label in row["labels"]:
        mark = "*" if label["decided"] else " "
        reasons = ", ".join(
            f"{reason['what']} {reason['contribution']:+.2f}" for reason in label["because"]
        )
        lines.append(f"{mark} {label['tag']}  {label['probability']:.3f}  {reasons}")
    for source, voters in row["voters"].items():
        lines.append(f"  {source}:")
        lines += [
            f"    {voter['weight']:.3f}  {';'.join(voter['tags']) or '(no tags)'}  "
            f"{' '.join((voter['text'] or '').split())[:80]}"
            for voter in voters
        ]
    return "\n".join(lines)
