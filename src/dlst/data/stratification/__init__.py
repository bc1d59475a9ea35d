"""Folds of equal label frequencies."""

from dlst.data.stratification.folds import (
    IterativeStratification,
    label_deviation,
    stratified_folds,
    stratified_split,
)

__all__ = ["IterativeStratification", "label_deviation", "stratified_folds", "stratified_split"]
