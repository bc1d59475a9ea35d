"""Make the tickets that the pages tag: docs/tutorials/tickets.csv and new.csv.

python docs/tickets_table.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from dlst._files import atomic_write

HERE = Path(__file__).resolve().parent / "tutorials"

SAID = {
    "printer": [
        "the printer has a paper jam",
        "toner is empty again",
        "pages come out grey",
        "printing two pages takes ten minutes",
        "the copier staples every sheet",
        "it prints half of the invoice",
    ],
    "network": [
        "the VPN drops every hour",
        "wifi in the meeting room is slow",
        "no connection since the update",
        "the shared folder cannot be found",
        "video calls freeze",
        "the website times out",
    ],
    "account": [
        "my password has expired",
        "please unlock my login",
        "the login page refuses my code",
        "a new colleague needs access",
        "I cannot open the shared folder any more",
        "my account was locked after three tries",
    ],
    "hardware": [
        "the screen stays dark",
        "a key on my keyboard is stuck",
        "the dock does not charge the laptop",
        "the fan is loud",
        "the laptop does not start",
        "my headset has no sound in calls",
    ],
}
URGENT = [
    "Customers are waiting.",
    "It blocks the whole team.",
    "We need it before noon.",
    "Please hurry.",
]
AROUND = [
    "Hello,",
    "Hi,",
    "Good morning,",
    "Since Monday",
    "On floor two",
    "Same as last week:",
    "After lunch",
    "",
]
# As often as this a person chose a wrong tag, left a cell empty, or wrote none of the urgent words.
SLIPS = 0.1


def made_tickets(n: int, seed: int) -> pd.DataFrame:
    """Make tickets with one to three tags each."""
    draw = np.random.default_rng(seed)
    rows = [(f"T{number:05}", *_ticket(draw)) for number in range(1, n + 1)]
    return pd.DataFrame(rows, columns=["ticket", "text", "team", "waited_hours", "opened", "tags"])


def _ticket(draw: np.random.Generator) -> tuple[str, ...]:
    topics = list(draw.choice(list(SAID), size=draw.choice([1, 2], p=[0.6, 0.4]), replace=False))
    text = f"{draw.choice(AROUND)} {' and '.join(draw.choice(SAID[topic]) for topic in topics)}."
    urgent = draw.random() < 0.25
    if urgent and draw.random() > SLIPS:
        text += f" {draw.choice(URGENT)}"
    if draw.random() < SLIPS:
        topics[0] = draw.choice(list(SAID))
    hours = f"{draw.gamma(2 if urgent else 6):.1f}" if draw.random() > SLIPS else ""
    day = pd.Timestamp("2026-01-05") + pd.Timedelta(days=int(draw.integers(300)))
    team = draw.choice(["sales", "support", "finance", "design"])
    tags = sorted({*topics, *(["urgent"] if urgent else [])})
    text = text.strip()
    return text[0].upper() + text[1:], team, hours, str(day.date()), ";".join(tags)


def write_tables(folder: Path) -> None:
    """Write both tables."""
    for name, n, seed in (("tickets.csv", 400, 0), ("new.csv", 200, 1)):
        with atomic_write(folder / name, text=True) as stream:
            made_tickets(n, seed).to_csv(stream, index=False, lineterminator="\n")


if __name__ == "__main__":
    write_tables(HERE)
