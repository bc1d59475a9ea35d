"""The embedded data set: images of one to three handwritten digits."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from dlst._matrices import FloatArray
from dlst.data._sampling import generator_of
from dlst.data.dataset import Dataset, Provenance, Split

N_TRAIN, N_TEST = 1500, 500
IMAGE_SHAPE = (8, 24)
SLOT = 8
"""Width of one digit; an image has three slots."""

COUNT_SHARES = (0.3, 0.4, 0.3)
"""Shares of images with one, two and three digits."""

ATTRACTION = 2.0
"""How strongly neighbours on the ring of digits attract each other; 0 would be independence."""

# Three quarters of the source images, as of the composed ones.
_N_SOURCE_TRAIN = 1347


def load_multidigits(*, random_state: Any = 0) -> Dataset:
    """Compose 2,000 images of 8 × 24 pixels from scikit-learn's handwritten digits.

    An image shows one, two or three different digits (30, 40 and 30 %); its labels are the
    digits that it shows, whatever their place. Nothing is downloaded.

    Parameters
    ----------
    random_state : None, int, RandomState or Generator
        Seed; 0 gives the data set that the documentation and the demo show.

    Returns
    -------
    Dataset
        n = 2,000, d = 192 pixels in [0, 1], K = 10 labels ``"0"`` to ``"9"``, cardinality 2.0,
        ``image_shape`` (8, 24), 1,500 training and 500 test rows.

    Notes
    -----
    *Digit sets.* The first digit d is drawn with weight ``1 / √(d + 1)``, so the labels are
    unbalanced. Each further digit j is drawn among those not yet in the image with weight
    ``Π_i exp(2 cos(2π (i − j) / 10))`` over the digits i that are: the digits stand on a ring on
    which 9 is beside 0, and neighbours attract. The label space is therefore a circle, with two
    dimensions that matter among ten.

    *Images.* The digits fall into distinct slots of 8 × 8 pixels in random order, each shifted by
    up to one pixel in both directions; where they overlap the darker pixel wins.

    *Split.* Training images are composed from the first three quarters of the source images, test
    images from the last quarter, so no handwritten digit occurs on both sides. The cut is by
    position because one hand's digits stand together in the source: the nearest neighbour of a
    digit lies within 60 places of it in 42 % of the cases, by chance it would be 7 %.

    Examples
    --------
    >>> data = load_multidigits()
    >>> data
    Dataset('multidigits', n=2000, d=192, K=10, cardinality=2.010, split=1500/500)
    >>> [data.label_names[j] for j in data.Y[[0]].indices]
    ['7']
    >>> data.images[0].shape
    (8, 24)
    """
    rng = generator_of(random_state)
    digits, classes = load_digits(return_X_y=True)
    digits = digits.reshape(-1, SLOT, SLOT) / 16
    sides = [(slice(0, _N_SOURCE_TRAIN), N_TRAIN), (slice(_N_SOURCE_TRAIN, None), N_TEST)]
    images, indicators = [], []
    for source, n_images in sides:
        sources = [digits[source][classes[source] == digit] for digit in range(10)]
        for _ in range(n_images):
            shown = _digit_set(rng)
            images.append(_compose(shown, sources, rng).ravel())
            indicators.append(np.isin(np.arange(10), shown))
    return Dataset(
        np.array(images),
        np.array(indicators),
        feature_names=[f"pixel_{row}_{column}" for row, column in np.ndindex(*IMAGE_SHAPE)],
        label_names=[str(digit) for digit in range(10)],
        name="multidigits",
        split=Split(np.arange(N_TRAIN), np.arange(N_TRAIN, N_TRAIN + N_TEST)),
        provenance=Provenance(
            source="composed from sklearn.datasets.load_digits",
            citation=(
                "E. Alpaydin and C. Kaynak (1998). Optical Recognition of Handwritten Digits. "
                "UCI Machine Learning Repository."
            ),
            terms="CC BY 4.0",
            notes=("test images are composed from other handwritten digits than training images",),
        ),
        image_shape=IMAGE_SHAPE,
    )


def _digit_set(rng: np.random.Generator) -> list[int]:
    """Draw one to three digits from the ring."""
    ring = np.arange(10)
    weights = 1 / np.sqrt(ring + 1)
    shown: list[int] = []
    for _ in range(1 + int(rng.choice(3, p=COUNT_SHARES))):
        shown.append(int(rng.choice(10, p=weights / weights.sum())))
        distances = ring[:, None] - np.array(shown)
        weights = np.exp(ATTRACTION * np.cos(2 * np.pi * distances / 10).sum(axis=1))
        weights[shown] = 0
    return shown


def _compose(shown: list[int], sources: list[FloatArray], rng: np.random.Generator) -> FloatArray:
    """Place a random handwriting of each digit on an empty image."""
    # A margin of one pixel takes the shifts; what lands there is cut off.
    canvas = np.zeros((IMAGE_SHAPE[0] + 2, IMAGE_SHAPE[1] + 2))
    for digit, slot in zip(shown, rng.permutation(3), strict=False):
        handwriting = sources[digit][rng.integers(len(sources[digit]))]
        top, shift = rng.integers(3, size=2)
        left = SLOT * slot + shift
        place = canvas[top : top + SLOT, left : left + SLOT]
        np.maximum(place, handwriting, out=place)
    return canvas[1:-1, 1:-1]
