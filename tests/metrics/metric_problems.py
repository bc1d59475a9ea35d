"""Random truth and scores with what goes wrong in life: ties, empty and full rows, NaN."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


@st.composite
def problems(draw, max_rows=5, max_labels=5, unknown=True):
    """Give (Y, S): few distinct scores, so ties abound."""
    n, K = draw(st.integers(1, max_rows)), draw(st.integers(1, max_labels))
    values = [0.0, 1.0, np.nan] if unknown else [0.0, 1.0]
    Y = draw(st.lists(st.sampled_from(values), min_size=n * K, max_size=n * K))
    grid = [-0.5, 0.0, 0.25, 0.5, 1.0]
    S = draw(st.lists(st.sampled_from(grid), min_size=n * K, max_size=n * K))
    return np.array(Y).reshape(n, K), np.array(S).reshape(n, K)
