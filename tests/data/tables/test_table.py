"""CSV, TSV, Parquet and frames: label choice, cell meanings, round trips, errors with lines."""

from __future__ import annotations

import gzip
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dlst.data import Dataset, load
from dlst.data.tables import (
    csv_text,
    features,
    from_frame,
    labels,
    parquet,
    read_table,
    table,
    to_frame,
    write_table,
)
from dlst.data.tables.cells import MISSING
from dlst.errors import DataError, ReadError
from dlst.inputs import TableEncoder

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq")


def write(folder: Path, text: str | bytes, name: str = "toy.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def assert_equal(ours: Dataset, theirs: Dataset) -> None:
    X = theirs.X.toarray() if sp.issparse(theirs.X) else theirs.X
    np.testing.assert_array_equal(ours.X, X)
    np.testing.assert_array_equal(ours.Y.toarray(), theirs.Y.toarray())
    assert tuple(ours.feature_names) == tuple(theirs.feature_names)
    assert tuple(ours.label_names) == tuple(theirs.label_names)


# --- which columns are labels -----------------------------------------------------------------

TABLE = "a,b,sky,sea\n1,2.5,1,0\n3,4,0,1\n"


@pytest.mark.parametrize(
    "labels", [["sky", "sea"], "sky,sea", " sky , sea", -2, "s*", ("sky", "sea")]
)
def test_labels_are_chosen_by_names_count_or_pattern(tmp_path: Path, labels) -> None:
    data = read_table(write(tmp_path, TABLE), labels=labels)
    assert data.feature_names == ("a", "b")
    assert data.label_names == ("sky", "sea")
    assert data.X.tolist() == [[1, 2.5], [3, 4]]
    assert data.Y.toarray().tolist() == [[1, 0], [0, 1]]
    assert data.name == "toy"


def test_a_positive_count_takes_the_first_columns(tmp_path: Path) -> None:
    data = read_table(write(tmp_path, "sky,a\n1,5\n0,6\n"), labels=1)
    assert data.label_names == ("sky",)
    assert data.feature_names == ("a",)


def test_the_order_of_named_labels_is_the_callers(tmp_path: Path) -> None:
    data = read_table(write(tmp_path, TABLE), labels=["sea", "sky"])
    assert data.Y.toarray().tolist() == [[0, 1], [1, 0]]


def test_prefixed_columns_are_labels_by_default(tmp_path: Path) -> None:
    data = read_table(write(tmp_path, "a,label:sky,label:a\n1,1,0\n"))
    assert data.label_names == ("sky", "a")
    assert data.feature_names == ("a",)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, r"toy.csv:1: expected label columns named 'label:…', got the columns 'a', 'b'"),
        ("sk", r"expected a label column 'sk', got none of that name. Did you mean 'sky'\?"),
        (["xyz"], r"none of that name. There are the columns 'a', 'b', 'sky', 'sea'"),
        ("tag_*", r"expected columns like 'tag_\*', got the columns"),
        (0, "must count 1 to 4 columns"),
        (5, "must count 1 to 4 columns"),
        (["sky", "sky"], "distinct columns"),
    ],
)
def test_a_wrong_choice_of_labels_is_told(tmp_path: Path, labels, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read_table(write(tmp_path, TABLE), labels=labels)


def test_many_columns_are_not_all_listed(tmp_path: Path) -> None:
    header = ",".join(f"c{i}" for i in range(20))
    with pytest.raises(ReadError, match="'c5' and 14 more"):
        read_table(write(tmp_path, f"{header}\n"))


# --- label cells ------------------------------------------------------------------------------


def test_label_cells_may_be_truth_values_and_empty_means_unknown(tmp_path: Path) -> None:
    text = "a,p,q,r,s\n1,true,0,1.0,\n2,FALSE,,0,\n3,,1,0,\n4,1,1,,\n"
    Y = read_table(write(tmp_path, text), labels=-4).Y.toarray()
    nan = np.nan
    expected = [[1, 0, 1, nan], [0, nan, 0, nan], [nan, 1, 0, nan], [1, 1, nan, nan]]
    np.testing.assert_array_equal(Y, expected)


@pytest.mark.parametrize("cell", ["2", "-1", "maybe", "0.5", "inf"])
def test_other_label_cells_are_an_error_with_line_and_column(tmp_path: Path, cell: str) -> None:
    text = f'a,sky,sea\n"x\ny",0,1\n\nz,{cell},0\n'
    with pytest.raises(ReadError, match=r":5: label 'sky' must be 0, 1, true, false") as caught:
        read_table(write(tmp_path, text), labels=["sky", "sea"])
    assert caught.value.line == 5
    assert cell in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "delimiter", "expected"),
    [
        (["sky;sea", "", "sky"], None, {"sea", "sky"}),
        (["sky|old sea", "", "sky"], None, {"old sea", "sky"}),
        (['"sky, sea"', "", "sky"], None, {"sea", "sky"}),
        (["new york", "", "new york"], None, {"new york"}),
        (["sky sea", "", "sky"], " ", {"sea", "sky"}),
        (["sky/sea;x", "", "sky"], "/", {"sea;x", "sky"}),
        (["sky;;sky; ", "", "sky"], None, {"sky"}),
    ],
)
def test_one_column_of_delimited_labels(
    tmp_path: Path, cells: list[str], delimiter: str | None, expected: set[str]
) -> None:
    text = "a,tags\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))
    data = read_table(
        write(tmp_path, text), labels="tags", label_delimiter=delimiter, delimiter=","
    )
    assert data.label_names == tuple(sorted(expected))
    assert data.Y.toarray().sum(axis=1).tolist() == [len(expected), 0, 1]
    assert data.provenance.notes == ("labels from the cells of 'tags'",)


