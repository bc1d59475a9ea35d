"""Label vectors to dense codes, Y -> Z."""

from dlst.encoders._objective import kl_divergence
from dlst.encoders.distribution import DistributionEncoder
from dlst.encoders.full import FullCode
from dlst.encoders.labelsets import LabelSets, distinct_label_sets

__all__ = [
    "DistributionEncoder",
    "FullCode",
    "LabelSets",
    "distinct_label_sets",
    "kl_divergence",
]
