"""What several items have in common: methods, protocols, and the names of DLST here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from dlst.paper.published import MEASURES
from dlst.reports import Run
from dlst.reports.document import Table, TableCell
from dlst.reports.score_blocks import measure_heading, score_block
from dlst.reports.words import anchor

DEFAULT, PIPELINE = "dlst", "dlst-paper"
"""The library's default composition, and the paper's own pipeline read soundly."""

NINE = ("br", "cplst", "faie", "mlloc", "mc", "miml", "slrm", "mrv", "leml")
"""What the paper compares with."""

AP = next(iter(MEASURES))
MACRO_F1 = "macro_f1_top_r"

SIMULATED = {"n_features": 64}
HARD = {"n_features": 64, "signal_to_noise": 0.1}
"""With few labels per row the first would be too easy to tell methods apart."""

SEMI = {"transductive": True}
"""The semi-supervised methods see the test rows, without labels, as the paper has it."""

TENTH = {"fraction": 0.1, "simulate": SIMULATED, **SEMI}
"""Train on a tenth of each class, test on the rest; features only where there are none."""

CORRECTION = (
    "DLST alone ranks by logit p less τ times log prior, τ = .2, which favours rare labels a "
    "little; no other method has this correction, so a part of its lead may be due to it."
)
"""Of records that do not say their τ; others have that of all methods."""

SPLITS = {"random": "random splits", "official": "official split"}
WITH_FEATURES = (
    "emotions",
    "scene",
    "yeast",
    "mediamill-2000",
    "msrc",
    "birds",
    "cal500",
    "enron",
    "medical",
    "corel5k",
    "bibtex",
    "delicious",
    "tmc2007-500",
)


def split_tables(
    frame: pd.DataFrame,
    topic: str,
    measure: str,
    beneath: Callable[[pd.DataFrame], Sequence[Sequence[TableCell]]] = lambda _: (),
    note: str = "",
) -> list[Table]:
    """Lay a measure out for random and for official splits; ``beneath`` gives rows of others."""
    found = []
    for kind, words in SPLITS.items():
        part = frame[frame["drawn"] == kind]
        table = score_block(
            part,
            measure,
            str(frame["title"].iloc[0]),
            name=anchor(topic, measure, kind),
            title=f"{measure_heading(measure)}: {words}",
            references=beneath(part),
            note=note,
        )
        found += [] if table is None else [table]
    return found


def correction_words(frame: pd.DataFrame) -> list[str]:
    """Warn of DLST's prior correction, where records do not tell the one of every method."""
    return [] if frame["tau"].notna().any() else [CORRECTION]


def presets(run: Run) -> tuple[str, str]:
    """Give the titles of the default and of the paper's pipeline."""
    return run.title(DEFAULT), run.title(PIPELINE)


def most_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep random splits where there are any, else the official one."""
    kind = "random" if (frame["drawn"] == "random").any() else "official"
    return frame[frame["drawn"] == kind]
