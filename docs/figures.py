"""Draw the pictures of the documentation; needs the `plots` extra, and GoEmotions in the data home.

python docs/figures.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from dlst import Tagger
from dlst._files import atomic_write
from dlst.data.home import data_home
from dlst.data.multidigits import load_multidigits
from dlst.data.statistics import cooccurrence

HERE = Path(__file__).resolve().parent
INK, PAPER, ACCENT = "#1f2933", "#ffffff", "#3b5b92"


def draw_multidigits(path: Path) -> None:
    """Show twelve images with their labels, and which digits occur together."""
    data = load_multidigits()
    figure = plt.figure(figsize=(10, 4.2), facecolor=PAPER, layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.55, 1])
    _draw_images(left, data)
    _draw_cooccurrence(right, data)
    _save(figure, path)


def draw_tagged_texts(path: Path) -> None:
    """Show three test texts of GoEmotions with their three best tags, and the words behind them."""
    folder = _real_texts()
    train, test = (pd.read_csv(folder / f"goemotions-{part}.csv") for part in ("train", "test"))
    tagger = Tagger(random_state=0).fit(train, "tags")
    rows = _three_texts(test)
    told = tagger.explain(test.loc[rows], top=3, words=3).rows
    # Narrow, so that a phone can show its words.
    figure = plt.figure(figsize=(6.4, 4.6), facecolor=PAPER, layout="constrained")
    for part, row, tags in zip(figure.subfigures(3, 1), told, test["tags"][rows], strict=True):
        part.suptitle(f"“{row['text']}”", color=INK, fontsize=10.5, x=0.02, ha="left")
        labels = sorted(row["labels"], key=lambda label: -label["probability"])
        _draw_tags(part.subplots(), labels, set(tags.split(";")))
    _save(figure, path)


def _real_texts() -> Path:
    """Find GoEmotions in the data home, or where the tests find real data."""
    places = [data_home() / "goemotions", HERE.parents[1] / "shared" / "data" / "goemotions"]
    for place in places:
        if (place / "goemotions-train.csv").is_file():
            return place
    raise SystemExit(
        f"{places[0]}: expected goemotions-train.csv and goemotions-test.csv, got none. Put them "
        "there, or set DLST_DATA to the folder above theirs."
    )


def _three_texts(test: pd.DataFrame) -> list[int]:
    """Draw three texts of fair length with two tags or more, whose characters every font has."""
    text = test["text"].str
    fair = text.len().between(50, 105) & text.isascii() & test["tags"].str.contains(";")
    return [int(row) for row in test[fair].sample(3, random_state=0).index]


def _draw_tags(axes, labels, true: set[str]) -> None:
    for place, label in enumerate(labels):
        right = label["tag"] in true
        axes.barh(place, label["probability"], color=ACCENT if right else "#c5ccd3", height=0.7)
        words = [found["what"] for found in label["because"] if found["contribution"] > 0]
        note = f"{label['probability']:.2f}"
        if words:
            note += "   because of " + ", ".join(words[:3])
        axes.text(label["probability"] + 0.01, place, note, va="center", color=INK, fontsize=9)
    axes.set(xlim=(0, 1.5), ylim=(len(labels) - 0.4, -0.6), xticks=[])
    axes.set_yticks(range(len(labels)), [label["tag"] for label in labels], color=INK)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _save(figure, path: Path) -> None:
    with atomic_write(path) as stream:
        # No software version inside: equal pictures give equal bytes.
        figure.savefig(stream, format="png", dpi=110, metadata={"Software": None})
    plt.close(figure)


def _draw_images(figure, data) -> None:
    figure.suptitle("Images and their labels", color=INK, fontsize=12)
    for axes, row in zip(figure.subplots(4, 3).flat, _twelve_rows(data), strict=True):
        axes.imshow(data.images[row], cmap="gray_r", vmin=0, vmax=1, interpolation="nearest")
        labels = [data.label_names[column] for column in data.Y[[row]].indices]
        axes.set_title("{" + ", ".join(labels) + "}", color=ACCENT, fontsize=11, pad=4)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_color("#c5ccd3")


def _twelve_rows(data) -> list[int]:
    """Choose four images each with one, two and three digits, no label set twice."""
    per_row = np.asarray(data.Y.sum(axis=1))
    columns = []
    for count in (1, 2, 3):
        rows = np.flatnonzero(per_row == count)
        _, first = np.unique(data.Y[rows].toarray(), axis=0, return_index=True)
        columns.append(rows[np.sort(first)[:4]])
    return [int(row) for rows in zip(*columns, strict=True) for row in rows]


def _draw_cooccurrence(figure, data) -> None:
    figure.suptitle("Which digits occur together", color=INK, fontsize=12)
    axes = figure.subplots()
    counts = cooccurrence(data.Y).toarray()
    frequencies = counts.diagonal().copy()
    shares = 100 * counts / frequencies[:, None]
    np.fill_diagonal(shares, np.nan)
    image = axes.imshow(shares, cmap="Blues", vmin=0)
    axes.set(xticks=range(10), yticks=range(10))
    axes.set_xlabel("… also shows this digit", color=INK)
    axes.set_ylabel("of the images with this digit …", color=INK)
    axes.tick_params(length=0, colors=INK)
    axes.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, shrink=0.8, format="%d %%")
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, colors=INK)


if __name__ == "__main__":
    draw_multidigits(HERE / "multidigits.png")
    draw_tagged_texts(HERE / "tagged-texts.png")
