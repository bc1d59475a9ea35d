"""Claims on what codes look like: Figure 1 and the examples of MSRC."""

from __future__ import annotations

from dlst.reports.claims.judgement import Judgement, Run, judged_by_share
from dlst.reports.items import LAYOUTS
from dlst.reports.items._probes import probe_results
from dlst.reports.items.codes import is_rotation
from dlst.reports.items.examples import ranks_best, standing


def codes(run: Run) -> Judgement:
    """Judge whether a full code is more than a rotation of the labels."""
    results = probe_results(run.records, "codes").values()
    filled = [not is_rotation(result["steps"][-1]) for result in results]
    return Judgement(
        "The learnt code is denser than the labels and fills in what they lack.",
        "figure-codes",
        judged_by_share(sum(filled), len(filled)),
        LAYOUTS["figure-codes"].verdict(run.records, run.plan),
    )


def examples(run: Run) -> Judgement:
    """Judge whether neighbours in codes name the most true labels, and rank them best."""
    results = probe_results(run.records, "examples").values()
    holds = [standing(result) == "holds" for result in results]
    holds += [ranks_best(result) for result in results]
    return Judgement(
        "Neighbours in codes give the most comprehensive label sets.",
        "figure-examples",
        judged_by_share(sum(holds), len(holds)),
        LAYOUTS["figure-examples"].verdict(run.records, run.plan),
    )