def test_cells_may_be_lists_in_frames_and_parquet(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "tags": [["sky", "sea"], [], None]})
    data = from_frame(frame, "tags")
    assert data.label_names == ("sea", "sky")
    assert data.Y.toarray().tolist() == [[1, 1], [0, 0], [0, 0]]
    frame.to_parquet(tmp_path / "a.parquet")
    np.testing.assert_array_equal(
        read_table(tmp_path / "a.parquet", labels="tags").Y.toarray(), data.Y.toarray()
    )


def test_frames_of_polars_and_pyarrow_are_read_as_those_of_pandas() -> None:
    frame = pd.DataFrame({"a": [1.5, 2.5], "c": ["x", "y"], "tags": ["sky;sea", "sky"]})
    for other in (pl.DataFrame(frame.to_dict("list")), pa.Table.from_pandas(frame)):
        assert_equal(load(other, labels="tags"), from_frame(frame, "tags"))


def test_cells_may_not_hold_labels_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "MAX_LABEL_ENTRIES", 3)
    frame = pd.DataFrame({"tags": ["a;b", "a", "b", "a"]})
    with pytest.raises(DataError, match=r"at most 3 labels; got more.*\(row 2"):
        from_frame(frame, "tags")


def test_cells_that_are_no_labels_are_an_error() -> None:
    frame = pd.DataFrame({"tags": ["sky;sea", {"a": 1}]})
    with pytest.raises(DataError, match=r"must be labels such as 'sky;sea'.*\(row 1, counted"):
        from_frame(frame, "tags")


# --- features ---------------------------------------------------------------------------------


def test_text_features_become_one_hot(tmp_path: Path) -> None:
    path = write(tmp_path, "colour,n,k\nred,1,0\nblue,,1\n?,3,0\nred,4,1\n")
    data = read_table(path, labels="k")
    assert data.feature_names == ("colour=blue", "colour=red", "n")
    nan = np.nan
    expected = [[0, 1, 1], [1, 0, nan], [nan, nan, 3], [0, 1, 4]]
    np.testing.assert_array_equal(data.X, expected)
    assert data.provenance.notes == ("nominal features as one-hot: colour",)
    with pytest.raises(ValueError, match="nominal must be 'auto', 'one-hot' or a list of columns"):
        read_table(path, labels="k", nominal="codes")


def test_truth_values_are_numbers(tmp_path: Path) -> None:
    data = read_table(write(tmp_path, "p,q,k\ntrue,True,0\nfalse,,1\n"), labels="k")
    np.testing.assert_array_equal(data.X, [[1, 1], [0, np.nan]])


def test_a_slip_in_a_long_numeric_column_is_named(tmp_path: Path) -> None:
    cells = [f"{i}.5,0" for i in range(1500)]
    cells[700] = "7o0.5,1"
    path = write(tmp_path, "a,k\n" + "\n".join(cells))
    with pytest.raises(ReadError, match=r":702: column 'a': expected a number.*got '7o0.5'"):
        read_table(path, labels="k")


