"""BR: binary relevance with support vector machines on one shared kernel matrix."""

from dlst.methods.br.estimator import BR

__all__ = ["BR"]
