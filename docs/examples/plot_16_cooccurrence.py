"""
Which labels occur together
===========================

Label-space methods make use of labels that occur together. Here are words that listeners chose for
502 songs (CAL500): the thirty most common of 174, with similar ones next to each other.
"""

# needs: cal500

# %%
import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage

from dlst.data import cooccurrence, describe, load

data = load("cal500")
statistics = describe(data.Y)
print(f"{statistics.cardinality:.1f} words for each song, {statistics.n_label_sets} sets of words")
counts = cooccurrence(data.Y).toarray()
common = np.argsort(-counts.diagonal())[:30]
counts = counts[np.ix_(common, common)]
overlap = counts / (counts.diagonal()[:, None] + counts.diagonal() - counts)
order = leaves_list(linkage(overlap, "average", optimal_ordering=True))

# %%
import matplotlib.pyplot as plt

np.fill_diagonal(overlap, np.nan)
names = [data.label_names[label] for label in common[order]]
figure, axes = plt.subplots(figsize=(8, 7), layout="constrained")
image = axes.imshow(overlap[np.ix_(order, order)], cmap="Blues")
axes.set_xticks(range(30), names, rotation=90, fontsize=7)
axes.set_yticks(range(30), names, fontsize=7)
axes.tick_params(length=0)
figure.colorbar(image, label="rows with both, of rows with either", shrink=0.7)

# %%
# ``dlst datasets cal500`` prints the most common pairs of any data set.
