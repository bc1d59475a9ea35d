"""
When labels are missing
=======================

People tag what they notice, so a tag that is absent may just have been forgotten. Here we drop
known labels from the training rows, as the paper does, and compare methods on complete test rows.
MSRC image features, with a random half of the rows for training.
"""

# needs: msrc

# %%
import numpy as np

from dlst.data import drop_labels, load, random_split
from dlst.methods import make
from dlst.metrics import instance_average_precision

data = load("msrc")
split = random_split(data, test_size=0.5, random_state=0)
train, test = split.train, split.test
X, Y = data.X[train], data.Y[train]
rates = (0.0, 0.3, 0.6)
methods = {"dlst": "DLST", "krr": "KRR", "plst": "PLST", "mlknn": "ML-kNN"}
curves = {name: [] for name in methods}
for rate in rates:
    kept = drop_labels(Y, rate, random_state=0)
    for name in methods:
        model = make(name, **({"random_state": 0} if name == "dlst" else {})).fit(X, kept.Y)
        score = instance_average_precision(data.Y[test], model.decision_function(data.X[test]))
        curves[name].append(score)
    print(f"requested {rate:.0%}, dropped {kept.effective_rate:.0%} (each row keeps one label)")

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
for (name, scores), color in zip(
    curves.items(), ("#3b5b92", "#c0392b", "#7f8c8d", "#d4a017"), strict=True
):
    axes.plot(100 * np.array(rates), scores, "o-", label=methods[name], color=color)
axes.set(xlabel="labels dropped, %", ylabel="instance AP on complete test rows")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)

# %%
# Every method gets worse, and their order stays the same. If you know which entries are unknown,
# mark them as such instead of writing zeros: :doc:`/guide/missing-labels`.
