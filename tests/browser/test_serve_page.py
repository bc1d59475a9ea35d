"""The page of `dlst serve` in a real browser: a person types, fills, drops, and sees why."""

from __future__ import annotations

import io
import socket
import threading
import time

import numpy as np
import pandas as pd
import pytest
import uvicorn
from PIL import Image

from dlst import DLST, Tagger
from dlst.serve import make_app
from dlst.serve.models import subject_of

TOKEN = "0123456789abcdef"  # noqa: S105
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def served():
    """Serve models on free ports of loopback."""
    running = []

    def start(model, **settings):
        app = make_app(subject_of(model), name="tickets " + HOSTILE, **settings)
        listening = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        running.append((server, thread))
        while not server.started:
            time.sleep(0.01)
        return f"http://127.0.0.1:{listening.getsockname()[1]}/"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join()


@pytest.fixture
def visit_served(browser):
    """Open a page; at the end nothing may have gone wrong or come from elsewhere."""
    contexts, troubles = [], []

    def open_page(address, width=1280, allowed=(), **settings):
        def note(message):
            if message.type in ("error", "warning") and not any(a in message.text for a in allowed):
                troubles.append(message.text)

        context = browser.new_context(viewport={"width": width, "height": 844}, **settings)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append(f"dialog {dialog.message}"))
        page.on(
            "request",
            lambda asked: (
                None if asked.url.startswith((address, "data:")) else troubles.append(asked.url)
            ),
        )
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.fixture(scope="module")
def tagger():
    words = {"printer": "paper jam toner", "billing": "invoice refund charged"}
    rows = [
        {
            "text": f"{words[tag]} please help {HOSTILE}",
            "team": f"{tag} team",
            "size": number % 7,
            "tags": tag,
        }
        for number in range(40)
        for tag in words
    ]
    return Tagger(columns={"text": "text"}, random_state=0).fit(pd.DataFrame(rows), "tags")


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("desktop", 1280, "light"), ("phone", 390, "light"), ("dark", 1280, "dark")],
)
def test_a_filled_row_gets_tags_and_reasons(
    served, visit_served, tagger, screenshots, name, width, scheme
):
    page = visit_served(served(tagger), width, color_scheme=scheme)
    page.get_by_label("text").fill(f"the paper is in a jam {HOSTILE}")
    page.get_by_label("team").fill("printer team")
    page.get_by_label("size").fill("3")
    page.get_by_role("button", name="Find tags").click()
    page.locator("#answer").wait_for()
    assert page.locator("#tags li").all_text_contents() == ["printer"]
    assert page.locator("#labels button").count() == 2
    assert page.locator("#name").text_content() == "tickets " + HOSTILE
    assert {"paper", "jam"} <= set(page.locator("mark").all_text_contents())
    assert HOSTILE in page.locator(".voters li").first.text_content()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name="billing").click()
    assert page.locator("#why-title").text_content() == "Why “billing” was not given"
    page.screenshot(path=screenshots / f"serve-{name}.png", full_page=True)


def test_a_mistake_is_told_where_the_answer_would_be(served, visit_served, tagger):
    page = visit_served(served(tagger))
    page.get_by_label("size").fill("many")
    page.get_by_role("button", name="Find tags").click()
    page.get_by_role("alert").wait_for()
    assert page.get_by_role("alert").text_content() == "size: expected a number, got many."


def test_the_page_asks_for_the_token(served, visit_served, tagger):
    page = visit_served(served(tagger, token=TOKEN), allowed=["401"])
    page.locator("#token").fill("wrong")
    page.get_by_role("button", name="Go on").click()
    page.locator("#token-error").wait_for()
    page.locator("#token").fill(TOKEN)
    page.get_by_role("button", name="Go on").click()
    page.get_by_label("text").wait_for()


def test_a_picture_is_tagged(served, visit_served):
    rng = np.random.default_rng(0)
    pictures = [picture(red, rng) for red in [True, False] * 15]
    tagger = Tagger(columns={"image": "photo"}, random_state=0)
    tagger.fit(pd.DataFrame({"photo": pictures}), [["red"], ["blue"]] * 15)
    page = visit_served(served(tagger))
    page.locator("input[type=file]").set_input_files(
        {"name": "mine.png", "mimeType": "image/png", "buffer": picture(True, rng)}
    )
    page.get_by_text("mine.png").wait_for()
    page.get_by_role("button", name="Find tags").click()
    page.locator("#answer").wait_for()
    assert page.locator("#tags li").all_text_contents() == ["red"]
    assert page.locator(".voters img").first.evaluate("(image) => image.naturalWidth") > 0


def test_numbers_are_typed_in_a_line(served, visit_served):
    X = np.random.default_rng(0).normal(size=(60, 3))
    page = visit_served(served(DLST(random_state=0).fit(X, (X[:, :2] > 0).astype(float))))
    page.get_by_label("features").fill("2, -2, 0")
    page.get_by_role("button", name="Find tags").click()
    page.locator("#answer").wait_for()
    assert page.locator("#tags li").all_text_contents() == ["label0"]


def picture(is_red, rng):
    pixels = rng.integers(0, 90, size=(40, 50, 3), dtype=np.uint8)
    pixels[..., 0 if is_red else 2] += 150
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()
