"""The report's page as text: whole, safe, alone, and true to its document."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import plotly.graph_objects
import pytest

from dlst.reports._chart_values import chart_values
from dlst.reports._plotly import COLOURS, THEMES, chart_figure
from dlst.reports.document import (
    Chart,
    Code,
    Document,
    Drawing,
    Explained,
    LatentMap,
    Section,
    Series,
    Table,
    TableCell,
    TableColumn,
    Text,
)
from dlst.reports.page import png_address, prose, render_page, sprite, write_page

VOID = {"meta", "link", "input", "img", "br"}

TABLE = Table(
    "main",
    "Scores",
    [TableColumn("method"), TableColumn("AP", "higher", "of `r` labels"), TableColumn("why")],
    [
        [TableCell("DLST"), TableCell("0.81", 0.81, best=True), TableCell("<b>words</b>")],
        [TableCell("BR"), TableCell("0.80", 0.80, tied=True, note="seed 3"), TableCell("")],
        [
            TableCell("MC"),
            TableCell("failed", float("nan")),
            TableCell("", image=png_address(np.eye(2))),
        ],
    ],
    [[TableCell("ceiling"), TableCell("1.00", 1.0), TableCell("")]],
    "Over **ten** splits.",
)
LINES = Chart(
    "curve",
    "A curve",
    "lines",
    "share",
    "AP",
    [
        Series("DLST", [0.1, 0.2], [0.8, None], [0.7, None], [0.9, None], emphasis=True),
        Series("BR & co", [0.1, 0.3], [0.7, float("nan")]),
    ],
    second_x={0.1: "9 %", 0.2: "18 %"},
    alternative="DLST lies above BR.",
)
DRAWING = Drawing(
    "ranks", "Ranks", '<?xml version="1.0"?>\n<svg><path stroke="currentColor"/></svg>'
)
RESULT = {
    "data": "emotions",
    "method": "DLST",
    "n_components": 3,
    "variance_shown": 0.5,
    "label_names": ["sad", "</script>", "calm"],
    "terms": ["start", "direct"],
    "n_voters": 5,
    "test": [
        {
            "row": 7,
            "x": 0.0,
            "y": 1.0,
            "truth": [2],
            "found": [0, 2],
            "neighbours": [{"train": 0, "weight": 0.5, "distance": 0.1}],
            "reasons": [{"label": 2, "terms": [-1.0, 2.0], "logit": 1.0, "probability": 0.73}],
        }
    ],
    "train": [{"row": 9, "x": 1.0, "y": 1.0, "labels": [2]}],
    "centres": [{"label": 2, "x": 0.0, "y": 0.0}],
    "images": None,
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
        if tag == "script":
            self.scripts.append((dict(attributes), ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            attributes, before = self.scripts[-1]
            self.scripts[-1] = (attributes, before + text)
        elif text.strip():
            self.text.append(text.strip())

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    def script(self, kind):
        return next(text for attributes, text in self.scripts if attributes.get("class") == kind)


def document(*blocks, **changes):
    section = Section("results", "Results", blocks)
    whole = Document("A report", "DLST wins. BR is next.", {"cells": "12"}, [section])
    return replace(whole, **changes)


@pytest.fixture(scope="module")
def everything():
    text = Text("`code` and **weight**")
    latent = LatentMap("map", "Map", RESULT)
    explained = Explained("why", "Why", latent, [0])
    return document(text, Code("a < b"), TABLE, LINES, DRAWING, latent, explained)


@pytest.fixture(scope="module")
def html(everything):
    return render_page(everything, command="dlst report runs/x")


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_every_tag_is_closed_and_every_id_is_unique(html, page):
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set(attributes.get(name, "").split()) <= set(ids)
        if attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in ids
    assert html.startswith("<!DOCTYPE html>")


def test_blocks_of_the_same_name_get_anchors_of_their_own():
    blocks = [replace(TABLE, name="results"), LINES, replace(DRAWING, name="curve")]
    ids = {attributes.get("id") for _, attributes in Page(render_page(document(*blocks))).tags}
    assert {"results", "results-2", "curve", "curve-2"} <= ids


def test_nothing_is_loaded_from_elsewhere(page):
    for _, attributes in page.tags:
        for name in ("src", "href", "xlink:href", "srcset", "action", "poster"):
            assert attributes.get(name, "#").startswith(("data:", "#"))
    policy = next(m for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy["content"].startswith("default-src 'none'")
    assert "http" not in policy["content"]
    assert "unsafe-eval" not in policy["content"]


def test_plotly_is_there_once_and_only_for_charts(html):
    assert html.count("* plotly.js v") == 1
    two = render_page(document(LINES, replace(LINES, name="other")))
    assert two.count("* plotly.js v") == 1
    without = render_page(document(TABLE, DRAWING))
    assert "plotly.js v" not in without
    assert len(without) < 60_000


def test_title_verdict_facts_sections_and_command_are_told(page):
    text = " ".join(page.text)
    for words in (
        "A report",
        "DLST wins. BR is next.",
        "cells 12",
        "Results",
        "dlst report runs/x",
    ):
        assert words in text
    assert {"href": "#results"} in page.all("a")


def test_prose_marks_code_and_weight_and_nothing_else():
    assert prose("a **b `c**`** d") == "a <strong>b <code>c**</code></strong> d"
    assert prose("2 ** 3 <i>") == "2 ** 3 &lt;i&gt;"
    assert prose("a ` b") == "a ` b"


def test_cells_say_what_is_best_and_sort_by_their_value(html):
    body = html[html.index("<tbody>") : html.index("</table>")]
    cells = re.findall(r'<t[dh][^>]*?(?: data-value="([^"]*)")? class="([^"]*)"[^>]*>', body)
    assert cells == [
        ("", "words"),
        ("0.81", "numeric best"),
        ("", "words"),
        ("", "words"),
        ("0.8", "numeric tied noted"),
        ("", "words"),
        ("", "words"),
        ("", "numeric"),
        ("", "words"),
        ("", "words"),
        ("1.0", "numeric"),
        ("", "words"),
    ]
    assert '<strong class="shown">0.81</strong><span class="unseen"> best' in body
    assert "&lt;b&gt;words&lt;/b&gt;" in body
    assert 'data-note="seed 3"' in body
    assert body.count("<tbody") == 2
    assert 'class="references"' in body


def test_only_long_tables_have_a_filter():
    row = TABLE.rows[0]
    assert 'class="filter"' not in render_page(document(replace(TABLE, rows=[row] * 8)))
    assert 'class="filter"' in render_page(document(replace(TABLE, rows=[row] * 9)))


@pytest.mark.parametrize(
    "chart",
    [
        LINES,
        replace(LINES, kind="scatter"),
        replace(LINES, kind="bars"),
        replace(LINES, second_x={}, log_x=True),
        Chart("h", "H", "heatmap", grid=[[1.0, None], [-2.0, float("nan")]]),
        Chart("e", "Empty", "lines"),
        Chart("b", "B", "bars", series=[Series("s", [f"c{i}" for i in range(13)], [1.0] * 13)]),
        Chart("n", "N", "lines", series=[Series("s", list(np.arange(3)), list(np.ones(3)))]),
    ],
    ids=lambda chart: f"{chart.kind}-{chart.name}",
)
def test_plotly_accepts_every_figure(chart):
    figure = chart_figure(chart)
    assert json.loads(json.dumps(figure, allow_nan=False)) == figure
    for theme in THEMES.values():
        plotly.graph_objects.Figure(
            figure["data"], {**figure["layout"], "template": theme}, skip_invalid=False
        )


def test_a_figure_has_bands_second_ticks_and_the_strongest_on_top():
    figure = chart_figure(LINES)
    weaker, low, high, strongest = figure["data"]
    assert (weaker["name"], strongest["name"]) == ("BR &amp; co", "DLST")
    assert weaker["legendrank"] > strongest["legendrank"]
    assert weaker["y"] == [0.7, None]
    assert strongest["line"]["width"] > weaker["line"]["width"]
    assert (low["y"], high["y"], high["fill"]) == ([0.7], [0.9], "tonexty")
    assert figure["layout"]["xaxis"]["ticktext"] == ["0.1<br>9 %", "0.2<br>18 %"]


def test_bars_keep_their_order_and_the_strong_ones_their_colour():
    bars = chart_figure(replace(LINES, kind="bars"))["data"]
    assert [bar["name"] for bar in bars] == ["DLST", "BR &amp; co"]
    assert bars[0]["marker"]["opacity"] > bars[1]["marker"]["opacity"]


def test_many_bars_lie_and_the_chart_grows_with_them():
    def figure(n):
        series = Series("s", [f"class {i}" for i in range(n)], [1.0] * n, [0.5] * n, [2.0] * n)
        return chart_figure(Chart("b", "B", "bars", "class", "AP", [series]))

    few, many, most = figure(12), figure(13), figure(101)
    assert "orientation" not in few["data"][0]
    assert few["data"][0]["error_y"]["arrayminus"] == [0.5] * 12
    assert many["data"][0]["orientation"] == "h"
    assert many["data"][0]["error_x"]["array"] == [1.0] * 13
    assert many["layout"]["xaxis"]["title"]["text"] == "AP"
    assert most["layout"]["height"] > 101 * 20 > many["layout"]["height"]


def test_the_values_of_a_chart_are_listed():
    table = chart_values(LINES)
    assert [column.title for column in table.columns] == ["share", "DLST", "BR & co"]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["0.1", "0.8 (0.7 to 0.9)", "0.7"],
        ["0.2", "—", ""],
        ["0.3", "", "—"],
    ]
    points = Chart("s", "S", "scatter", "x", "y", [Series("a", [1, 2], [3, 4], texts=["p", "q"])])
    assert [[cell.text for cell in row] for row in chart_values(points).rows] == [
        ["p", "1", "3"],
        ["q", "2", "4"],
    ]
    heat = Chart("h", "H", "heatmap", grid=[[1.0, 2.0]])
    assert [cell.text for cell in chart_values(heat).rows[0]] == ["0", "1", "2"]
    assert chart_values(replace(heat, grid=[[0.0] * 100] * 100)) is None
    assert "In words<" in render_page(document(replace(heat, grid=[[0.0] * 100] * 100)))


def test_each_chart_has_its_alternative_and_its_values(html):
    assert 'role="img" aria-label="DLST lies above BR."' in html
    assert 'id="curve-values"' in html


def test_colours_stand_out_on_both_pages():
    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    def contrast(one, other):
        dark, light = sorted((luminance(one), luminance(other)))
        return (light + 0.05) / (dark + 0.05)

    for theme in THEMES.values():
        card = theme["layout"]["hoverlabel"]["bgcolor"]
        assert all(contrast(colour, card) >= 3 for colour in COLOURS)
        assert contrast(theme["layout"]["font"]["color"], card) >= 7
        assert contrast(theme["layout"]["xaxis"]["tickfont"]["color"], card) >= 4.5


def test_a_drawing_that_keeps_its_colours_lies_on_paper():
    assert '<div class="frame" ' in render_page(document(DRAWING))
    painted = replace(DRAWING, svg='<svg><path stroke="black"/></svg>')
    assert '<div class="frame paper" ' in render_page(document(painted))
    assert "<?xml" not in render_page(document(DRAWING))


def test_a_maps_data_are_its_result_with_counts(page):
    data = json.loads(page.script("map-data"))
    assert {name: data[name] for name in RESULT} == RESULT
    assert data["counts"] == [0, 0, 1]
    assert data["order"] == [2, 0, 1]
    assert len([kind for kind in page.all("input") if kind["type"] == "radio"]) == 3


def test_a_map_with_many_labels_has_a_list_to_search():
    names = [f"label {i}" for i in range(13)]
    html = render_page(document(LatentMap("map", "Map", {**RESULT, "label_names": names})))
    assert 'type="radio"' not in html
    options = re.findall(r'<option value="(\d+)"[^>]*>(.*?)</option>', html)
    assert options[0] == ("2", "label 2 (1)")
    assert len(options) == 13


def test_pictures_of_a_map_become_one_sheet():
    pixels = [[0, 255, 0, 51]]
    images = {"width": 2, "height": 2, "pixels": pixels}
    html = render_page(document(LatentMap("map", "Map", {**RESULT, "images": images})))
    sheet = json.loads(Page(html).script("map-data"))["images"]
    assert (sheet["columns"], sheet["count"]) == (20, 1)
    assert sheet["sprite"] == png_address(sprite(np.reshape(pixels, (1, 2, 2)) / 255, 20))
    again = render_page(document(LatentMap("map", "Map", {**RESULT, "images": sheet})))
    assert json.loads(Page(again).script("map-data"))["images"] == sheet


def test_words_of_the_records_cannot_become_markup():
    bad = "</script><script>alert(1)</script>"
    table = Table(
        bad[9:17], bad, [TableColumn(bad, meaning=bad)], [[TableCell(bad, note=bad)]], note=bad
    )
    chart = replace(LINES, title=bad, note=bad, alternative=bad, x_title=bad)
    latent = LatentMap("m", bad, {**RESULT, "label_names": [bad] * 3, "method": bad}, bad)
    whole = document(Text(bad), Code(bad), replace(table, name="t"), chart, latent, title=bad)
    page = Page(render_page(whole, command=bad))
    assert [attributes.get("type") for attributes in page.all("script")] == [
        "application/json",
        "application/json",
        "application/json",
        "text/plain",
        None,
    ]
    assert json.loads(page.script("map-data"))["label_names"] == [bad] * 3


def test_a_page_is_written_whole(everything, html, tmp_path):
    path = tmp_path / "report.html"
    write_page(everything, path, "dlst report runs/x")
    assert path.read_text(encoding="utf-8") == html
    assert list(tmp_path.iterdir()) == [path]
