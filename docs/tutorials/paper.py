"""
Understand the paper: the method step by step
=============================================

`Lyu, Yan and Wu (2018) <https://arxiv.org/abs/1805.05687>`_ turn sparse label vectors into short
dense codes, learn to predict the codes, and read the labels off the predicted codes. This page
takes the three steps one at a time, on real songs and their moods, and then draws a map of the
codes.

You need ``pip install '.[plots]'`` in a clone of the repository. The data are downloaded the first
time you ask for them.
"""

# needs: emotions

# %%
# 593 songs, 72 numbers that describe how each sounds, and six moods, of which several may apply. We
# use the official split into training and test songs.

import numpy as np

from dlst.data import load
from dlst.metrics import evaluate

data = load("emotions")
print(data.train.X.shape, data.test.X.shape)
print(", ".join(data.label_names))

# %%
# 1. Encode
# ---------
# Rows with similar labels should get codes that are close together. The paper turns "similar" and
# "close" into two distributions over pairs of rows, Q from the labels and U from the codes,
#
# .. code-block:: text
#
#     Q_ij ∝ 1 / (1 + d(y_i, y_j))        U_ij ∝ 1 / (1 + ‖z_i − z_j‖²)
#
# and moves the codes until KL(Q ‖ U) is as small as possible. Rows with the same labels get the
# same code, so it is enough to place the 26 label sets that occur.

from dlst.encoders import DistributionEncoder, distinct_label_sets

print(len(distinct_label_sets(data.train.Y).counts), "distinct label sets")
for r in (1, 2, 3, 5):
    aligned = DistributionEncoder(n_components=r, random_state=0).fit(data.train.Y)
    print(f"r = {r}: KL = {aligned.kl_divergence_:.4f}")

# %%
# Something the paper does not mention: with as many dimensions as labels, the principal components
# of the labels are already an exact optimum, KL = 0, and there is nothing left to optimise. The
# alignment only differs from principal components when the codes are shorter.

encoder = DistributionEncoder(n_components=3, random_state=0)
Z = encoder.fit_transform(data.train.Y)
print("three numbers in place of six labels:", Z.shape, np.round(Z[0], 2))

# %%
# 2. Regress
# ----------
# One regression for each dimension of the code. The paper uses kernel logistic regression. The loss
# it prints looks at the sign of a code only; here, codes are scaled to [0, 1] and used as soft
# targets, which keeps the rest.

from sklearn.preprocessing import StandardScaler

from dlst.regressors import KernelLogisticRegression

scaler = StandardScaler().fit(data.train.X)
X_train, X_test = scaler.transform(data.train.X), scaler.transform(data.test.X)
regressor = KernelLogisticRegression(random_state=0).fit(X_train, Z)
fitted, predicted = regressor.predict(X_train), regressor.predict(X_test)
print("correlation with the true codes of the test rows, by dimension:")
truth = encoder.transform(data.test.Y)
print(np.round([np.corrcoef(truth[:, j], predicted[:, j])[0, 1] for j in range(3)], 2))

# %%
# 3. Decode
# ---------
# ML-kNN on the codes: how many of the ten nearest training codes have the label? We search among
# the *predicted* training codes, because they are off in the same way as those of new rows. Among
# the optimised codes, rows with equal labels coincide, and the count would always be 0 or 10.

from dlst.decoders import MLkNNDecoder

decoder = MLkNNDecoder().fit(fitted, data.train.Y, targets=Z, X=X_train)
P = decoder.predict_proba(predicted, X=X_test)
print(f"AP by hand: {evaluate(data.test.Y, P)['instance_average_precision']:.3f}")

# %%
# ``PaperDLST`` does all of this in one estimator, with a code as long as there are labels. The
# library's default, ``DLST``, is put together the same way from other parts;
# :doc:`/guide/paper-and-ours` says which are the paper's and which are ours. :doc:`/results` and
# :doc:`/compositions` show who wins on many data sets, and where DLST loses.

from dlst import DLST, PaperDLST

paper = PaperDLST(random_state=0).fit(data.train.X, data.train.Y)
ours = DLST(random_state=0).fit(data.train.X, data.train.Y)
for name, model in (("PaperDLST", paper), ("DLST", ours)):
    scores = evaluate(data.test.Y, model.decision_function(data.test.X))
    print(f"{name}: AP {scores['instance_average_precision']:.3f}")

# %%
# The latent map
# --------------
# Each dot is a test song, placed by the first two numbers of its predicted code. In each panel,
# blue songs have that mood, and the cross marks the mood's centre.

import matplotlib.pyplot as plt

codes = ours.transform(data.test.X)
places = ours.label_map()
truth = data.test.Y.toarray()
figure, panels = plt.subplots(
    2, 3, figsize=(9, 5.6), layout="constrained", sharex=True, sharey=True
)
for axes, label in zip(panels.flat, range(6), strict=True):
    has = truth[:, label] == 1
    axes.scatter(*codes[~has, :2].T, s=8, color="#c5ccd3")
    axes.scatter(*codes[has, :2].T, s=12, color="#3b5b92")
    axes.plot(*places.iloc[label, :2], "x", color="#c0392b", markersize=9, markeredgewidth=2)
    axes.set_title(data.label_names[label], fontsize=9)
    axes.set(xticks=[], yticks=[])

# %%
# ``dlst compare emotions --map`` makes an interactive map like this one, which shows for each song
# which rows voted for which label.
#
# Next
# ----
# * ``dlst reproduce`` repeats the paper's tables and figures; :doc:`/results` has the results.
# * Put a part of your own in place of one of these: :doc:`/howto/own-part`.
# * How long a code must be: :doc:`/gallery/plot_11_codes`.
