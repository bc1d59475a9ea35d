"""Rows in, tags with probabilities and reasons out: equal to what the model says in Python."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from fastapi.testclient import TestClient

from dlst import DLST, Tagger


def test_answers_are_those_of_the_model(
    client: TestClient, tagger: Tagger, tickets: pd.DataFrame
) -> None:
    rows = tickets.drop(columns="tags").to_dict("records")[:5]
    told = client.post("/predict?top=2", json=rows).json()
    assert told["notes"] == []
    assert [each["id"] for each in told["answers"]] == tickets["ticket"][:5].tolist()
    assert [each["tags"] for each in told["answers"]] == tagger.predict_tags(rows)
    best = [[(b["tag"], b["probability"]) for b in each["labels"]] for each in told["answers"]]
    assert best == tagger.predict_top(rows, 2)


def test_many_rows_are_answered_in_blocks(
    client: TestClient, tagger: Tagger, tickets: pd.DataFrame
) -> None:
    rows = tickets.drop(columns="tags").to_dict("records") * 4
    told = client.post("/predict", json=rows).json()
    assert [each["tags"] for each in told["answers"]] == tagger.predict_tags(rows)


def test_one_row_needs_no_list(client: TestClient, row: dict[str, Any]) -> None:
    alone, listed = client.post("/predict", json=row), client.post("/predict", json=[row])
    assert alone.json() == listed.json()


def test_reasons_name_words_and_voters(
    client: TestClient, tagger: Tagger, row: dict[str, Any]
) -> None:
    told = client.post("/predict?reasons=true&top=1", json=row).json()
    (answer,) = told["answers"]
    expected = tagger.explain([row], top=1).rows[0]
    assert answer["labels"] == expected["labels"]
    (label,) = answer["labels"]
    total = label["start"] + sum(label["contributions"].values())
    np.testing.assert_allclose(total, label["logit"])
    assert {"jam", "paper"} <= {reason["what"] for reason in label["because"]}
    for source, voters in expected["voters"].items():
        assert [{**voter, "picture": None} for voter in voters] == answer["voters"][source]
    plain = client.post("/predict?top=1", json=row).json()["answers"][0]
    assert plain["tags"] == answer["tags"]
    assert plain["labels"][0]["probability"] == label["probability"]


def test_unknown_categories_columns_and_gaps_are_noted(
    client: TestClient, row: dict[str, Any]
) -> None:
    told = client.post("/predict", json={**row, "team": "cats", "size_kb": None, "colour": 1})
    assert told.status_code == 200
    notes = " ".join(told.json()["notes"])
    assert "'team': unknown category" in notes
    assert "'size_kb': empty cell" in notes
    assert "'colour': column is not known" in notes


def test_a_model_of_texts_takes_plain_texts(
    client_of: Callable[..., TestClient], text_tagger: Tagger
) -> None:
    client = client_of(text_tagger)
    texts = ["invoice refund charged", "paper jam toner"]
    told = client.post("/predict", json=texts).json()
    assert [each["tags"] for each in told["answers"]] == text_tagger.predict_tags(texts)
    assert [each["labels"][0]["tag"] for each in told["answers"]] == ["billing", "printer"]
    named = client.post("/predict", json=[{"text": text} for text in texts]).json()
    assert named == told


def test_a_method_without_reasons_says_so(
    client_of: Callable[..., TestClient], text_tagger: Tagger
) -> None:
    client = client_of(text_tagger)
    assert client.get("/model").json()["explains"] is False
    refused = client.post("/predict?reasons=true", json="paper jam")
    assert (refused.status_code, "gives no reasons" in refused.json()["error"]) == (422, True)


def test_rows_of_numbers(client_of: Callable[..., TestClient], features: DLST) -> None:
    client = client_of(features)
    X = [[1.5, -2.0, 0], [-1.0, 2.0, 3]]
    told = client.post("/predict?reasons=true", json=X).json()["answers"]
    assert [each["tags"] for each in told] == [["label0"], ["label1"]]
    P = features.predict_proba(X)
    found = [{b["tag"]: b["probability"] for b in each["labels"]} for each in told]
    np.testing.assert_allclose([[f["label0"], f["label1"]] for f in found], P)
    label = told[0]["labels"][0]
    total = label["start"] + sum(label["contributions"].values())
    np.testing.assert_allclose(total, label["logit"])
    (alone,) = client.post("/predict", json=X[0]).json()["answers"]
    np.testing.assert_allclose(alone["labels"][0]["probability"], label["probability"])


def test_pictures_come_in_base64(
    client_of: Callable[..., TestClient], picture_tagger: Tagger, red_picture: bytes
) -> None:
    client = client_of(picture_tagger)
    packed = base64.b64encode(red_picture).decode()
    for cell in (packed, f"data:image/png;base64,{packed}"):
        told = client.post("/predict", json={"photo": cell})
        assert told.json()["answers"][0]["tags"] == ["red"]
