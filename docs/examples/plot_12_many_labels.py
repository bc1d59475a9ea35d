"""
Many labels: the best few
=========================

With hundreds of labels, people only look at the top of the list. ``predict_top`` gives you just
that, and needs memory for n × k numbers only. Tags of publications and bookmarks (bibtex, 159
labels); to be quick, 1,500 training and 600 test rows. The features are words, so we use DLST's
linear composition.
"""

# needs: bibtex

# %%
from dlst.data import load
from dlst.methods import LinearDLST, make
from dlst.metrics import (
    TopLabels,
    precision_at_k,
    propensities,
    propensity_scored_precision_at_k,
)

data = load("bibtex")
X, Y = data.train.X[:1500], data.train.Y[:1500]
X_test, Y_test = data.test.X[:600], data.test.Y[:600]
weights = propensities(Y)
depths = (1, 2, 3, 5)
curves = {}
for title, method in (("LinearDLST", LinearDLST(random_state=0)), ("PLST", make("plst"))):
    best = TopLabels(*method.fit(X, Y).predict_top(X_test, k=5))
    plain = [precision_at_k(Y_test, best, k) for k in depths]
    rare = [propensity_scored_precision_at_k(Y_test, best, weights, k) for k in depths]
    curves[title] = plain, rare
    print(f"{title:10} P@1 {plain[0]:.3f}  P@5 {plain[-1]:.3f}")

# %%
import matplotlib.pyplot as plt

figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
for axes, which, title in zip(
    panels, (0, 1), ("precision at k", "the same, rare labels weigh more"), strict=True
):
    for (name, both), color in zip(curves.items(), ("#3b5b92", "#7f8c8d"), strict=True):
        axes.plot(depths, both[which], "o-", label=name, color=color)
    axes.set(title=title, xlabel="k", xticks=depths, ylim=(0, 0.7))
    axes.spines[["top", "right"]].set_visible(False)
panels[0].legend(frameon=False)

# %%
# More about very many labels: :doc:`/guide/large-data`. Text data sets, compared with linear models
# and extreme classification: :doc:`/text`.