@pytest.mark.parametrize(
    ("cells", "line", "message"),
    [
        (["1.5", "2.O", "3"], 3, "as in 2 other cells, got '2.O'. Mend the cell"),
        (['"1,000"', "2", "3"], 2, "got '1,000'. Write numbers with a decimal point"),
        (['"1,5"', '"2,5"', '"3,5"'], 2, "expected a number, got '1,5'. Write numbers"),
        (['"1.234,5"', '"12,5"'], 2, "got '1.234,5'. Write numbers"),
        (["1'000", "1 000", "2"], 2, 'got "1\'000". Write numbers'),
    ],
)
def test_a_mistake_in_a_number_column_is_an_error_with_line_and_column(
    tmp_path: Path, cells: list[str], line: int, message: str
) -> None:
    path = write(tmp_path, "size,k\n" + "".join(f"{cell},1\n" for cell in cells))
    with pytest.raises(ReadError, match="column 'size': expected a number") as caught:
        read_table(path, labels="k")
    assert message in str(caught.value)
    assert caught.value.line == line
    assert "nominal=['size']" in str(caught.value)
    kinds = {cell.strip('"') for cell in cells}
    for nominal in ("one-hot", ["size"]):
        data = read_table(path, labels="k", nominal=nominal)
        assert data.feature_names == tuple(f"size={kind}" for kind in sorted(kinds))


@pytest.mark.parametrize("word", sorted(MISSING))
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", "frame"])
def test_a_word_for_no_value_is_a_missing_feature_in_every_kind_of_table(
    tmp_path: Path, word: str, suffix: str
) -> None:
    cells = {"size": ["1.5", word, "4"], "colour": ["red", "blue", word], "k": ["1", "0", "1"]}
    path = tmp_path / f"a{suffix}"
    frame = pd.DataFrame(cells)
    if suffix == "frame":
        data = from_frame(frame, "k")
    else:
        save = frame.to_parquet if suffix == ".parquet" else frame.to_csv
        save(path, index=False, **({"sep": "\t"} if suffix == ".tsv" else {}))
        data = read_table(path, labels="k")
    assert data.feature_names == ("size", "colour=blue", "colour=red")
    np.testing.assert_array_equal(data.X, [[1.5, 0, 1], [np.nan, 1, 0], [4, np.nan, np.nan]])
    encoder = TableEncoder().fit(frame.drop(columns="k"))
    assert [column.kind for column in encoder.columns_] == ["number", "category"]


def test_words_that_nearly_all_differ_are_an_identifier_and_sentences_are_none() -> None:
    words = [f"p{i}" for i in range(28)] + ["p0", "p1"]
    frame = pd.DataFrame({"who": words, "n": range(30), "k": [0, 1] * 15})
    assert from_frame(frame, "k").feature_names == ("n",)
    frame["who"] = [f"I am {word}" for word in words]
    with pytest.raises(DataError, match=r"expected texts that repeat.*dlst\.Tagger"):
        from_frame(frame, "k")


def test_numbers_among_texts_are_texts(tmp_path: Path) -> None:
    path = write(tmp_path, "size,k\nS,1\nM,0\n40,1\nL,1\n40,0\n1.2.3,0\n")
    assert read_table(path, labels="k").n_features == 5


def test_named_columns_of_numbers_are_nominal() -> None:
    frame = pd.DataFrame({"code": [10, 2, 10], "n": [1.0, 2.0, 3.0], "k": [0, 1, 0]})
    assert from_frame(frame, "k", nominal=["code"]).feature_names == ("code=10", "code=2", "n")
    typed = frame.astype({"code": "category"})
    assert from_frame(typed, "k").feature_names[0] == "code=10"
    texts = frame.astype({"code": str})
    assert from_frame(texts, "k").X[:, 0].tolist() == [10, 2, 10], "as the same cells in CSV"
    with pytest.raises(DataError, match="expected a column 'cod', as nominal= names it"):
        from_frame(frame, "k", nominal=["cod"])


