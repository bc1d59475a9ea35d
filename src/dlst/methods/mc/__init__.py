"""MC: labels completed together with features, as one matrix of low rank."""

from dlst.methods.mc.estimator import MC

__all__ = ["MC"]
