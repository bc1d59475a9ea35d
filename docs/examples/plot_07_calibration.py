"""
Does 70 % mean 70 %?
====================

Probabilities are calibrated on out-of-sample predictions of the training rows. If that works, then
of all labels that get 70 % on test rows, about 70 % are really there. Yeast genes, 600 training
rows.
"""

# needs: yeast

# %%
import numpy as np

from dlst.data import load
from dlst.methods import make
from dlst.metrics import expected_calibration_error

data = load("yeast")
truth = data.test.Y.toarray().ravel()
stated = {}
for name, title in (("dlst", "DLST"), ("mlknn", "ML-kNN"), ("krr", "KRR")):
    model = make(name).fit(data.train.X[:600], data.train.Y[:600])
    stated[title] = model.predict_proba(data.test.X)
    error = expected_calibration_error(data.test.Y, stated[title])
    print(f"{title:7} expected calibration error {error:.3f}")

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(5.2, 4.6), layout="constrained")
axes.plot([0, 1], [0, 1], color="#c5ccd3")
edges = np.linspace(0, 1, 11)
for (title, P), color in zip(stated.items(), ("#3b5b92", "#c0392b", "#7f8c8d"), strict=True):
    box = np.digitize(P.ravel(), edges[1:-1])
    filled = [each for each in range(10) if (box == each).sum() > 30]
    said = [P.ravel()[box == each].mean() for each in filled]
    seen = [truth[box == each].mean() for each in filled]
    axes.plot(said, seen, "o-", label=title, color=color, markersize=4)
axes.set(xlabel="stated probability", ylabel="share that was true", aspect="equal")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)

# %%
# Points on the grey line are honest probabilities. What to decide by them: :doc:`/guide/decisions`.
