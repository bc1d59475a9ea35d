"""
Tag my data: from a CSV to a running service
============================================

A help desk has a table of tickets. People have tagged a few hundred of them by hand, and new ones
come in every day. By the end of this page you will have a model that reads tickets straight from
the file, suggests tags with probabilities, explains them, and answers over HTTP.

You need ``pip install '.[serve,plots]'`` in a clone of the repository. The two tables are invented:
:download:`tickets.csv <../tutorials/tickets.csv>` and :download:`new.csv <../tutorials/new.csv>`,
in the repository's ``docs/tutorials``. You can put your own in their place.
"""

# needs: fastapi

# %%
# The table
# ---------
# Texts, categories, numbers and dates; some cells are empty; all tags of a ticket are in one cell.
# There is nothing to prepare: no one-hot columns, no vocabulary, no scaling.

import contextlib
import shlex
import shutil
import tempfile
from pathlib import Path

import pandas as pd

folder = Path(tempfile.mkdtemp())
for name in ("tickets.csv", "new.csv"):
    shutil.copy(name, folder)
pd.read_csv(folder / "tickets.csv").head()

# %%
# Fit
# ---
# In a shell you would type the command after the ``$``. This page runs the same command from
# Python, in a folder of its own.

from dlst.cli import main


def shell(command):
    """Run a command in the folder of the tables, and show it."""
    print("$", command)
    with contextlib.chdir(folder):
        assert main(shlex.split(command)[1:]) == 0


shell("dlst fit tickets.csv --labels tags -o tickets.skops")

# %%
# The first fit in a new installation takes up to a minute longer, because some loops are compiled.
# Is a column read wrongly? ``--text``, ``--category``, ``--drop`` and others correct it
# (:doc:`/tables`).
#
# How good is it?
# ---------------
# ``new.csv`` has tickets that the model has not seen, along with the tags that people gave them.
# ``evaluate`` scores the ranking, the probabilities, and the decisions of every rule. If you look
# at one number, take *micro-F1*: 1 means that all tags are right. *macro-F1* is the same with rare
# tags counting as much as common ones. About one ticket in ten carries a wrong tag on purpose, so
# no model can be perfect here.

shell("dlst evaluate tickets.skops new.csv")

# %%
# Predict, and ask why
# --------------------
# The ids are kept next to the tags. Columns may come in any order; if one is missing, the error
# names it.

shell("dlst predict tickets.skops new.csv -o tagged.csv")
pd.read_csv(folder / "tagged.csv").head()

# %%
# ``explain`` shows the evidence for each tag, the words behind it, and the training tickets that
# voted. Rows are counted from 0.

shell("dlst explain tickets.skops new.csv --row 3")

# %%
# In Python
# ---------
# The same model, from Python.

from dlst import load_model

tagger = load_model(folder / "tickets.skops")
new = pd.read_csv(folder / "new.csv")
for text, tags in zip(new["text"][:3], tagger.predict_top(new[:3], k=2), strict=True):
    print(text, "->", ", ".join(f"{tag} {probability:.2f}" for tag, probability in tags))

# %%
# Serve
# -----
# ``dlst serve tickets.skops`` starts a server on your machine. Open http://127.0.0.1:8000 for a
# page to try it on; programs send JSON, as the lines below do. :doc:`/serving` explains how to let
# others use it.

import json
import pprint
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
command = [sys.executable, "-m", "dlst", "serve", "tickets.skops", "--port", str(port)]
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
server = subprocess.Popen(command, cwd=folder, **quiet)


def ask(path, rows=None):
    """Send rows as JSON, like any other program."""
    body = None if rows is None else json.dumps(rows).encode()
    address = f"http://127.0.0.1:{port}{path}"
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


for _ in range(300):
    try:
        print(ask("/health"))
        break
    except urllib.error.URLError:
        time.sleep(0.2)
ticket = {
    "ticket": "T90001",
    "text": "The VPN drops every ten minutes. Customers are waiting.",
    "team": "sales",
    "waited_hours": 1.5,
    "opened": "2026-10-31",
}
answer = ask("/predict?top=5", [ticket])
server.terminate()
server.wait()
(row,) = answer["answers"]
pprint.pp(row)

# %%
# The server's answer for this ticket, as a picture.

import matplotlib.pyplot as plt

labels = row["labels"][::-1]
figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
decided = set(row["tags"])
axes.barh(
    [label["tag"] for label in labels],
    [label["probability"] for label in labels],
    color=["#3b5b92" if label["tag"] in decided else "#c5ccd3" for label in labels],
)
axes.set(xlim=(0, 1), xlabel="probability (blue: the tags decided on)", title=ticket["text"])
axes.spines[["top", "right"]].set_visible(False)

# %%
# Next
# ----
# * Choose the rule that fits how you are judged: :doc:`/guide/decisions`.
# * If only part of the tags are known: :doc:`/guide/missing-labels`.
# * Would another method do better on your table? :doc:`comparison`.
