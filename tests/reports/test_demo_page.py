"""The demo's page and words: whole, safe, true to the result, and alone in the world."""

from __future__ import annotations

import base64
import io
import json
import re
import struct
import zlib
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

from dlst.cli import main
from dlst.cli.demo import table_view
from dlst.data import Split, load_multidigits
from dlst.experiments import COLUMNS, run_demo
from dlst.reports import demo_verdict, is_demo_page, lost_columns, render_demo, write_demo
from dlst.reports._png import png_address, sprite

VOID = {"meta", "link", "input", "img", "br", "circle", "line", "rect"}
QUICK = {
    "dlst": {"regressor__n_basis": 60},
    "dlst-paper": {"regressor__n_basis": 40, "regressor__alpha": 0.1},
}


class Page(HTMLParser):
    """Collects what the tests ask for and insists that every tag is closed in turn."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text, self.scripts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            self.scripts.append(text)
        elif text.strip():
            self.text.append(text.strip())

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def small_data():
    return load_multidigits().with_split(Split(np.arange(150), np.arange(1500, 1530)))


@pytest.fixture(scope="module")
def result(small_data):
    return run_demo(small_data, n_shown=4, parameters=QUICK)


@pytest.fixture(scope="module")
def html(result):
    return render_demo(result, "dlst demo --seed 0")


@pytest.fixture
def run(small_data, monkeypatch, capsys):
    monkeypatch.setattr("dlst.data.load_multidigits", lambda: small_data)

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def with_values(result, *precisions):
    """Give the methods these instance precisions on every image, and all other scores alike."""
    rng = np.random.default_rng(0)
    rows = []
    for row, precision in zip(result.methods, precisions, strict=True):
        values = dict.fromkeys((column.key for column in COLUMNS), 0.5)
        values["instance_average_precision"] = precision
        each = precision + rng.normal(scale=1e-4, size=len(result.images))
        rows.append(replace(row, values=values, image_precision=each))
    return replace(result, rows=(*rows, *result.rows[-2:]))


def test_every_tag_is_closed_and_every_id_is_unique(html):
    page = Page(html)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:
        for name in attributes.get("aria-labelledby", "").split():
            assert name in ids
    assert html.startswith("<!DOCTYPE html>")
    assert page.all("html") == [{"lang": "en"}]


def test_nothing_is_loaded_from_elsewhere(html):
    page = Page(html)
    for _, attributes in page.tags:
        for name in ("src", "href", "xlink:href", "srcset", "action", "poster"):
            assert attributes.get(name, "#").startswith(("data:", "#"))
    assert set(re.findall(r"url\(\"?(.{5})", html)) == {"data:"}
    assert "http://" not in html
    assert "https://" not in html
    assert "@import" not in html
    policy = next(m for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"].startswith("default-src 'none'")


def test_the_tables_cells_are_the_results_values(result, html):
    body = html[html.index('id="score-table"') : html.index("</table>")]
    cells = re.findall(r"<td(?: data-value=\"([^\"]+)\")?( class=\"best\")?>(.*?)</td>", body)
    shown = iter(cells)
    for row in result.rows:
        for column in COLUMNS:
            value, best, content = next(shown)
            assert (float(value) if value else None) == row.values.get(column.key)
            assert row.text(column) in content
            assert bool(best) == (row in result.best(column))
    assert next(shown, None) is None


def test_every_image_says_what_it_shows(result, html):
    images = Page(html).all("img")
    assert len(images) == 4 + sum(len(case.neighbours) for case in result.shown)
    assert all(image["alt"] for image in images)
    assert images[0]["src"] == png_address(result.images[0])


def test_right_wrong_and_missed_are_told_in_words(result, html):
    text = " ".join(Page(html).text)
    for case in result.shown:
        for reason in case.reasons:
            true, found = result.truth[case.row, reason.label], result.found[case.row, reason.label]
            outcome = "right" if true and found else "missed" if true else "wrong"
            assert f"{result.label_names[reason.label]} {outcome}" in text


def test_bars_lie_in_their_track_and_follow_each_other(html):
    places = [
        tuple(map(float, found))
        for found in re.findall(r'class="bar \w+" style="left:([\d.-]+)%;width:([\d.-]+)%"', html)
    ]
    assert places
    assert all(left >= 0 and left + width <= 100 for left, width in places)


def test_names_are_escaped_wherever_they_stand(result):
    names = ("<b>zero</b>", "</script><script>alert(1)</script>", *result.label_names[2:])
    html = render_demo(replace(result, label_names=names, dataset="<i>x</i>"), "<u>")
    page = Page(html)
    assert "<b>zero" not in html
    assert "<i>" not in html
    assert len(page.all("script")) == 2
    assert json.loads(page.scripts[0])["names"] == list(names)
    assert "&lt;b&gt;zero" in html


def test_the_scripts_data_are_the_results(result, html):
    data = json.loads(Page(html).scripts[0])
    assert data["truth"] == [np.flatnonzero(row).tolist() for row in result.truth]
    assert data["found"] == [np.flatnonzero(row).tolist() for row in result.found]
    assert data["sprite"] == {"columns": 25, "width": 24, "height": 8}


def test_the_foot_says_how_the_page_was_made(result, html):
    foot = html[html.index("<footer>") :]
    assert "dlst demo --seed 0" in foot
    assert result.versions["dlst"] in foot
    assert f"{result.seconds:.1f} s" in foot
    assert "command" not in render_demo(result).split("<footer>")[1].split("<script")[0]


def test_the_page_without_neighbours_or_labels_still_stands(result):
    bare = tuple(replace(case, neighbours=(), reasons=()) for case in result.shown)
    html = render_demo(replace(result, shown=bare, n_voters=0))
    Page(html)
    assert "Nearest in code space" not in html
    assert "No label is true, and none was found." in html


def test_label_names_on_the_map_do_not_cover_each_other(result):
    crowd = replace(result.latent_map, centres=np.zeros((10, 2)))
    html = render_demo(replace(result, latent_map=crowd))
    boxes = [
        tuple(map(float, box))
        for box in re.findall(r'<rect x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"', html)
    ]
    assert len(boxes) == 10
    for i, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, other_width, other_height in boxes[:i]:
            across = x + width <= other_x + 0.2 or other_x + other_width <= x + 0.2
            assert across or y + height <= other_y + 0.2 or other_y + other_height <= y + 0.2


def test_the_verdict_follows_the_numbers(result):
    ahead = demo_verdict(with_values(result, 0.9, 0.8, 0.7, 0.6, 0.5))
    assert "ahead of the next best, DLST (paper), at 0.800 (+0.100" in ahead
    assert ahead.endswith("No method beats it in any of the 7 scores.")
    behind = with_values(result, 0.7, 0.6, 0.8, 0.6, 0.5)
    assert "behind the next best, DLST₁, at 0.800 (-0.100" in demo_verdict(behind)
    assert demo_verdict(behind).endswith(
        "DLST is best in 6 of the 7 scores; it loses instance AP to DLST₁."
    )
    assert [column.key for column, _ in lost_columns(behind)] == ["instance_average_precision"]
    assert "Where DLST is not best:" in render_demo(behind)
    level = demo_verdict(with_values(result, 0.7, 0.7, 0.1, 0.1, 0.1))
    assert "level with the next best, DLST (paper), at 0.700, a difference within chance" in level
    assert level.count(". ") == 1


def test_a_verdict_needs_the_precision_of_each_image(result):
    blind = replace(result.rows[0], image_precision=None)
    with pytest.raises(ValueError, match="average precision of each image"):
        demo_verdict(replace(result, rows=(blind, *result.rows[1:])))


def test_a_png_decodes_to_its_pixels():
    ink = np.array([[0.0, 0.5, 1.0], [2.0, -1.0, 0.25]])
    raw = base64.b64decode(png_address(ink).split(",")[1])
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    place, chunks = 8, {}
    while place < len(raw):
        (length,) = struct.unpack(">I", raw[place : place + 4])
        kind, content = raw[place + 4 : place + 8], raw[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", raw[place + 8 + length : place + 12 + length])
        assert check == zlib.crc32(kind + content)
        chunks[kind] = content
        place += 12 + length
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (3, 2, 8, 0, 0, 0, 0)
    assert list(zlib.decompress(chunks[b"IDAT"])) == [0, 255, 128, 0, 0, 0, 255, 191]


def test_a_sprite_lays_images_in_reading_order():
    images = np.arange(5.0)[:, None, None] * np.ones((5, 2, 3))
    sheet = sprite(images, 2)
    assert sheet.shape == (6, 6)
    assert sheet[::2, ::3].tolist() == [[0, 1], [2, 3], [4, 0]]


def test_written_pages_are_known_again(result, tmp_path):
    path = tmp_path / "page.html"
    write_demo(result, path)
    assert path.read_text(encoding="utf-8") == render_demo(result)
    assert is_demo_page(path)
    path.write_text("<html></html>")
    assert not is_demo_page(path)


def test_the_command_prints_the_table_and_writes_the_page(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    for words in ("multidigits", "█", "DLST (paper)", "ceiling (top-r)", "prior", "AP ↑"):
        assert words in out
    assert "wrote dlst-demo.html" in out
    Page((tmp_path / "dlst-demo.html").read_text(encoding="utf-8"))


def test_json_is_one_document_and_a_page_of_the_demo_is_replaced(run, tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<meta name="generator" content="dlst demo">')
    code, out, _ = run("demo", "--json", "-o", page, "--seed", 7)
    assert code == 0
    answer = json.loads(out)
    assert (answer["seed"], answer["written"]) == (7, str(page))
    assert len(answer["rows"]) == 7
    assert "dlst demo --seed 7" in page.read_text(encoding="utf-8")


def test_what_cannot_be_written_is_said_before_the_work(run, tmp_path, monkeypatch):
    monkeypatch.setattr("dlst.experiments.run_demo", lambda *_, **__: pytest.fail("worked"))
    precious = tmp_path / "thesis.html"
    precious.write_text("precious")
    for target, message in (
        (precious, "exists already and is no page of this demo"),
        (tmp_path, "expected a file to write, got a folder"),
        (tmp_path / "no" / "page.html", "its folder does not exist"),
    ):
        code, out, err = run("demo", "-o", target)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1
    assert precious.read_text() == "precious"
    assert run("demo", "--seed", -1)[0] == 2


def test_a_narrow_terminal_cuts_no_number(result):
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(table_view(result))
    text = console.export_text()
    assert "seconds" in text
    assert "…" not in text
    for row in result.methods:
        line = next(line for line in text.splitlines() if line.startswith(f"{row.title} "))
        numbers = line.removeprefix(row.title).replace("*", "").split()
        assert numbers == [row.text(column) for column in COLUMNS]
