"""ARFF of Mulan and of MEKA, dense and sparse."""

from dlst.data.arff.reader import read_arff, read_meka, read_mulan
from dlst.data.arff.writer import write_arff

__all__ = ["read_arff", "read_meka", "read_mulan", "write_arff"]
