"""SUN attribute database: ``attributeLabels_continuous.mat`` and ``attributes.mat``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from dlst._files import PathLike
from dlst._matrices import FeatureMatrix
from dlst.data.dataset import Dataset
from dlst.data.layouts._common import first_existing, provenance_of
from dlst.data.layouts.features import SUFFIXES, read_features
from dlst.errors import ReadError

Votes = Literal["any", "majority"]

LABELS_FILE = "attributeLabels_continuous.mat"

# Three people voted, so votes are thirds; halfway between two of them no rounding matters.
_THRESHOLDS = {"any": 1 / 6, "majority": 1 / 2}


def read_sunattribute(
    folder: PathLike,
    *,
    votes: Votes = "any",
    features: PathLike | None = None,
) -> Dataset:
    """Read the attribute labels of the SUN attribute database, with features when there are some.

    Parameters
    ----------
    folder : path-like
        ``SUNAttributeDB`` or the folder that holds it.
    votes : {"any", "majority"}
        An attribute is present when at least one of three people saw it (``"any"``, the paper's
        cardinality of 15.526) or at least two.
    features : path-like, optional
        File of shape (n, d) in the order of the images, such as GIST with d = 512
        (see :func:`dlst.data.layouts.features.read_features`). Default: ``gist`` or ``features``
        with ``.npy``, ``.mat``, ``.csv``, ``.tsv``, ``.txt`` or ``.dat`` in the folder, if any.

    Returns
    -------
    Dataset
        Rows in the order of ``images.mat``; there is no official split.

    References
    ----------
    Patterson, Hays (2012). SUN attribute database: discovering, annotating, and recognizing scene
    attributes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scipy.io import savemat
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> savemat(folder / "attributeLabels_continuous.mat", {"labels_cv": np.array([[1 / 3, 0.0]])})
    >>> names = np.array([["sailing"], ["driving"]], dtype=object)
    >>> savemat(folder / "attributes.mat", {"attributes": names})
    >>> read_sunattribute(folder).Y.toarray().tolist()
    [[1.0, 0.0]]
    """
    if votes not in _THRESHOLDS:
        raise ValueError(f"votes must be one of {', '.join(_THRESHOLDS)}; got {votes!r}.")
    folder = Path(folder)
    home = find_sunattribute(folder)
    if home is None:
        raise ReadError(folder, f"expected a folder with {LABELS_FILE}, got none.")
    shares = _variable(home / LABELS_FILE, "labels_cv")
    if sp.issparse(shares):
        shares = shares.toarray()
    if shares.ndim != 2 or shares.dtype.kind not in "fiub":
        raise ReadError(home / LABELS_FILE, f"expected a matrix labels_cv, got {shares.dtype}.")
    if not np.all((shares >= 0) & (shares <= 1)):
        raise ReadError(home / LABELS_FILE, "expected shares of votes from 0 to 1, got others.")
    n, K = shares.shape
    names = _cell_strings(home / "attributes.mat", "attributes", K)
    if len(set(names)) < K:
        raise ReadError(home / "attributes.mat", "expected distinct attributes, got one twice.")
    files = [home / LABELS_FILE, home / "attributes.mat"]
    notes = [f"an attribute is present by votes={votes!r}"]
    if (home / "images.mat").exists():
        _cell_strings(home / "images.mat", "images", n)
        files.append(home / "images.mat")
    X: FeatureMatrix = np.empty((n, 0))
    found = Path(features) if features is not None else _find_features(folder, home)
    if found is not None:
        X = read_features(found, n)
        files.append(found)
        notes.append(f"features from {found.name}")
    return Dataset(
        X,
        sp.csr_array(shares > _THRESHOLDS[votes]),
        label_names=names,
        name="sunattribute",
        provenance=provenance_of(folder, files, *notes),
    )


def find_sunattribute(folder: Path) -> Path | None:
    """Return the folder of the label file, if this is a SUN attribute folder."""
    found = first_existing(folder, (LABELS_FILE, f"SUNAttributeDB/{LABELS_FILE}"))
    return None if found is None else found.parent


def _variable(path: Path, name: str) -> Any:
    from dlst.data.mat import load_variables

    variables = load_variables(path)
    if name not in variables:
        raise ReadError(
            path, f"expected the variable {name}, got {', '.join(variables) or 'no variables'}."
        )
    return variables[name]


def _cell_strings(path: Path, name: str, count: int) -> list[str]:
    """Read a cell array of ``count`` strings."""
    cells = np.ravel(_variable(path, name))
    strings = [str(np.ravel(cell)[0]).strip() if np.size(cell) else "" for cell in cells]
    if len(strings) != count:
        raise ReadError(path, f"expected {count} strings in {name}, got {len(strings)}.")
    return strings


def _find_features(folder: Path, home: Path) -> Path | None:
    names = [f"{stem}{suffix}" for stem in ("gist", "features") for suffix in SUFFIXES]
    return first_existing(folder, names) or first_existing(home, names)
