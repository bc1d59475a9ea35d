"""What the server says of itself: model, metrics, page, description."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fastapi.testclient import TestClient

from dlst import DLST, Tagger
from dlst.serve.board import Board


def test_the_model_is_described(client: TestClient) -> None:
    about = client.get("/model").json()
    assert about["labels"] == ["billing", "printer"]
    assert about["columns"] == [
        {"name": "ticket", "kind": "id", "required": False},
        {"name": "text", "kind": "text", "required": True},
        {"name": "team", "kind": "category", "required": True, "values": ["hardware", "office"]},
        {"name": "size_kb", "kind": "number", "required": True},
        {"name": "opened", "kind": "date", "required": True, "notation": "year first"},
    ]
    assert about["explains"] is True


def test_the_description_has_the_models_columns(client: TestClient) -> None:
    body = client.get("/openapi.json").json()["paths"]["/predict"]["post"]["requestBody"]
    content = body["content"]["application/json"]
    rows, row = content["schema"]["anyOf"]
    assert rows["items"] == row
    assert list(row["properties"]) == ["ticket", "text", "team", "size_kb", "opened"]
    assert row["required"] == ["text", "team", "size_kb", "opened"]
    assert row["properties"]["size_kb"]["type"] == ["number", "boolean", "null"]
    assert client.post("/predict", json=content["example"]).status_code == 200


def test_the_description_of_numbers(client_of: Callable[..., TestClient], features: DLST) -> None:
    schema = client_of(features).get("/openapi.json").json()
    body = schema["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"]["anyOf"][1]["minItems"] == 3


def test_requests_rows_and_seconds_are_counted(client: TestClient, row: dict[str, Any]) -> None:
    client.post("/predict", json=[row] * 3)
    client.post("/predict", json=row)
    client.post("/predict", json=[])
    client.get("/no/such/path")
    text = client.get("/metrics").text
    assert 'dlst_requests_total{path="/predict",status="200"} 2\n' in text
    assert 'dlst_requests_total{path="/predict",status="422"} 1\n' in text
    assert 'dlst_requests_total{path="other",status="404"} 1\n' in text
    assert "dlst_rows_total 4\n" in text
    assert 'dlst_predict_seconds_bucket{le="+Inf"} 3\n' in text
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(
            r'\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? \S+', line
        )


def test_counts_of_workers_add_up() -> None:
    board = Board(workers=2)
    for worker in (0, 1, 1):
        board.take(worker)
        board.request("/predict", 200, 0.003)
        board.rows(2)
    text = board.exposition({"name": 'a "b"'})
    assert 'dlst_model_info{name="a \\"b\\""} 1' in text
    assert 'dlst_requests_total{path="/predict",status="200"} 3' in text
    assert 'dlst_predict_seconds_bucket{le="0.0025"} 0' in text
    assert 'dlst_predict_seconds_bucket{le="0.005"} 3' in text
    assert "dlst_rows_total 6" in text


def test_the_page_brings_all_it_needs(client: TestClient) -> None:
    page = client.get("/").text
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    assert "innerHTML" not in page


def test_a_model_of_texts_says_so(
    client_of: Callable[..., TestClient], text_tagger: Tagger
) -> None:
    about = client_of(text_tagger).get("/model").json()
    assert about["columns"] == [{"name": "text", "kind": "text", "required": True}]
