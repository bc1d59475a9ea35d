"""
Which rows to label next
========================

``MIML.query`` picks the rows whose labels would tell it most about the others. We start with forty
labelled songs and ask for twenty more at a time. For comparison, we draw rows at random (mean of
three draws).
"""

# needs: emotions

# %%
import numpy as np

from dlst.data import load
from dlst.methods import MIML
from dlst.metrics import instance_average_precision

data = load("emotions")
X, Y = data.train.X, data.train.Y


def score(rows):
    model = MIML(random_state=0).fit(X[rows], Y[rows])
    return model, instance_average_precision(data.test.Y, model.decision_function(data.test.X))


asked, sizes = [], (40, 60, 80, 100, 120)
rows = np.random.default_rng(0).permutation(X.shape[0])[:40]
for _ in sizes:
    model, reached = score(rows)
    asked.append(reached)
    pool = np.setdiff1d(np.arange(X.shape[0]), rows)
    rows = np.append(rows, pool[model.query(X[pool], 20)])
drawn = np.mean(
    [
        [score(np.random.default_rng(seed).permutation(X.shape[0])[:size])[1] for size in sizes]
        for seed in range(3)
    ],
    axis=0,
)
print(f"with 120 labelled rows: {asked[-1]:.3f} queried, {drawn[-1]:.3f} at random")

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
axes.plot(sizes, asked, "o-", color="#3b5b92", label="queried")
axes.plot(sizes, drawn, "o-", color="#7f8c8d", label="drawn at random")
axes.set(xlabel="labelled rows", ylabel="instance AP on test rows")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)

# %%
# Rows without labels can help in another way: :doc:`/howto/few-labels`.
