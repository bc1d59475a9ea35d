"""Each wrong request gets its status and one sentence that says what is wrong."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from dlst import DLST, Tagger
from dlst.serve import Limits, make_app
from dlst.serve.models import subject_of

JSON = {"Content-Type": "application/json"}


def test_columns_are_named_in_the_models_own_words(client: TestClient, row: dict[str, Any]) -> None:
    renamed = {("size" if name == "size_kb" else name): cell for name, cell in row.items()}
    refused = client.post("/predict", json=[row, renamed])
    assert refused.status_code == 422
    assert refused.json()["error"] == (
        "row 1 (counted from 0): column 'size_kb' is missing; 'size' is not known, did you mean it?"
    )


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("size_kb", "17.5", "expected a number or null, got '17.5'. Write it without quotes."),
        ("size_kb", [1], "expected a number or null, got a list"),
        ("text", 7, "expected a text or null, got 7"),
        ("team", {"a": 1}, "got an object"),
        ("opened", "soon", "expected a date (year first), got 'soon'"),
        ("opened", 20240301, "expected a date as text"),
    ],
)
def test_a_wrong_cell_is_named_with_its_place(
    client: TestClient, row: dict[str, Any], column: str, cell: object, said: str
) -> None:
    refused = client.post("/predict", json=[*[row] * 200, {**row, column: cell}])
    told = refused.json()
    assert (refused.status_code, told["row"], told["column"]) == (422, 200, column)
    assert said in told["error"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b'[{"text": ', 400),
        (b"\xff\xfe", 400),
        (b'{"size_kb": NaN}', 400),
        (b"[" * 100_000, 400),
        (b"[]", 422),
        (b"3", 422),
        (b'"words"', 422),
        (b"[[]]", 422),
        (b"{}", 422),
    ],
)
def test_what_are_no_rows(client: TestClient, body: bytes, status: int) -> None:
    refused = client.post("/predict", content=body, headers=JSON)
    assert refused.status_code == status
    assert refused.json()["error"]


def test_rows_are_not_wrapped(client: TestClient, row: dict[str, Any]) -> None:
    refused = client.post("/predict", json={"rows": [row]})
    assert refused.status_code == 422
    assert refused.json()["error"] == (
        "expected a row, or a list of rows; got an object that holds a list as 'rows'. Send the "
        "list itself."
    )


@pytest.mark.parametrize(
    ("method", "address", "status", "said"),
    [
        ("POST", "/predict?reason=true", 422, "got reason. Did you mean 'reasons'?"),
        ("GET", "/docs", 404, "/health, /metrics, /model, /openapi.json, /predict; got /docs."),
        ("GET", "/predict", 405, "/predict takes POST; got GET."),
    ],
)
def test_what_the_server_has_is_told(
    client: TestClient, row: dict[str, Any], method: str, address: str, status: int, said: str
) -> None:
    refused = client.request(method, address, json=row)
    assert refused.status_code == status
    assert said in refused.json()["error"]


@pytest.mark.parametrize("number", ["1e999", "1" + "0" * 400])
def test_numbers_beyond_floats(client: TestClient, row: dict[str, Any], number: str) -> None:
    body = client.build_request("POST", "/predict", json={**row, "size_kb": 12345}).content
    refused = client.post("/predict", content=body.replace(b"12345", number.encode()), headers=JSON)
    assert (refused.status_code, refused.json()["column"]) == (422, "size_kb")


def test_half_a_sign_is_answered(client: TestClient, row: dict[str, Any]) -> None:
    body = json.dumps({**row, "ticket": "\ud800", "text": "paper \udfff jam"})
    told = client.post("/predict", content=body, headers=JSON)
    assert told.status_code == 200
    assert told.json()["answers"][0]["id"] == "\ud800"


@pytest.mark.parametrize("column", ["team", "opened"])
def test_half_a_sign_is_no_category_and_no_date(
    client: TestClient, row: dict[str, Any], column: str
) -> None:
    refused = client.post("/predict", content=json.dumps({**row, column: "\ud800"}), headers=JSON)
    assert refused.status_code == 422
    assert "got half of a surrogate pair" in refused.json()["error"]


def test_only_json_is_read(client: TestClient) -> None:
    refused = client.post("/predict", content=b"{}", headers={"Content-Type": "text/plain"})
    assert (refused.status_code, "text/plain" in refused.json()["error"]) == (415, True)


@pytest.mark.parametrize("query", ["top=0", "top=3", "top=many", "reasons=perhaps"])
def test_wrong_parameters_are_named(client: TestClient, row: dict[str, Any], query: str) -> None:
    refused = client.post(f"/predict?{query}", json=row)
    assert refused.status_code == 422
    assert refused.json()["error"].startswith(query.partition("=")[0])


def test_limits_of_rows_and_bytes(
    client_of: Callable[..., TestClient], tagger: Tagger, row: dict[str, Any]
) -> None:
    client = client_of(tagger, Limits(rows=3, explained_rows=1, body=2000))
    assert client.post("/predict", json=[row] * 3).status_code == 200
    many = client.post("/predict", json=[row] * 4)
    assert (many.status_code, "at most 3 rows" in many.json()["error"]) == (413, True)
    explained = client.post("/predict?reasons=true", json=[row] * 2)
    assert (explained.status_code, "at most 1 rows" in explained.json()["error"]) == (413, True)
    large = client.post("/predict", json={**row, "text": "x" * 2000})
    assert (large.status_code, "at most 2,000 bytes" in large.json()["error"]) == (413, True)


def test_a_body_that_does_not_tell_its_length_is_bounded_too(
    client_of: Callable[..., TestClient], tagger: Tagger
) -> None:
    def parts() -> Iterator[bytes]:
        yield from [b" " * 1000] * 5

    refused = client_of(tagger, Limits(body=2000)).post("/predict", content=parts(), headers=JSON)
    assert refused.status_code == 413


def test_too_late_is_told(
    client_of: Callable[..., TestClient], tagger: Tagger, row: dict[str, Any]
) -> None:
    refused = client_of(tagger, Limits(seconds=1e-6)).post("/predict", json=[row] * 500)
    assert refused.status_code in (408, 503)
    assert "seconds" in refused.json()["error"]


def test_work_that_is_late_is_left(tagger: Tagger, row: dict[str, Any]) -> None:
    subject, asked = subject_of(tagger), []
    app = make_app(subject, limits=Limits(seconds=0.2))

    def slow(rows: Any, top: int, tally: Any) -> list[dict[str, Any]]:
        asked.append(len(rows))
        time.sleep(0.3)
        return []

    subject.predict = slow  # type: ignore[method-assign]
    refused = TestClient(app).post("/predict", json=[row] * 500)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    time.sleep(0.5)
    assert asked == [128]


def test_no_more_wait_than_may(
    client_of: Callable[..., TestClient], tagger: Tagger, row: dict[str, Any]
) -> None:
    refused = client_of(tagger, Limits(waiting=0)).post("/predict", json=row)
    assert (refused.status_code, "wait already" in refused.json()["error"]) == (503, True)


def test_a_defect_shows_no_traceback(tagger: Tagger, row: dict[str, Any]) -> None:
    subject = subject_of(tagger)
    client = TestClient(make_app(subject), raise_server_exceptions=False)

    def broken(rows: Any, top: int, tally: Any) -> list[dict[str, Any]]:
        raise RuntimeError("a secret")

    subject.predict = broken  # type: ignore[method-assign]
    failed = client.post("/predict", json=row)
    assert failed.status_code == 500
    assert failed.json() == {"error": "internal server error; see the server's log."}


def test_rows_of_the_wrong_length(client_of: Callable[..., TestClient], features: DLST) -> None:
    client = client_of(features)
    for wrong in ([[1.0, 2.0]], [[1.0, 2.0, None]], [[1.0, 2.0, True]], [{"a": 1}], 5):
        refused = client.post("/predict", json=wrong)
        assert refused.status_code == 422


def test_broken_pictures_are_named_by_their_place(
    client_of: Callable[..., TestClient], picture_tagger: Tagger, red_picture: bytes
) -> None:
    client = client_of(picture_tagger)
    good = {"photo": base64.b64encode(red_picture).decode()}
    for content in (b"no picture", red_picture[:60]):
        broken = {"photo": base64.b64encode(content).decode()}
        refused = client.post("/predict", json=[good, broken])
        told = refused.json()
        assert (refused.status_code, told["row"], told["column"]) == (422, 1, "photo")
        assert "expected a picture" in told["error"]


def test_pictures_are_never_files_of_the_server(
    client_of: Callable[..., TestClient],
    picture_tagger: Tagger,
    red_picture: bytes,
    tmp_path: Path,
) -> None:
    path = tmp_path / "red.png"
    path.write_bytes(red_picture)
    client = client_of(picture_tagger)
    # The second is base64 by chance; its bytes are no picture.
    for cell in (str(path), "etc/passwd00", f"file://{path}", None):
        refused = client.post("/predict", json={"photo": cell})
        assert (refused.status_code, refused.json()["column"]) == (422, "photo")
