"""NUS-WIDE, on small files made here and on the real labels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from damaged_text import mutated, mutations, outcome
from hypothesis import given, settings

from dlst.data.layouts import (
    detect_layout,
    read_nuswide,
)
from dlst.data.text import number_lines
from dlst.errors import ReadError

NUS = np.array([[1, 0, 0], [0, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]])
CONCEPTS = ["clouds", "sea", "sky"]


def write_nus(folder, name="Labels_{}.txt", rows=slice(None)):
    folder.mkdir(parents=True, exist_ok=True)
    for concept, column in zip(CONCEPTS, NUS[rows].T, strict=True):
        text = "".join(f"{value}\n" for value in column)
        (folder / name.format(concept)).write_text(text)


def write_image_lists(folder):
    folder.mkdir(parents=True)
    images = [f"group\\{row:04d}.jpg" for row in range(5)]
    for name, rows in {"Image": range(5), "TrainImage": (4, 1, 0), "TestImage": (2, 3)}.items():
        text = "".join(images[row] + "\r\n" for row in rows)
        (folder / f"{name}list.txt").write_text(text, newline="")


@pytest.mark.parametrize("below", ["Groundtruth/AllLabels", "AllLabels", "AllLabels81"])
def test_nuswide_reads_one_file_per_concept(tmp_path, below):
    write_nus(tmp_path / below)
    data = read_nuswide(tmp_path)
    np.testing.assert_array_equal(data.Y.toarray(), NUS)
    assert list(data.label_names) == CONCEPTS
    assert data.X.shape == (5, 0)
    assert data.split is None
    assert data.provenance.notes == (
        f"labels from 3 files in {below.split('/')[-1]}",
        "ImageList not found: no official split",
    )
    assert detect_layout(tmp_path) == "nus-wide"


def test_nuswide_takes_the_split_from_the_image_lists(tmp_path):
    write_nus(tmp_path / "Groundtruth/AllLabels")
    write_image_lists(tmp_path / "ImageList")
    split = read_nuswide(tmp_path).split
    assert split.train.tolist() == [4, 1, 0]
    assert split.test.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("TrainImagelist.txt", "group\\0000.jpg\nelse\\0.jpg\n", 2, "got 'else"),
        ("Imagelist.txt", "a.jpg\na.jpg\n", 2, "got 'a.jpg' twice"),
        ("Imagelist.txt", "a.jpg\nb.jpg\n", None, "expected 5 images as in the labels, got 2"),
        ("TestImagelist.txt", "\udcff", 1, "expected UTF-8 text"),
    ],
)
def test_nuswide_refuses_image_lists_that_do_not_fit(tmp_path, name, text, line, message):
    write_nus(tmp_path / "Groundtruth/AllLabels")
    write_image_lists(tmp_path / "ImageList")
    (tmp_path / "ImageList" / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ReadError, match=message) as caught:
        read_nuswide(tmp_path)
    assert caught.value.line == line
    assert caught.value.path.endswith(name)


def test_nuswide_reads_the_sides_of_the_official_split(tmp_path):
    sides = tmp_path / "Groundtruth/TrainTestLabels"
    write_nus(sides, "Labels_{}_Train.txt", slice(0, 3))
    write_nus(sides, "Labels_{}_Test.txt", slice(3, 5))
    counts = np.arange(10).reshape(5, 2)
    features = tmp_path / "Low_Level_Features"
    features.mkdir()
    np.savetxt(features / "BoW_Train_int.dat", counts[:3], fmt="%d")
    np.savetxt(features / "BoW_Test_int.dat", counts[3:], fmt="%d")
    data = read_nuswide(tmp_path)
    np.testing.assert_array_equal(data.Y.toarray(), NUS)
    np.testing.assert_array_equal(data.X, counts)
    assert list(data.label_names) == CONCEPTS
    assert data.split.train.tolist() == [0, 1, 2]
    np.savetxt(features / "BoW_Test_int.dat", counts[3:, :1], fmt="%d")
    with pytest.raises(ReadError, match=r"expected 2 features as in BoW_Train_int\.dat, got 1"):
        read_nuswide(tmp_path)
    sparse = np.zeros((3, 9), int)
    sparse[0, 0] = 1
    np.savetxt(features / "BoW_Train_int.dat", sparse, fmt="%d")
    np.savetxt(features / "BoW_Test_int.dat", sparse[:2], fmt="%d")
    X = read_nuswide(tmp_path).X
    assert sp.issparse(X)
    assert X.shape == (5, 9)
    (features / "BoW_Test_int.dat").unlink()
    assert read_nuswide(tmp_path).X.shape == (5, 0)


def test_nuswide_histograms_stay_sparse(tmp_path):
    write_nus(tmp_path / "AllLabels")
    counts = np.zeros((5, 500), int)
    counts[[0, 2, 4], [3, 499, 0]] = [7, 1, 12]
    text = "".join(" ".join(map(str, row)) + " \n" for row in counts)
    (tmp_path / "BoW_int.dat").write_text(text)
    X = read_nuswide(tmp_path).X
    assert sp.issparse(X)
    assert X.nnz == 3
    np.testing.assert_array_equal(X.toarray(), counts)


def test_nuswide_tables_of_many_blocks_are_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(
        number_lines,
        "text_blocks",
        lambda path, blocks=number_lines.text_blocks: blocks(path, block_bytes=7),
    )
    write_nus(tmp_path / "AllLabels")
    dense = np.arange(1.0, 16.0).reshape(5, 3)
    np.savetxt(tmp_path / "BoW_int.dat", dense, fmt="%d")
    data = read_nuswide(tmp_path)
    np.testing.assert_array_equal(data.Y.toarray(), NUS)
    np.testing.assert_array_equal(data.X, dense)
    (tmp_path / "AllLabels" / "Labels_sky.txt").write_text("0\n0\n\n0\n0\nmany\n")
    with pytest.raises(ReadError, match=r"Labels_sky\.txt:6: expected a number, got 'many'"):
        read_nuswide(tmp_path)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("0\n1\n2\n0\n0\n", 3, "expected 0 or 1, got 2"),
        ("0\n1\n", None, r"expected 5 lines as in Labels_clouds.txt, got 2. Is it whole\?"),
        ("0\n1 1\n0\n0\n0\n", 2, "expected 1 number on each line, got 2"),
    ],
)
def test_nuswide_names_file_and_line_of_a_wrong_concept_file(tmp_path, text, line, message):
    write_nus(tmp_path / "AllLabels")
    (tmp_path / "AllLabels" / "Labels_sea.txt").write_text(text)
    with pytest.raises(ReadError, match=message) as caught:
        read_nuswide(tmp_path)
    assert caught.value.line == line
    assert caught.value.path.endswith("Labels_sea.txt")


def write_lists(folder, lists, names="0\tsea\n1\tsky\n2\told town\n"):
    (folder / "mul_label_ids.txt").write_text(lists)
    (folder / "label_ids.txt").write_text(names)


def test_nuswide_lists_name_the_labels_of_some_images(tmp_path):
    write_lists(tmp_path, "3\t2\n0\t1 0\n1\n3\t2\n")
    data = read_nuswide(tmp_path, n_images=5)
    expected = [[1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]]
    np.testing.assert_array_equal(data.Y.toarray(), expected)
    assert list(data.label_names) == ["sea", "sky", "old town"]
    assert data.provenance.notes[0] == "labels from mul_label_ids.txt"


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ("0\t1\n5\t0\n", "expected an image index from 0 to 4, got 5"),
        ("0\t1\n1\t3\n", "expected a label number from 0 to 2, got 3"),
        ("0\t1\n1\t0.5\n", "expected a label number from 0 to 2, got 0.5"),
        ("0\t1\n-1\t0\n", "expected an image index from 0 to 4, got -1"),
        ("0\t1\n1\tnan\n", "expected a label number from 0 to 2, got nan"),
        ("0\t1\n1\t1e400\n", "expected a label number from 0 to 2, got inf"),
    ],
)
def test_nuswide_lists_are_checked_line_by_line(tmp_path, lists, message):
    write_lists(tmp_path, lists)
    with pytest.raises(ReadError, match=message) as caught:
        read_nuswide(tmp_path, n_images=5)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("0\tsea\n2\tsky\n", "label_ids.txt:2: expected '1' and a name, got '2"),
        ("0\n", "label_ids.txt:1: expected '0' and a name, got '0'"),
        ("0\tsea\n1\tsea\n", "label_ids.txt:2: expected distinct names, got 'sea' twice"),
        ("", "label_ids.txt: expected lines of a number and a name, got none"),
    ],
)
def test_nuswide_label_names_are_distinct_and_numbered_without_gaps(tmp_path, names, message):
    write_lists(tmp_path, "0\t0\n", names)
    with pytest.raises(ReadError, match=message):
        read_nuswide(tmp_path)


@pytest.fixture(scope="module")
def damaged_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    write_lists(folder, "", "".join(f"{number}\tname {number}\n" for number in range(81)))
    return folder


@settings(max_examples=80, deadline=None)
@given(mutations)
def test_a_damaged_label_list_gives_data_or_an_error_that_names_its_line(damaged_folder, mutation):
    path = damaged_folder / "mul_label_ids.txt"
    path.write_bytes(mutated(b"0\t49\n1\t49 12\n17\t3 4 5\n100\t80\n", mutation))
    message = outcome(read_nuswide, damaged_folder)
    assert not message or "mul_label_ids.txt:" in message


@pytest.mark.real_data
def test_real_nuswide_lists_equal_a_plain_loop(real_data):
    path = real_data / "nus-wide" / "mul_label_ids.txt"
    if not path.is_file():
        pytest.skip(f"no NUS-WIDE labels in {path.parent}")
    Y = read_nuswide(path.parent).Y
    with path.open() as lines:
        for _, line in zip(range(2_000), lines, strict=False):
            image, *labels = (int(word) for word in line.split())
            assert Y.indices[Y.indptr[image] : Y.indptr[image + 1]].tolist() == sorted(set(labels))
