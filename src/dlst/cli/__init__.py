"""The command line: parse, delegate, print."""

from dlst.cli.app import app, main

__all__ = ["app", "main"]
