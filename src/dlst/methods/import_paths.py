"""Methods that the registry does not know, named by where they are: ``module:name``."""

from __future__ import annotations

import importlib
import os
import re
import sys
from typing import Any

from sklearn.base import BaseEstimator, clone

from dlst._nearest import did_you_mean
from dlst.errors import UnknownNameError
from dlst.methods.any_classifier import AnyClassifier
from dlst.methods.base import MultiLabelClassifier


def is_import_path(name: str) -> bool:
    """Tell whether a name says where a method is."""
    return ":" in name


def imported_method(path: str) -> MultiLabelClassifier:
    """Import a method, a classifier, its class, or a function without arguments that makes it.

    Modules of the working folder are found as well as those that are installed.

    Examples
    --------
    >>> imported_method("sklearn.neighbors:KNeighborsClassifier")
    AnyClassifier(estimator=KNeighborsClassifier())
    """
    found = _imported(path)
    if isinstance(found, type) or (callable(found) and not hasattr(found, "fit")):
        try:
            found = found()
        except TypeError as error:
            raise UnknownNameError(
                f"{path!r} must be made without arguments; got {error}. Make it in a module of "
                "yours, with its arguments, and give that."
            ) from error
    if not hasattr(found, "fit") or not hasattr(found, "predict"):
        raise UnknownNameError(
            f"{path!r} must be a classifier, its class or a function that makes one; got "
            f"{type(found).__name__}."
        )
    # What the module holds stays as it is, whatever is set of this one.
    method = found if isinstance(found, MultiLabelClassifier) else AnyClassifier(found)
    copied: MultiLabelClassifier = clone(method)
    return copied


def definition(method: MultiLabelClassifier) -> str:
    """Say what a method of the user's is, in one line that is the same in every process.

    Examples
    --------
    >>> definition(imported_method("sklearn.neighbors:KNeighborsClassifier"))
    'KNeighborsClassifier()'
    """
    own: Any = method.estimator if isinstance(method, AnyClassifier) else method
    # scikit-learn would shorten it, and a change might hide in what is left out.
    told = own.__repr__(N_CHAR_MAX=10**6) if isinstance(own, BaseEstimator) else repr(own)
    return re.sub(r"\s+", " ", re.sub(r" at 0x[0-9a-fA-F]+", "", told))


def _imported(path: str) -> Any:
    module_name, _, name = path.strip().partition(":")
    here = os.getcwd()
    sys.path.append(here)
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # the user's code may raise anything
        raise UnknownNameError(
            f"a method given as module:name must be in a module that can be imported; got {path!r} "
            f"({type(error).__name__}: {error}). Its file must lie in {here!r} or be installed."
        ) from error
    finally:
        sys.path.remove(here)
    try:
        return getattr(module, name)
    except AttributeError as error:
        public = [each for each in vars(module) if not each.startswith("_")]
        raise UnknownNameError(
            f"{path!r}: the module {module_name} has no {name!r}.{did_you_mean(name, public)}"
        ) from error
