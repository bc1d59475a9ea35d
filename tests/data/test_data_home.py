"""The data home, and downloads from a server on loopback that misbehaves."""

from __future__ import annotations

import hashlib
import io
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dlst.data.catalogue import DataFile, Entry
from dlst.data.home import data_home, fetch, path_of
from dlst.errors import DataHomeError

CONTENT = b"@relation toy\n" * 20_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        kind = self.path.rsplit("/", 1)[-1]
        self.server.asked.append(kind)
        if kind == "missing.arff":
            self.send_error(404)
            return
        if kind == "silent.arff":
            self.server.release.wait(20)
            return
        half = CONTENT[: len(CONTENT) // 2]
        body = {"edited.arff": CONTENT[:-1] + b"x", "cut.arff": half, "stalled.arff": half}
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(body.get(kind, CONTENT))
        if kind == "stalled.arff":
            self.wfile.flush()
            self.server.release.wait(20)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as running:
        running.asked = []
        running.release = threading.Event()
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield running
        running.release.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def empty_home(tmp_path, monkeypatch):
    monkeypatch.setenv("DLST_DATA", str(tmp_path / "home"))
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    return tmp_path / "home"


def toy_entry(url: str | None, name: str = "toy.arff", sha256: str | None = SHA256) -> Entry:
    return Entry(
        name="toy",
        title="Toy",
        domain="test",
        format="mulan",
        n_samples=1,
        n_features=1,
        n_labels=1,
        cardinality=1.0,
        n_label_sets=1,
        source="https://example.org/toy",
        citation="",
        terms="",
        files=(DataFile(name, "all", sha256, url),),
    )


def served(server, name: str, sha256: str | None = SHA256) -> Entry:
    return toy_entry(f"http://127.0.0.1:{server.server_port}/{name}", name, sha256)


def fetch_only(entry: Entry, **options) -> Path:
    return fetch(entry, entry.files[0], **options)


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_the_environment_chooses_the_data_home(monkeypatch, tmp_path):
    monkeypatch.setenv("DLST_DATA", str(tmp_path))
    assert data_home() == tmp_path
    monkeypatch.setenv("DLST_DATA", "~/sets")
    assert data_home() == Path.home() / "sets"


def test_without_the_variable_the_platform_cache_is_the_home_and_is_not_made(monkeypatch, tmp_path):
    monkeypatch.setenv("DLST_DATA", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_home().name == "dlst"
    assert not (tmp_path / "dlst").exists()


def test_a_missing_file_is_downloaded_once(server, empty_home):
    entry = served(server, "good.arff")
    before = server.asked.count("good.arff")
    first, second = fetch_only(entry), fetch_only(entry)
    assert first == second == empty_home / "toy" / "good.arff"
    assert first.read_bytes() == CONTENT
    assert server.asked.count("good.arff") == before + 1
    assert leftovers(empty_home) == ["good.arff"]


def test_a_found_file_is_used_where_it_lies_without_network(empty_home):
    entry = toy_entry("http://127.0.0.1:1/toy.arff")
    path = path_of(entry, entry.files[0])
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    before = path.stat()
    assert fetch_only(entry) == path
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert path.stat().st_ino == before.st_ino


def test_a_file_of_unknown_hash_is_accepted(server, empty_home):
    assert fetch_only(served(server, "edited.arff", sha256=None)).is_file()


@pytest.mark.parametrize("url", ["https://example.org/toy.arff", None])
def test_a_half_written_found_file_is_refused_and_kept(empty_home, url):
    entry = toy_entry(url)
    path = path_of(entry, entry.files[0])
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT[:1000])
    with pytest.raises(DataHomeError) as caught:
        fetch_only(entry)
    message = str(caught.value)
    assert str(path) in message
    assert SHA256[:12] in message
    assert hashlib.sha256(CONTENT[:1000]).hexdigest()[:12] in message
    assert (url or "https://example.org/toy") in message
    assert "Move it away" in message
    assert path.read_bytes() == CONTENT[:1000]


def test_a_folder_in_the_place_of_the_file_gives_one_clear_error(empty_home):
    entry = toy_entry("https://example.org/toy.arff")
    path_of(entry, entry.files[0]).mkdir(parents=True)
    with pytest.raises(DataHomeError, match=r"cannot be read \(Is a directory\)"):
        fetch_only(entry)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.arff", "the server answered 404"),
        ("edited.arff", f"expected sha256 {SHA256[:12]}…, got "),
        ("cut.arff", "the connection was cut before the end"),
        ("silent.arff", "the server was silent for 0.2 seconds"),
        ("stalled.arff", "the server was silent for 0.2 seconds"),
    ],
)
def test_a_failed_download_says_why_and_what_to_put_where(server, empty_home, name, reason):
    entry = served(server, name)
    with pytest.raises(DataHomeError) as caught:
        fetch_only(entry, timeout=0.2 if "silent" in reason else 10)
    message = str(caught.value)
    assert reason in message
    assert f"Put it at {empty_home / 'toy' / name}" in message
    assert f"public source: {entry.files[0].url}" in message
    assert leftovers(empty_home) == []


