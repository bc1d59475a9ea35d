"""Where the server listens, and what it says of that."""

from __future__ import annotations

import socket

import pytest

from dlst.errors import DataError
from dlst.serve.server import address, serve


@pytest.mark.parametrize(
    ("host", "named"), [("127.0.0.1", "127.0.0.1"), ("", "localhost"), ("::1", "[::1]")]
)
def test_the_page_is_named_as_a_browser_finds_it(host, named):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listening:
        try:
            listening.bind((host, 0))
        except OSError:
            pytest.skip(f"this machine has no {host}")
        assert address(listening) == f"http://{named}:{listening.getsockname()[1]}/"


def test_a_port_that_is_taken_is_told_before_the_model_is_loaded(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(DataError, match=f"on 127.0.0.1 port {port}: .* another --port"):
            serve(tmp_path / "no model", port=port)
