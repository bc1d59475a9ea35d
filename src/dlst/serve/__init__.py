"""Models over HTTP: rows in, tags with probabilities and reasons out, and a page to try it on."""

from dlst.serve.app import make_app
from dlst.serve.limits import Limits
from dlst.serve.server import serve

__all__ = ["Limits", "make_app", "serve"]
