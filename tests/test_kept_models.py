"""Models that were saved once load and answer the same for ever, or say which release reads them.

``tests/models/make.py`` made them; a folder for each format of model files.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils.fixes import parse_version

from dlst.errors import ModelFileError
from dlst.methods import available
from dlst.persistence import _OLDEST, FORMAT, describe_model, load_model

MODELS = Path(__file__).parent / "models"
sys.path.insert(0, str(MODELS))
import make as kept  # noqa: E402

FOLDERS = {int(folder.name.removeprefix("format-")): folder for folder in MODELS.glob("format-*")}
FILES = [
    pytest.param(file, id=f"{number}-{file.stem}")
    for number, folder in sorted(FOLDERS.items())
    if number >= _OLDEST
    for file in sorted(folder.glob("*.skops"))
]
OLDER = [
    file for number, folder in FOLDERS.items() if number < _OLDEST for file in folder.iterdir()
]

# Kernels of BLAS add in different orders; nothing else may differ.
CLOSE = 1e-12
SINGLE = {"dlst-linear": 1e-6, "dlst-linear-on-counts": 1e-6}
"""Votes that are weighed in single precision round there."""


def is_newer(file):
    """Tell whether a file was saved with newer libraries than are here: they cannot know it."""
    saved = describe_model(file)["versions"]
    return any(
        parse_version(version(name)) < parse_version(saved[name])
        for name in ("scikit-learn", "skops")
    )


# scikit-learn says of each part of its own that another release of it made it.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("file", FILES)
def test_a_kept_model_loads_and_answers_as_it_did(file):
    if is_newer(file):
        pytest.skip("saved with newer libraries than are here")
    model = load_model(file)
    with np.load(file.with_suffix(".npz")) as expected:
        found = kept.answers(model, kept.KEPT[file.stem][1]()[2])
        assert set(found) == set(expected.files)
        np.testing.assert_array_equal(found.pop("decided"), expected["decided"])
        for name, values in found.items():
            close = SINGLE.get(file.stem, CLOSE)
            np.testing.assert_allclose(values, expected[name], close, close, err_msg=name)


def test_every_method_is_kept_in_the_present_format():
    assert set(available()) <= set(kept.KEPT)
    assert {file.stem for file in FOLDERS[FORMAT].glob("*.skops")} == set(kept.KEPT)


@pytest.mark.parametrize("file", OLDER, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_format_that_is_no_longer_read_says_which_release_reads_it(file):
    for read in (load_model, describe_model):
        with pytest.raises(
            ModelFileError, match=r"saved in format 1, this is dlst .* Read it with dlst 0\.1\.0"
        ) as caught:
            read(file)
        assert "\n" not in str(caught.value)
    assert len(OLDER) == 1