@pytest.mark.parametrize(("n", "columns"), [(19, 19), (20, 0), (300, 0)])
def test_texts_that_all_differ_are_an_identifier(n: int, columns: int) -> None:
    frame = pd.DataFrame(
        {"who": [f"p{i}" for i in range(n)], "k": [0, 1] * (n // 2) + [1] * (n % 2)}
    )
    data = from_frame(frame, "k")
    assert data.n_features == columns
    assert ("columns that are identifiers left out: who" in data.provenance.notes) == (columns == 0)
    assert from_frame(frame, "k", nominal=["who"]).n_features == n


def test_texts_without_end_and_tables_without_end_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = pd.DataFrame({"a": [f"t{i // 2}" for i in range(3000)], "k": 1})
    with pytest.raises(DataError, match="text of at most 1000 kinds; got 1500 kinds"):
        from_frame(many, "k")
    monkeypatch.setattr(features, "MAX_CELLS", 1000)
    with pytest.raises(DataError, match=r"at most 1,000 cells; .* column 'a' as 11 kinds"):
        from_frame(pd.DataFrame({"a": [f"t{i % 11}" for i in range(100)], "k": 1}), "k")


@pytest.mark.parametrize("word", ["N/A", "NA", "?", "null"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_a_word_for_no_value_is_an_unknown_label(tmp_path: Path, word: str, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    for cells, names, expected in (
        (["1", "0", word], ("k",), [[1], [0], [np.nan]]),
        (["yes", "no", word], ("k",), [[1], [0], [np.nan]]),
        (["sky;sea", "sea", word], ("sea", "sky"), [[1, 1], [1, 0], [np.nan, np.nan]]),
    ):
        frame = pd.DataFrame({"a": [1.5, 2.5, 3.5], "k": cells})
        if suffix == ".parquet":
            frame.to_parquet(path)
        else:
            frame.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
        data = read_table(path, labels="k")
        assert data.label_names == names
        np.testing.assert_array_equal(data.Y.toarray(), expected)


@pytest.mark.parametrize(
    "cells", [["yes", "no", "yes"], ["True", "false", "TRUE"], ["Yes", "NO", "1"]]
)
def test_a_lone_column_of_truths_is_one_label(tmp_path: Path, cells: list[str]) -> None:
    path = write(tmp_path, "a,spam\n" + "".join(f"1,{cell}\n" for cell in cells))
    data = read_table(path, labels="spam")
    assert data.label_names == ("spam",)
    assert data.Y.toarray()[:, 0].tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "name", ["=1+1", "+x", "-x", "@x", "\tx", "'=x", "''=x", "-5", "'tis", "x"]
)
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_names_are_no_formulas_in_a_spreadsheet(tmp_path: Path, name: str, suffix: str) -> None:
    data = Dataset([[1.0, -2.0]], [[1]], [name, "y"], ["k"])
    path = tmp_path / f"a{suffix}"
    write_table(data, path)
    assert not re.match(r'"?[=+@\t]|"?-(?!5)', path.read_text())
    assert read_table(path).feature_names == (name, "y")


def test_long_cells_are_cut_in_errors() -> None:
    with pytest.raises(DataError, match=r"xxx\.\.\.\. Write 1 and 0\. \(row 0") as caught:
        from_frame(pd.DataFrame({"k": ["x" * 500], "j": [1]}), ["k", "j"])
    assert len(str(caught.value)) < 250


def test_the_row_counter_of_pandas_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    pd.DataFrame({"a": [1.5, 2.5], "k": [0, 1]}).to_csv(path)
    data = read_table(path, labels="k")
    assert data.feature_names == ("a",)
    assert "left out" in data.provenance.notes[0]
    other = read_table(write(tmp_path, ",a,k\n5,1,0\n7,2,1\n"), labels="k")
    assert other.feature_names == ("Unnamed: 0", "a")


def test_dates_are_no_features() -> None:
    frame = pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2020-01-02"]), "k": [0, 1]})
    with pytest.raises(DataError, match="feature 'when' must be numbers or text"):
        from_frame(frame, "k")
    with pytest.raises(DataError, match=r"must be numbers or text; got \[1\].*row 1"):
        from_frame(pd.DataFrame({"a": ["x", [1]], "k": [0, 1]}), "k")
    with pytest.raises(DataError, match="feature 'a' must be numbers or text"):
        from_frame(pd.DataFrame({"a": [1j, 2j], "k": [0, 1]}), "k")


def test_frames_of_other_kinds_are_refused() -> None:
    for make in (from_frame, load):
        with pytest.raises(DataError, match=r"expected a path or a frame .*, got list"):
            make([[1, 2]], labels=1)
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(DataError, match="distinct column names, got 'a' twice"):
        from_frame(twice, 1)
    with pytest.raises(ValueError, match="nominal must be"):
        from_frame(pd.DataFrame({"k": [1]}), "k", nominal="x")  # type: ignore[arg-type]


# --- text as it lies on disk ------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found_or_given(tmp_path: Path, delimiter: str) -> None:
    path = write(tmp_path, TABLE.replace(",", delimiter))
    given_one = delimiter if delimiter == "|" else None
    data = read_table(path, labels=-2, delimiter=given_one)
    assert data.X.tolist() == [[1, 2.5], [3, 4]]


def test_delimiters_inside_quotes_do_not_count(tmp_path: Path) -> None:
    text = '"a,b,c,d,e";label:k\n1,5;0\n'.replace("1,5", "1.5")
    data = read_table(write(tmp_path, text))
    assert data.feature_names == ("a,b,c,d,e",)


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "é"])
def test_impossible_delimiters_are_refused(tmp_path: Path, delimiter: str) -> None:
    with pytest.raises(ValueError, match="delimiter must be one ASCII character"):
        read_table(write(tmp_path, TABLE), labels=-2, delimiter=delimiter)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"", None, "got an empty file"),
        (b"\n  \n", None, "got an empty file"),
        (b"a,k\n1,0\n1\n", 3, "expected 2 fields as in the header, got 1"),
        (b"a,k\n1,0\n\n1,0,1\n", 4, "expected 2 fields as in the header, got 3"),
        (b'a,k\n1,0\n"1,0\n2,1\n', 3, "closing quote"),
        (b"a,a\n1,0\n", 1, "distinct column names, got 'a' 2 times"),
        (b"a,k\n1,0\n\xe9,1\n", 3, "expected UTF-8 text, got the byte 0xe9"),
        (b"a,k\n\xe9,0\n", 2, "Name the encoding of the file with encoding=, such as latin-1"),
        ("a,k\n1,0\n".encode("utf-16-le"), 1, "a zero byte.* encoding=, such as utf-16-le"),
        ("a,k\n1,0\n".encode("utf-16") + b"\n\x00\x00\xd8", 4, "expected utf-16 text, got bytes"),
        (b"a,k\n1,0\n2\x00,1\n", 3, "a zero byte"),
        (b"a,k\r1,0\r2,1\r", 1, "a carriage return inside a line"),
        (b"\n \na,b,a\n1,0,1\n", 3, "distinct column names, got 'a' 2 times"),
        (b"a" * 200_000 + b",k\n1,0\n", 1, "field larger than field limit"),
    ],
)
def test_damaged_text_is_an_error_with_its_line(
    tmp_path: Path, text: bytes, line: int | None, message: str
) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        read_table(write(tmp_path, text), labels=-1)
    assert caught.value.line == line


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "latin-1", "cp1252"])
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_other_encodings_are_read_by_their_mark_or_name(
    tmp_path: Path, encoding: str, suffix: str
) -> None:
    text = "größe,k\n1.5,é\n2,ü;é\n".encode(encoding)
    file = tmp_path / f"t{suffix}"
    file.write_bytes(gzip.compress(text) if suffix.endswith(".gz") else text)
    given = {} if encoding in ("utf-16", "utf-32") else {"encoding": encoding}
    data = read_table(file, labels="k", **given)
    assert (data.feature_names, data.label_names) == (("größe",), ("é", "ü"))
    assert data.X.tolist() == [[1.5], [2.0]]


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf" + TABLE.replace("\n", "\r\n").encode()
    data = read_table(write(tmp_path, text), labels=-2)
    assert data.feature_names == ("a", "b")
    assert data.Y.toarray().tolist() == [[1, 0], [0, 1]]


