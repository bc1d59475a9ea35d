"""Real data in: files, folders and names to a frozen :class:`Dataset`, and its splits."""

from dlst.data.dataset import Dataset, NumberedNames, Provenance, Split, join_train_test
from dlst.data.statistics import Statistics, cooccurrence, describe

__all__ = [
    "Dataset",
    "NumberedNames",
    "Provenance",
    "Split",
    "Statistics",
    "cooccurrence",
    "describe",
    "join_train_test",
]
