"""SLRM: a low-rank map from features to labels, smooth over rows with and without labels."""

from dlst.methods.slrm.estimator import SLRM

__all__ = ["SLRM"]