def test_the_header_is_the_first_record(tmp_path: Path) -> None:
    data = read_table(write(tmp_path, '\n  \n""\n1\n0\n'), labels=-1)
    assert data.label_names == ("Unnamed: 0",)
    assert data.Y.toarray().tolist() == [[1], [0]]


def test_lines_count_on_through_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = csv_text.text_blocks
    monkeypatch.setattr(csv_text, "text_blocks", lambda path, **how: blocks(path, 40, **how))
    rows = ['"a\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",k']
    rows += [f"{i},{i % 2}" for i in range(50)]
    data = read_table(write(tmp_path, "\n".join(rows)), labels="k")
    assert data.X[:, 0].tolist() == list(range(50))
    rows[33] = "1,5"
    with pytest.raises(ReadError, match="label 'k'") as caught:
        read_table(write(tmp_path, "\n".join(rows)), labels="k")
    assert caught.value.line == 34 + rows[0].count("\n")


def test_pandas_errors_and_disagreement_are_read_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, TABLE)
    monkeypatch.setattr(csv_text.pd, "read_csv", lambda *_, **__: pd.DataFrame({"a": [1]}))
    with pytest.raises(ReadError, match="expected 2 records by their line ends, got 1"):
        read_table(path, labels=-2)

    def fail(*_, **__):
        raise RuntimeError("inner trouble")

    monkeypatch.setattr(csv_text.pd, "read_csv", fail)
    with pytest.raises(ReadError, match="inner trouble"):
        read_table(path, labels=-2)


