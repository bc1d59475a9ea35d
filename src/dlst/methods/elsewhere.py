"""Dispatch of Dask arrays to the code that works where their blocks are."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def also_on_a_cluster(method: Method) -> Method:
    """Let a method take Dask arrays; :mod:`dlst.distributed` is imported then, and not before."""
    name = method.__name__

    @wraps(method)
    def wherever(self: Any, X: Any, *arguments: Any, **named: Any) -> Any:
        on_cluster = hasattr(X, "__dask_graph__")
        if name == "fit":
            # What an earlier fit left on a cluster is not this one's.
            vars(self).pop("cluster_voters_", None)
            if on_cluster:
                return import_module("dlst.distributed.fit").fit(self, X, *arguments, **named)
        elif on_cluster or "cluster_voters_" in vars(self):
            answer = import_module("dlst.distributed.answers").answer
            return answer(self, name, X, *arguments, **named)
        return method(self, X, *arguments, **named)

    return cast(Method, wherever)
