"""Who may ask: tokens, hosts, headers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from dlst import Tagger
from dlst.errors import DataError
from dlst.serve.guard import check_token

TOKEN = "0123456789abcdef"  # noqa: S105


@pytest.mark.parametrize(
    "given", [None, "Bearer", f"Bearer {TOKEN}0", f"Basic {TOKEN}", TOKEN, "Bearer \xe9"]
)
def test_without_the_token_nothing_is_told(
    client_of: Callable[..., TestClient], tagger: Tagger, row: dict[str, Any], given: str | None
) -> None:
    client = client_of(tagger, token=TOKEN)
    headers = {} if given is None else {"Authorization": given.encode("latin-1")}
    for path in ("/model", "/metrics", "/openapi.json", "/nowhere"):
        assert client.get(path, headers=headers).status_code == 401
    refused = client.post("/predict", json=row, headers=headers)
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    # The page asks for it; whether there is a server is no secret.
    assert client.get("/").status_code == client.get("/health").status_code == 200


def test_with_the_token_all_is_open(
    client_of: Callable[..., TestClient], tagger: Tagger, row: dict[str, Any]
) -> None:
    client = client_of(tagger, token=TOKEN)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert client.get("/model", headers=headers).status_code == 200
    assert client.post("/predict", json=row, headers=headers).status_code == 200


def test_other_names_of_a_loopback_server_are_refused(
    client_of: Callable[..., TestClient], tagger: Tagger
) -> None:
    client = client_of(tagger, hosts={"127.0.0.1", "localhost", "::1"})
    for host, status in (
        ("127.0.0.1:8000", 200),
        ("localhost", 200),
        ("[::1]:8000", 200),
        ("evil.example:8000", 421),
    ):
        assert client.get("/health", headers={"Host": host}).status_code == status


def test_a_token_is_required_beyond_loopback() -> None:
    check_token("127.0.0.1", None)
    check_token("localhost", None)
    check_token("0.0.0.0", TOKEN)  # noqa: S104
    with pytest.raises(DataError, match="a token is required"):
        check_token("0.0.0.0", None)  # noqa: S104
    with pytest.raises(DataError, match="at least 16"):
        check_token("127.0.0.1", "short")


def test_every_answer_keeps_browsers_careful(client: TestClient) -> None:
    for path in ("/", "/model", "/nowhere"):
        headers = client.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers
    policy = client.get("/").headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
