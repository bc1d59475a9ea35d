"""Models in files: no pickle, all or nothing, and nothing is run that is not ours.

A model file is a skops archive (a zip of arrays and a description) with one more member,
``dlst.json``, that says what it is and holds the sha256 of every other member.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import numpy as np
import skops.io
from sklearn.base import BaseEstimator

from dlst import __version__
from dlst._files import PathLike, atomic_write
from dlst.data import Dataset
from dlst.errors import DataError, ModelFileError

FORMAT = 2
"""Raised whenever a class changes so that files saved before could not be built or would answer
otherwise; ``tests/models`` keeps files of every method that notice."""

_OLDEST = 2
"""The first format that this release still reads."""

ADDED = frozenset({"n_jobs", "search"})
"""Parameters that files of this format may lack: their defaults are what was done before."""

_HEADER = "dlst.json"
_MAX_RATIO = 1000

# What our estimators hold besides what skops trusts by itself; containers of numbers, all of them.
_CONTAINERS = {
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csc.csc_array",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.neighbors._ball_tree.BallTree",
}
_OUR_PACKAGES = (
    "dlst.encoders",
    "dlst.regressors",
    "dlst.decoders",
    "dlst.decisions",
    "dlst.methods",
    "dlst.data",
    "dlst.inputs",
    "dlst.tagging",
)


def save_model(
    model: Any,
    path: PathLike,
    *,
    data: Dataset | None = None,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write a fitted model.

    Parameters
    ----------
    model : estimator
        Any of this package, also inside scikit-learn's pipelines.
    path : path-like
        ``.skops`` by custom. Written under a temporary name and renamed.
    data : Dataset, optional
        What it was fitted on; its name, size and file hashes are kept with the model.
    about : mapping, optional
        More to keep for :func:`describe_model`, in plain values, such as scores on test rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.methods import PLST
    >>> model = PLST().fit([[0.0], [1.0], [2.0], [3.0]], [[1, 0], [1, 1], [0, 1], [0, 0]])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.skops"
    >>> save_model(model, path)
    >>> type(load_model(path)).__name__
    'PLST'
    """
    if not hasattr(model, "get_params"):
        raise TypeError(f"model must be an estimator; got {type(model).__name__}.")
    if hasattr(model, "cluster_voters_"):
        raise DataError(
            "a model file must hold the rows that vote; got a model whose rows lie on a cluster. "
            "Fit it in memory to save it."
        )
    packed = io.BytesIO(skops.io.dumps(model, compression=zipfile.ZIP_DEFLATED))
    for name in skops.io.get_untrusted_types(data=packed.getvalue()):
        _check_importable(name)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        header = {**_describe(model, data), "about": dict(about or {})}
        header["sha256"] = {
            name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()
        }
        archive.writestr(_HEADER, json.dumps(header, indent=1))
    with atomic_write(path) as stream:
        stream.write(packed.getvalue())


def load_model(path: PathLike, *, trusted: Iterable[str] = ()) -> Any:
    """Read a model that :func:`save_model` wrote; nothing but our own classes is built.

    Parameters
    ----------
    path : path-like
        The file.
    trusted : iterable of str
        Names of further classes to build, for models with parts of yours, such as
        ``"mypackage.MyRegressor"``. Building them runs their code: name what you know.

    Returns
    -------
    estimator

    Raises
    ------
    ModelFileError
        When the file is cut, foreign, changed, from a newer release, or from one too old.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from dlst.methods import PLST
    >>> model = PLST().fit([[0.0], [1.0], [2.0], [3.0]], [[1, 0], [1, 1], [0, 1], [0, 0]])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.skops"
    >>> save_model(model, path)
    >>> bool((load_model(path).predict_proba([[1.5]]) == model.predict_proba([[1.5]])).all())
    True
    """
    content, header = _checked(path)
    allowed = {*_our_types(), *_CONTAINERS, *trusted}
    try:
        unknown = sorted(set(skops.io.get_untrusted_types(data=content)) - allowed)
        if unknown:
            raise ModelFileError(
                f"{os.fspath(path)}: expected parts of dlst, and those of scikit-learn that are "
                f"known to run no code of the file; got {', '.join(unknown)}. If you trust who "
                f"made it, pass trusted={unknown}."
            )
        model = skops.io.loads(content, trusted=sorted(allowed))
    except ModelFileError:
        raise
    except Exception as error:
        # skops meets any error there is when a description does not fit its arrays.
        reason = " ".join(str(error).split())
        raise ModelFileError(
            f"{os.fspath(path)}: expected a model, got a description that cannot be built "
            f"({type(error).__name__}: {reason}). {_remedy(header)}"
        ) from error
    lacking = _lacking(model)
    if lacking:
        raise ModelFileError(
            f"{os.fspath(path)}: expected a model of this release, got one without {lacking}. "
            f"{_remedy(header)}"
        )
    return model


