"""A model fitted to features: rows of numbers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from dlst.errors import DataError
from dlst.explanation import best_labels
from dlst.inputs import Tally
from dlst.methods import MultiLabelClassifier
from dlst.serve.cells import CELLS, read_cell
from dlst.serve.subject import Subject

VOTERS = 5


class FeatureModel(Subject):
    """Answers rows that are lists of numbers, one for each feature."""

    def __init__(self, model: MultiLabelClassifier):
        self._model = model
        self.method = type(model).__name__
        self.labels = np.array(list(model.label_names_), dtype=object)
        self._n_features = int(model.n_features_in_)
        self.columns = [
            {
                "name": "features",
                "kind": "features",
                "required": True,
                "notation": f"{self._n_features:,} numbers",
            }
        ]
        self.row_schema = {
            "type": "array",
            "title": "Row",
            "items": CELLS["feature"].schema,
            "minItems": self._n_features,
            "maxItems": self._n_features,
        }
        self.example = [0.0] * self._n_features

    def rows_in(self, body: Any) -> list[Any]:
        """Return the rows of a request; a single row is a list itself."""
        is_single = isinstance(body, list) and body and not isinstance(body[0], list)
        return [body] if is_single else super().rows_in(body)

    def read(self, row: Any, place: int) -> list[float]:
        """Check length and numbers."""
        if not isinstance(row, list) or len(row) != self._n_features:
            got = f"a list of {len(row)}" if isinstance(row, list) else type(row).__name__
            raise DataError(
                f"row {place} (counted from 0): expected a list of {self._n_features} numbers, the "
                f"features that the model was fitted to; got {got}."
            )
        return [
            float(read_cell(value, "feature", str(feature), place))
            for feature, value in enumerate(row)
        ]

    def predict(self, rows: Sequence[Any], top: int, tally: Tally) -> list[dict[str, Any]]:
        """Predict, and name the labels."""
        found = self._model.predict_all(np.array(rows))
        return [{"id": None, **answer} for answer in best_labels(found, self.labels, top)]

    def explain(self, rows: Sequence[Any], top: int, tally: Tally) -> list[dict[str, Any]]:
        """Return what each evidence adds to the logit, and which training rows voted."""
        features = np.array(rows)
        why, predicted = self._model.explain(features), self._model.predict_all(features)
        answers = why.of_rows(predicted, self.labels, top=top, voters=VOTERS)
        for facts in answers:
            for voter in itertools.chain(*facts["voters"].values()):
                voter |= {"id": None, "text": None, "tags": [], "picture": None}
        return [{"id": None, **facts} for facts in answers]
