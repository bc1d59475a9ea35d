"""
Where labels live: the map of the code space
============================================

A fitted DLST places every label in the space of its codes: labels in the same direction occur in
similar rows. Here the labels are 19 species of birds, heard in short recordings, and codes have two
dimensions, so that the map shows them whole.
"""

# needs: birds

# %%
import pandas as pd

from dlst import DLST
from dlst.data import load

data = load("birds")
Y = pd.DataFrame(data.train.Y.toarray(), columns=data.label_names)
model = DLST(random_state=0).set_params(encoder__n_components=2).fit(data.train.X, Y)
places = model.label_map()
print(places[["frequency", "nearest", "correlation"]].sort_values("frequency").tail(6).round(2))

# %%
# The more often a species was heard, the larger its dot; the twelve most common are named.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(8, 5.2), layout="constrained")
axes.scatter(
    places.iloc[:, 0], places.iloc[:, 1], s=8 * places["frequency"], color="#3b5b92", alpha=0.35
)
for place, (name, row) in enumerate(
    places.nlargest(12, "frequency").sort_values("code1").iterrows()
):
    beside = (5, -11) if place % 2 else (5, 4)
    axes.annotate(name, row.iloc[:2], fontsize=7, xytext=beside, textcoords="offset points")
axes.margins(x=0.15)
axes.axhline(0, color="#c5ccd3", linewidth=0.8, zorder=0)
axes.axvline(0, color="#c5ccd3", linewidth=0.8, zorder=0)
axes.set(xlabel="first dimension of the code", ylabel="second")
axes.spines[["top", "right"]].set_visible(False)

# %%
# For an interactive map, with every row and the rows that voted for it, use
# ``dlst compare birds --map``. What codes are: :doc:`/learn/paper`.
