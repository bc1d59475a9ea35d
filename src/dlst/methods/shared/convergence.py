"""The warning of solvers that stopped before they had converged."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning


def warn_not_converged(message: str, *, stacklevel: int = 2) -> None:
    """Say what stopped early, and what to change; the level is that of whoever calls this."""
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel + 1)
