"""The scaling of features on a cluster, from sums over their blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from dlst.distributed.sums import Looks
from dlst.methods import FeatureScaler
from dlst.methods.scaling import (
    HISTOGRAM_DENSITY,
    HISTOGRAM_SPREAD,
    TEXT_DENSITY,
    Scaling,
)


def fitted_scaler(scaling: Scaling, looks: Looks) -> FeatureScaler:
    """Return the scaler that a fit in memory would give."""
    scaler = FeatureScaler(scaling)
    scaler.scaling_ = _what_fits(looks) if scaling == "auto" else scaling
    scaler.check(looks.smallest)
    scaler.scaler_ = scaler.unfitted()
    if scaler.scaler_ is not None:
        vars(scaler.scaler_).update(_learnt(scaler.scaling_, looks))
    return scaler


def are_thin(looks: Looks) -> bool:
    """Tell whether less than a quarter of the features are non-zero, as in texts."""
    return _density(looks) < TEXT_DENSITY


def _what_fits(looks: Looks) -> Scaling:
    thin, density = are_thin(looks), _density(looks)
    several = looks.n_long > 1 and looks.nonzeros > 1.5 * looks.n_long
    if thin and several and looks.lengths_one:
        return "none"
    if looks.smallest < 0:
        return "maxabs" if thin else "standard"
    sums = looks.row_sums
    spread = float(np.sqrt(sums.variance[0]))
    one_sum = looks.n_rows > 1 and sums.mean[0] > 0 and spread <= HISTOGRAM_SPREAD * sums.mean[0]
    if density < HISTOGRAM_DENSITY and one_sum:
        return "hellinger"
    return "tfidf" if thin else "standard"


def _density(looks: Looks) -> float:
    return looks.nonzeros / float(looks.n_rows * len(looks.columns.mean))


def _learnt(scaling: str, looks: Looks) -> dict[str, Any]:
    """Return the attributes of scikit-learn's scaler, as its own ``fit`` would set them."""
    n, d = looks.n_rows, len(looks.columns.mean)
    if scaling == "standard":
        mean, variance = looks.columns.mean, looks.columns.variance
        # As in scikit-learn: features that vary by rounding only are constant.
        rounding = n * np.finfo(np.float64).eps
        constant = variance <= rounding * variance + (n * mean * np.finfo(np.float64).eps) ** 2
        scale = np.where(constant, 1.0, np.sqrt(variance))
        found = {"mean_": mean, "var_": variance, "scale_": scale, "n_samples_seen_": n}
    elif scaling == "tfidf":
        found = {"idf_": np.log((1.0 + n) / (1.0 + looks.documents)) + 1.0}
    elif scaling == "maxabs":
        largest = looks.largest
        found = {
            "max_abs_": largest,
            "scale_": np.where(largest == 0, 1.0, largest),
            "n_samples_seen_": n,
        }
    else:
        found = {}
    return {**found, "n_features_in_": d}
