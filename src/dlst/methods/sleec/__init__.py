"""SLEEC: sparse local embeddings; neighbours are searched among regressed codes."""

from dlst.methods.sleec.estimator import SLEEC

__all__ = ["SLEEC"]
