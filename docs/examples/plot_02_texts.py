"""
Short texts and the words that count
====================================

Online comments and the feelings they express, 28 in all (GoEmotions). A
:class:`~dlst.tagging.Tagger` reads the table as it is, and an explanation names the words behind
each tag. To be quick, we train on the first 3,000 of 43,410 comments.
"""

# needs: goemotions

# %%
import pandas as pd

from dlst import Tagger
from dlst.data import data_home

folder = data_home() / "goemotions"
train = pd.read_csv(folder / "goemotions-train.csv", nrows=3000)
test = pd.read_csv(folder / "goemotions-test.csv", nrows=400)
tagger = Tagger(random_state=0).fit(train, "tags")
print(f"micro-F1 of 400 test comments: {tagger.score(test, 'tags'):.3f}")

# %%
# Three test comments, chosen by their length and number of tags alone.

import matplotlib.pyplot as plt

fair = test[test["text"].str.len().between(50, 100) & test["tags"].str.contains(";")][:3]
told = tagger.explain(fair, top=3, words=3).rows
figure, panels = plt.subplots(3, 1, figsize=(8, 5.4), layout="constrained")
for axes, row, true in zip(panels, told, fair["tags"], strict=True):
    for place, label in enumerate(row["labels"]):
        color = "#3b5b92" if label["tag"] in true.split(";") else "#c5ccd3"
        axes.barh(place, label["probability"], color=color)
        words = [found["what"] for found in label["because"] if found["contribution"] > 0]
        axes.text(label["probability"] + 0.01, place, ", ".join(words), va="center", fontsize=9)
    axes.set_yticks(range(3), [label["tag"] for label in row["labels"]])
    axes.set(xlim=(0, 1.4), xticks=[], ylim=(2.5, -0.5))
    axes.set_title(row["text"], fontsize=9, loc="left")
    axes.spines[:].set_visible(False)
figure.supxlabel("probability, and the words behind it; blue: tags that people chose", fontsize=9)
