"""When Python's collector of garbage should wait."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    """Look for no garbage while modules or compiled functions are loaded.

    They make very many objects that stay; searching these again and again for some that nobody
    needs takes a fifth of the time. Afterwards they count as old, so that the next search of new
    objects does not walk through all of them either; one of everything will.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            # To freeze and to unfreeze makes all objects old at once; what others froze stays so.
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
