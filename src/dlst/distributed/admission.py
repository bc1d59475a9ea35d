"""Checks before a fit on a cluster: model, rows and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from dlst._parameters import check_parameters
from dlst.data.names import NumberedNames
from dlst.decoders import EvidenceDecoder
from dlst.distributed.scaling import are_thin
from dlst.distributed.sums import Looks, counts_of, joined_label_sets
from dlst.encoders import ChosenCode, DistributionEncoder, FullCode, LabelSets
from dlst.errors import DataError
from dlst.methods import DLST
from dlst.methods.linear_dlst import MANY_LABELS
from dlst.methods.targets import Targets
from dlst.regressors import KernelRidge


def checked_composition(model: Any) -> Any:
    """Return the parts of the kernel composition; refuse those that cannot work on blocks."""
    if not isinstance(model, DLST):
        raise DataError(
            f"{type(model).__name__} must have its rows in memory; got Dask arrays. "
            "Use X.compute(), or DLST."
        )
    check_parameters(model)
    if model.regression == "linear":
        raise DataError(
            "on a cluster DLST must have regression='kernel'; got 'linear', which is fitted in "
            "one place. Use X.compute()."
        )
    if len(model.evidences):
        raise DataError(
            f"on a cluster DLST must have no more evidences; got {', '.join(model.evidences)}. "
            "Use X.compute()."
        )
    model.regression_, model.regression_log_loss_ = "kernel", {}
    parts = model._completed(model.default_parts())
    decoder = parts.decoder
    plain = type(decoder) is EvidenceDecoder and not decoder.enrichment and not decoder.extra
    known = type(parts.encoder) in (ChosenCode, FullCode, DistributionEncoder)
    if not (plain and known and type(parts.regressor) is KernelRidge):
        raise DataError(
            "on a cluster DLST must have its default parts, with parameters of your choice but for "
            f"enrichment and extra; got {parts.encoder}, {parts.regressor} and {decoder}. Use "
            "X.compute() to fit others."
        )
    if parts.codes != "out-of-sample":
        raise DataError(f"on a cluster codes must be 'out-of-sample'; got {parts.codes!r}.")
    return parts


def check_looks(model: Any, looks: Looks, n_labels: int, min_rows: int) -> None:
    """Refuse rows that a fit in memory would treat differently."""
    if looks.n_rows < max(min_rows, 2):
        raise DataError(
            f"on a cluster DLST must have at least {max(min_rows, 2)} rows; got {looks.n_rows}. "
            "Use X.compute()."
        )
    parts_given = any(part is not None for part in (model.encoder, model.regressor, model.decoder))
    linear = are_thin(looks) or n_labels > MANY_LABELS
    if model.regression == "auto" and not parts_given and linear:
        raise DataError(
            "of features that are mostly zero, and of very many labels, DLST takes the linear "
            "regression, which is fitted in one place; got Dask arrays. Use X.compute(), or "
            "regression='kernel'."
        )


def name_labels(model: Any, sets: LabelSets, Y: Any, n_features: int) -> LabelSets:
    """Set the attributes of labels that every method has; return the sets of varying labels."""
    positive, known = counts_of(sets)
    n_labels = int(sets.sets.shape[1])
    model.n_features_in_, model.n_labels_ = int(n_features), n_labels
    model._targets = Targets(None, (), np.dtype(Y.dtype).name, sparse=sp.issparse(Y._meta))
    model.label_names_ = NumberedNames("label", n_labels)
    model.classes_ = np.arange(n_labels)
    model.prevalence_ = positive / known
    varying = (positive > 0) & (positive < known)
    model._varying = np.flatnonzero(varying)
    model._warn_of_constant_labels(int((~varying).sum()))
    if not model._varying.size:
        raise DataError("on a cluster a label must vary; got constant labels only.")
    model.label_counts_ = positive[varying].astype(np.int64)
    kept = LabelSets(sets.sets[:, model._varying], sets.counts, sets.inverse, sets.first)
    return kept if varying.all() else joined_label_sets([kept])
