"""A document as Markdown: right tables, pictures by address, and no markup from names."""

from __future__ import annotations

import re

from dlst.reports.document import (
    Chart,
    Code,
    Document,
    Drawing,
    LatentMap,
    Section,
    Table,
    TableCell,
    TableColumn,
    Text,
)
from dlst.reports.markdown import document_to_markdown

CHART = Chart("curve", "Curve", "lines", alternative="It [really] falls.", note="Ten draws.")
DRAWING = Drawing("ranks", "Ranks", "<svg/>", alternative="DLST leads.")


def document(*blocks, **head):
    parts = {"title": "Report", "verdict": "", "facts": {}} | head
    return Document(**parts, sections=[Section("all", "All of it", blocks)])


def cells_of(line):
    """Split a table's line at the pipes that are not escaped."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_head_of_a_document():
    text = document_to_markdown(document(verdict="It **holds**.", facts={"cells": "12"}))
    assert text == "# Report\n\nIt **holds**.\n\n- cells: 12\n\n## All of it\n"


def test_tables_mark_best_tied_and_references():
    table = Table(
        "scores",
        "Scores",
        [TableColumn("method"), TableColumn("AP", "higher"), TableColumn("told")],
        [
            [TableCell("DLST"), TableCell("0.81 ± 0.01", 0.81, best=True), TableCell("a")],
            [TableCell("BR"), TableCell("0.80", 0.8, tied=True), TableCell("")],
        ],
        [[TableCell("floor"), TableCell("0.30", 0.3), TableCell("b")]],
        note="Means of `10` splits.",
    )
    text = document_to_markdown(document(table))
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert [cells_of(line) for line in lines] == [
        ["method", "AP ↑", "told"],
        [":---", "---:", ":---"],
        ["DLST", "**0.81 ± 0.01**", "a"],
        ["BR", "*0.80*", ""],
        ["*floor*", "0.30", "b"],
    ]
    assert "**Scores**\n\n| method" in text
    assert text.endswith("| b |\n\nMeans of `10` splits.\n")
    assert "Bold: the best of its column. Italics: not significantly worse than the best." in text
    assert "name in italics" in text


def test_nothing_is_explained_that_is_not_there():
    table = Table("t", "T", [TableColumn("a")], [[TableCell("x")]])
    text = document_to_markdown(document(table))
    assert "Bold" not in text
    assert "talics" not in text


def test_names_stay_names():
    bad = "a|b\n*c* <script> `d` [e](f) \\| $x$"
    table = Table("t", bad, [TableColumn(bad)], [[TableCell(bad)]], [[TableCell(bad)]])
    text = document_to_markdown(document(table, title=bad))
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == 4
    assert all(len(cells_of(line)) == 1 for line in lines)
    for character in "<*`[$":
        plain = re.sub(r"\\.", "", lines[2])
        assert character not in plain


def test_pictures_are_linked_or_told():
    text = document_to_markdown(document(CHART, DRAWING), "my figures/")
    assert r"![It \[really\] falls.](my%20figures/curve.svg)" in text
    assert "![DLST leads.](my%20figures/ranks.svg)" in text
    assert "Ten draws." in text
    told = document_to_markdown(document(CHART, DRAWING))
    assert "![" not in told
    assert "**Curve** (figure). It [really] falls." in told
    assert "**Ranks** (figure). DLST leads." in told


def test_a_picture_always_has_an_alternative():
    text = document_to_markdown(document(Chart("c", "Only a title", "bars")), "f/")
    assert "![Only a title](f/c.svg)" in text


def test_prose_keeps_its_marks_but_no_html():
    text = document_to_markdown(document(Text("**p < 0.05** & `a < b`<img src=x>")))
    assert r"**p \< 0.05** \& `a < b`\<img src=x>" in text


def test_code_is_fenced_even_when_it_has_fences():
    text = document_to_markdown(document(Code("dlst demo\n"), Code("```\nx\n```")))
    assert "```\ndlst demo\n```\n" in text
    assert "````\n```\nx\n```\n````\n" in text


def test_the_map_is_for_the_page():
    text = document_to_markdown(document(LatentMap("m", "Codes", {}, note="Of yeast.")))
    assert "**Codes** is a map to explore on the HTML page. Of yeast." in text
