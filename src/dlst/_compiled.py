"""Functions compiled by numba, kept on disk where there is a place for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function on its first call, without Python's lock while it runs.

    Where neither the package nor the user's cache may be written, as in many containers, each
    process compiles anew; ``NUMBA_CACHE_DIR`` names another place.

    Parameters
    ----------
    **options
        More for :func:`numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, nogil=True, **options)(function)
        except RuntimeError:  # numba looks for its place at once, and has found none
            return njit(nogil=True, **options)(function)

    return decorate
