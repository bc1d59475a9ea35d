"""Charts become whole, repeatable files on which every word has its place."""

from __future__ import annotations

import importlib.util
import re
import warnings
import xml.etree.ElementTree as ET
from itertools import pairwise

import pandas as pd
import pytest
from matplotlib import style

from dlst.errors import DlstError
from dlst.reports import _chart_drawing, critical_difference_svg
from dlst.reports.charts import drawn_again, save_chart, save_drawing
from dlst.reports.document import Chart, Drawing, Series

NAMES = ["DLST", "DLST (paper)", "FAIE", "MC", "SLRM", "MRV", "LEML", "KRR"]


def lines(n_series=3, x=(20, 30, 40, 50), **parts):
    series = []
    for i, name in enumerate(NAMES[:n_series]):
        y = [0.8 - 0.05 * i - 0.01 * j for j in range(len(x))]
        low, high = [v - 0.01 for v in y], [v + 0.01 for v in y]
        series.append(Series(name, x, y, low, high, emphasis=i == 0))
    return Chart("c", "Curves", "lines", "share", "AP", series, **parts)


def bars(n_categories, n_series=1, name="class {}", **parts):
    categories = [name.format(i) for i in range(n_categories)]
    values = [0.1 + 0.8 * i / n_categories for i in range(n_categories)]
    series = [Series(NAMES[i], categories, values) for i in range(n_series)]
    return Chart("b", "Bars", "bars", "class", "AP", series, **parts)


KINDS = {
    "lines": lines(second_x={20: "19 %", 50: "49 %"}),
    "bars": bars(3, 2),
    "scatter": Chart(
        "s", "Points", "scatter", "x", "y", [Series("a", [1, 2], [0.5, None], [0, 0], [1, 1])]
    ),
    "heatmap": Chart("h", "Codes", "heatmap", "r", "row", grid=[[0.5, -1.0], [None, 2.0]]),
}


@pytest.fixture
def drawn():
    """Draw as save_chart does, and keep the settings while the drawing is looked at."""
    with style.context(["default", _chart_drawing.SETTINGS]):

        def draw(chart):
            figure = _chart_drawing.drawn(chart)
            figure.draw_without_rendering()
            return figure, figure.axes[0]

        yield draw


def words_in(figure):
    found = figure.findobj(lambda artist: hasattr(artist, "get_text") and artist.get_visible())
    return [artist.get_text() for artist in found if artist.get_text()]


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_whole_and_repeatable(kind, tmp_path):
    first, again = tmp_path / "first", tmp_path / "again"
    first.mkdir()
    again.mkdir()
    paths = save_chart(KINDS[kind], first / "chart.v1")
    assert [path.name for path in paths] == ["chart.v1.svg", "chart.v1.png", "chart.v1.pdf"]
    svg, png, pdf = (path.read_bytes() for path in paths)
    assert ET.fromstring(svg).tag.endswith("svg")  # noqa: S314 - our own file
    assert png.startswith(b"\x89PNG")
    assert pdf.startswith(b"%PDF")
    assert b"<dc:date>" not in svg
    assert b"CreationDate" not in pdf
    twins = save_chart(KINDS[kind], again / "chart.v1")
    assert [path.read_bytes() for path in twins] == [svg, png, pdf]
    assert sorted(first.iterdir()) == sorted(paths)


def test_only_the_formats_asked_for(tmp_path):
    assert save_chart(KINDS["bars"], tmp_path / "b", ["png"]) == [tmp_path / "b.png"]
    with pytest.raises(ValueError, match="got jpg"):
        save_chart(KINDS["bars"], tmp_path / "b", ["png", "jpg"])


def test_the_users_own_style_stays_and_has_no_say(tmp_path):
    import matplotlib as mpl

    plain = save_chart(KINDS["lines"], tmp_path / "a", ["svg"])[0].read_bytes()
    with mpl.rc_context({"lines.linewidth": 9, "font.size": 30}):
        styled = save_chart(KINDS["lines"], tmp_path / "b", ["svg"])[0].read_bytes()
        assert mpl.rcParams["font.size"] == 30
    assert styled == plain


def test_without_matplotlib_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DlstError, match=r"pip install dlst\[plots\]"):
        save_chart(KINDS["lines"], tmp_path / "c")
    assert not list(tmp_path.iterdir())


def test_lines_differ_without_colour_and_the_emphasis_is_strongest(drawn):
    _, axes = drawn(lines(8))
    curves = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
    assert len({(line.get_marker(), str(line.get_linestyle())) for line in curves}) == 8
    assert curves[0].get_linewidth() > max(line.get_linewidth() for line in curves[1:])
    assert len(axes.collections) == 8  # the bands


def test_a_gap_stays_a_gap(drawn):
    chart = Chart("c", "Gap", "lines", series=[Series("a", [1, 2, 3], [0.1, None, float("inf")])])
    _, axes = drawn(chart)
    shown = axes.get_lines()[0].get_ydata()
    assert shown[0] == pytest.approx(0.1)
    assert all(value != value for value in shown[1:])


@pytest.mark.parametrize("n_series", [1, 4, 5])
def test_the_legend_moves_out_when_lines_are_many(n_series, drawn):
    figure, axes = drawn(lines(n_series))
    assert (axes.get_legend() is not None) == (n_series == 4)
    assert len(figure.legends) == (n_series > 4)
    if figure.legends:
        outside = figure.legends[0].get_window_extent()
        assert not outside.overlaps(axes.get_window_extent())


