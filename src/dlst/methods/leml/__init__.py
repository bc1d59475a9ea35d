"""LEML: empirical risk minimisation with a linear map of low rank."""

from dlst.methods.leml.estimator import LEML

__all__ = ["LEML"]
