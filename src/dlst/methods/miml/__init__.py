"""MIML: sparse Bayesian labels behind a linear-Gaussian code, and which rows to label next."""

from dlst.methods.miml.estimator import MIML

__all__ = ["MIML"]
