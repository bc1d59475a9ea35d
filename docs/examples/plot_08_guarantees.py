"""
Label sets with a guarantee
===========================

``ConformalLabels`` sets some rows aside to find a threshold, so that on average at most a share α
of the true labels is missed, whatever the model and the data. The price of a small α is larger
label sets. Moods of songs.
"""

# needs: emotions

# %%
import textwrap

import numpy as np

from dlst import DLST
from dlst.data import load
from dlst.decisions import ConformalLabels, ConformalRule
from dlst.metrics import instance_recall

data = load("emotions")
safe = ConformalLabels(DLST(random_state=0), "recall", alpha=0.1, random_state=0)
safe.fit(data.train.X, data.train.Y)
print(textwrap.fill(safe.guarantee_, 95))
print(f"on test rows {1 - instance_recall(data.test.Y, safe.predict(data.test.X)):.3f} is missed")

# %%
# The same at other levels, with the last 141 training rows set aside. The guarantee holds on
# average over random draws of the rows; a single draw, as here, may come out above or below it.

import matplotlib.pyplot as plt

model = DLST(random_state=0).fit(data.train.X[:250], data.train.Y[:250])
P_kept, P_test = (model.predict_proba(X) for X in (data.train.X[250:], data.test.X))
levels = np.linspace(0.02, 0.4, 12)
lost, sizes = [], []
for alpha in levels:
    rule = ConformalRule("recall", alpha=float(alpha)).fit(P_kept, data.train.Y[250:])
    sets = rule.apply(P_test)
    lost.append(1 - instance_recall(data.test.Y, sets))
    sizes.append(sets.sum() / len(P_test))
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
left.plot(levels, levels, color="#c5ccd3", label="bound")
left.plot(levels, lost, "o-", color="#3b5b92", label="missed on test rows", markersize=4)
left.set(xlabel="α", ylabel="share of true labels missed")
left.legend(frameon=False)
right.plot(levels, sizes, "o-", color="#3b5b92", markersize=4)
right.set(xlabel="α", ylabel="mean number of labels in a set")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)

# %%
# Wrong labels can be bounded instead of missed ones: :class:`~dlst.decisions.ConformalLabels`.
