"""Codes of label sets that were counted over blocks."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from dlst.encoders import ChosenCode, FullCode, LabelSets
from dlst.encoders.choice import STUDIED_ITERATIONS


def chosen_code(encoder: Any, sets: LabelSets, judge: Callable[[Any], float]) -> Any:
    """Fit an encoder to counted label sets; one that chooses a code does so by the judge.

    Parameters
    ----------
    encoder : ChosenCode, FullCode or DistributionEncoder
        Unfitted.
    sets : LabelSets
        With the counts of all rows.
    judge : callable
        From a fitted encoder to the left-out log-loss of the labels of near codes.
    """
    if not isinstance(encoder, ChosenCode):
        return encoder.fit(sets)
    automatic = encoder.n_components == "auto"
    encoder.encoder_ = FullCode() if automatic else encoder._aligned(encoder.n_components)
    encoder.encoder_.fit(sets)
    encoder.log_loss_ = {}
    if not automatic or not encoder._is_worth_choosing(sets.shape[0]):
        return encoder
    half = encoder._aligned("half").set_params(max_iter=STUDIED_ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        half.fit(sets)
    encoder.log_loss_ = {"full": judge(encoder.encoder_), "half": judge(half)}
    if encoder.log_loss_["half"] < encoder.log_loss_["full"]:
        encoder.encoder_ = half
    return encoder
