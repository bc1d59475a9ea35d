"""MRV: latent labels of low rank, and a smooth vector-valued function that predicts them."""

from dlst.methods.mrv.estimator import MRV

__all__ = ["MRV"]
