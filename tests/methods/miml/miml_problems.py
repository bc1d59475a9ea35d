"""Matrices Φ, and labels that follow from features, for the tests of MIML."""

import numpy as np

PHIS = {"identity": None, "narrow": (3, 5), "wide": (8, 5)}


def phi_of(kind, rng):
    if PHIS[kind] is None:
        return None
    phi = rng.uniform(-1, 1, size=PHIS[kind])
    return phi / np.linalg.norm(phi, axis=0)


def labelled_rows(rng):
    """Rows and labels, new rows and theirs."""
    X = rng.normal(size=(120, 6))
    W = rng.normal(size=(6, 5))
    Y = (X @ W + rng.normal(size=(120, 5)) > 1).astype(float)
    X_new = rng.normal(size=(200, 6))
    return X, Y, X_new, (X_new @ W + rng.normal(size=(200, 5)) > 1).astype(float)
