"""Whole methods: every one a scikit-learn classifier for many labels."""

from dlst.methods.base import MultiLabelClassifier
from dlst.methods.dlst import DLST
from dlst.methods.dlst1 import DLST1
from dlst.methods.label_space import LabelSpaceClassifier
from dlst.methods.mlknn import DLST2, MLkNN
from dlst.methods.registry import METHODS, Method, available, make, method_info
from dlst.methods.scaling import FeatureScaler

__all__ = [
    "DLST",
    "DLST1",
    "DLST2",
    "METHODS",
    "FeatureScaler",
    "LabelSpaceClassifier",
    "MLkNN",
    "Method",
    "MultiLabelClassifier",
    "available",
    "make",
    "method_info",
]