@pytest.mark.needs_compilation
def test_a_gzip_bomb_and_a_cut_gzip_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb") as stream:
        stream.write(b"a,k\n")
        for _ in range(80):
            stream.write(b"0,0\n" * 2**18)
    whole = path.read_bytes()
    with pytest.raises(ReadError, match="decompression bomb"):
        read_table(path, labels=-1)
    path.write_bytes(whole[: len(whole) // 1000])
    with pytest.raises(ReadError, match="damaged or cut"):
        read_table(path, labels=-1)


# --- Parquet ----------------------------------------------------------------------------------


def test_text_columns_of_parquet_are_nominal(tmp_path: Path) -> None:
    frame = pd.DataFrame({"c": ["x", None, "y"], "label:k": [0, 1, 1]})
    frame.to_parquet(tmp_path / "a.parquet")
    data = read_table(tmp_path / "a.parquet")
    np.testing.assert_array_equal(data.X, [[1, 0], [np.nan, np.nan], [0, 1]])


def test_errors_in_parquet_name_the_row(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1, 2], "k": [0, 7]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ReadError, match=r"label 'k' .*got 7.*\(row 1, counted from 0\)"):
        read_table(tmp_path / "a.parquet", labels="k")
    with pytest.raises(ReadError, match="expected label columns"):
        read_table(tmp_path / "a.parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all, only text"])
def test_damaged_parquet_is_a_read_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ReadError, match="expected a whole Parquet file"):
        read_table(write(tmp_path, content, "a.parquet"))


def test_a_missing_parquet_file_is_a_read_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="cannot be opened: No such file"):
        read_table(tmp_path / "none.parquet")


def test_a_parquet_bomb_is_refused(tmp_path: Path) -> None:
    n = 2**25
    frame = pd.DataFrame({"a": np.zeros(n, np.int8), "label:k": np.zeros(n, np.int8)})
    frame.to_parquet(tmp_path / "a.parquet", compression="zstd")
    assert (tmp_path / "a.parquet").stat().st_size < 10**6
    with pytest.raises(ReadError, match="decompression bomb"):
        read_table(tmp_path / "a.parquet")


def test_a_long_text_that_repeats_is_held_once(tmp_path: Path) -> None:
    frame = pd.DataFrame({"c": ["x" * 10_000, None] * 50, "label:k": [0, 1] * 50})
    frame.to_parquet(tmp_path / "a.parquet")
    cells = parquet.read_parquet_frame(tmp_path / "a.parquet")["c"]
    assert len({id(cell) for cell in cells}) == 2
    np.testing.assert_array_equal(
        read_table(tmp_path / "a.parquet").X[:, 0], np.tile([1, np.nan], 50)
    )


def test_a_missing_pyarrow_is_told_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"pip install dlst\[parquet\]"):
        read_table(tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"pip install dlst\[parquet\]"):
        write_table(Dataset([[1.0]], [[1]]), tmp_path / "a.parquet")


def test_other_failures_of_pyarrow_are_read_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(Dataset([[1.0]], [[1]]), tmp_path / "a.parquet")

    def fail(*_):
        raise KeyError("inner trouble")

    monkeypatch.setattr(parquet, "_bounded", fail)
    with pytest.raises(ReadError, match=r"got a damaged one \('inner trouble'\)"):
        read_table(tmp_path / "a.parquet")


