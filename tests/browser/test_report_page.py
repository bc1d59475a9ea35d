"""The report's page in a real browser: quiet, alone, and doing what it offers."""

from __future__ import annotations

from itertools import pairwise

import pytest

MINUS = "\N{MINUS SIGN}"
WIDTHS = {"phone": {"width": 390, "height": 844, "has_touch": True}, "desktop": {"width": 1440}}


def map_result(report, name):
    section = next(section for section in report.sections if section.name == "map")
    return next(block.result for block in section.blocks if block.name == name)


def draw_all_charts(page):
    for figure in page.locator("figure.chart").all():
        figure.scroll_into_view_if_needed()
        figure.locator(".main-svg").first.wait_for()


def uncovered_points(page, name):
    """Return the indices of points that lie beneath no label's name, and far from other points."""
    return page.evaluate(
        """(name) => {
          const root = document.getElementById(name);
          const middle = (mark) => {
            const box = mark.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
          };
          const tags = Array.from(root.querySelectorAll(".tag"));
          const boxes = tags.map((tag) => tag.getBoundingClientRect());
          const marks = Array.from(root.querySelectorAll(".points > g"));
          const places = marks.map(middle);
          return marks.filter((mark, i) => {
            const [x, y] = places[i];
            const covered = boxes.some((box) =>
              x > box.left - 3 && x < box.right + 3 && y > box.top - 3 && y < box.bottom + 3);
            const crowded = places.some(([a, b], j) => i !== j && Math.hypot(a - x, b - y) < 3);
            return !covered && !crowded;
          }).map((mark) => Number(mark.dataset.index));
        }""",
        name,
    )


def point(page, name, index):
    return page.locator(f'#{name} .points [data-index="{index}"]')


def names_of(result, labels):
    return ", ".join(result["label_names"][label] for label in labels) or "none"


def kind_of(instance, label):
    true, found = label in instance["truth"], label in instance["found"]
    return "right" if true and found else "missed" if true else "wrong" if found else "other"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", ["phone", "desktop"])
def test_the_page_fits_and_is_quiet(visit, screenshots, scheme, device):
    page = visit(**WIDTHS[device], color_scheme=scheme)
    draw_all_charts(page)
    index = uncovered_points(page, "map-emotions")[0]
    point(page, "map-emotions", index).click(force=True)
    page.locator("#map-emotions .reason").first.wait_for()
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide == WIDTHS[device]["width"]
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=screenshots / f"report-{device}-{scheme}.png", full_page=True)


def test_charts_wait_until_they_come_into_view(visit):
    page = visit(height=600)
    assert page.evaluate("typeof window.Plotly") == "undefined"
    assert page.locator(".main-svg").count() == 0
    draw_all_charts(page)
    assert page.locator("figure.chart[data-drawn]").count() == 6
    assert page.locator("#missing .scatterlayer .trace").count() == 3 * 7
    assert "19%" in page.locator("#missing .xaxislayer-above").text_content()
    # Text that looks like markup is text.
    assert page.locator("#concurrent .plot").evaluate("plot => plot.data[0].hovertext[0]") == (
        "&lt;class 0&gt;"
    )


def test_printing_draws_every_chart(visit):
    page = visit(height=600)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("figure.chart .main-svg").count() >= 6


