"""The diagram is sound XML, names each method once and joins what does not differ."""

from __future__ import annotations

import itertools
import math
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlst.errors import DataError
from dlst.reports.rank_diagram import critical_difference_svg, group_bounds

SVG = "{http://www.w3.org/2000/svg}"


def parsed(ranks, critical_difference, **options):
    return ElementTree.fromstring(  # noqa: S314 - our own text
        critical_difference_svg(ranks, critical_difference, **options)
    )


def of_class(root, kind):
    return [element for element in root.iter() if element.get("class") == kind]


def number(element, name):
    return float(element.get(name))


def rank_at(root):
    """Give the map from a place on the axis to its rank, from the first and the last tick."""
    ticks = of_class(root, "tick")
    (x0, r0), (x1, r1) = ((number(t, "x"), float(t.text)) for t in (ticks[0], ticks[-1]))
    return lambda x: r0 + (x - x0) * (r1 - r0) / (x1 - x0)


def box(text, size=15.0):
    """Bound a text by .6 of its size for each letter, which digits and small letters keep to."""
    width = 0.6 * size * len(text.text)
    x, y = number(text, "x"), number(text, "y")
    left = {"start": x, "end": x - width, "middle": x - width / 2}[text.get("text-anchor")]
    return left, y - 0.8 * size, left + width, y + 0.2 * size


def spread_ranks(n, seed=0):
    ranks = np.random.default_rng(seed).uniform(1, n, size=n)
    return pd.Series(ranks, index=[f"method {i}" for i in range(n)])


def indistinct_groups(ranks, difference):
    ordered = ranks.sort_values(kind="stable")
    bounds = group_bounds(ordered.to_numpy(), difference)
    return [tuple(ordered.index[first:last]) for first, last in bounds]


rank_lists = st.lists(st.integers(0, 60), min_size=2, max_size=25).map(
    lambda steps: pd.Series(
        [1 + step / 60 * (len(steps) - 1) for step in steps],
        index=[f"m{i}" for i in range(len(steps))],
    )
)


@given(rank_lists, st.floats(0.05, 8))
def test_groups_are_the_largest_sets_of_methods_that_do_not_differ(ranks, difference):
    groups = [set(group) for group in indistinct_groups(ranks, difference)]
    joined = {frozenset(pair) for group in groups for pair in itertools.combinations(group, 2)}
    close = {
        frozenset(pair)
        for pair in itertools.combinations(ranks.index, 2)
        if abs(ranks[pair[0]] - ranks[pair[1]]) < difference
    }
    assert joined == close
    assert not any(one < other for one, other in itertools.permutations(groups, 2))


@given(rank_lists, st.floats(0.05, 8))
def test_the_bars_drawn_span_the_groups_and_do_not_touch(ranks, difference):
    root = parsed(ranks, difference)
    place = rank_at(root)
    bars = [
        (number(bar, "y1"), number(bar, "x1"), number(bar, "x2")) for bar in of_class(root, "group")
    ]
    groups = indistinct_groups(ranks, difference)
    assert len(bars) == len(groups)
    for (_, left, right), group in zip(bars, groups, strict=True):
        assert place(left) == pytest.approx(ranks[list(group)].min(), abs=0.01)
        assert place(right) == pytest.approx(ranks[list(group)].max(), abs=0.01)
    for (y, _, end), (other_y, start, _) in itertools.combinations(sorted(bars), 2):
        assert y != other_y or start - end > 5


def test_bars_that_would_look_like_one_lie_on_lines_of_their_own():
    far = {f"m{i}": float(i) for i in range(5, 26)}
    root = parsed(pd.Series({"a": 1.0, "b": 1.05, "c": 1.2, "d": 1.25} | far), 0.1)
    first, second = of_class(root, "group")
    assert number(second, "x1") - number(first, "x2") < 5
    assert number(first, "y1") != number(second, "y1")


def test_ranks_that_lie_the_critical_difference_apart_differ():
    ranks = pd.Series({"a": 1.0, "b": 2.0, "c": 3.0})
    assert indistinct_groups(ranks, 1.0) == []
    assert indistinct_groups(ranks, 2.0) == [("a", "b"), ("b", "c")]
    assert of_class(parsed(ranks, 1.0), "group") == []


@given(rank_lists)
def test_every_leader_starts_at_its_rank_and_ends_at_its_name(ranks):
    root = parsed(ranks, 1.0)
    place = rank_at(root)
    names, values = of_class(root, "method"), of_class(root, "rank")
    paths = list(root.iter(f"{SVG}path"))
    assert sorted(name.text for name in names) == sorted(ranks.index)
    for path, name, value in zip(paths, names, values, strict=True):
        x, _, y, edge = map(float, re.findall(r"[\d.]+", path.get("d")))
        assert place(x) == pytest.approx(ranks[name.text], abs=0.01)
        assert value.text == f"{ranks[name.text]:.2f}"
        assert number(name, "y") == number(value, "y") == pytest.approx(y, abs=6)
        assert (number(name, "x") < edge) == (name.get("text-anchor") == "end")


