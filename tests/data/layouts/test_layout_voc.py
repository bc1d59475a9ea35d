"""Pascal VOC 2007, on small files made here and on the real labels."""

from __future__ import annotations

import numpy as np
import pytest
from damaged_text import mutated, mutations, outcome
from hypothesis import given, settings

from dlst._files import sha256
from dlst.data.layouts import (
    detect_layout,
    read_voc2007,
)
from dlst.data.layouts.voc import CLASSES
from dlst.errors import ReadError


def write_voc(main, end="\r\n", sides=("trainval", "test")):
    """Write images 1, 4 (trainval) and 2, 3 (test); return the marks in image order."""
    marks = np.full((4, 20), -1)
    marks[0, 2] = 1
    marks[1, 18] = 1
    marks[2, [4, 14]] = [0, 1]
    marks[3, 4] = 0
    main.mkdir(parents=True)
    for side in sides:
        for column, name in enumerate(CLASSES):
            images = (1, 4) if side == "trainval" else (3, 2)
            lines = [f"{image:06d} {marks[image - 1, column]:2d}{end}" for image in images]
            (main / f"{name}_{side}.txt").write_text("".join(lines), newline="")
    return marks


@pytest.mark.parametrize("below", ["", "ImageSets/Main", "VOCdevkit/VOC2007/ImageSets/Main"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_voc_reads_from_any_level_of_the_devkit_in_image_order(tmp_path, below, end):
    marks = write_voc(tmp_path / "voc" / below, end)
    data = read_voc2007(tmp_path / "voc")
    np.testing.assert_array_equal(data.Y.toarray(), marks >= 0)
    assert tuple(data.label_names) == CLASSES
    assert data.X.shape == (4, 0)
    assert data.split.train.tolist() == [0, 3]
    assert data.split.test.tolist() == [1, 2]
    assert detect_layout(tmp_path / "voc") == "voc"


@pytest.mark.parametrize(
    ("difficult", "value"), [("present", 1.0), ("absent", 0.0), ("ignore", np.nan)]
)
def test_voc_difficult_objects_count_as_told(tmp_path, difficult, value):
    marks = write_voc(tmp_path / "voc")
    Y = read_voc2007(tmp_path / "voc", difficult=difficult).Y.toarray()
    np.testing.assert_array_equal(Y[marks == 0], [value, value])
    np.testing.assert_array_equal(Y[marks != 0], marks[marks != 0] == 1)


def test_voc_refuses_an_unknown_rule_for_difficult_objects(tmp_path):
    with pytest.raises(ValueError, match="difficult must be one of present, ignore, absent"):
        read_voc2007(tmp_path, difficult="maybe")


def test_voc_without_test_files_has_no_split(tmp_path):
    write_voc(tmp_path / "voc", sides=("trainval",))
    data = read_voc2007(tmp_path / "voc")
    assert data.n_samples == 2
    assert data.split is None
    assert "test files not found: trainval images only, no split" in data.provenance.notes


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("000001 -1\n000004 2\n", 2, "got 4 and 2"),
        ("000001 -1\n\n000004 x\n", 3, "expected a number, got 'x'"),
        ("000001 -1\n000004\n", 2, "expected 2 numbers on each line, got 1"),
        ("-1 -1\n000004 1\n", 1, "expected an image number"),
        ("000001 nan\n000004 1\n", 1, "got 1 and nan"),
        ("000001 -1\n000005 1\n", 2, "same 2 images in the same order"),
        ("000001 -1\n", None, "same 2 images"),
    ],
)
def test_voc_names_file_and_line_of_what_is_wrong(tmp_path, content, line, message):
    write_voc(tmp_path / "voc")
    (tmp_path / "voc" / "bird_trainval.txt").write_text(content)
    with pytest.raises(ReadError, match=message) as caught:
        read_voc2007(tmp_path / "voc")
    assert caught.value.line == line
    assert caught.value.path.endswith("bird_trainval.txt")


def test_voc_names_a_missing_class_file(tmp_path):
    write_voc(tmp_path / "voc")
    (tmp_path / "voc" / "sofa_test.txt").unlink()
    with pytest.raises(ReadError, match=r"sofa_test\.txt: cannot be opened"):
        read_voc2007(tmp_path / "voc")


def test_voc_refuses_an_image_in_both_sides(tmp_path):
    write_voc(tmp_path / "voc")
    for name in CLASSES:
        (tmp_path / "voc" / f"{name}_test.txt").write_text("000004 -1\n")
    with pytest.raises(ReadError, match="got 000004 twice"):
        read_voc2007(tmp_path / "voc")


def test_voc_finds_features_in_image_order(tmp_path):
    write_voc(tmp_path / "voc")
    X = np.arange(12.0).reshape(4, 3)
    np.save(tmp_path / "voc" / "features.npy", X.astype(np.float32))
    data = read_voc2007(tmp_path / "voc")
    np.testing.assert_array_equal(data.X, X)
    assert data.provenance.files["features.npy"] == sha256(tmp_path / "voc" / "features.npy")


def test_voc_features_keyed_by_id_may_come_in_any_order(tmp_path):
    write_voc(tmp_path / "voc")
    rows = ["id,a,b", "000003,5,6", "000001,1,2", "000009,0,0", "000002,3,4", "000004,7,8.5"]
    (tmp_path / "keyed.csv").write_text("\n".join(rows))
    data = read_voc2007(tmp_path / "voc", features=tmp_path / "keyed.csv")
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4], [5, 6], [7, 8.5]])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["000001,1", "000002,3", "000004,7"], "got none for image 000003 and 0 more"),
        (["000001,1", "000002,3", "000003,3", "000003,4", "000004,7"], "got image 000003 twice"),
    ],
)
def test_voc_keyed_features_must_name_each_image_once(tmp_path, rows, message):
    write_voc(tmp_path / "voc")
    (tmp_path / "keyed.csv").write_text("\n".join(["id,a", *rows]))
    with pytest.raises(ReadError, match=message):
        read_voc2007(tmp_path / "voc", features=tmp_path / "keyed.csv")


@pytest.fixture(scope="module")
def voc_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged") / "voc"
    write_voc(folder)
    return folder


@settings(max_examples=80, deadline=None)
@given(mutations)
def test_a_damaged_class_file_gives_data_or_an_error_that_names_it(voc_folder, mutation):
    path = voc_folder / "cow_test.txt"
    path.write_bytes(mutated(b"000003 -1\r\n000002 -1\r\n", mutation))
    message = outcome(read_voc2007, voc_folder)
    assert not message or "cow_test.txt" in message


@pytest.mark.real_data
def test_real_voc_labels_follow_the_devkit_s_own_counts(real_data):
    folder = real_data / "voc2007"
    if detect_layout(folder) is None:
        pytest.skip(f"no VOC 2007 labels in {folder}")
    present, ignore, absent = (
        read_voc2007(folder, difficult=rule) for rule in ("present", "ignore", "absent")
    )
    assert present.Y.sum() == 15_545
    assert ignore.statistics().n_unknown == present.Y.nnz - absent.Y.nnz == 1_226
    # The devkit's table: 238 trainval images of aeroplanes, 243 of bicycles, 330 of birds.
    assert absent.train.statistics().label_frequencies[:3].tolist() == [238, 243, 330]
