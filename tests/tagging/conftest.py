"""Tickets as a help desk has them: text, category, number, date, id, and tags."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dlst import Tagger

WORDS = {
    "billing": ["invoice", "refund", "money", "charged"],
    "printer": ["printer", "paper", "jam", "toner"],
    "login": ["password", "login", "account", "locked"],
}
OTHERS = ["the", "a", "please", "help", "is", "not"]


@pytest.fixture(scope="session")
def tickets() -> pd.DataFrame:
    """Make 240 tickets; their tags show in their words, and the team tells of the printer."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(240):
        tags = sorted(rng.choice(list(WORDS), rng.integers(1, 3), replace=False))
        words = [word for tag in tags for word in rng.choice(WORDS[tag], 3)]
        words += list(rng.choice(OTHERS, 4))
        rng.shuffle(words)
        team = "hardware" if "printer" in tags and rng.random() < 0.9 else "office"
        day = pd.Timestamp("2024-01-01") + pd.Timedelta(int(rng.integers(0, 300)), "D")
        rows.append(
            {
                "ticket": f"T{number:05d}",
                "text": " ".join(words),
                "team": team,
                "size_kb": round(float(rng.normal(20, 5)), 2),
                "opened": f"{day:%Y-%m-%d}",
                "tags": ";".join(tags),
            }
        )
    return pd.DataFrame(rows)


@pytest.fixture(scope="session")
def fitted(tickets: pd.DataFrame) -> Tagger:
    return Tagger(random_state=0).fit(tickets[:160], "tags")
