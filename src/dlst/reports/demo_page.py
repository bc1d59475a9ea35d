"""The demo as one HTML file that needs nothing else."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlst._files import open_binary
from dlst.experiments import COLUMNS, DemoResult, Reason, ShownImage
from dlst.reports._map import map_view
from dlst.reports._png import png_address, sprite
from dlst.reports._templates import rendered, write_whole
from dlst.reports.demo_verdict import demo_verdict, lost_columns

GENERATOR = "dlst demo"
"""How a page says that this program wrote it."""

SPRITE_COLUMNS = 25

EDGE = 0.06
"""Share of the bars' range that stays free on both sides, so that no bar touches its name."""

TERM_MEANINGS = {
    "start": "what the label begins with, before the image is looked at",
    "direct": "the image regressed straight onto the label",
    "code vote": "training images whose codes lie near",
    "feature vote": "training images whose pixels lie near",
}


def write_demo(result: DemoResult, path: str | os.PathLike[str], command: str = "") -> None:
    """Write the page, all of it or nothing.

    Parameters
    ----------
    result : DemoResult
    path : path-like
        A file; replaced if it exists.
    command : str
        What made it, for the foot of the page.
    """
    write_whole(render_demo(result, command), path)


def render_demo(result: DemoResult, command: str = "") -> str:
    """Return the page as HTML."""
    return rendered(
        "demo.html.j2",
        generator=GENERATOR,
        result=result,
        columns=COLUMNS,
        verdict=demo_verdict(result),
        ours=result.methods[0],
        lost=lost_columns(result),
        methods=_table_rows(result, methods=True),
        references=_table_rows(result, methods=False),
        map=map_view(result),
        map_data=_map_data(result),
        sprite=png_address(sprite(result.images, SPRITE_COLUMNS)),
        terms=[(name, TERM_MEANINGS.get(name, "")) for name in result.term_names],
        cards=_cards(result),
        exactly_right=int((result.truth == result.found).all(axis=1).sum()),
        command=command,
    )


def is_demo_page(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file is a page that :func:`write_demo` wrote."""
    with open_binary(path) as stream:
        return f'name="generator" content="{GENERATOR}"'.encode() in stream.read(1000)


def _table_rows(result: DemoResult, *, methods: bool) -> list[dict[str, Any]]:
    best = {column.key: result.best(column) for column in COLUMNS}
    return [
        {
            "title": row.title,
            "meaning": row.meaning,
            "cells": [
                {
                    "text": row.text(column),
                    "value": row.values.get(column.key),
                    "best": row in best[column.key],
                }
                for column in COLUMNS
            ],
        }
        for row in result.rows
        if row.is_method == methods
    ]


def _map_data(result: DemoResult) -> dict[str, Any]:
    """Collect what the page's script needs beside the drawing."""
    _, height, width = result.images.shape
    return {
        "names": list(result.label_names),
        "truth": [np.flatnonzero(row).tolist() for row in result.truth],
        "found": [np.flatnonzero(row).tolist() for row in result.found],
        "sprite": {"columns": SPRITE_COLUMNS, "width": width, "height": height},
    }


def _cards(result: DemoResult) -> list[dict[str, Any]]:
    scale = _Scale([reason for case in result.shown for reason in case.reasons])
    heaviest = max(
        (voter.weight for case in result.shown for voter in case.neighbours), default=1.0
    )
    return [_card(result, case, scale, heaviest) for case in result.shown]


def _card(result: DemoResult, case: ShownImage, scale: _Scale, heaviest: float) -> dict[str, Any]:
    truth, found = result.truth[case.row], result.found[case.row]
    return {
        "row": case.row,
        "image": png_address(result.images[case.row]),
        "truth": _names(result, np.flatnonzero(truth)),
        "found": _names(result, np.flatnonzero(found)),
        "exact": bool((truth == found).all()),
        "reasons": [
            {
                "name": result.label_names[reason.label],
                "outcome": _outcome(bool(truth[reason.label]), bool(found[reason.label])),
                "probability": reason.probability,
                "logit": f"{reason.logit:+.2f}",
                "end": scale.place(reason.logit),
                "bars": scale.bars(reason, result.term_names),
            }
            for reason in case.reasons
        ],
        "zero": scale.zero,
        "neighbours": [
            {
                "image": png_address(voter.image),
                "labels": _names(result, voter.labels),
                "weight": f"{voter.weight:.2f}",
                "share": 100 * voter.weight / heaviest,
                "right": [bool(truth[label]) for label in voter.labels],
            }
            for voter in case.neighbours
        ],
    }


def _names(result: DemoResult, labels: Any) -> list[str]:
    return [result.label_names[label] for label in labels]


def _outcome(true: bool, found: bool) -> str:
    return "right" if true and found else "missed" if true else "wrong"


class _Scale:
    """One scale for the bars of all labels: each term begins where the one before it ended."""

    def __init__(self, reasons: list[Reason]):
        ends: NDArray[np.float64] = np.concatenate(
            [[0.0, 1.0], *(np.cumsum(reason.terms) for reason in reasons)]
        )
        room = EDGE * np.ptp(ends)
        self._low, self._span = float(ends.min() - room), float(np.ptp(ends) + 2 * room)
        self.zero = self.place(0.0)

    def bars(self, reason: Reason, names: tuple[str, ...]) -> list[dict[str, Any]]:
        """Return name, value, left edge and width (both in percent) of each term."""
        ends = np.cumsum(reason.terms)
        starts = np.concatenate([[0.0], ends[:-1]])
        return [
            {
                "name": name,
                "value": f"{term:+.2f}",
                "left": self.place(min(start, end)),
                "width": 100 * abs(term) / self._span,
                "sign": "up" if term >= 0 else "down",
            }
            for name, term, start, end in zip(names, reason.terms, starts, ends, strict=True)
        ]

    def place(self, value: float) -> float:
        return 100 * (value - self._low) / self._span
