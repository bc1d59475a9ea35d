"""Methods: scikit-learn classifiers for many labels."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.methods.answers import Predictions
    from dlst.methods.any_classifier import AnyClassifier
    from dlst.methods.base import MultiLabelClassifier
    from dlst.methods.br import BR
    from dlst.methods.clems import CLEMS
    from dlst.methods.code_space import CodeSpaceClassifier, Composition
    from dlst.methods.cplst import CPLST
    from dlst.methods.dlst import DLST, LiteralDLST, PaperDLST
    from dlst.methods.dlst1 import DLST1
    from dlst.methods.ecc import ECC
    from dlst.methods.faie import FAIE
    from dlst.methods.krr import KRR
    from dlst.methods.label_space import LabelSpaceClassifier
    from dlst.methods.leml import LEML
    from dlst.methods.linear_dlst import LinearDLST
    from dlst.methods.mc import MC
    from dlst.methods.miml import MIML
    from dlst.methods.mlknn import DLST2, MLkNN
    from dlst.methods.mlloc import MLLOC
    from dlst.methods.mrv import MRV
    from dlst.methods.plst import PLST
    from dlst.methods.rakel import RAKEL
    from dlst.methods.registry import METHODS, Method, available, make, method_info
    from dlst.methods.scaling import FeatureScaler
    from dlst.methods.sleec import SLEEC
    from dlst.methods.slrm import SLRM
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "BR",
    "CLEMS",
    "CPLST",
    "DLST",
    "DLST1",
    "DLST2",
    "ECC",
    "FAIE",
    "KRR",
    "LEML",
    "MC",
    "METHODS",
    "MIML",
    "MLLOC",
    "MRV",
    "PLST",
    "RAKEL",
    "SLEEC",
    "SLRM",
    "AnyClassifier",
    "CodeSpaceClassifier",
    "Composition",
    "FeatureScaler",
    "LabelSpaceClassifier",
    "LinearDLST",
    "LiteralDLST",
    "MLkNN",
    "Method",
    "MultiLabelClassifier",
    "PaperDLST",
    "Predictions",
    "available",
    "make",
    "method_info",
]