def test_sorting_sorts_both_ways_and_leaves_references_and_gaps_below(visit, report):
    page = visit()
    table = page.locator("#main")
    title = table.get_by_role("button", name="emotions AP")
    head = table.locator("thead th").nth(1)

    def column():
        cells = table.locator("tbody:not(.references) tr > :nth-child(2)").all()
        return [cell.get_attribute("data-value") for cell in cells]

    assert head.get_attribute("aria-sort") == "none"
    title.click()
    assert head.get_attribute("aria-sort") == "descending"
    *numbers, failed = column()
    assert failed is None
    assert len(numbers) == 9
    assert list(map(float, numbers)) == sorted(map(float, numbers), reverse=True)
    title.focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    *numbers, failed = column()
    assert failed is None
    assert list(map(float, numbers)) == sorted(map(float, numbers))
    table.get_by_role("button", name="seconds").click()
    assert head.get_attribute("aria-sort") == "none"
    assert table.locator("thead th").nth(6).get_attribute("aria-sort") == "ascending"
    table.get_by_role("button", name="method").click()
    names = table.locator("tbody:not(.references) th .shown").all_inner_texts()
    assert names[:3] == ["BR", "CPLST", "DLST"]
    below = table.locator("tbody").last.locator("th .shown").all_inner_texts()
    assert below == ["constant prior", "ceiling"]


def test_filtering_filters_and_says_how_many_are_left(visit):
    page = visit()
    table = page.locator("#main")
    box = table.get_by_role("searchbox")
    shown = table.locator("tbody:not(.references) tr:visible")
    assert shown.count() == 10
    box.fill("dlst")
    assert shown.count() == 4
    assert table.locator(".filter-count").inner_text() == "4 of 10"
    box.fill("dlst paper")
    assert shown.locator("th .shown").all_inner_texts() == ["DLST (paper)"]
    assert table.locator("tbody.references tr:visible").count() == 2
    box.fill("")
    assert shown.count() == 10
    assert page.locator("#examples").get_by_role("searchbox").count() == 0


def test_copies_are_what_is_shown(visit):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    table = page.locator("#main")
    table.get_by_role("searchbox").fill("paper")
    table.get_by_role("button", name="Copy as CSV").click()
    table.get_by_role("button", name="Copied").wait_for()
    lines = page.evaluate("navigator.clipboard.readText()").split("\n")
    assert lines[0].startswith("method,emotions AP,scene AP,")
    assert [line.split(",")[0] for line in lines[1:]] == [
        "DLST (paper)",
        "constant prior",
        "ceiling",
    ]
    page.locator(".code").get_by_role("button", name="Copy").click()
    page.locator(".code").get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == (
        "dlst reproduce table-main --jobs 2\ndlst report runs/table-main"
    )


def test_a_note_shows_where_the_pointer_rests(visit):
    page = visit()
    page.locator("#main .noted").hover()
    assert page.locator(".tip").inner_text().startswith("MemoryError")
    page.locator("h1").hover()
    assert page.locator(".tip").is_hidden()


def test_hovering_a_point_shows_that_instance(visit, report):
    page = visit()
    result = map_result(report, "map-emotions")
    page.locator("#map-emotions .latent").scroll_into_view_if_needed()
    for index in uncovered_points(page, "map-emotions")[:3]:
        point(page, "map-emotions", index).hover(force=True)
        instance = result["test"][index]
        peek = page.locator("#map-emotions .peek")
        assert peek.locator(".peek-title").inner_text() == f"Test instance {instance['row']}"
        told = peek.locator("dd").all_inner_texts()
        assert told == [names_of(result, instance["truth"]), names_of(result, instance["found"])]
        assert peek.locator(".peek-image").is_visible()
    # The other map stays as it was.
    assert page.locator("#map-mediamill .peek-title").count() == 0


