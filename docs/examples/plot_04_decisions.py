"""
Which rule for which measure?
=============================

A model gives you probabilities. Which labels to predict from them depends on how you are judged.
Each rule is learnt on out-of-sample probabilities of the training rows, and does best, or nearly
so, by the measure it is named after. Yeast genes with 14 functions; 600 training and 500 test
rows.
"""

# needs: yeast

# %%
from dlst import DLST
from dlst.data import load
from dlst.metrics import evaluate

data = load("yeast")
X_test, Y_test = data.test.X[:500], data.test.Y[:500]
model = DLST(random_state=0).fit(data.train.X[:600], data.train.Y[:600])
measures = ["micro_f1", "macro_f1", "instance_f1", "hamming_loss", "subset_accuracy"]
rules = ["micro", "macro", "instance", "hamming", "subset", "f1"]
decided = model.predict_by_rules(X_test, rules)
table = {
    rule: [evaluate(Y_test, Y_pred=decided[rule], metrics=measures)[each] for each in measures]
    for rule in rules
}

# %%
# Each row is a rule and each column a measure. Darker is better within a column.

import matplotlib.pyplot as plt
import numpy as np

values = np.array([table[rule] for rule in rules])
goodness = values * np.where(np.array(measures) == "hamming_loss", -1, 1)
spread = np.ptp(goodness, axis=0)
figure, axes = plt.subplots(figsize=(7.5, 3.6), layout="constrained")
axes.imshow((goodness - goodness.min(axis=0)) / spread, cmap="Blues", aspect="auto", vmax=2.2)
for row, column in np.ndindex(values.shape):
    axes.text(column, row, f"{values[row, column]:.3f}", ha="center", va="center")
axes.set_xticks(range(len(measures)), [name.replace("_", " ") for name in measures])
axes.set_yticks(range(len(rules)), rules)
axes.set_ylabel("decision=")
axes.tick_params(length=0)

# %%
# More about the rules: :doc:`/guide/decisions`. All rules on thirteen data sets: :doc:`/decisions`.
