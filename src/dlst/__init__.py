"""Multi-label learning through label-space transformation."""

__version__ = "0.1.0.dev0"
