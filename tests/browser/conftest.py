"""A report with every kind of block, and a real browser to open it in."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dlst.reports import critical_difference_svg
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
from dlst.reports.page import png_address, write_page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SCREENSHOTS = Path(__file__).resolve().parents[2] / "artefacts" / "screenshots"
METHODS = ("DLST", "DLST (paper)", "DLST₁", "DLST₂", "ML-kNN", "BR", "PLST", "CPLST", "FAIE", "MC")
MOODS = (
    "amazed-surprised",
    "happy-pleased",
    "relaxing-calm",
    "quiet-still",
    "sad-lonely",
    "angry-aggressive",
)


@pytest.fixture(scope="session")
def browser():
    """Start Chromium, or skip where it or its driver is not installed."""
    driver = pytest.importorskip(
        "playwright.sync_api", reason="the tests in a browser need the package playwright"
    )
    program = os.environ.get("DLST_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), "")
    if not program:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed, set DLST_CHROMIUM")
    with driver.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@pytest.fixture(scope="session")
def screenshots():
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS


@pytest.fixture(scope="session")
def report():
    return sample_document()


@pytest.fixture(scope="session")
def report_file(report, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_page(report, path, "dlst report runs/sample -o report.html")
    return path


@pytest.fixture
def visit(browser, report_file):
    """Open the report; at the end no error, no warning and no request may have been seen."""
    contexts, troubles = [], []

    def note_request(request):
        if not request.url.startswith(("file:", "data:", "blob:")):
            troubles.append(f"request {request.url}")

    def note_message(message):
        if message.type in ("error", "warning"):
            troubles.append(f"{message.type} {message.text}")

    def open_page(width=1440, height=900, **settings):
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        # Busy machines take their time.
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("request", note_request)
        page.on("console", note_message)
        page.on("pageerror", lambda error: troubles.append(f"page error {error}"))
        page.goto(report_file.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def sample_document() -> Document:
    return Document(
        title="Ten methods on six sets",
        verdict="DLST has the best mean rank in **two of three** measures, 1.8 on instance AP, and "
        "differs significantly from seven of nine rivals. On macro-F1 it is level with FAIE.",
        facts={"cells": "660", "failed": "1", "computing time": "2 h 41 min", "seeds": "0 to 9"},
        sections=[
            Section("overview", "Overview", [Text("`dlst` ran **everything**."), *_tables()]),
            Section("curves", "Curves", _charts()),
            Section("ranks", "Ranks", [_drawing()]),
            Section("map", "Latent map", [_small_map(), _large_map()]),
            Section("explained", "Rows explained", [_explained()]),
            Section(
                "provenance",
                "Provenance",
                [
                    Text("The same command resumes the run, and computes nothing twice."),
                    Code("dlst reproduce table-main --jobs 2\ndlst report runs/table-main"),
                ],
            ),
        ],
    )


def _tables() -> list[Table]:
    rng = np.random.default_rng(0)
    scores = np.sort(rng.uniform(0.55, 0.83, size=(len(METHODS), 5)), axis=0)[::-1]
    rows = [
        [
            TableCell(name),
            *(
                TableCell(f"{value:.3f} ± 0.0{i + 10}", value, best=i == 0, tied=i == 1 and j != 2)
                for j, value in enumerate(scores[i])
            ),
            TableCell(f"{9.5 + 3 * i:.1f}", 9.5 + 3 * i),
        ]
        for i, name in enumerate(METHODS)
    ]
    # Shuffled, so that sorting has something to do.
    rows = [rows[i] for i in rng.permutation(len(rows))]
    rows[3][1] = TableCell("failed", note="MemoryError: the cell asked for more than 2,000 MiB")
    columns = [
        TableColumn("method"),
        TableColumn("emotions AP", "higher", "Mean over test rows of the average precision."),
        TableColumn("scene AP", "higher"),
        TableColumn("yeast AP", "higher"),
        TableColumn("emotions micro-F1", "higher", "Over all decisions, top-`r` rule."),
        TableColumn("emotions macro-F1", "higher"),
        TableColumn("seconds", "lower", "To fit and predict."),
    ]
    references = [
        [
            TableCell("constant prior"),
            *(TableCell(f"{v:.3f}", v) for v in (0.5, 0.4, 0.6, 0.3, 0.1)),
            TableCell(""),
        ],
        [
            TableCell("ceiling"),
            *(TableCell(f"{v:.3f}", v) for v in (1.0, 1.0, 1.0, 0.9, 0.9)),
            TableCell(""),
        ],
    ]
    examples = Table(
        "examples",
        "Examples",
        [
            TableColumn("row"),
            TableColumn("picture"),
            TableColumn("truth"),
            TableColumn("what the regression says"),
        ],
        [
            [
                TableCell(f"test row {i}", i),
                TableCell(
                    "", image=png_address(rng.uniform(size=(8, 24)).round()), note=f"row {i}"
                ),
                TableCell("happy-pleased, relaxing-calm"),
                TableCell("happy-pleased 0.81, relaxing-calm 0.44, sad-lonely 0.12"),
            ]
            for i in range(2)
        ],
    )
    note = "Mean ± standard deviation over ten random splits; ≈ not significantly worse than ★."
    return [Table("main", "Scores", columns, rows, references, note), examples]


def _charts() -> list[Chart]:
    rates = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    lines = Chart(
        "missing",
        "Instance AP against the share of labels missing",
        "lines",
        "share of the training labels dropped",
        "instance AP",
        [
            Series(
                name,
                rates,
                [0.8 - 0.03 * i - 0.3 * rate**3 for rate in rates],
                [0.78 - 0.03 * i - 0.3 * rate**3 for rate in rates],
                [0.82 - 0.03 * i - 0.3 * rate**3 for rate in rates],
                emphasis=i == 0,
            )
            for i, name in enumerate(METHODS[:7])
        ],
        second_x={rate: f"{rate * 0.97:.0%}" for rate in rates},
        note="The second line of ticks is the effective rate, because every row keeps a label.",
        alternative="All methods fall as labels go missing, DLST the least.",
    )
    powers = Chart(
        "lambda",
        "Ten-fold cross-validation over λ",
        "lines",
        "λ",
        "instance AP",
        [
            Series(
                "emotions", [10.0**i for i in range(-3, 4)], [0.7, 0.74, 0.78, 0.8, None, 0.7, 0.6]
            )
        ],
        log_x=True,
    )
    classes = Chart(
        "classes",
        "AP of each class",
        "bars",
        "class",
        "AP",
        [
            Series("DLST", [f"class {i}" for i in range(30)], [0.9 - i / 50 for i in range(30)]),
            Series("BR", [f"class {i}" for i in range(30)], [0.8 - i / 50 for i in range(30)]),
        ],
    )
    few = Chart(
        "few",
        "Seconds to fit",
        "bars",
        "method",
        "seconds",
        [Series("fit", list(METHODS[:5]), [3, 5, 2, 1, 8], [2, 4, 2, 1, 6], [4, 6, 2, 1, 11])],
    )
    rng = np.random.default_rng(1)
    concurrent = rng.uniform(1, 8, 60).round(2)
    cloud = Chart(
        "concurrent",
        "Gain over DLST₁ against the number of labels beside it",
        "scatter",
        "other labels beside it",
        "gain in AP",
        [
            Series(
                "mediamill-2000",
                list(concurrent),
                list(0.01 * concurrent + rng.normal(0, 0.02, 60)),
                texts=[f"<class {i}>" for i in range(60)],
            )
        ],
    )
    heat = Chart(
        "codes",
        "Codes",
        "heatmap",
        "dimension",
        "label set",
        grid=rng.normal(size=(24, 8)).round(3).tolist(),
    )
    return [lines, powers, classes, few, cloud, heat]


def _drawing() -> Drawing:
    ranks = pd.Series({name: 1.8 + 0.7 * i for i, name in enumerate(METHODS)})
    return Drawing(
        "critical-difference",
        "Mean ranks on instance AP",
        critical_difference_svg(ranks, 2.9, title="instance AP"),
        "Methods that a bar joins do not differ at the level 0.05.",
        "DLST has the best mean rank, 1.80.",
    )


def _small_map() -> LatentMap:
    return LatentMap("map-emotions", "emotions in code space", latent_result(MOODS, 120, True))


def _explained() -> Explained:
    return Explained("rows-of-emotions", "Two rows of emotions", _small_map(), [0, 60])


def _large_map() -> LatentMap:
    names = tuple(f"concept {i}" for i in range(101))
    return LatentMap("map-mediamill", "mediamill in code space", latent_result(names, 80, False))


def latent_result(names: tuple[str, ...], n_test: int, has_images: bool) -> dict:
    """Make up a map: few labels on each instance, places that follow from them."""
    rng = np.random.default_rng(len(names))
    n_train = 160
    corners = rng.normal(size=(len(names), 2)) * 2

    def labels_of(n: int) -> list[list[int]]:
        weights = 1 / np.arange(1, len(names) + 1)
        chances = weights / weights.sum()
        return [
            sorted(
                rng.choice(len(names), size=rng.integers(1, 4), replace=False, p=chances).tolist()
            )
            for _ in range(n)
        ]

    def place_of(labels: list[int]) -> tuple[float, float]:
        x, y = corners[labels].mean(axis=0) + rng.normal(scale=0.35, size=2)
        return round(float(x), 3), round(float(y), 3)

    train = []
    for i, labels in enumerate(labels_of(n_train)):
        x, y = place_of(labels)
        train.append({"row": 1000 + i, "x": x, "y": y, "labels": labels})
    test = []
    for i, truth in enumerate(labels_of(n_test)):
        x, y = place_of(truth)
        found = sorted({*truth[rng.integers(0, 2) :], int(rng.integers(len(names)))})
        distances = [float(np.hypot(each["x"] - x, each["y"] - y)) for each in train]
        nearest = np.argsort(distances)[:8]
        reasons = []
        for label in sorted({*truth, *found}):
            terms = rng.normal(size=4).round(3).tolist()
            logit = round(sum(terms), 3)
            chance = round(float(1 / (1 + np.exp(-logit))), 4)
            reasons.append({"label": label, "terms": terms, "logit": logit, "probability": chance})
        test.append(
            {
                "row": 3 * i,
                "x": x,
                "y": y,
                "truth": truth,
                "found": found,
                "neighbours": [
                    {
                        "train": int(j),
                        "weight": round(float(np.exp(-distances[j])), 3),
                        "distance": round(distances[j], 3),
                    }
                    for j in nearest
                ],
                "reasons": reasons,
            }
        )
    pixels = [(rng.uniform(size=192) < (i + 1) / n_test).astype(int) * 255 for i in range(n_test)]
    return {
        "data": "emotions" if has_images else "mediamill-2000",
        "method": "DLST",
        "n_components": 5,
        "variance_shown": 0.83,
        "label_names": list(names),
        "terms": ["start", "direct", "code vote", "feature vote"],
        "n_voters": 30,
        "test": test,
        "train": train,
        "centres": [
            {"label": j, "x": round(float(x), 3), "y": round(float(y), 3)}
            for j, (x, y) in enumerate(corners)
        ],
        "images": {"width": 24, "height": 8, "pixels": [row.tolist() for row in pixels]}
        if has_images
        else None,
    }
