"""Rows in two bytes per number, to find the few that may be nearest to a query.

A query reads every row once, so that its time is that of reading them: two bytes per number are a
quarter of double precision. Rows are excluded by a bound, so that the result is exact.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils.extmath import row_norms

from dlst._kernels.coded_rows import coded_squares
from dlst._kernels.nearest import largest
from dlst._matrices import FloatArray, IntArray
from dlst.decoders.neighbours import row_blocks

LONGEST = 2.0**14.5
"""Of codes: a squared distance is at most the square of twice that, and has 32 bits."""

WIDEST = 30_000
"""Maximum number of columns, at which a row of equal numbers has codes of 133."""

_ROUNDING = 1e-5
"""Relative rounding error of distances in single precision, with a margin."""

_MOST_LOST = 1e30
"""Exceeds every distance of codes, so that a row with this error is never excluded."""

_FAR_OFF = 1e100
"""Values are clipped here, in steps, so that their squares do not overflow."""


class CodedRows:
    """Rows x ≈ centre + step · code, with the rounding error of each.

    The step is such that the longest of a thousand rows has the longest possible code; longer rows
    are shortened, which adds to their error.

    Attributes
    ----------
    codes : ndarray of int16, shape (n, d)
    squares : ndarray of shape (n,)
        |code|².
    lost : ndarray of shape (n,)
        |(x − centre) / step − code|.
    """

    def __init__(self, rows: FloatArray):
        n, d = rows.shape
        self.centre = rows.mean(axis=0)
        # Rounding to integers lengthens a row by at most half a diagonal.
        self.most = LONGEST - 0.5 * np.sqrt(d) - 1.0
        sample = rows[:: max(1, n // 1000)] - self.centre
        self.step = float(row_norms(sample).max()) / self.most or 1.0
        self.codes = np.empty((n, d), dtype=np.int16)
        self.squares, self.lost = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.float32)
        for block in row_blocks(n, d):
            codes, lost = self._coded(rows[block])
            self.codes[block] = codes
            self.squares[block] = np.einsum("ij,ij->i", codes, codes)
            self.lost[block] = np.minimum(lost, _MOST_LOST)

    def candidates(self, query: FloatArray, k: int, own: int) -> IntArray:
        """Return the rows that can be among the k nearest of a query (d,); ``own`` is left out.

        By the triangle inequality the distance of a row is that of its code from the query's, up
        to the rounding errors of both.
        """
        codes, lost = self._coded(query[None])
        squared = coded_squares(self.codes, self.squares, codes[0].astype(np.int16))
        far = np.sqrt(squared.astype(np.float32))
        kth = largest(-(far + self.lost)[None], np.array([own]), k)[0]
        reach = float((far[kth] + self.lost[kth]).max())
        within = min((reach + 2.0 * float(lost[0])) * (1.0 + _ROUNDING), _MOST_LOST)
        found = np.flatnonzero(far - self.lost <= within)
        return found if own < 0 else found[found != own]

    def _coded(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return codes (m, d) and the rounding error of each row, in steps."""
        steps = np.clip((rows - self.centre) / self.step, -_FAR_OFF, _FAR_OFF)
        lengths = row_norms(steps)
        shares = self.most / np.maximum(lengths, self.most)
        codes = np.rint(steps * shares[:, None])
        gaps = steps - codes
        return codes, np.sqrt(np.einsum("ij,ij->i", gaps, gaps))
