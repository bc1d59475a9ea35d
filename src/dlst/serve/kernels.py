"""Compile the kernels of served models in advance: ``python -m dlst.serve.kernels``.

numba caches compiled code in ``NUMBA_CACHE_DIR``: a server that starts with a copy of that folder,
as in the Dockerfile, compiles nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from dlst.methods import DLST
from dlst.serve.models import subject_of
from dlst.tagging import Tagger

N_ROWS = 60
TAGS = ("a", "b", "c")


def compile_kernels() -> None:
    """Fit a small model of each kind and predict with it, as a server does before it listens."""
    for model in small_models():
        subject_of(model).warm_up()


def small_models() -> Iterator[Any]:
    """Yield models of texts, and of numbers in a table and in a matrix."""
    draw = np.random.default_rng(0)
    has = draw.random((N_ROWS, len(TAGS))) < 0.5
    tags = [[*itertools.compress(TAGS, row)] for row in has]
    # Votes have weight where the words of a row predict its tags poorly.
    words = draw.integers(40, size=(N_ROWS, 8))
    texts = [" ".join(f"w{word}" for word in row) for row in words]
    yield Tagger("dlst-linear", random_state=0).fit(texts, tags)
    numbers = has @ draw.normal(size=(len(TAGS), 4)) + 0.3 * draw.normal(size=(N_ROWS, 4))
    rows = [dict(zip("wxyz", row, strict=True)) for row in numbers.tolist()]
    yield Tagger(random_state=0).fit(rows, tags)
    yield DLST(random_state=0).fit(numbers, has.astype(float))


if __name__ == "__main__":
    compile_kernels()
