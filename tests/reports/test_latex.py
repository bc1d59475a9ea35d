"""A document as LaTeX: balanced, with the right cells in each row, and no raw characters."""

# The look-alikes are what is tested.
# ruff: noqa: RUF001

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlst.reports._latex_text import breakable, escaped, latex_of
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
from dlst.reports.latex import ROWS_OF_A_PAGE, document_to_latex

COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)")
NASTY = '\\ { } $ & # ^ _ ~ % < > | " ` [x] * -- --- ₁₂ 10⁻³ ± × ≤ — – λ µ é ł 中 \x1b \u2028 ’'


def document(*blocks, **head):
    parts = {"title": "Report", "verdict": "", "facts": {}} | head
    return Document(**parts, sections=[Section("all", "All of it", blocks)])


def body(text):
    return text[text.index(r"\begin{document}") :]


def assert_sound(latex):
    """Check what LaTeX would stumble over: braces, environments, and characters with a meaning."""
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", latex):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    bare = COMMAND.sub("", latex)
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert not set(bare) & set('$#^_%<>|"`\x1b')
    unknown = [c for c in bare if not c.isascii() and not "À" <= c <= "ž"]
    assert not unknown


def rows_of(latex):
    lines = latex.splitlines()
    inside = lines[lines.index(r"\toprule") + 1 : lines.index(r"\bottomrule")]
    rows = [line.removesuffix(r" \\") for line in inside if line.endswith(r"\\")]
    return [re.split(r"(?<!\\) & ", row) for row in rows]


def test_a_table_is_a_booktabs_float():
    table = Table(
        "scores",
        "Scores of DLST₁",
        [TableColumn("method"), TableColumn("AP_x", "higher"), TableColumn("message")],
        [
            [
                TableCell("DLST₂ & co"),
                TableCell("0.81 ± 0.01", 0.81, best=True),
                TableCell("many words " * 5),
            ],
            [TableCell("BR"), TableCell("0.80", 0.8, tied=True), TableCell("")],
        ],
        [[TableCell("floor"), TableCell("—"), TableCell("5 %")]],
        note="Means of `10` splits.",
    )
    latex = body(document_to_latex(document(table)))
    assert_sound(latex)
    assert r"\begin{tabular}{lrP}" in latex
    assert r"\caption{Scores of DLST\textsubscript{1}. Bold: the best of its column." in latex
    assert r"Italics: not significantly worse than the best. Means of \texttt{10} splits.}" in latex
    assert r"\label{tab:scores}" in latex
    assert rows_of(latex) == [
        ["method", r"AP\_x \ensuremath{\uparrow}", "message"],
        [
            r"DLST\textsubscript{2} \& co",
            r"\textbf{0.81 \ensuremath{\pm} 0.01}",
            "many words " * 5,
        ],
        ["BR", r"\textit{0.80}", ""],
        ["floor", r"\textemdash{}", r"5 \%"],
    ]
    # One rule beneath the head, one above what only stands beside.
    assert latex.count(r"\midrule") == 2


def test_a_hash_fits_a_column_of_words():
    digest = "7bc88fdc761cbdcc904e1f739cbc2c8eb9411dff4cbe87c268063d8acc66fe09"
    table = Table("data", "Data", [TableColumn("SHA-256")], [[TableCell(digest)]])
    latex = document_to_latex(document(table))
    assert r"7bc88fdc761cbdcc\allowbreak{}904e1f739cbc2c8e\allowbreak{}" in latex
    assert latex.replace(r"\allowbreak{}", "").count(digest) == 1
    assert breakable(NASTY) == escaped(NASTY)


def test_long_tables_run_over_pages():
    rows = [[TableCell(f"class {i}"), TableCell(f"{i}", i)] for i in range(ROWS_OF_A_PAGE + 1)]
    table = Table("classes", "Classes", [TableColumn("class"), TableColumn("AP")], rows)
    latex = body(document_to_latex(document(table)))
    assert_sound(latex)
    assert r"\begin{longtable}{lr}" in latex
    assert r"\begin{table}" not in latex
    assert all(f"class {i} & {i} \\\\" in latex for i in range(len(rows)))


def test_figures_are_pdf_files_with_words_in_their_place():
    chart = Chart("curve", "Curve", "lines", alternative="It falls by 5 %.", note="**Ten** draws.")
    latex = body(document_to_latex(document(chart, Drawing("ranks", "Ranks", "<svg/>")), "figs/"))
    assert_sound(latex)
    assert r"\dlstfigure{figs/curve.pdf}{It falls by 5 \%.}" in latex
    assert r"\caption{Curve. \textbf{Ten} draws.}\label{fig:curve}" in latex
    assert r"\dlstfigure{figs/ranks.pdf}{Ranks}" in latex
    assert "svg" not in latex


def test_the_whole_document_survives_any_words():
    table = Table("t", NASTY, [TableColumn(NASTY)], [[TableCell(NASTY, best=True)]], note=NASTY)
    latex = document_to_latex(
        document(
            Text(NASTY),
            Code(f"  {NASTY}\n\n[x]"),
            table,
            Chart("c", NASTY, "bars", note=NASTY, alternative=NASTY),
            LatentMap("m", NASTY, {}),
            title=NASTY,
            verdict=NASTY,
            facts={NASTY: NASTY},
        )
    )
    assert_sound(body(latex))
    # No cell may look like an option of the line's end before it.
    assert not re.search(r"\\\\\s*[\[*]", latex)
    assert latex.endswith("\\end{document}\n")


@given(st.text())
def test_any_text_can_be_escaped(text):
    assert_sound(escaped(text))
    assert_sound(latex_of(text))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("10⁻³", r"10\textsuperscript{-3}"),
        ("λ × β ≤ 1", r"\ensuremath{\lambda} \ensuremath{\times} \ensuremath{\beta} "
         r"\ensuremath{\leq} 1"),
        ("--quick---", "-{}-quick-{}-{}-"),
        ("[a] *b*", "{[}a{]} {*}b{*}"),
        ("C:\\x", r"C:\textbackslash{}x"),
        ("Zürich, Łódź", "Zürich, Łódź"),
        ("中", r"\texttt{U+4E2D}"),
        ("a\n\nb", "a b"),
    ],
)  # fmt: skip
def test_characters(text, latex):
    assert escaped(text) == latex


def test_plain_words_are_left_alone():
    words = string.ascii_letters + string.digits + " .,:;!?()/=+'@-"
    assert escaped(words) == words


def test_marks_may_hold_code():
    assert latex_of("**`r` < 2**: `a**b`") == (
        r"\textbf{\texttt{r} \textless{} 2}: \texttt{a{*}{*}b}"
    )
