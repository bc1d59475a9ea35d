"""
Why this label? Evidence that adds up
=====================================

An explanation splits the logit of each label into evidences: what features say directly, how near
codes vote, how near rows vote. They add up exactly. Songs and their moods, one test song.
"""

# needs: emotions

# %%
import numpy as np

from dlst import DLST
from dlst.data import load

data = load("emotions")
model = DLST(random_state=0).fit(data.train.X, data.train.Y)
row = data.test.X[[4]]
why = model.explain(row)
print("adds up:", np.allclose(why.logit, why.intercept + why.contributions.sum(axis=2)))
voters = why.neighbours["code vote"]
print("the five nearest training songs by code:", voters.indices[0, :5])

# %%
import matplotlib.pyplot as plt

order = np.argsort(why.logit[0])
colors = ("#3b5b92", "#8aa4cf", "#d4a017", "#7f8c8d", "#c0392b")
figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
left, right = np.zeros(len(order)), np.zeros(len(order))
for number, source in enumerate(why.sources):
    part = why.contributions[0, order, number]
    start = np.where(part >= 0, right, left)
    axes.barh(range(len(order)), part, left=start, label=source, color=colors[number])
    right += np.maximum(part, 0)
    left += np.minimum(part, 0)
axes.set_yticks(range(len(order)), np.array(data.label_names)[order])
axes.axvline(0, color="#1f2933", linewidth=0.8)
axes.set_xlabel("contribution to the logit, beside each label's start")
axes.legend(frameon=False, fontsize=8, loc="lower right")
axes.spines[["top", "right"]].set_visible(False)
true = [data.label_names[label] for label in data.test.Y[[4]].indices]
axes.set_title(f"people said: {', '.join(true)}", fontsize=10)
