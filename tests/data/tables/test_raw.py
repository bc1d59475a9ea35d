"""Tables whose columns stay as they lie."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlst import _files
from dlst.data import load
from dlst.data.tables import csv_text, raw_frames, read_raw
from dlst.errors import DataError, ReadError

TABLE = 'zip,text,size,tags\n01,"a, b",1.50,x;y\n02,"line\nend",,\n03,"say ""no""",2,N/A\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path / "t.csv"


def test_cells_stay_as_they_are_but_for_numbers(file: Path) -> None:
    data = read_raw(file, labels="tags", columns={"category": "zip"})
    assert data.n_features == 0
    assert data.table.frame["zip"].tolist() == ["01", "02", "03"]
    assert data.table.frame["text"].tolist() == ["a, b", "line\nend", 'say "no"']
    np.testing.assert_array_equal(data.table.frame["size"], [1.5, np.nan, 2.0])
    assert list(data.label_names) == ["x", "y"]
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 1], [0, 0], [np.nan, np.nan]])
    assert (data.table.label_columns, data.table.label_delimiter) == (["tags"], ";")
    assert read_raw(file, labels="tags").table.frame["zip"].tolist() == [1, 2, 3]


def test_a_table_without_labels_has_none(file: Path) -> None:
    data = read_raw(file, labels=[])
    assert (data.n_samples, data.n_labels) == (3, 0)
    assert list(data.table.frame.columns) == ["zip", "text", "size", "tags"]
    with pytest.raises(ReadError, match="expected label columns named 'label:"):
        read_raw(file)


def test_a_cell_is_named_by_the_line_of_its_record(file: Path) -> None:
    table = read_raw(file, labels="tags").table
    assert str(table.error("size", 2, "bad")).endswith("t.csv:5: column 'size': bad")
    assert str(table.take([2, 0]).error("size", 0, "bad")).endswith("t.csv:5: column 'size': bad")


def test_a_pair_is_joined_with_all_its_labels(tmp_path: Path) -> None:
    (tmp_path / "a-train.csv").write_text("n,tags\n1,x\n2,y;x\n3,N/A\n")
    (tmp_path / "a-test.csv").write_text("tags,n\nz,5\nN/A,6\n")
    data = load(tmp_path, raw=True, labels="tags")
    assert list(data.label_names) == ["x", "y", "z"]
    nan = np.nan
    expected = [[1, 0, 0], [1, 1, 0], [nan] * 3, [0, 0, 1], [nan] * 3]
    np.testing.assert_array_equal(data.Y.toarray(), expected)
    assert data.table.frame["n"].tolist() == [1, 2, 3, 5, 6]
    assert data.test.table.frame["n"].tolist() == [5, 6]
    assert "a-test.csv:3: column 'n'" in str(data.test.table.error("n", 1, "bad"))
    assert "a-train.csv:2: column 'n'" in str(data.table.error("n", 0, "bad"))


def test_a_pair_with_other_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a-train.csv").write_text("n,tags\n1,x\n")
    (tmp_path / "a-test.csv").write_text("m,tags\n1,x\n")
    with pytest.raises(DataError, match="same columns; got 'm', 'n' in one of them only"):
        load(tmp_path, raw=True, labels="tags")


def test_other_formats_are_read_as_ever() -> None:
    assert load("multidigits", raw=True).table is None


def test_options_that_mean_nothing_are_refused(file: Path) -> None:
    with pytest.raises(
        ValueError, match="takes columns, delimiter, encoding, label_delimiter, labels"
    ):
        load(file, raw=True, labels="tags", nominal="auto")


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "parquet"])
@pytest.mark.parametrize("block", [7, 30, 10**6])
def test_a_file_in_blocks_is_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, block: int
) -> None:
    blocks = _files.text_blocks
    monkeypatch.setattr(csv_text, "text_blocks", lambda path, **how: blocks(path, block, **how))
    whole = pd.DataFrame(
        {"id": ["007", "8", ""], "text": ["a\n\nb", 'say "no", please', "x"], "n": [1.5, 2.0, 3.0]}
    )
    path = tmp_path / f"t.{suffix}"
    if suffix == "parquet":
        whole.to_parquet(path)
    else:
        text = whole.to_csv(index=False, sep="\t" if suffix == "tsv" else ",")
        path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    frames, places = zip(*raw_frames(path, ["n"]), strict=True)
    found = pd.concat(frames, ignore_index=True)
    assert found["id"].fillna("").tolist() == whole["id"].tolist()
    assert found["text"].tolist() == whole["text"].tolist()
    assert found["n"].tolist() == whole["n"].tolist()
    if suffix != "parquet":
        assert np.concatenate([place.lines for place in places]).tolist() == [2, 5, 6]


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=5)


@settings(max_examples=60)
@given(st.lists(st.tuples(cells, cells), max_size=6), st.integers(1, 40))
def test_any_texts_come_back_in_blocks(tmp_path_factory, rows, block: int) -> None:
    path = tmp_path_factory.mktemp("any") / "t.csv"
    pd.DataFrame(rows, columns=["a", "b"]).to_csv(path, index=False, quoting=1)
    with pytest.MonkeyPatch.context() as patch:
        blocks = _files.text_blocks
        patch.setattr(csv_text, "text_blocks", lambda path, **how: blocks(path, block, **how))
        found = pd.concat([frame for frame, _ in raw_frames(path, [])])
    assert found.fillna("").to_numpy().tolist() == [list(row) for row in rows]


def test_a_header_alone_is_a_table_without_rows(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n")
    ((frame, place),) = raw_frames(tmp_path / "t.csv", ["a"])
    assert (list(frame.columns), len(frame), len(place.lines)) == (["a", "b"], 0, 0)
