"""ML-LOC: a code of local label correlation for each row, appended to its features."""

from dlst.methods.mlloc.estimator import MLLOC

__all__ = ["MLLOC"]
