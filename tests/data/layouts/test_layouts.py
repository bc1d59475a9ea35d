"""Which layout a folder has."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.io

from dlst.data.layouts import (
    detect_layout,
    read_layout,
)
from dlst.errors import ReadError


def test_a_folder_of_no_known_layout_is_refused(tmp_path):
    assert detect_layout(tmp_path) is None
    assert detect_layout(tmp_path / "absent") is None
    with pytest.raises(ReadError, match="expected the folder of Pascal VOC 2007"):
        read_layout(tmp_path)
    with pytest.raises(ValueError, match="layout must be one of voc, nus-wide, sun; got 'coco'"):
        read_layout(tmp_path, "coco")
    for layout in ("voc", "nus-wide", "sun"):
        with pytest.raises(ReadError, match="got n"):
            read_layout(tmp_path, layout)


def test_read_layout_passes_options_on(tmp_path):
    scipy.io.savemat(
        tmp_path / "attributeLabels_continuous.mat", {"labels_cv": [[1 / 3, 2 / 3, 1]]}
    )
    scipy.io.savemat(
        tmp_path / "attributes.mat", {"attributes": np.array([["a"], ["b"], ["c"]], object)}
    )
    assert read_layout(tmp_path).Y.toarray().tolist() == [[1, 1, 1]]
    assert read_layout(tmp_path, votes="majority").Y.toarray().tolist() == [[0, 1, 1]]
