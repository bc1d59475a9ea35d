"""CLEMS: label sets embedded so that distances are costs, features regressed, nearest set taken."""

from dlst.methods.clems.estimator import CLEMS

__all__ = ["CLEMS"]
