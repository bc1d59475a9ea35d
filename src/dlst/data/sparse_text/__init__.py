"""Sparse text: LIBSVM (SVMlight) and the format of the extreme classification repository."""

from dlst.data.sparse_text.svmlight import read_svmlight, read_xc, write_svmlight, write_xc

__all__ = ["read_svmlight", "read_xc", "write_svmlight", "write_xc"]
