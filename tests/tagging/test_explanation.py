from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from dlst import Tagger
from dlst.errors import DataError


def test_the_words_that_carried_a_tag_are_named(fitted: Tagger, tickets: pd.DataFrame) -> None:
    (row,) = fitted.explain(tickets[160:161], top=3).rows
    assert row["id"] == "T00160"
    assert row["tags"] == fitted.predict_tags(tickets[160:161])[0]
    for label in row["labels"]:
        total = label["start"] + sum(label["contributions"].values())
        assert total == pytest.approx(label["logit"])
        if label["decided"]:
            # The tickets' words were made from these lists.
            told = {"billing": "invoice refund money charged", "printer": "printer paper jam toner"}
            told["login"] = "password login account locked"
            assert label["because"][0]["contribution"] > 0
            assert label["because"][0]["what"] in [*told[label["tag"]].split(), "team hardware"]


def test_voters_have_their_text_and_tags(fitted: Tagger, tickets: pd.DataFrame) -> None:
    (row,) = fitted.explain(tickets[160:161]).rows
    for voters in row["voters"].values():
        assert [voter["weight"] for voter in voters] == sorted(
            (voter["weight"] for voter in voters), reverse=True
        )
        for voter in voters:
            original = tickets.iloc[voter["row"]]
            assert voter["id"] == original["ticket"]
            assert voter["text"] == original["text"]
            assert ";".join(voter["tags"]) == original["tags"]


def test_an_explanation_is_plain_values_text_and_a_table(
    fitted: Tagger, tickets: pd.DataFrame
) -> None:
    found = fitted.explain(tickets[160:162], top=2, words=3)
    assert json.loads(json.dumps(found.rows)) == found.rows
    assert "T00160" in str(found)
    frame = found.to_frame()
    assert set(frame["row"]) == {0, 1}
    assert len(frame) == 2 * 2 * 3


def test_a_page_escapes_what_it_shows(fitted: Tagger, tickets: pd.DataFrame) -> None:
    row = {**tickets.iloc[160], "text": "<script>alert(1)</script> printer jam & toner"}
    html = fitted.explain([row])._repr_html_()
    assert "<script>" not in html
    assert "&lt;" in html
    assert '<mark style="background: rgba(56, 150, 90' in html
    assert ">printer</mark>" in html


def test_without_words_cells_are_named() -> None:
    rng = np.random.default_rng(0)
    size = rng.normal(size=80)
    frame = pd.DataFrame({"size": size, "team": rng.choice(["red", "blue"], 80)})
    tagger = Tagger(random_state=0).fit(frame, [["big"] if s > 0 else ["small"] for s in size])
    (row,) = tagger.explain([{"size": 1.5, "team": "red"}], top=1).rows
    assert row["text"] == "size 1.5, team red"
    assert row["labels"][0]["because"][0]["what"] == "size 1.5"


def test_texts_alone_are_explained(tickets: pd.DataFrame) -> None:
    tagger = Tagger(random_state=0).fit(tickets["text"].tolist(), tickets["tags"].tolist())
    (row,) = tagger.explain(["the printer is in a jam"], top=1).rows
    assert row["labels"][0]["tag"] == "printer"
    assert {"printer", "jam"} <= {reason["what"] for reason in row["labels"][0]["because"]}


def test_methods_that_cannot_explain_say_so(tickets: pd.DataFrame) -> None:
    tagger = Tagger("mlknn").fit(tickets[:60], "tags")
    with pytest.raises(DataError, match="MLkNN does not explain its scores"):
        tagger.explain(tickets[60:61])


def test_pictures_are_shown(tmp_path) -> None:
    rng = np.random.default_rng(0)
    rows = []
    for number in range(40):
        colour = "red" if number % 2 else "blue"
        noise = rng.integers(0, 60, (40, 40, 3), dtype=np.uint8)
        noise[:, :, 0 if colour == "red" else 2] += 180
        path = tmp_path / f"{number}.png"
        Image.fromarray(noise).save(path)
        rows.append({"file": str(path), "colour": colour})
    tagger = Tagger(random_state=0).fit(pd.DataFrame(rows[:30]), "colour")
    assert tagger.predict_tags(rows[30:]) == [[row["colour"]] for row in rows[30:]]
    found = tagger.explain(rows[30:31])
    assert found._repr_html_().count("data:image/jpeg;base64,") > 3


def test_characters_without_blanks_and_emoji_are_words() -> None:
    texts = ["打印机卡纸了", "我要退款", "打印机没有墨", "退款还没有到", "🎉 ok", "🎉🎉 fine"] * 5
    tags = [["printer"], ["refund"], ["printer"], ["refund"], ["party"], ["party"]] * 5
    tagger = Tagger(random_state=0).fit(texts, tags)
    assert tagger.predict_tags(["你的打印机", "请退款", "🎉"]) == [
        ["printer"],
        ["refund"],
        ["party"],
    ]
    printer, party = tagger.explain(["你的打印机", "so 🎉"], top=1).rows
    assert printer["labels"][0]["because"][0]["what"] in "打印机"
    assert party["labels"][0]["because"][0]["what"] == "🎉"
    assert "<mark" in tagger.explain(["打印机"], top=1)._repr_html_()
