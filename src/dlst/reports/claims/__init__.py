"""What the paper claims, each claim judged by the records of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dlst.reports.claims import classes, curves, looks, tables
from dlst.reports.claims.judgement import Judgement, Run
from dlst.reports.document import Cell, Column, Table

__all__ = ["Judgement", "Run", "claims_table", "judge_claims"]

PRINTED_ORDER = "(Scene, Emotions, Yeast, Mediamill, MSRC, SUNattribute)"


def judge_claims(runs: Mapping[str, Run]) -> list[Judgement]:
    """Judge every claim whose item was run.

    Parameters
    ----------
    runs : mapping of str to Run
        By item of the catalogue.
    """
    return [judge(runs[item]) for item, judge in _JUDGES if item in runs]


def claims_table(judgements: Sequence[Judgement]) -> Table:
    """Lay the judgements out."""
    return Table(
        "claims",
        "Claim by claim",
        [Column("claim of the paper"), Column("judged"), Column("figures"), Column("item")],
        [
            [Cell(each.claim), Cell(each.outcome), Cell(each.evidence), Cell(each.item)]
            for each in judgements
        ],
    )


_JUDGES: tuple[tuple[str, Callable[[Run], Judgement]], ...] = (
    ("table-main", tables.all_eighteen),
    ("table-main", tables.printed_values),
    (
        "table-main",
        tables.beats_the_group(
            "DLST beats the label-space methods (CPLST, FaIE, ML-LOC) in AP on all six sets.",
            ("cplst", "faie", "mlloc"),
            f"gains of as much as 20, 28, 28, 17, 20 and 19 % {PRINTED_ORDER}",
        ),
    ),
    (
        "table-main",
        tables.beats_the_group(
            "DLST beats the methods for missing labels (SLRM, MRV, LEML) in AP on all six sets.",
            ("slrm", "mrv", "leml"),
            f"gains of 14, 23, 19, 15, 19 and 16 % {PRINTED_ORDER}",
        ),
    ),
    (
        "table-main",
        tables.beats_the_group(
            "DLST beats the semi-supervised methods (MC, MIML, SLRM) in AP on all six sets.",
            ("mc", "miml", "slrm"),
            "no figures",
        ),
    ),
    ("table-variants", tables.variants),
    (
        "figure-missing",
        curves.leads_everywhere("DLST leads at all missing ratios.", "figure-missing", "missing"),
    ),
    (
        "figure-missing",
        curves.steadiest(
            "DLST depends less than the others on labels that are missing.",
            "figure-missing",
            "missing",
            hard_first=False,
        ),
    ),
    (
        "figure-training",
        curves.leads_everywhere(
            "DLST leads at all shares of training rows.", "figure-training", "fraction"
        ),
    ),
    (
        "figure-training",
        curves.steadiest(
            "DLST is the steadiest over all shares of training rows.",
            "figure-training",
            "fraction",
            hard_first=True,
        ),
    ),
    ("figure-training", curves.tenth_of_the_rows),
    ("figure-lambda", curves.penalty),
    ("figure-classes", classes.concurrent_labels),
    ("figure-codes", looks.codes),
    ("figure-examples", looks.examples),
    ("table-voc", classes.voc),
    ("table-voc", classes.memory),
    ("figure-nuswide", classes.nuswide),
)
