"""Valid ARFF files, made at random, mean the same to us and to liac-arff."""

from __future__ import annotations

from pathlib import Path

import arff as liac
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dlst.data.arff import read_arff

NUMBERS = st.one_of(
    st.integers(-(10**9), 10**9).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0", "-0.5", ".5", "1e3", "1E-3", "+4", "007", "?"]),
)


# Without quotes in them, which liac-arff misreads in declarations.
WORDS = st.text(st.sampled_from("abcXYZ 09_-.;:é"), min_size=1, max_size=6).filter(
    lambda text: text.strip() == text
)


def quoted(draw, text):
    """Return a text in the quotes that it needs, or in some."""
    plain = text.isascii() and text.replace("_", "").isalnum()
    if plain and draw(st.booleans()):
        return text
    sign = draw(st.sampled_from("'\""))
    return f"{sign}{text}{sign}"


@st.composite
def arff_files(draw, sparse):
    """Return the text of a file and its number of attributes; the last attribute is a label."""
    names = draw(st.lists(WORDS, min_size=1, max_size=4, unique=True))
    kinds = [
        draw(st.one_of(st.none(), st.lists(WORDS, min_size=3, max_size=5, unique=True)))
        for _ in names
    ]
    lines = [f"{draw(st.sampled_from(['@RELATION', '@relation']))} r"]
    for name, kind in zip(names, kinds, strict=True):
        word = draw(st.sampled_from(["NUMERIC", "real", "Integer"])) if kind is None else None
        if word == "Integer":
            word = "real"  # liac-arff cuts the digits after the point
        declared = word or "{" + ", ".join(quoted(draw, text) for text in kind) + "}"
        lines.append(f"@attribute {quoted(draw, name)} {declared}")
    lines += ["@attribute is_label {0,1}", "% a remark", "@data"]
    for _ in range(draw(st.integers(0, 5))):
        cells = [
            draw(NUMBERS if kind is None else st.sampled_from([*kind, None])) for kind in kinds
        ]
        texts = [
            cell if kind is None else "?" if cell is None else quoted(draw, cell)
            for cell, kind in zip(cells, kinds, strict=True)
        ]
        texts.append(draw(st.sampled_from("01?")))
        if sparse:
            kept = [a for a in range(len(texts)) if draw(st.booleans())]
            lines.append("{" + ", ".join(f"{a} {texts[a]}" for a in kept) + "}")
        else:
            lines.append(draw(st.sampled_from([",", ", ", " ,\t"])).join(texts))
        if draw(st.integers(0, 4)) == 0:
            lines.append("% another")
    return "\n".join(lines) + "\n"


def as_they_read(text, sparse):
    """Return features by name and the label column as liac-arff reads them."""
    found = liac.loads(text, return_type=liac.LOD if sparse else liac.DENSE)
    columns = {}
    for a, (name, kind) in enumerate(found["attributes"]):
        # A sparse row leaves out zeros, and of a nominal attribute the first category.
        default = 0.0 if isinstance(kind, str) else kind[0]
        columns[name] = [row.get(a, default) if sparse else row[a] for row in found["data"]]
    label = columns.pop("is_label")
    features = {}
    for name, kind in found["attributes"][:-1]:
        cells = columns[name]
        if isinstance(kind, str):
            features[name] = [np.nan if cell is None else float(cell) for cell in cells]
            continue
        for category in kind:
            features[f"{name}={category}"] = [
                np.nan if cell is None else float(cell == category) for cell in cells
            ]
    return features, [np.nan if cell is None else float(cell) for cell in label]


@pytest.mark.parametrize("sparse", [False, True])
def test_a_valid_file_means_the_same_to_liac_arff(sparse, tmp_path: Path):
    path = tmp_path / "f.arff"

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(arff_files(sparse))
    def compare(text):
        path.write_text(text, encoding="utf-8")
        features, label = as_they_read(text, sparse)
        ours = read_arff(path, labels=["is_label"], nominal="one-hot")
        assert ours.feature_names == tuple(features)
        dense = ours.X if isinstance(ours.X, np.ndarray) else ours.X.toarray()
        expected = np.array(list(features.values())).reshape(len(features), -1).T
        np.testing.assert_array_equal(dense, expected.reshape(dense.shape))
        np.testing.assert_array_equal(ours.Y.toarray()[:, 0], label)

    compare()
