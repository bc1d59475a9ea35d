"""What an encoder of columns promises."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from sklearn.base import BaseEstimator

from dlst._matrices import FeatureMatrix
from dlst.inputs.notes import Tally


class Part(BaseEstimator, ABC):  # type: ignore[misc]
    """Encodes some columns of a frame; the columns come by name, in the order of the fit."""

    @abstractmethod
    def fit(self, columns: Any, tally: Tally) -> Part:
        """Learn from training rows."""

    @abstractmethod
    def transform(self, columns: Any, tally: Tally) -> FeatureMatrix:
        """Give the features of rows, and count what was unusual."""

    @abstractmethod
    def feature_names(self) -> list[str]:
        """Name the features."""

    def owners(self) -> list[int]:
        """Say for each feature which of the columns it comes from, by its place among them."""
        return [0] * len(self.feature_names())

    def known_values(self) -> dict[str, list[str]]:
        """Give the values that cells were seen to have, for columns of categories."""
        return {}

    def notation(self) -> dict[str, str]:
        """Say how cells are written, for columns where it is not plain."""
        return {}

    def fit_transform(self, columns: Any, tally: Tally) -> FeatureMatrix:
        """Learn, and give the features of the same rows."""
        return self.fit(columns, tally).transform(columns, tally)
