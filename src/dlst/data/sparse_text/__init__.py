"""Sparse text: LIBSVM (SVMlight) and the format of the extreme classification repository."""

from dlst.data.sparse_text.reader import read_svmlight, read_xc
from dlst.data.sparse_text.writer import write_svmlight, write_xc

__all__ = ["read_svmlight", "read_xc", "write_svmlight", "write_xc"]
