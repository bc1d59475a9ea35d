"""The probe "describe": the size and the label statistics of a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst.data import Dataset


def describe(data: Dataset, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Count what a reader wants to know before believing a score.

    Parameters
    ----------
    data : Dataset
    settings : mapping, optional
        There are none; every probe takes them.

    Returns
    -------
    dict
        ``n``, ``n_train`` and ``n_test`` (None without an official split), ``d`` (0 where only the
        labels are at hand), ``K``, ``cardinality``, ``density``, ``label_sets`` (distinct ones),
        ``without_label`` (rows), ``unknown`` (entries), ``sparse``, ``simulated``, ``note``,
        ``rows_by_labels`` (number of rows with 0, 1, 2 … labels), ``frequency`` (``min``,
        ``median`` and ``max`` number of rows of a label) and ``never`` (labels without a row).

    Examples
    --------
    >>> found = describe(Dataset([[0.0], [1.0], [2.0]], [[1, 0], [1, 1], [0, 0]]))
    >>> found["cardinality"], found["rows_by_labels"], found["frequency"]["max"]
    (1.0, [1, 1, 1], 2)
    """
    found = data.statistics()
    frequencies = found.label_frequencies
    notes = data.provenance.notes
    return {
        "n": found.n_samples,
        "n_train": None if data.split is None else len(data.split.train),
        "n_test": None if data.split is None else len(data.split.test),
        "d": found.n_features,
        "K": found.n_labels,
        "cardinality": round(found.cardinality, 6),
        "density": round(found.density, 6),
        "label_sets": found.n_label_sets,
        "without_label": found.n_without_label,
        "unknown": found.n_unknown,
        "sparse": sp.issparse(data.X),
        "simulated": "simulated features" in notes,
        "note": "; ".join(notes),
        "rows_by_labels": np.bincount((data.Y == 1).sum(axis=1)).tolist(),
        "frequency": {
            "min": int(frequencies.min(initial=found.n_samples)),
            "median": float(np.median(frequencies)) if frequencies.size else 0.0,
            "max": int(frequencies.max(initial=0)),
        },
        "never": int(np.count_nonzero(frequencies == 0)),
    }
