"""Small models of each kind of row, and a client for each."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from dlst import DLST, Tagger
from dlst.methods import make
from dlst.serve import Limits, make_app
from dlst.serve.models import subject_of

WORDS = {"billing": ["invoice", "refund", "charged"], "printer": ["paper", "jam", "toner"]}


@pytest.fixture(scope="session")
def tickets() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = []
    for number in range(80):
        tags = [tag for tag in WORDS if rng.random() < 0.6]
        words = [word for tag in tags for word in rng.choice(WORDS[tag], 2)]
        rows.append(
            {
                "ticket": f"T{number:03d}",
                "text": " ".join([*words, *rng.choice(["please", "the", "help", "is"], 4)]),
                "team": "hardware" if "printer" in tags else "office",
                "size_kb": round(float(rng.normal(20, 5)), 2),
                "opened": f"2024-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}",
                "tags": ";".join(tags),
            }
        )
    return pd.DataFrame(rows)


@pytest.fixture(scope="session")
def tagger(tickets: pd.DataFrame) -> Tagger:
    return Tagger(random_state=0, columns={"id": "ticket"}).fit(tickets, "tags")


@pytest.fixture
def row() -> dict[str, Any]:
    return {
        "ticket": "T900",
        "text": "the paper is in a jam",
        "team": "hardware",
        "size_kb": 17.5,
        "opened": "2024-03-01",
    }


@pytest.fixture(scope="session")
def text_tagger(tickets: pd.DataFrame) -> Tagger:
    return Tagger("br", random_state=0).fit(
        tickets["text"].tolist(), tickets["tags"].str.split(";").tolist()
    )


@pytest.fixture(scope="session")
def features() -> DLST:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return DLST(random_state=0).fit(X, (X[:, :2] > 0).astype(float))


@pytest.fixture(scope="session")
def picture_tagger() -> Tagger:
    rng = np.random.default_rng(0)
    pictures = [png(red, rng) for red in [True, False] * 12]
    return Tagger(make("br"), columns={"image": "photo"}, random_state=0).fit(
        pd.DataFrame({"photo": pictures}), [["red"], ["blue"]] * 12
    )


@pytest.fixture(scope="session")
def red_picture() -> bytes:
    return png(True, np.random.default_rng(9))


@pytest.fixture
def client_of() -> Callable[..., TestClient]:
    def client(model: Any, limits: Limits | None = None, **settings: Any) -> TestClient:
        app = make_app(subject_of(model), limits=limits, **settings)
        return TestClient(app, raise_server_exceptions=False)

    return client


@pytest.fixture
def client(client_of: Callable[..., TestClient], tagger: Tagger) -> TestClient:
    return client_of(tagger)


def png(is_red: bool, rng: np.random.Generator) -> bytes:
    pixels = rng.integers(0, 90, size=(40, 50, 3), dtype=np.uint8)
    pixels[..., 0 if is_red else 2] += 150
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()
