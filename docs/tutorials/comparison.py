"""
Compare methods: from plan to report
====================================

Which method should tag these data, by how much, and is the difference chance? A comparison here
is a *plan* of cells, a *run* that keeps a record of each, and a *report* made of the records
alone.
"""

# needs: emotions, birds

# %%
# The plan
# --------
# Two real data sets, four methods, two random splits of each. All methods get the same rows, the
# same prior correction (none) and the same rule of decision, so what differs is the method. To be
# quick, this page trains on 150 rows and tests on 150.

import tempfile
from pathlib import Path

from dlst.experiments import Limits, Plan, run

plan = Plan(
    data=["emotions", "birds"],
    methods=["dlst", "krr", "plst", "mlknn"],
    splits=["random"],
    seeds=2,
    protocols=[{"rows": [150, 150], "decision": "f1"}],
    name="four methods on two sets",
)
print(len(plan.cells()), "cells, the first:", plan.cells()[0])

# %%
# In a shell the same is
# ``dlst compare emotions birds --methods dlst,krr,plst,mlknn --split random --seeds 2``, and
# :doc:`/experiments` has all that a plan can say, in a TOML file too.
#
# The run
# -------
# Each cell that ends is a line of JSON on disk. Kill the run and start it again: finished cells are
# found, nothing is done twice.

folder = Path(tempfile.mkdtemp()) / "run"
records = run(plan, folder, limits=Limits(seconds=600))
again = run(plan, folder)
print(sum(record["status"] == "done" for record in records), "done;", len(again), "found again")

# %%
# A record is plain: what was run, on which bytes, with what result.

record = records[0]
print(record["cell"], record["status"], sorted(record)[:12])

# %%
# The numbers
# -----------
# One row for each cell, as a frame.

from dlst.reports import results_frame

frame = results_frame(records)
measure = "instance_average_precision_labelled"
print(frame.pivot_table(index="title", columns="data", values=measure).round(3))

# %%
# Is it chance?
# -------------
# Two sets and two draws are few: mean ranks say who leads, tests say whether more data would be
# needed before saying it aloud. The report words it as "level" where a difference may be chance.

from dlst.reports import mean_ranks

scores = frame.pivot_table(index="data", columns="title", values=measure)
print(mean_ranks(scores).mean)

# %%
# The report
# ----------
# ``dlst report run`` writes one HTML page that opens offline, and tables as text, Markdown, LaTeX
# and CSV.

from dlst.reports import build_document, document_to_text, write_page

document = build_document(records, plan.as_dict())
write_page(document, folder / "report.html", command="dlst compare …")
print(document.verdict)
print(document_to_text(document)[:1600], "…")

# %%
# And a picture of it: each draw is a dot.

import matplotlib.pyplot as plt

figure, panels = plt.subplots(1, 2, figsize=(8, 2.8), layout="constrained", sharey=True)
for axes, (data, part) in zip(panels, frame.groupby("data"), strict=True):
    axes.plot(part[measure], part["title"], "o", color="#3b5b92", alpha=0.7)
    axes.set(title=data, xlabel="instance AP")
    axes.spines[["top", "right"]].set_visible(False)

# %%
# Next
# ----
# * More sets, tuning, missing labels: :doc:`/experiments`.
# * What was found with all twenty-two methods: :doc:`/methods`.
# * Your own method in the comparison: :doc:`/howto/own-method`.