def _lacking(model: Any) -> str | None:
    """Name a parameter or field of our classes that some part of a model does not have."""
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str | int | float | np.ndarray) or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, dict | list | tuple):
            waiting.extend(part.values() if isinstance(part, dict) else part)
        elif type(part).__module__.startswith(("dlst.", "sklearn.")):
            waiting.extend(getattr(part, "__dict__", {}).values())
        if not type(part).__module__.startswith("dlst."):
            continue
        lacking: set[str] = set()
        if isinstance(part, BaseEstimator):
            # The class has the defaults, so what the model itself has is looked at.
            lacking = {*part._get_param_names()} - vars(part).keys() - ADDED
        elif is_dataclass(part):
            lacking = {each.name for each in fields(part) if not hasattr(part, each.name)}
        if lacking:
            return f"{type(part).__name__}.{min(lacking)}"
    return None


def _remedy(header: Mapping[str, Any]) -> str:
    """Say which release reads a file that this one does not."""
    used = header.get("versions")
    learn = _release(used.get("scikit-learn") if isinstance(used, dict) else None)
    return (
        f"Read it with dlst {_release(header.get('dlst'))} and scikit-learn {learn}, which saved "
        "it, or fit and save the model again."
    )


def _release(said: Any) -> str:
    """Return a version as a header gives it, unless it is none: headers may be forged."""
    is_plain = isinstance(said, str) and re.fullmatch(r"[\w.+-]{1,40}", said)
    return str(said) if is_plain else "of an unknown version"


def _check_importable(name: str) -> None:
    """Refuse to save what nobody could load: lambdas and what is defined inside a function."""
    module, _, attribute = name.rpartition(".")
    if not hasattr(sys.modules.get(module), attribute):
        raise TypeError(
            f"every part of a model must be importable by its name; got {name}, which could not "
            "be loaded again. Define it at the top level of a module."
        )


def describe_model(path: PathLike) -> Mapping[str, Any]:
    """Say what a model file holds, without building it."""
    return _checked(path)[1]


def _checked(path: PathLike) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes and the header of a whole, unchanged model file."""
    name = os.fspath(path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ModelFileError(f"{name}: cannot be read: {error.strerror}.") from error
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > _MAX_RATIO * len(content) + 2**20:
                raise ModelFileError(f"{name}: unpacks to absurd sizes; it is not read.")
            if _HEADER not in archive.namelist():
                raise ModelFileError(
                    f"{name}: expected a model saved by dlst, got another archive. "
                    "Models of other programs are read by them."
                )
            header: Any = json.loads(archive.read(_HEADER))
            found = {
                member.filename: hashlib.sha256(archive.read(member)).hexdigest()
                for member in members
                if member.filename != _HEADER
            }
    except (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, OSError) as error:
        raise ModelFileError(
            f"{name}: expected a whole model file, got a cut or foreign one ({error}). "
            "Copy it again, or fit and save the model again."
        ) from error
    except ModelFileError:
        raise
    except (ValueError, NotImplementedError, RuntimeError) as error:
        # What zipfile raises for packing it does not know and for encrypted members.
        raise ModelFileError(f"{name}: expected a model file, got {error}.") from error
    found_format = header.get("format") if isinstance(header, dict) else None
    if type(found_format) is not int or found_format < 1:
        raise ModelFileError(
            f"{name}: expected a model saved by dlst, got a {_HEADER} without a format number "
            "from 1. Fit and save the model again."
        )
    if found_format > FORMAT:
        raise ModelFileError(
            f"{name}: was saved by dlst {_release(header.get('dlst'))}, this is "
            f"{__version__}. Upgrade dlst to read it."
        )
    if found_format < _OLDEST:
        raise ModelFileError(
            f"{name}: was saved in format {found_format}, this is dlst {__version__}, which reads "
            f"formats from {_OLDEST}. {_remedy(header)}"
        )
    if header.get("sha256") != found:
        raise ModelFileError(
            f"{name}: its parts do not have the hashes that were saved: it was changed or damaged. "
            "Copy it again, or fit and save the model again."
        )
    return content, header


def _describe(model: Any, data: Dataset | None) -> dict[str, Any]:
    about: dict[str, Any] = {
        "format": FORMAT,
        "dlst": __version__,
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "model": type(model).__name__,
        "parameters": {name: repr(value) for name, value in model.get_params(deep=False).items()},
        "versions": {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "skops")},
    }
    if data is not None:
        about["data"] = {
            "name": data.name,
            "n_samples": data.n_samples,
            "n_features": data.n_features,
            "n_labels": data.n_labels,
            "source": data.provenance.source,
            "files": dict(data.provenance.files),
        }
    return about


def _our_types() -> set[str]:
    """Name the classes that the modules of the estimators define."""
    names: set[str] = set()
    for package_name in _OUR_PACKAGES:
        package = import_module(package_name)
        inside = walk_packages(package.__path__, f"{package_name}.")
        for module in (package, *(import_module(found.name) for found in inside)):
            names |= {
                f"{member.__module__}.{member.__qualname__}"
                for _, member in inspect.getmembers(module, inspect.isclass)
                if member.__module__.startswith("dlst.")
            }
    return names | {f"numpy.{kind}" for kind in map(str, np.sctypeDict)}
