"""
Tag tickets: from a raw table to a served model
===============================================

A help desk has a table of tickets. People tagged some hundreds of them; new ones come in every
day. At the end of this page a model reads tickets as they lie in the file, gives tags with
probabilities, says why, and answers over HTTP.

Everything here is two commands or two lines of Python at a time. The table is made up, so that
the page runs anywhere; put your own in its place.
"""

# needs: fastapi

# %%
# The table
# ---------
# Columns of several kinds, some cells empty, tags in one cell. There is nothing to prepare: no
# one-hot columns, no vocabulary, no scaling.

import contextlib
import shlex
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

WORDS = {
    "printer": "printer paper jam toner empty pages come out grey slow does not start",
    "network": "wifi vpn drops every hour pages load slow not found meeting room",
    "account": "password expired unlock login refused not found does not start locked",
    "hardware": "screen stays dark key stuck dock not found does not start fan loud",
    "urgent": "customers waiting blocks whole team before noon now please hurry",
    "": "hello again since monday on floor two please help me with the this is",
}
SAID = {tag: words.split() for tag, words in WORDS.items()}


def made_tickets(n, seed):
    """Make tickets with one to three tags; a tenth of them got a wrong one."""
    draw = np.random.default_rng(seed)
    topics = list(SAID)[:-1]
    rows = []
    for number in range(n):
        tags = list(draw.choice(topics[:4], size=draw.integers(1, 3), replace=False))
        if draw.random() < 0.25:
            tags.append("urgent")
        words = [word for tag in tags for word in draw.choice(SAID[tag], size=3)]
        text = " ".join(draw.permutation([*words, *draw.choice(SAID[""], size=4)]))
        if draw.random() < 0.1:
            tags[0] = draw.choice(topics)
        day = pd.Timestamp("2024-01-01") + pd.Timedelta(days=int(draw.integers(300)))
        team = draw.choice(["desk", "field", "cloud"])
        hours = "" if draw.random() < 0.1 else f"{draw.gamma(2 if 'urgent' in tags else 6):.1f}"
        rows.append((f"T{number:05}", text, team, hours, day.date(), ";".join(sorted(set(tags)))))
    return pd.DataFrame(rows, columns=["ticket", "text", "team", "waited_hours", "opened", "tags"])


folder = Path(tempfile.mkdtemp())
made_tickets(400, seed=0).to_csv(folder / "tickets.csv", index=False)
made_tickets(200, seed=1).to_csv(folder / "new.csv", index=False)
pd.read_csv(folder / "tickets.csv").head()

# %%
# Fit
# ---
# In a shell: ``dlst fit tickets.csv --labels tags -o tickets.skops``. It says how columns are read;
# ``--text``, ``--category``, ``--drop`` and their like say otherwise (:doc:`/tables`). Here a few
# lines run the same command inside this page.

from dlst.cli import main


def shell(command):
    """Run a command in the folder of the table, and show it."""
    print("$", command)
    with contextlib.chdir(folder):
        assert main(shlex.split(command)[1:]) == 0


shell("dlst fit tickets.csv --labels tags -o tickets.skops")

# %%
# How good is it?
# ---------------
# Rows that the model has not seen, with their tags: rankings, probabilities, and decisions by every
# rule. *micro-F1* counts all tags alike, *macro-F1* each kind of tag alike.

shell("dlst evaluate tickets.skops new.csv")

# %%
# Predict, and ask why
# --------------------
# Ids stay beside the tags. A model reads a new file by what it learnt: columns in any order, new
# categories counted in a note, missing columns named.

shell("dlst predict tickets.skops new.csv -o tagged.csv")
pd.read_csv(folder / "tagged.csv").head()

# %%
# ``explain`` says which evidence spoke for each tag, which words carried it, and which training
# tickets voted.

shell("dlst explain tickets.skops new.csv --row 3")

# %%
# In Python
# ---------
# The same model, without files.

from dlst import load_model

tagger = load_model(folder / "tickets.skops")
new = pd.read_csv(folder / "new.csv")
for text, tags in zip(new["text"][:3], tagger.predict_top(new[:3], k=2), strict=True):
    print(text, "->", ", ".join(f"{tag} {probability:.2f}" for tag, probability in tags))

# %%
# Serve
# -----
# ``dlst serve tickets.skops`` listens on this machine; http://127.0.0.1:8000 is a page to try it
# on, and programs send JSON. :doc:`/serving` says how to let others ask.

import json
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
    """Send rows as JSON, as any program would."""
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
    "text": "the vpn drops, customers are waiting",
    "team": "cloud",
    "waited_hours": 1.5,
    "opened": "2024-10-31",
}
answer = ask("/predict?top=5", [ticket])
server.terminate()
server.wait()
print(json.dumps(answer, indent=1)[:600])

# %%
# The answer as a picture: what the server said of one ticket.

import matplotlib.pyplot as plt

(row,) = answer["answers"]
labels = row["labels"][::-1]
figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
decided = set(row["tags"])
axes.barh(
    [label["tag"] for label in labels],
    [label["probability"] for label in labels],
    color=["#3b5b92" if label["tag"] in decided else "#c5ccd3" for label in labels],
)
axes.set(xlim=(0, 1), xlabel="probability (blue: decided for)", title=ticket["text"])
axes.spines[["top", "right"]].set_visible(False)

# %%
# Next
# ----
# * What you are judged by: :doc:`/guide/decisions`.
# * Tickets that are tagged in part only: :doc:`/guide/missing-labels`.
# * Is another method better on your table? :doc:`comparison`.
