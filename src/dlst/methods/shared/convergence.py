"""The warning of solvers that stopped before they had converged."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning


def warn_not_converged(message: str, *, stacklevel: int = 2) -> None:
    """Warn of what stopped early, and say what to change; the level is that of the caller."""
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel + 1)
