"""A document as plain text: aligned, marked, within its width, and without escape codes."""

from __future__ import annotations

import pytest

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
from dlst.reports.plain import document_to_text


def document(*blocks, **head):
    parts = {"title": "Report", "verdict": "", "facts": {}} | head
    return Document(**parts, sections=[Section("all", "All of it", blocks)])


def scores(n_columns=1, references=()):
    columns = [
        TableColumn("method"),
        *(TableColumn(f"set {i}", "higher") for i in range(n_columns)),
    ]
    rows = [
        [TableCell("DLST"), *[TableCell("0.812 ± 0.010", 0.812, best=True)] * n_columns],
        [TableCell("BR₂"), *[TableCell("0.8 ± 0.010", 0.8, tied=True)] * n_columns],
        [TableCell("MC"), *[TableCell("—")] * n_columns],
    ]
    return Table("scores", "Scores", columns, rows, references)


def test_columns_are_aligned_and_marked():
    text = document_to_text(document(scores(2)))
    lines = [line for line in text.splitlines() if "±" in line or "set" in line]
    assert lines == [
        "method         set 0 ↑         set 1 ↑",
        "DLST    *0.812 ± 0.010  *0.812 ± 0.010",
        "BR₂       ~0.8 ± 0.010    ~0.8 ± 0.010",
    ]
    assert "* the best of its column\n~ not significantly worse than it" in text


def test_what_stands_above_numbers_is_broken_after_its_comma():
    columns = [TableColumn("method"), TableColumn("Micro-F1, rule micro", "higher")]
    table = Table("t", "T", columns, [[TableCell("DLST"), TableCell("0.7", 0.7)]])
    lines = document_to_text(document(table)).splitlines()
    at = lines.index("T")
    assert lines[at + 1 : at + 4] == [
        "           Micro-F1,",
        "method  rule micro ↑",
        "DLST             0.7",
    ]


def test_no_legend_without_marks():
    table = Table("t", "T", [TableColumn("a")], [[TableCell("x")]])
    assert "best" not in document_to_text(document(table))


def test_references_stand_beneath_a_line():
    text = document_to_text(
        document(scores(references=[[TableCell("floor"), TableCell("0.300", 0.3)]]))
    )
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("floor"))
    assert set(lines[at - 1]) == {"-", " "}
    assert lines[at - 2].startswith("MC")


@pytest.mark.parametrize("width", [40, 60, 100])
def test_wide_tables_come_in_pieces_with_all_cells(width):
    text = document_to_text(document(scores(9)), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("*0.812 ± 0.010") == 9
    assert all(f"set {i} ↑" in text for i in range(9))
    pieces = text.count("method ")
    assert text.count("DLST ") == pieces
    assert pieces > 1


def test_every_piece_of_a_wide_table_says_which_method_and_data_a_row_is():
    numbers = [TableColumn(f"set {i}", "higher") for i in range(6)]
    rows = [
        [TableCell(method), TableCell(data), *[TableCell("0.812 ± 0.010", 0.812)] * 6]
        for method in ("DLST", "BR")
        for data in ("birds", "yeast")
    ]
    table = Table("s", "S", [TableColumn("method"), TableColumn("data"), *numbers], rows)
    lines = document_to_text(document(table), width=60).splitlines()
    told = [line.split()[:2] for line in lines if "0.812" in line]
    assert told == [[m, d] for m in ("DLST", "BR") for d in ("birds", "yeast")] * 2


def test_long_words_are_wrapped_not_cut():
    message = "a solver that did not converge " * 6
    table = Table(
        "t",
        "Failures",
        [TableColumn("cell"), TableColumn("message")],
        [[TableCell("a"), TableCell(message)]],
    )
    text = document_to_text(document(table), width=60)
    assert " ".join(text.split()).count("converge") == 6
    assert max(map(len, text.splitlines())) <= 60


def test_prose_is_filled_and_code_left_alone():
    prose, code = (
        "word " * 40 + "**strong** and `x**2 * y**2`",
        "dlst demo \\\n    --out " + "o" * 70,
    )
    text = document_to_text(
        document(Text(prose), Code(code), verdict="It **holds**.", facts={"cells": "12", "h": "3"}),
        width=50,
    )
    assert "It holds." in text
    assert "cells  12\nh      3" in text
    assert "strong" in text
    assert "`x**2 * y**2`" in text.replace("\n", " ")
    assert "    dlst demo \\\n        --out " + "o" * 70 in text
    told = text[text.index("word") : text.index("strong")]
    assert max(map(len, told.splitlines())) <= 50


def test_pictures_are_told_in_words():
    text = document_to_text(
        document(
            Chart("c", "Curve", "lines", alternative="It falls.", note="Ten draws."),
            Drawing("d", "Ranks", "<svg/>", alternative="Ranks; DLST leads."),
            LatentMap("m", "Codes of yeast", {}),
        )
    )
    assert "[figure] Curve. It falls. Ten draws." in text
    assert "[figure] Ranks; DLST leads." in text
    assert "Codes of yeast is a map to explore on the HTML page." in text
    assert "svg" not in text


def test_names_cannot_speak_to_the_terminal():
    bad = "\x1b[31mred\x1b[0m\x07 [bold]x[/bold]"
    table = Table("t", bad, [TableColumn(bad)], [[TableCell(bad)]])
    text = document_to_text(document(table, Text(bad), title=bad))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[bold]x[/bold]" in text


def test_a_picture_without_words_is_told_by_its_note():
    cell = TableCell("", image="data:image/png;base64,AAAA", note="digits 3 and 7")
    text = document_to_text(document(Table("t", "T", [TableColumn("row")], [[cell]])))
    assert "digits 3 and 7" in text
    assert "base64" not in text
