"""One paper, judged: its tables and figures, the values that it printed, and its claims.

Everything that exists for one paper is here. Importing this registers its layouts with
:mod:`dlst.reports` and its probes with :mod:`dlst.experiments`, which know no paper; a second one
would be a package beside this one.
"""

from dlst.experiments import register_probe
from dlst.paper.catalogue import ITEMS, Judgement, item, judge_claims
from dlst.paper.item import Claim, Item
from dlst.reports import register_layout

__all__ = ["ITEMS", "Claim", "Item", "Judgement", "item", "judge_claims"]

for _item in ITEMS:
    register_layout(_item.name, _item)
register_probe("codes", "dlst.paper.probes.codes:codes")
register_probe("examples", "dlst.paper.probes.examples:examples")