@given(rank_lists)
def test_no_leader_crosses_another(ranks):
    root = parsed(ranks, 1.0)
    leaders = [
        tuple(map(float, re.findall(r"[\d.]+", path.get("d")))) for path in root.iter(f"{SVG}path")
    ]
    for (x, _, down, _), (other_x, _, y, edge) in itertools.permutations(leaders, 2):
        across = min(other_x, edge) < x < max(other_x, edge)
        assert not (across and y < down)


@pytest.mark.parametrize("n_methods", [2, 3, 10, 25])
@pytest.mark.parametrize("difference", [0.4, 3.0, 40.0])
def test_texts_overlap_nothing_and_stay_inside(n_methods, difference):
    root = parsed(spread_ranks(n_methods), difference, title="Micro-F1, top r")
    width, height = map(float, root.get("viewBox").split()[2:])
    boxes = [box(text) for text in root.iter(f"{SVG}text")]
    assert all(
        left >= 0 and top >= 0 and right <= width and bottom <= height
        for left, top, right, bottom in boxes
    )
    for (l1, t1, r1, b1), (l2, t2, r2, b2) in itertools.combinations(boxes, 2):
        assert min(r1, r2) <= max(l1, l2) or min(b1, b2) <= max(t1, t2)
    lines = [number(bar, "y1") for bar in of_class(root, "group")]
    assert max(lines, default=0) < min(number(name, "y") for name in of_class(root, "method"))


def test_the_difference_is_drawn_to_scale_unless_longer_than_the_axis():
    ranks = spread_ranks(10)
    (bar,) = of_class(parsed(ranks, 2.5), "difference")
    place = rank_at(parsed(ranks, 2.5))
    assert place(number(bar, "x2")) - place(number(bar, "x1")) == pytest.approx(2.5, abs=0.01)
    long = parsed(ranks, 12.0)
    (bar,) = of_class(long, "difference")
    assert rank_at(long)(number(bar, "x2")) == pytest.approx(10, abs=0.01)
    assert "longer than the axis" in "".join(long.itertext())


def test_ranks_of_a_choice_of_methods_widen_the_axis():
    root = parsed(pd.Series({"a": 0.5, "b": 6.25}), 1.0)
    place = rank_at(root)
    axis = next(root.iter(f"{SVG}line"))
    assert place(number(axis, "x1")) == pytest.approx(0, abs=0.01)
    assert place(number(axis, "x2")) == pytest.approx(7, abs=0.01)


@given(st.lists(st.text(), min_size=2, max_size=5, unique=True), st.text())
def test_any_name_makes_sound_xml(names, title):
    root = parsed(pd.Series(np.arange(1.0, len(names) + 1), index=names), 0.5, title=title)
    assert len(of_class(root, "method")) == len(names)


def test_names_are_escaped_and_told_once():
    names = ["<b>bold</b>", "A & B", 'quo"te', "DLST₁"]
    ranks = pd.Series([1.0, 2.0, 3.0, 4.0], index=names)
    text = critical_difference_svg(ranks, 1.5)
    assert "<b>" not in text
    told = list(parsed(ranks, 1.5).itertext())
    assert [sum(name in part for part in told) for name in names] == [1, 1, 1, 1]


def test_the_drawing_is_one_image_for_screen_readers_in_the_colour_of_the_page():
    root = parsed(spread_ranks(5), 1.0, title="Instance AP")
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == "Instance AP"
    assert parsed(spread_ranks(5), 1.0)[0].text == "Critical-difference diagram"
    colours = {element.get(side) for element in root.iter() for side in ("fill", "stroke")}
    assert colours == {"currentColor", "none", None}
    text = critical_difference_svg(spread_ranks(5), 1.0)
    assert re.findall(r"https?://[^\"]+", text) == ["http://www.w3.org/2000/svg"]


@pytest.mark.parametrize(
    ("ranks", "difference", "message"),
    [
        (pd.Series({"a": 1.0}), 1.0, "at least 2 methods; got 1"),
        (pd.Series([1.0, 2.0], index=["a", "a"]), 1.0, "a name of its own"),
        (pd.Series({"a": 1.0, "b": math.nan}), 1.0, "must be finite"),
    ],
)
def test_ranks_that_cannot_be_drawn_are_refused(ranks, difference, message):
    with pytest.raises(DataError, match=message):
        critical_difference_svg(ranks, difference)


@pytest.mark.parametrize("difference", [0.0, -1.0, math.nan, math.inf])
def test_a_critical_difference_must_be_above_zero(difference):
    with pytest.raises(ValueError, match="critical_difference must be above 0"):
        critical_difference_svg(spread_ranks(3), difference)
