"""
Folds in which every label occurs
=================================

If labels are rare, random folds leave some of them out of some folds. Iterative stratification
spreads every label evenly over the folds. Enron e-mails, 53 labels, ten folds.
"""

# needs: enron

# %%
import numpy as np

from dlst.data import label_deviation, load, stratified_folds

data = load("enron")
random = np.random.default_rng(0).permutation(np.arange(data.Y.shape[0]) % 10)
spread = stratified_folds(data.Y, [0.1] * 10, random_state=0)
for title, folds in (("random", random), ("stratified", spread)):
    print(f"{title:10} label deviation {label_deviation(data.Y, folds)[0]:.4f}")

# %%
# How a label's rows are shared among the folds, with labels from common to rare. A tenth in each
# fold would be perfectly even; white means none.

import matplotlib.pyplot as plt

order = np.argsort(-np.asarray(data.Y.sum(axis=0)))
figure, panels = plt.subplots(2, 1, figsize=(9, 4.6), layout="constrained", sharex=True)
for axes, title, folds in zip(panels, ("random", "stratified"), (random, spread), strict=True):
    counts = np.array([np.asarray(data.Y[folds == fold].sum(axis=0)) for fold in range(10)])
    shares = counts / counts.sum(axis=0)
    image = axes.imshow(shares[:, order], cmap="Blues", vmin=0, vmax=0.3, aspect="auto")
    axes.set(title=title, ylabel="fold")
panels[1].set_xlabel("label, common to rare")
figure.colorbar(image, ax=panels, shrink=0.8, ticks=(0, 0.1, 0.2, 0.3), label="share of the label")

# %%
# Other ways to split: :doc:`/guide/data`. :class:`~dlst.data.IterativeStratification` goes into
# scikit-learn's ``cross_val_score`` and ``GridSearchCV``.
