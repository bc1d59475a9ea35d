"""DATA as people say it: files, folders, names, frames; and formats that chain without loss."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from dlst._matrices import as_dense
from dlst.data import FORMATS, Dataset, Split, files_to_write, load, save
from dlst.data.formats import format_of, without_suffix
from dlst.errors import DataError, UnknownNameError


def toy(split: bool = False) -> Dataset:
    return Dataset(
        [[0.1, 0.0], [2.0, -3.5], [0.0, 0.0], [1e-9, 7.0]],
        [[1, 0], [0, 1], [0, 0], [1, 1]],
        ["height", "width"],
        ["old", "tall"],
        name="toy",
        split=Split([0, 1], [2, 3]) if split else None,
    )


def assert_same_arrays(ours: Dataset, theirs: Dataset) -> None:
    np.testing.assert_array_equal(as_dense(ours.X), as_dense(theirs.X))
    np.testing.assert_array_equal(ours.Y.toarray(), theirs.Y.toarray())


@pytest.mark.parametrize("suffix", [suffix for row in FORMATS for suffix in row.suffixes])
def test_every_suffix_writes_and_reads_back(tmp_path, suffix):
    (file,) = save(toy(), tmp_path / f"toy{suffix}")
    again = load(file)
    assert_same_arrays(again, toy())
    assert again.name == "toy"
    assert list(again.provenance.files) == [file.name]
    if not format_of(file).loses:
        assert list(again.label_names) == ["old", "tall"]
        assert list(again.feature_names) == ["height", "width"]


@pytest.mark.parametrize(
    "suffix", [".arff", ".csv", ".xc", ".svm", ".parquet", ".jsonl", ".json.gz", ".arff.gz"]
)
def test_a_split_becomes_a_pair_that_the_folder_gives_back(tmp_path, suffix):
    written = save(toy(split=True), tmp_path / f"toy{suffix}")
    assert [file.name for file in written] == [f"toy-train{suffix}", f"toy-test{suffix}"]
    for again in (load(tmp_path), load(written[0], test=written[1])):
        assert_same_arrays(again, toy())
        assert again.split.train.tolist() == [0, 1]
        assert again.name == "toy"
        assert len(again.provenance.files) == 2


@pytest.mark.parametrize("suffix", [".arff", ".xc", ".svm", ".csv", ".jsonl", ".json"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_text_with_a_byte_order_mark_is_read_in_every_format(tmp_path, suffix, encoding):
    (file,) = save(toy(), tmp_path / f"toy{suffix}")
    file.write_text(file.read_text(encoding="utf-8"), encoding=encoding)
    assert_same_arrays(load(file), toy())


def test_a_folder_with_one_file_is_that_file(tmp_path):
    save(toy(), tmp_path / "toy.csv")
    assert_same_arrays(load(tmp_path), toy())


def test_a_json_file_beside_data_describes_them(tmp_path):
    save(toy(), tmp_path / "toy.csv")
    (tmp_path / "about.json").write_text('{"licence": "CC0"}')
    assert_same_arrays(load(tmp_path), toy())
    (tmp_path / "toy.csv").unlink()
    save(toy(), tmp_path / "about.json")
    assert_same_arrays(load(tmp_path), toy())


def test_a_folder_of_many_strangers_is_refused(tmp_path):
    for name in ("a.csv", "b.csv"):
        save(toy(), tmp_path / name)
    with pytest.raises(DataError, match=r"expected one data file.*got a\.csv, b\.csv"):
        load(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="got no file in a known format"):
        load(tmp_path / "empty")


def test_a_dataset_and_a_frame_pass(tmp_path):
    data = toy()
    assert load(data) is data
    frame = pd.DataFrame({"x": [1.0, 2.0], "a": [0, 1]})
    assert load(frame, labels=["a"]).label_names == ("a",)


def test_the_embedded_set_has_a_name():
    assert load("multidigits").n_samples == 2000


def test_an_unknown_name_says_what_was_tried():
    with pytest.raises(UnknownNameError, match=r"yeest: expected a file, .* nearest names.* yeast"):
        load("yeest")


def test_a_name_that_is_there_but_is_no_file_is_not_offered_again(tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(
        UnknownNameError, match=r"link\.csv: .*got a link that leads nowhere\. Mend"
    ):
        load(tmp_path / "link.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(UnknownNameError, match=r"pipe\.csv: .*got a pipe or a device\. Write what"):
        load(tmp_path / "pipe.csv")


@pytest.mark.parametrize("name", ["csv", "jsonl", "parquet"])
def test_a_table_is_of_the_format_that_is_said(tmp_path, name):
    for file in ("toy.data", "toy.txt"):
        save(toy(), tmp_path / file, format=name)
        assert_same_arrays(load(tmp_path / file, format=name), toy())
        raw = load(tmp_path / file, format=name, raw=True)
        assert raw.table.frame["height"].tolist() == [0.1, 2.0, 0.0, 1e-9]


def test_a_format_can_be_said_where_the_suffix_does_not_tell(tmp_path):
    save(toy(), tmp_path / "toy.data", format="csv")
    with pytest.raises(DataError, match=r"toy\.data: expected a name that ends in one of \.arff"):
        load(tmp_path / "toy.data")
    assert_same_arrays(load(tmp_path / "toy.data", format="CSV"), toy())
    with pytest.raises(ValueError, match="format must be one of arff, xc, libsvm, csv"):
        load(tmp_path / "toy.data", format="word")


def test_an_option_of_another_format_is_refused(tmp_path):
    save(toy(), tmp_path / "toy.xc")
    with pytest.raises(ValueError, match="the xc reader takes n_features, n_labels; got nominal"):
        load(tmp_path / "toy.xc", nominal="one-hot")


def test_saving_into_no_folder_is_refused(tmp_path):
    with pytest.raises(DataError, match="Make it first"):
        save(toy(), tmp_path / "no" / "toy.csv")


def test_files_to_write_tells_before_writing(tmp_path):
    assert files_to_write(toy(), tmp_path / "t.csv") == [tmp_path / "t.csv"]
    names = [file.name for file in files_to_write(toy(split=True), tmp_path / "t.csv.gz")]
    assert names == ["t-train.csv.gz", "t-test.csv.gz"]


def test_suffixes_belong_to_one_format():
    suffixes = [suffix for row in FORMATS for suffix in row.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert without_suffix("a.b.CSV.gz") == ("a.b", ".CSV.gz")
    assert without_suffix("strange.dat") == ("strange", ".dat")
    assert format_of("data", "ARFF").name == "arff"


def test_counts_of_labels_mean_the_same_in_every_format(tmp_path):
    frame = pd.DataFrame({"p": [0, 1], "q": [1, 0], "r": [1, 1]})
    frame.to_csv(tmp_path / "f.csv", index=False)
    save(Dataset(frame.to_numpy(), np.zeros((2, 0)), list("pqr")), tmp_path / "f.arff")
    (tmp_path / "f.xml").unlink()
    for file in ("f.csv", "f.arff"):
        assert list(load(tmp_path / file, labels=1).label_names) == ["p"], file
        assert list(load(tmp_path / file, labels=-2).label_names) == ["q", "r"], file


def test_yeast_goes_round_all_formats_unchanged(real_data, tmp_path):
    first = load("yeast")
    here = shutil.copytree(real_data / "yeast", tmp_path / "0")
    for step, suffix in enumerate(
        [".csv", ".xc", ".svm", ".mat", ".parquet", ".jsonl", ".arff"], start=1
    ):
        folder = tmp_path / str(step)
        folder.mkdir()
        save(load(here), folder / f"yeast{suffix}")
        here = folder
    last = load(here)
    assert_same_arrays(last, first)
    np.testing.assert_array_equal(last.split.train, first.split.train)


def test_sparse_stays_sparse_through_the_text_formats(real_data, tmp_path):
    first = load(real_data / "medical")
    save(first, tmp_path / "m.xc")
    again = load(tmp_path)
    assert sp.issparse(again.X)
    assert (again.X != first.X).nnz == 0
    assert (again.Y != first.Y).nnz == 0


def test_options_that_a_reader_does_not_know_are_refused_whatever_is_read(tmp_path):
    (tmp_path / "label_ids.txt").write_text("0\tsky\n")
    (tmp_path / "mul_label_ids.txt").write_text("0\t0\n")
    said = {
        "multidigits": "the multidigits reader takes no options; got labels",
        "yeast": "the yeast reader takes nominal; got labels",
        str(tmp_path): "the nus-wide reader takes features, n_images.*; got labels",
    }
    for data, message in said.items():
        with pytest.raises(ValueError, match=message):
            load(data, labels=["a"], download=False)
