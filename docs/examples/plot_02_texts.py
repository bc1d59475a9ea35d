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
test = pd.read_csv(folder / "goemotions-test.csv")
tagger = Tagger(random_state=0).fit(train, "tags")
print(f"micro-F1 of 400 test comments: {tagger.score(test[:400], 'tags'):.3f}")

# %%
# Three test comments of medium length with two tags or more, drawn at random, each with its three
# best-ranked tags. The ranking partly corrects for how common a tag is, so a rare tag may come
# before a more probable one.

import matplotlib.pyplot as plt

text = test["text"].str
fair = text.len().between(50, 105) & text.isascii() & test["tags"].str.contains(";")
fair = test[fair].sample(3, random_state=0)
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

# %%
# Other languages, other encoders, a list in place of a table: :doc:`/howto/texts`. How a sum of
# evidences becomes a probability: :doc:`plot_10_explanation`.