# --- round trips ------------------------------------------------------------------------------

names = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), min_size=1, max_size=6)
values = st.just(0.0) | st.floats(width=64)


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    n, d, K = draw(st.integers(0, 5)), draw(st.integers(0, 3)), draw(st.integers(1, 3))
    feature_names = st.lists(
        names.filter(lambda name: not name.startswith("label:")),
        min_size=d,
        max_size=d,
        unique=True,
    )
    return Dataset(
        draw(arrays(np.float64, (n, d), elements=values)),
        draw(arrays(np.float64, (n, K), elements=st.sampled_from([0.0, 1.0, np.nan]))),
        draw(feature_names),
        draw(st.lists(names, min_size=K, max_size=K, unique=True)),
    )


@settings(max_examples=80, deadline=None)
@given(datasets(), st.sampled_from(SUFFIXES))
def test_written_tables_read_back_equal(data: Dataset, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        write_table(data, path)
        assert_equal(read_table(path), data)


@settings(max_examples=30, deadline=None)
@given(datasets())
def test_frames_and_back_are_equal(data: Dataset) -> None:
    assert_equal(from_frame(to_frame(data)), data)


def test_sparse_features_are_written_dense(tmp_path: Path) -> None:
    data = Dataset(sp.csr_array([[0.0, 2.5], [1.0, 0.0]]), [[1], [0]])
    write_table(data, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "x0,x1,label:label0\n0,2.5,1\n1,0,0\n"


def test_names_with_delimiters_do_not_mislead(tmp_path: Path) -> None:
    data = Dataset([[1.0, 2.0]], [[1]], ["a;b;c", "\t"], [";"])
    write_table(data, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == '"a;b;c","\t","label:;"'
    assert_equal(read_table(tmp_path / "a.csv"), data)


def test_blocks_of_rows_join(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "_ROWS_AT_ONCE", 3)
    data = Dataset(np.arange(16.0).reshape(8, 2), np.eye(8)[:, :2])
    write_table(data, tmp_path / "a.parquet")
    assert_equal(read_table(tmp_path / "a.parquet"), data)


def test_equal_data_give_equal_bytes(tmp_path: Path) -> None:
    data = Dataset([[1.0], [2.0]], [[1], [0]])
    for suffix in SUFFIXES:
        for name in ("a", "b"):
            write_table(data, tmp_path / f"{name}{suffix}")
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Dataset([[1.0]], [[1]], ["label:x"]), "must not be empty or begin with 'label:'"),
        (Dataset([[1.0]], [[1]], [""]), "must not be empty"),
        (Dataset(np.empty((2, 0)), np.empty((2, 0))), "at least one column"),
        (Dataset(sp.csr_array((10**6, 10**5)), sp.csr_array((10**6, 1))), "at most 500,000,000"),
    ],
)
def test_what_no_table_can_hold_is_refused(tmp_path: Path, data: Dataset, message: str) -> None:
    with pytest.raises(DataError, match=message):
        write_table(data, tmp_path / "a.csv")
    with pytest.raises(DataError, match=message):
        to_frame(data)
    assert not list(tmp_path.iterdir())


def test_other_suffixes_are_written_and_read_as_csv(tmp_path: Path) -> None:
    write_table(Dataset([[1.5]], [[1]]), tmp_path / "a.data")
    assert (tmp_path / "a.data").read_text() == "x0,label:label0\n1.5,1\n"
    assert read_table(tmp_path / "a.data").X.tolist() == [[1.5]]


@pytest.mark.real_data
@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".parquet"])
def test_real_sets_survive(real_data: Path, tmp_path: Path, suffix: str) -> None:
    from dlst.data.arff import read_mulan

    data = read_mulan(real_data / "yeast" / "yeast-test.arff")
    write_table(data, tmp_path / f"yeast{suffix}")
    assert_equal(read_table(tmp_path / f"yeast{suffix}"), data)


def test_free_text_never_becomes_one_hot() -> None:
    texts = [f"the printer of room {row} is broken" for row in range(39)]
    frame = pd.DataFrame({"text": [*texts, texts[0]], "k": [0, 1] * 20})
    with pytest.raises(DataError, match=r"'text': expected texts that repeat, got 39 .*Tagger"):
        from_frame(frame, "k")
    assert from_frame(frame, "k", nominal=["text"]).n_features == 39
