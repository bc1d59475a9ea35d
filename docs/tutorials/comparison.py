"""
Compare methods: from plan to report
====================================

Which method works best on your data? By how much, and could the difference be chance? You answer
this in three steps: write a *plan*, *run* it, and read the *report*.

You need ``pip install '.[plots]'`` in a clone of the repository. The two data sets are downloaded
the first time you ask for them.
"""

# needs: emotions, birds

# %%
# The plan
# --------
# Two real data sets, four methods, two random splits of each. Every method gets the same rows and
# decides by the same rule, so any difference comes from the method. To be quick, this page trains
# on 150 rows and tests on 150.

import pprint
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
print(len(plan.cells()), "cells, the first:")
pprint.pp(plan.cells()[0], width=95)

# %%
# In a shell, you would type
# ``dlst compare emotions birds --methods dlst,krr,plst,mlknn --split random --seeds 2``.
# :doc:`/experiments` lists everything a plan can say, and how to write it into a file.
#
# The run
# -------
# Each cell leaves one line of JSON on disk. If you stop the run and start it again, finished cells
# are found and nothing is done twice.

folder = Path(tempfile.mkdtemp()) / "run"
records = run(plan, folder, limits=Limits(seconds=600))
again = run(plan, folder)
print(sum(record["status"] == "done" for record in records), "done;", len(again), "found again")

# %%
# A record says what was run, on which data, and with what result.

record = records[0]
print(record["status"])
pprint.pp(record["cell"])
print({name: round(record["metrics"][name], 3) for name in ("micro_f1", "macro_f1")})

# %%
# The numbers
# -----------
# As a data frame, with one row per cell. *Instance average precision* measures how high
# the right labels are in each row's ranking; 1 is perfect.

from dlst.reports import results_frame

frame = results_frame(records)
measure = "instance_average_precision_labelled"
print(frame.pivot_table(index="title", columns="data", values=measure).round(3))

# %%
# Is it chance?
# -------------
# Two data sets and two splits are not much. Mean ranks show who leads; the report below also tests
# the differences, and says "level" where one may be chance.

from dlst.reports import mean_ranks

scores = frame.pivot_table(index="data", columns="title", values=measure)
print(mean_ranks(scores).mean)

# %%
# The report
# ----------
# In a shell, ``dlst report run`` writes an HTML page that opens offline, and the tables as text,
# Markdown, LaTeX and CSV.

from dlst.reports import build_document, document_to_text, write_page

document = build_document(records, plan.as_dict())
write_page(document, folder / "report.html", command="dlst compare …")
print(document_to_text(document).partition("Marked:")[0], "…")

# %%
# And as a picture: one dot per split. On the moods of songs DLST leads. On the birds (19 species,
# 150 rows) it does not, and the two splits differ more than the best three methods do.

import matplotlib.pyplot as plt

figure, panels = plt.subplots(1, 2, figsize=(8, 2.8), layout="constrained", sharey=True)
for axes, (data, part) in zip(panels, frame.groupby("data"), strict=True):
    axes.plot(part[measure], part["title"], "o", color="#3b5b92", alpha=0.7)
    axes.set(title=data, xlabel="instance AP")
    axes.spines[["top", "right"]].set_visible(False)

# %%
# Next
# ----
# * More data sets, tuning, missing labels: :doc:`/experiments`.
# * What we found with all methods on nine data sets: :doc:`/methods`.
# * Put your own method into the comparison: :doc:`/howto/own-method`.
