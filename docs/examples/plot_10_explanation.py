"""
Why this label? Evidence that adds up
=====================================

An explanation splits the logit of each label into its parts: what the features say directly, how
training rows with similar codes vote, and how similar training rows vote. The parts add up
exactly. Here we look at the moods of one test song.
"""

# needs: emotions

# %%
import numpy as np

from dlst import DLST
from dlst.data import load

data = load("emotions")
model = DLST(random_state=0).fit(data.train.X, data.train.Y)
row = data.test.X[[0]]
why = model.explain(row)
print("adds up:", np.allclose(why.logit, why.intercept + why.contributions.sum(axis=2)))
voters = why.neighbours["code vote"]
print("the five nearest training songs by code:", voters.indices[0, :5])

# %%
import matplotlib.pyplot as plt

order = np.argsort(why.logit[0])
parts = {"start": why.intercept[order]}
parts |= {name: why.contributions[0, order, m] for m, name in enumerate(why.sources)}
colors = ("#c5ccd3", "#3b5b92", "#d4a017", "#8aa4cf", "#c0392b")
figure, axes = plt.subplots(figsize=(8, 3.8), layout="constrained")
left, right = np.zeros(len(order)), np.zeros(len(order))
for (source, part), color in zip(parts.items(), colors, strict=False):
    start = np.where(part >= 0, right, left)
    axes.barh(range(len(order)), part, left=start, label=source, color=color)
    right += np.maximum(part, 0)
    left += np.minimum(part, 0)
axes.plot(why.logit[0, order], range(len(order)), "kD", markersize=5, label="logit, the sum")
axes.set_yticks(range(len(order)), np.array(data.label_names)[order])
axes.axvline(0, color="#1f2933", linewidth=0.8)
axes.set_xlabel("contribution to the logit")
figure.legend(loc="outside lower center", ncols=5, frameon=False, fontsize=8)
axes.spines[["top", "right"]].set_visible(False)
true = [data.label_names[label] for label in data.test.Y[[0]].indices]
axes.set_title(f"people said: {', '.join(true)}", fontsize=10)

# %%
# How to read explanations, and what they cannot tell you: :doc:`/guide/explanations`.
