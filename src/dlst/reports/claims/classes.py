"""Claims on single classes: Table IV, NUS-WIDE, and who gains most."""

from __future__ import annotations

from dlst.experiments.published_voc import classes_not_led, recomputed_map
from dlst.methods import method_info
from dlst.reports.claims.judgement import Judgement, Run, judged_by_share
from dlst.reports.items import LAYOUTS
from dlst.reports.items._cells import ordered_frame
from dlst.reports.items._class_parts import correlation
from dlst.reports.items._words import listed
from dlst.reports.items.class_gains import class_tables


def concurrent_labels(run: Run) -> Judgement:
    """Judge who gains most: the gain of a class against its concurrent labels."""
    told, borne = [], []
    for title, _, tables in class_tables(run.records):
        for other, table in tables.items():
            found = correlation(table["concurrent"], table["gain"])
            if found is not None:
                borne.append(found.rho < 0 and found.p < 0.05)
                told.append(f"{title}, over {other}: {found}")
    return Judgement(
        "Classes with few concurrent labels gain most.",
        "figure-classes",
        judged_by_share(sum(borne), len(borne)),
        f"Rank correlation of the gain with concurrent labels. {'; '.join(told)}.",
    )


def voc(run: Run) -> Judgement:
    """Judge Table IV by Table IV: its rows, recomputed."""
    means = recomputed_map()
    lost = classes_not_led()
    classes = listed(f"{name} ({listed(methods)})" for name, methods in lost.items())
    printed = f"DLST's printed row averages {means['DLST']:.1f}, not 85.7"
    return Judgement(
        "On VOC 2007 DLST has the higher average precision in all classes, and 85.7 mAP.",
        "table-voc",
        "not borne out" if lost else "cannot be judged",
        f"By Table IV itself another row is not lower for {classes}; {printed}."
        f"{_caveat(run, ' The features here are simulated: nothing more can be judged.')}",
    )


def memory(run: Run) -> Judgement:
    """Judge who runs out of memory by the peaks of those who were said to."""
    frame = ordered_frame(run.records, run.plan)
    named = [method_info(each).title for each in ("br", "cplst", "leml")]
    done = frame[(frame["status"] == "done") & frame["title"].isin(named)]
    peaks = done.groupby("title")["peak_mib"].max().dropna()
    told = [f"{title} {peak:,.0f} MiB" for title, peak in peaks.items()]
    rows = done["n_train"].max() if len(done) else 0
    return Judgement(
        "The other methods run out of memory on VOC 2007 and NUS-WIDE.",
        "table-voc",
        "not borne out" if len(peaks) == len(named) else "cannot be judged",
        f"On the {rows:,.0f} training rows of VOC 2007{_caveat(run, ' (simulated features)')} at "
        f"most {listed(told)} of memory."
        if len(peaks)
        else "They were not run.",
    )


def nuswide(run: Run) -> Judgement:
    """Tell the figures of NUS-WIDE, which nothing comparable stands beside."""
    # Whatever is measured, the other side is quoted from another split and other input.
    return Judgement(
        "On NUS-WIDE DLST's mean precision and recall are 32.6 % and 47.6 % above CNN-RNN's.",
        "figure-nuswide",
        "cannot be judged",
        LAYOUTS["figure-nuswide"].verdict(run.records, run.plan),
    )


def _caveat(run: Run, words: str) -> str:
    simulated = any((record.get("rows") or {}).get("simulated") for record in run.records)
    return words if simulated else ""