def test_a_missing_network_says_that_the_server_could_not_be_reached(empty_home):
    entry = toy_entry("http://127.0.0.1:1/toy.arff")
    with pytest.raises(DataHomeError, match="the server could not be reached"):
        fetch_only(entry)


def test_only_http_addresses_are_followed(empty_home, tmp_path):
    (tmp_path / "toy.arff").write_bytes(CONTENT)
    with pytest.raises(DataHomeError, match="could not be downloaded"):
        fetch_only(toy_entry((tmp_path / "toy.arff").as_uri()))


def test_a_forbidden_download_leaves_the_data_home_unmade(empty_home):
    entry = toy_entry("https://example.org/toy.arff")
    with pytest.raises(DataHomeError, match=r"toy.arff of toy is missing\. Put it at "):
        fetch_only(entry, download=False)
    assert not empty_home.exists()


def test_a_file_without_address_tells_the_instructions(empty_home):
    entry = replace(toy_entry(None), instructions="Ask the librarian to fill {folder}.")
    with pytest.raises(
        DataHomeError, match=r"source: https://example.org/toy\)\. Ask .*home.toy\.$"
    ):
        fetch_only(entry)


def test_a_home_that_cannot_be_made_says_so(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DLST_DATA", str(tmp_path / "file"))
    with pytest.raises(DataHomeError, match=r"cannot be written .*Set DLST_DATA to a folder"):
        fetch_only(served(server, "good.arff"))


@pytest.mark.skipif(os.name == "nt", reason="folders have no write bit")
def test_a_read_only_home_serves_its_files_and_refuses_downloads(server, empty_home, monkeypatch):
    entry = served(server, "good.arff")
    fetch_only(entry)
    (empty_home / "toy").chmod(0o500)
    if os.access(empty_home / "toy", os.W_OK):  # root writes everywhere
        import tempfile

        def refuse(**kwargs):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(tempfile, "mkstemp", refuse)
    try:
        assert fetch_only(entry).read_bytes() == CONTENT
        with pytest.raises(DataHomeError, match=r"cannot be written \(Permission denied\)"):
            fetch_only(served(server, "other.arff"))
    finally:
        (empty_home / "toy").chmod(0o700)


def test_many_at_once_get_the_whole_file(server, empty_home):
    entry = served(server, "good.arff")
    barrier = threading.Barrier(6)

    def one(_):
        barrier.wait()
        return fetch_only(entry).read_bytes()

    with ThreadPoolExecutor(6) as pool:
        assert all(content == CONTENT for content in pool.map(one, range(6)))
    assert leftovers(empty_home) == ["good.arff"]


class _Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("patience", [0.0, 1e9])
def test_a_bar_is_drawn_on_a_terminal_only_when_the_wait_is_long(
    server, empty_home, monkeypatch, patience
):
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("dlst._progress.DELAY_SECONDS", patience)
    fetch_only(served(server, "good.arff"))
    assert ("good.arff" in terminal.getvalue()) == (patience == 0)


def test_nothing_is_drawn_in_a_pipe(server, empty_home, monkeypatch, capsys):
    monkeypatch.setattr("dlst._progress.DELAY_SECONDS", 0.0)
    fetch_only(served(server, "good.arff"))
    assert capsys.readouterr() == ("", "")


def test_a_bar_gives_the_cursor_back_after_a_failed_download(server, empty_home, monkeypatch):
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("dlst._progress.DELAY_SECONDS", 0.0)
    with pytest.raises(DataHomeError, match="cut before the end"):
        fetch_only(served(server, "cut.arff"))
    assert "cut.arff" in terminal.getvalue()
    hidden, shown = "\x1b[?25l", "\x1b[?25h"
    assert terminal.getvalue().count(hidden) == terminal.getvalue().count(shown) == 1