@pytest.mark.parametrize("name", ["map-emotions", "map-mediamill"])
def test_clicking_a_point_shows_its_neighbours_and_votes(visit, report, name):
    page = visit()
    result = map_result(report, name)
    root = page.locator(f"#{name}")
    root.locator(".latent").scroll_into_view_if_needed()
    index = uncovered_points(page, name)[1]
    point(page, name, index).click(force=True)
    instance = result["test"][index]

    lines = root.locator(".neighbours tbody tr").all()
    assert len(lines) == len(instance["neighbours"]) == 8
    for line, voter in zip(lines, instance["neighbours"], strict=True):
        row, labels, weight, distance = line.locator("th, td").all_inner_texts()
        train = result["train"][voter["train"]]
        assert (row, labels) == (str(train["row"]), names_of(result, train["labels"]))
        assert abs(float(weight) - voter["weight"]) < 0.0051
        assert abs(float(distance) - voter["distance"]) < 0.0051
    marked = [mark.get_attribute("data-train") for mark in root.locator(".voters rect").all()]
    assert marked == [str(voter["train"]) for voter in instance["neighbours"]]
    # Each line runs from the instance to its neighbour.
    place = "mark => mark.getAttribute('transform').match(/[-.\\d]+/g).map(Number)"
    start = point(page, name, index).evaluate(place)
    ends = [mark.evaluate(place) for mark in root.locator(".voters rect").all()]
    lines = root.locator(".lines line").evaluate_all(
        """lines => lines.map((line) =>
             ["x1", "y1", "x2", "y2"].map((end) => Number(line.getAttribute(end))))"""
    )
    assert lines == [[*start, *end] for end in ends]

    tables = root.locator(".reason").all()
    assert len(tables) == len(instance["reasons"]) > 0
    for table, reason in zip(tables, instance["reasons"], strict=True):
        assert table.get_attribute("data-label") == str(reason["label"])
        numbers = [
            float(text.replace(MINUS, "-")) for text in table.locator(".number").all_inner_texts()
        ]
        *terms, logit = numbers
        assert terms == pytest.approx(reason["terms"], abs=0.0051)
        assert logit == pytest.approx(reason["logit"], abs=0.0051)
        # Each bar begins where the one before it ended, and the last ends at the logit.
        spans = table.evaluate(
            """table => [...table.querySelectorAll(".bar"), table.querySelector(".mark")].map(
                 (bar) => [parseFloat(bar.style.left), parseFloat(bar.style.width || "0")])"""
        )
        reached = table.evaluate("table => parseFloat(table.querySelector('.zero').style.left)")
        for (left, width), term in zip(spans, reason["terms"], strict=False):
            start, end = (left, left + width) if term >= 0 else (left + width, left)
            assert start == pytest.approx(reached, abs=0.05)
            reached = end
        assert spans[-1][0] == pytest.approx(reached, abs=0.3)

    root.get_by_role("button", name="Let go").click()
    assert root.locator(".pinned").is_hidden()
    assert root.locator(".lines line").count() == 0


def test_choosing_a_label_recolours_with_the_right_counts(visit, report):
    page = visit()
    result = map_result(report, "map-emotions")
    root = page.locator("#map-emotions")
    for label, name in enumerate(result["label_names"]):
        root.get_by_role("radio", name=name).check(force=True)
        expected = [kind_of(instance, label) for instance in result["test"]]
        drawn = root.locator(".points > g").evaluate_all(
            """marks => marks.sort((a, b) => a.dataset.index - b.dataset.index)
                 .map((mark) => mark.firstElementChild.getAttribute("class"))"""
        )
        assert drawn == expected
        for kind in ("right", "missed", "wrong", "other"):
            assert root.locator(f".n-{kind}").inner_text() == str(expected.count(kind))
        assert root.locator(".tag.chosen").get_attribute("data-label") == str(label)


def test_names_of_labels_and_training_instances_come_and_go(visit, report):
    page = visit()
    root = page.locator("#map-emotions")
    assert root.locator(".tag").count() == 6
    root.get_by_role("checkbox", name="names of labels").uncheck()
    assert root.locator(".tag").count() == 1
    assert root.locator(".train circle").count() == 0
    root.get_by_role("checkbox", name="training instances").check()
    assert root.locator(".train circle").count() == len(map_result(report, "map-emotions")["train"])


