"""Functions compiled by numba on first use, kept on disk where there is a place for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from dlst._garbage import without_collecting


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function on its first call, without Python's lock while it runs.

    numba itself is imported then, not before. Where neither the package nor the user's cache may be
    written, as in many containers, each process compiles anew; ``NUMBA_CACHE_DIR`` names another
    place.

    Parameters
    ----------
    **options
        More for :func:`numba.njit`.
    """
    return lambda function: _OnFirstCall(function, options)


class _OnFirstCall:
    """Stands for a compiled function until it is called.

    Compiled functions that call each other must see each other compiled, so each takes the place of
    its stand-in in the module's globals.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self._function, self._options = function, options
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self._dispatcher is None:
            with without_collecting():
                return self.dispatcher()(*arguments, **named)
        return self._dispatcher(*arguments, **named)

    def dispatcher(self) -> Any:
        """Give numba's own function, those that it calls being numba's too."""
        if self._dispatcher is None:
            names = self._function.__globals__
            for name in _names_in(self._function.__code__):
                called = names.get(name)
                if isinstance(called, _OnFirstCall) and called is not self:
                    names[name] = called.dispatcher()
            self._dispatcher = _njit(self._function, self._options)
            if names.get(self._function.__name__) is self:
                names[self._function.__name__] = self._dispatcher
        return self._dispatcher


def _names_in(code: Any) -> set[str]:
    inner = (constant for constant in code.co_consts if hasattr(constant, "co_names"))
    return set(code.co_names).union(*map(_names_in, inner))


def _njit(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    from numba import njit

    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # numba looks for its place at once, and has found none
        return njit(nogil=True, **options)(function)
