"""Models over HTTP: rows in, tags with probabilities and reasons out, and a page to try it on."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.serve.app import make_app
    from dlst.serve.limits import Limits
    from dlst.serve.server import serve
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = ["Limits", "make_app", "serve"]
