"""The graph of nearest neighbours, and its Laplacian."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.neighbors import kneighbors_graph

Weights = Literal["binary", "heat"]

_BLOCK_MIB = 128


def neighbour_laplacian(
    X: Any, n_neighbors: int, *, weights: Weights = "binary", n_jobs: int | None = None
) -> sp.csr_array:
    """Return the Laplacian D − A of the graph that joins each row to its nearest others.

    Two rows are joined when either is among the other's nearest.

    Parameters
    ----------
    X : ndarray or sparse of shape (n, d)
        Rows.
    n_neighbors : int
        Number of nearest rows that each row is joined to, at most n − 1.
    weights : {"binary", "heat"}
        Weight of an edge: 1, or exp(−distance²/width²) with the mean length of an edge for width.
    n_jobs : int, optional
        Passed to scikit-learn's neighbour search.

    Returns
    -------
    csr_array of shape (n, n)

    Examples
    --------
    >>> neighbour_laplacian(np.array([[0.0], [1.0], [3.0]]), 1).toarray()
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    """
    n = X.shape[0]
    k = min(n_neighbors, n - 1)
    if k < 1:
        return sp.csr_array((n, n))
    # scikit-learn's own limit for its blocks of distances is 1 GiB.
    with config_context(working_memory=_BLOCK_MIB):
        edges = sp.csr_array(kneighbors_graph(X, k, mode="distance", n_jobs=n_jobs))
    if weights == "heat":
        width = float(edges.data.mean())
        edges.data = np.exp(-((edges.data / width) ** 2)) if width > 0 else np.ones(edges.nnz)
    else:
        edges.data = np.ones(edges.nnz)
    affinity = edges.maximum(edges.T)
    degrees = np.asarray(affinity.sum(axis=1)).ravel()
    return sp.csr_array(sp.diags_array(degrees) - affinity)
