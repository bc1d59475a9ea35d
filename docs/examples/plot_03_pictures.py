"""
What is in a picture?
=====================

Photographs and the things in them (MSRC). A column of file names is recognised as pictures. By
default, each picture is described by histograms of colours, edges and local patterns, so no
pretrained network is needed. To be quick, we use every third picture: 99 to learn from, 98 to
test on.
"""

# needs: msrc-images

# %%
import pandas as pd

from dlst import Tagger
from dlst.data import data_home

folder = data_home() / "msrc-images"
table = pd.read_csv(folder / "labels.csv").sample(frac=1, random_state=0)[::3]
table["file"] = [str(folder / name) for name in table["file"]]
train, test = table[:99], table[99:]
tagger = Tagger(random_state=0).fit(train, "tags")
print(f"micro-F1: {tagger.score(test, 'tags'):.3f}")

# %%
# The first eight test pictures. Blue tags are right, grey ones are not.

import matplotlib.pyplot as plt
from PIL import Image

figure, panels = plt.subplots(2, 4, figsize=(9, 5), layout="constrained")
shown = test[:8]
for axes, (_, row), tags in zip(
    panels.flat, shown.iterrows(), tagger.predict_tags(shown), strict=True
):
    axes.imshow(Image.open(row["file"]))
    true = set(row["tags"].split(";"))
    axes.set(xticks=[], yticks=[])
    right = [tag for tag in tags if tag in true]
    wrong = [tag for tag in tags if tag not in true]
    axes.set_title(", ".join(right) or "–", color="#3b5b92", fontsize=9)
    axes.set_xlabel(f"not there: {', '.join(wrong)}" if wrong else "", color="#6b7280", fontsize=8)

# %%
# Pictures can be combined with texts, numbers and dates in one table: :doc:`/tables`. With
# ``--images pretrained`` a network describes them.
