"""MATLAB files of versions 4 to 7."""

from dlst.data.mat.reader import load_variables, read_mat, write_mat

__all__ = ["load_variables", "read_mat", "write_mat"]
