"""From a model file to a subject that the server can query."""

from __future__ import annotations

import os
from typing import Any

from dlst._files import PathLike
from dlst.errors import DataError
from dlst.methods import MultiLabelClassifier
from dlst.persistence import load_model
from dlst.serve.feature_model import FeatureModel
from dlst.serve.subject import Subject
from dlst.serve.table_model import TableModel
from dlst.tagging import Tagger


def subject_of(model: Any) -> Subject:
    """Wrap a fitted model for the server."""
    if isinstance(model, Tagger):
        return TableModel(model)
    if isinstance(model, MultiLabelClassifier) and model._targets.is_indicator:
        return FeatureModel(model)
    raise DataError(
        "expected a model fitted to labels, a Tagger or a method of `dlst methods`; got "
        f"{type(model).__name__}."
    )


def load_subject(path: PathLike) -> Subject:
    """Read a model file."""
    try:
        return subject_of(load_model(path))
    except DataError as error:
        raise DataError(f"{os.fspath(path)}: {error}") from error
