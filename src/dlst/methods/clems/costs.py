"""The cost of predicting one label set where another is true."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from dlst._matrices import FloatArray

Cost: TypeAlias = Literal["hamming", "f1", "accuracy", "rank"]


def label_set_costs(truths: sp.csr_array, answers: sp.csr_array, cost: Cost) -> FloatArray:
    """Return the cost of every answer for every truth.

    Parameters
    ----------
    truths, answers : csr_array of shapes (u, K) and (m, K)
        Label sets, ones stored.
    cost : {"hamming", "f1", "accuracy", "rank"}
        Share of labels that differ; 1 − 2|A∩B|/(|A|+|B|); 1 − |A∩B|/|A∪B|; or how many pairs of
        a true and a false label are ordered wrongly, ties counting half. Two empty sets agree.

    Returns
    -------
    ndarray of shape (u, m)

    Examples
    --------
    >>> truths, answers = sp.csr_array([[1.0, 1, 0]]), sp.csr_array([[1.0, 1, 0], [0.0, 1, 1]])
    >>> label_set_costs(truths, answers, "f1")
    array([[0. , 0.5]])
    >>> label_set_costs(truths, answers, "rank")
    array([[0. , 1.5]])
    """
    K = truths.shape[1]
    shared = np.asarray((truths @ answers.T).toarray())
    sizes = np.asarray(truths.sum(axis=1)).reshape(-1, 1)
    answer_sizes = np.asarray(answers.sum(axis=1)).reshape(1, -1)
    missed, extra = sizes - shared, answer_sizes - shared
    if cost == "hamming":
        return np.asarray((missed + extra) / K)
    if cost == "rank":
        rejected = K - sizes - extra
        return np.asarray(missed * extra + 0.5 * (missed * rejected + shared * extra))
    wrong = missed + extra
    whole = wrong + (2.0 if cost == "f1" else 1.0) * shared
    return np.asarray(wrong / np.where(whole > 0, whole, 1.0))