def test_one_of_many_labels_is_found_by_typing(visit, report):
    page = visit()
    result = map_result(report, "map-mediamill")
    root = page.locator("#map-mediamill")
    search = root.get_by_role("searchbox", name="Search the labels")
    options = root.locator(".colour-by option")
    assert options.count() == 101
    search.fill("concept 9")
    assert options.count() == 11
    search.fill("concept 97")
    search.press("Enter")
    assert root.locator("select").input_value() == "97"
    assert root.locator(".tag.chosen").get_attribute("data-label") == "97"
    wanted = sum(97 in instance["truth"] for instance in result["test"])
    shown = sum(int(root.locator(f".n-{kind}").inner_text()) for kind in ("right", "missed"))
    assert shown == wanted
    root.locator("select").select_option("3")
    assert root.locator(".tag.chosen").get_attribute("data-label") == "3"
    # A click on a name on the map chooses it too, in its own map only. It is sent to the name
    # itself: on a busy machine the page may move between scrolling and a click by the mouse.
    root.locator('.tag[data-label="0"]').dispatch_event("click")
    assert root.locator("select").input_value() == "0"
    assert page.locator("#map-emotions .tag.chosen").get_attribute("data-label") == "0"


def test_the_map_works_by_keyboard(visit, report):
    page = visit()
    result = map_result(report, "map-emotions")
    root = page.locator("#map-emotions")
    root.locator(".latent").focus()
    page.keyboard.press("ArrowRight")
    title = root.locator(".peek-title")
    assert title.inner_text() == f"Test instance {result['test'][0]['row']}"
    page.keyboard.press("ArrowRight")
    here = next(
        instance
        for instance in result["test"]
        if title.inner_text() == f"Test instance {instance['row']}"
    )
    assert here["x"] > result["test"][0]["x"]
    page.keyboard.press("Enter")
    assert root.locator(".pinned h4").inner_text() == f"Test instance {here['row']}"
    assert root.locator(".neighbours tbody tr").count() == 8
    page.keyboard.press("Escape")
    assert root.locator(".pinned").is_hidden()


def test_dark_mode_applies_and_follows_a_change(visit):
    page = visit(color_scheme="light")
    draw_all_charts(page)
    colour = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('#missing .xtick text')).fill"
    assert page.evaluate(colour) == "rgb(251, 250, 247)"
    assert page.evaluate(ink) == "rgb(91, 88, 82)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(colour) == "rgb(21, 22, 26)"
    page.locator("#missing .xtick text[style*='168, 165, 157']").first.wait_for()
    assert page.evaluate(ink) == "rgb(168, 165, 157)"


def test_headings_go_down_one_step_at_a_time_and_everything_has_a_name(visit):
    page = visit()
    levels = page.evaluate(
        "Array.from(document.querySelectorAll('h1,h2,h3,h4'), (h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.locator("header, main, footer, nav").count() == 4
    unnamed = page.evaluate(
        """Array.from(document.querySelectorAll("button, input, select, a")).filter((e) =>
             !e.textContent.trim() && !e.getAttribute("aria-label") && !e.labels?.length).length"""
    )
    assert unnamed == 0
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the results"


def test_the_bar_of_sections_marks_where_the_reader_is(visit):
    page = visit()
    page.get_by_role("link", name="Ranks").click()
    page.locator(".bar-nav [aria-current]", has_text="Ranks").wait_for()
    assert page.locator("#ranks h2").is_visible()


def test_rows_are_explained_without_a_click(visit, report):
    page = visit()
    cards = page.locator("#rows-of-emotions .pinned")
    assert cards.count() == 2
    result = next(
        block.result
        for section in report.sections
        for block in section.blocks
        if getattr(block, "name", "") == "map-emotions"
    )
    first = result["test"][0]
    assert cards.first.locator("h4").inner_text() == f"Test instance {first['row']}"
    concerned = {*first["truth"], *first["found"]}
    assert cards.first.locator(".reason").count() == len(concerned)
    assert cards.first.locator(".neighbours tbody tr").count() == len(first["neighbours"])
    assert cards.first.locator(".what .picture").is_visible()
