"""
Twenty-one methods on thirteen sets
===================================

The records of a finished run are all you need for tables, tests and diagrams; you need neither the
data nor the methods. These are the records behind :doc:`/results`, made by
``dlst reproduce table-ranks``.
"""

# %%
from pathlib import Path

from dlst.experiments import RecordFolder
from dlst.methods import method_info
from dlst.reports import friedman_test, mean_ranks, results_frame

folder = Path("../results/table-ranks")
if not folder.is_dir():
    folder = Path("docs/results/table-ranks")
frame = results_frame(RecordFolder(folder).read())
frame["title"] = [method_info(name).title for name in frame["method"]]
measure = "instance_average_precision_labelled"
scores = frame.pivot_table(index="data", columns="title", values=measure)
ranks = mean_ranks(scores)
print(ranks.mean.sort_values().round(2).head(5))
print("all alike? p =", f"{friedman_test(scores).f_p:.1g}")

# %%
# The rank of each method on each data set; dark is best. DLST leads on average, but not everywhere.

import matplotlib.pyplot as plt

order = ranks.mean.sort_values().index
figure, axes = plt.subplots(figsize=(8, 6), layout="constrained")
image = axes.imshow(ranks.by_data[order].T, cmap="Blues_r", aspect="auto")
axes.set_yticks(
    range(len(order)), [f"{title}  {ranks.mean[title]:.1f}" for title in order], fontsize=8
)
axes.set_xticks(range(len(ranks.by_data)), ranks.by_data.index, rotation=60, ha="right", fontsize=8)
axes.tick_params(length=0)
figure.colorbar(image, label="rank")

# %%
# The same from your own data: :doc:`/learn/comparison`.
