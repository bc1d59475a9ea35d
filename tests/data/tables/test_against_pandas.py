"""Valid CSV files, made at random, mean the same to us and to pandas."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dlst.data.tables import read_table

NUMBERS = st.one_of(
    st.integers(-(10**12), 10**12).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["", "1e3", "+4", ".5", "-0", "007", "NA"]),
)
TEXTS = st.one_of(
    st.text(st.sampled_from('abcé ,;\t\n"=-'), max_size=5).filter(lambda text: text.strip()),
    st.just(""),
)
NAMES = st.text(st.sampled_from("abcXYZ _é,;0"), min_size=1, max_size=5)


@st.composite
def csv_files(draw, delimiter):
    """Return the text of a file and which of its columns hold texts; the last column is a label."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    holds_text = [draw(st.booleans()) for _ in names]
    stream = io.StringIO()
    writer = csv.writer(
        stream,
        delimiter=delimiter,
        lineterminator=draw(st.sampled_from(["\n", "\r\n"])),
        quoting=draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    writer.writerow([*names, "is label"])
    for _ in range(draw(st.integers(1, 6))):
        cells = [draw(TEXTS if text else NUMBERS) for text in holds_text]
        writer.writerow([*cells, draw(st.sampled_from("01"))])
    return stream.getvalue(), dict(zip(names, holds_text, strict=True))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_valid_file_means_the_same_to_pandas(delimiter, tmp_path: Path):
    path = tmp_path / "f.csv"

    @settings(max_examples=50, suppress_health_check=list(HealthCheck))
    @given(csv_files(delimiter))
    def compare(made):
        text, holds_text = made
        path.write_bytes(text.encode())
        theirs = pd.read_csv(
            path, sep=delimiter, dtype=str, keep_default_na=False, na_values=["", "NA"]
        )
        ours = read_table(path, labels=["is label"], delimiter=delimiter, nominal="one-hot")
        expected = {}
        for name in holds_text:
            column = theirs[name]
            if column.isna().all() or not holds_text[name]:
                expected[name] = column.to_numpy(dtype=np.float64)
                continue
            for kind in sorted(set(column.dropna())):
                expected[f"{name}={kind}"] = np.where(column.isna(), np.nan, column == kind)
        assert ours.feature_names == tuple(expected)
        np.testing.assert_array_equal(ours.X, np.column_stack(list(expected.values())))
        np.testing.assert_array_equal(ours.Y.toarray()[:, 0], theirs["is label"].astype(float))

    compare()