def test_gains_and_losses_are_parted_by_a_line(drawn):
    for y, parted in (([-0.1, 0.2], True), ([0.1, 0.2], False)):
        _, axes = drawn(Chart("s", "S", "scatter", series=[Series("a", [1, 2], y)]))
        assert bool(axes.get_lines()) == parted


@pytest.mark.parametrize(
    "chart",
    [
        lines(
            x=(20, 30, 40, 50, 60), second_x={i: f"{i}.5 % effective" for i in range(20, 61, 10)}
        ),
        lines(x=(1, 2, 5, 10, 20, 50, 100, 200, 500)),
        lines(x=("emotions", "scene", "yeast", "mediamill-2000", "tmc2007-500", "corel5k")),
        Chart("b", "B", "bars", series=[Series("a", list(range(60)), [1.0] * 60)]),
    ],
)
def test_words_beneath_the_axis_do_not_collide(chart, drawn):
    figure, axes = drawn(chart)
    labels = [label for label in axes.get_xticklabels() if label.get_text()]
    assert len(labels) >= 4
    boxes = sorted((label.get_window_extent() for label in labels), key=lambda box: box.x0)
    assert all(not a.overlaps(b) for a, b in pairwise(boxes))
    page = figure.bbox
    assert all(box.x0 >= 0 and box.x1 <= page.x1 and box.y0 >= 0 for box in boxes)


def test_long_names_are_turned_not_dropped(drawn):
    names = [f"a_rather_long_name_{i}" for i in range(12)]
    _, axes = drawn(lines(x=names))
    labels = axes.get_xticklabels()
    assert [label.get_text() for label in labels] == names
    assert {label.get_rotation() for label in labels} == {40.0}
    boxes = [label.get_window_extent() for label in labels]
    assert min(box.x0 for box in boxes) >= 0
    assert min(box.y0 for box in boxes) >= 0


def test_colliding_numbers_are_thinned(drawn):
    _, axes = drawn(lines(x=(1, 2, 3, 1000, 2000)))
    told = [label.get_text() for label in axes.get_xticklabels()]
    assert told == ["1", "", "", "1000", "2000"]


def test_second_words_stand_beneath_their_tick(drawn):
    _, axes = drawn(lines(second_x={20: "19.1 %", 50: "48.7 %"}))
    assert [label.get_text() for label in axes.get_xticklabels()] == ["20\n19.1 %", "50\n48.7 %"]
    assert list(axes.get_xticks()) == [20, 50]


def test_powers_of_ten_on_a_log_axis(drawn):
    _, axes = drawn(lines(x=(0.001, 0.1, 1.0, 1000.0), log_x=True))
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["10⁻³", "10⁻¹", "10⁰", "10³"]


def test_a_hundred_classes_lie_and_can_be_read(drawn):
    _, axes = drawn(bars(101))
    labels = axes.get_yticklabels()
    assert [label.get_text() for label in labels] == [f"class {i}" for i in range(101)]
    boxes = [label.get_window_extent() for label in labels]
    # From the top down, none upon another, none cut.
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(boxes))
    assert min(box.x0 for box in boxes) >= 0
    assert axes.get_xlabel() == "AP"


def test_few_bars_stand_with_their_whiskers(drawn):
    series = [Series(n, ["a", "b"], [0.5, 0.6], [0.4, 0.5], [0.7, 0.8]) for n in NAMES[:2]]
    _, axes = drawn(Chart("b", "Bars", "bars", "set", "AP", series))
    assert [patch.get_height() for patch in axes.patches] == [0.5, 0.6, 0.5, 0.6]
    assert {patch.get_hatch() for patch in axes.patches} == {"", "////"}
    (whisker, _) = axes.containers[0].lines[2][0].get_segments()
    assert whisker[:, 1].tolist() == pytest.approx([0.4, 0.7])


def test_heat_maps_go_from_top_to_bottom(drawn):
    _, axes = drawn(KINDS["heatmap"])
    (image,) = axes.get_images()
    low, high = axes.get_ylim()
    assert low > high
    assert image.get_array()[0].tolist() == [0.5, -1.0]
    # Around zero, so that the colours say the sign.
    assert image.get_clim() == (-2.0, 2.0)


def test_names_are_no_formulas_and_unknown_letters_no_warning(tmp_path):
    chart = Chart("c", "a $b_1$ 中文", "bars", series=[Series("x", ["$y$", "_z"], [1.0, 2.0])])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (path,) = save_chart(chart, tmp_path / "c", ["svg"])
    comments = re.findall("<!-- (.*?) -->", path.read_text())
    assert "$y$" in comments


def test_an_empty_chart_says_so(drawn):
    figure, _ = drawn(Chart("c", "Nothing", "lines"))
    assert "no values" in words_in(figure)


def test_a_critical_difference_diagram_is_drawn_in_every_format(tmp_path):
    ranks = {"DLST": 1.2, "BR": 2.1, "KRR": 2.7}
    svg = critical_difference_svg(pd.Series(ranks), 1.0, title="Ranks")
    drawing = Drawing("ranks", "Ranks", svg)
    paths = save_drawing(drawing, tmp_path / "ranks")
    assert [path.suffix for path in paths] == [".svg", ".png", ".pdf"]
    assert paths[0].read_text() == svg
    assert paths[1].read_bytes().startswith(b"\x89PNG")
    assert paths[2].read_bytes().startswith(b"%PDF")
    figure = drawn_again(svg)
    words = [text.get_text() for text in figure.axes[0].texts]
    assert set(ranks) <= set(words)
    assert len(figure.axes[0].lines) == svg.count("<line") + svg.count("<path")
