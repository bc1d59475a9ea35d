"""Label vectors to dense codes, Y -> Z."""

from typing import TYPE_CHECKING

from dlst._first_use import on_first_use

if TYPE_CHECKING:
    from dlst.encoders._base import CodeEncoder, PlainEncoder, as_encoder
    from dlst.encoders._objective import kl_divergence
    from dlst.encoders.choice import ChosenCode
    from dlst.encoders.distribution import DistributionEncoder
    from dlst.encoders.full import FullCode
    from dlst.encoders.implicit import ImplicitEncoder
    from dlst.encoders.labelsets import LabelSets, distinct_label_sets
    from dlst.encoders.principal import ConditionalPrincipalEncoder, PrincipalEncoder
    from dlst.encoders.sign import SignCode
    from dlst.encoders.sketched import SketchedCode
else:
    __getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "ChosenCode",
    "CodeEncoder",
    "ConditionalPrincipalEncoder",
    "DistributionEncoder",
    "FullCode",
    "ImplicitEncoder",
    "LabelSets",
    "PlainEncoder",
    "PrincipalEncoder",
    "SignCode",
    "SketchedCode",
    "as_encoder",
    "distinct_label_sets",
    "kl_divergence",
]
