"""The command line: parse, then delegate."""

from dlst.cli.app import app, main

__all__ = ["app", "main"]
