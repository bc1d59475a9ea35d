"""Work on a Dask cluster: the extra ``dask``."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.distributed.cluster import connected
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = ["connected"]
