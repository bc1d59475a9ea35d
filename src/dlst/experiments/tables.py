"""Tables in experiments: what encodes them has seen training rows alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dlst.data import Dataset
from dlst.inputs import Tally
from dlst.inputs.table import encoder_of
from dlst.tagging.tables import placed, training_frame


def with_features(data: Dataset, train: Any) -> tuple[Dataset, bool]:
    """Make features of raw columns, by what training rows show; data that have features pass.

    Also says whether methods are to take the features as they are.
    """
    if data.table is None:
        return data, False
    encoder = encoder_of(data.table.columns)
    frame = training_frame(data.table)
    with placed(data.table.take(train)):
        encoder.fit(frame.iloc[train])
    with placed(data.table):
        X = encoder.encode(frame, Tally())
    names = encoder.get_feature_names_out().tolist()
    unique = names if len(set(names)) == len(names) else ()
    return replace(data, X=X, feature_names=unique, table=None), encoder.is_scaled_
