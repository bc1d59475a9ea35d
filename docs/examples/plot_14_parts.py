"""
Swap a part
===========

A composition consists of an encoder, a regressor and a decoder. You can replace any of them, also
by an estimator from scikit-learn. Photographs of scenes, every third training row.
"""

# needs: scene

# %%
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from dlst import DLST, LabelSpaceClassifier
from dlst.data import load
from dlst.decoders import MLkNNDecoder, VoteDecoder
from dlst.encoders import PrincipalEncoder
from dlst.metrics import instance_average_precision

data = load("scene")
X, Y = data.train.X[::3], data.train.Y[::3]
compositions = {
    "the default": DLST(random_state=0),
    "regressor=Ridge()": LabelSpaceClassifier(regressor=Ridge(), random_state=0),
    "regressor=KNeighborsRegressor()": LabelSpaceClassifier(
        regressor=KNeighborsRegressor(10), random_state=0
    ),
    "decoder=MLkNNDecoder()": LabelSpaceClassifier(decoder=MLkNNDecoder(), random_state=0),
    "decoder=VoteDecoder()": LabelSpaceClassifier(decoder=VoteDecoder(), random_state=0),
    "encoder=PrincipalEncoder(3)": LabelSpaceClassifier(
        encoder=PrincipalEncoder(n_components=3), random_state=0
    ),
}
scores = {
    title: instance_average_precision(data.test.Y, model.fit(X, Y).decision_function(data.test.X))
    for title, model in compositions.items()
}

# %%
import matplotlib.pyplot as plt

order = sorted(scores, key=scores.get)
figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
axes.plot([scores[title] for title in order], order, "o", color="#3b5b92")
for place, title in enumerate(order):
    axes.text(scores[title], place, f"   {scores[title]:.3f}", va="center", fontsize=9)
axes.grid(axis="y", color="#e4e8ec")
axes.set(xlim=(0.82, 0.88), xlabel="instance AP on test rows")
axes.spines[["top", "right"]].set_visible(False)

# %%
# Write a part of your own: :doc:`/howto/own-part`. All compositions on twelve data sets:
# :doc:`/compositions`.
