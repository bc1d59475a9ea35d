"""
Moods of songs: fit, score, see
===============================

The shortest way from a data set to a score, and what the score hides: some moods are much easier
to recognise than others.
"""

# needs: emotions

# %%
# We use the official training and test rows. Nothing is tuned on the test rows.

from dlst import DLST
from dlst.data import load
from dlst.metrics import evaluate, evaluate_per_class

data = load("emotions")
model = DLST(random_state=0).fit(data.train.X, data.train.Y)
scores = model.decision_function(data.test.X)
measures = ["instance_average_precision", "macro_average_precision", "ranking_loss"]
for name, value in evaluate(data.test.Y, scores, measures).items():
    print(f"{name:28} {value:.3f}")

# %%
# The score of each label.

import matplotlib.pyplot as plt

by_label = evaluate_per_class(data.test.Y, scores, label_names=data.label_names)
by_label = by_label.sort_values("average_precision")
figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
axes.barh(by_label.index, by_label["average_precision"], color="#3b5b92")
axes.set(xlim=(0, 1), xlabel="average precision on test rows")
axes.spines[["top", "right"]].set_visible(False)

# %%
# More measures, and what each is good for: :doc:`/guide/metrics`. Twenty-one methods on these songs
# and on eight other sets: :doc:`/methods`.
