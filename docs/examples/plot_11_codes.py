"""
How long must a code be?
========================

How well do codes of a given length keep the distances between label sets? The measure is
KL(Q ‖ U); 0 is perfect. With as many dimensions as labels, aligned codes and principal components
are both exact; shorter codes gain from alignment. Labels of the first 500 yeast genes.
"""

# needs: yeast

# %%
from dlst.data import load
from dlst.encoders import DistributionEncoder

Y = load("yeast").train.Y[:500]
lengths = (1, 2, 3, 5, 7, 10, 14)
aligned, principal = [], []
for r in lengths:
    encoder = DistributionEncoder(n_components=r, random_state=0).fit(Y)
    aligned.append(encoder.kl_divergence_)
    # The alignment starts from principal components.
    principal.append(encoder.history_[0])
print(f"r = 2: {principal[1]:.4f} by principal components, {aligned[1]:.4f} after alignment")

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
axes.plot(lengths, principal, "o-", color="#7f8c8d", label="principal components")
axes.plot(lengths, aligned, "o-", color="#3b5b92", label="aligned")
axes.set(xlabel="r, dimensions of the code", ylabel="KL(Q ‖ U)")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)

# %%
# What the codes are for: :doc:`/learn/paper`. DLST tries the full code and one of half its length,
# and keeps the one that predicts better on left-out rows.
