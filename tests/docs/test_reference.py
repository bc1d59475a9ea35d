"""The reference is whole: every public name is listed, documented, and shown by an example."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import tomllib
from pathlib import Path

import pytest

import dlst
from dlst.methods import METHODS

numpydoc = pytest.importorskip("numpydoc.docscrape")

GROUPS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "groups.toml"


def rooms() -> list[str]:
    packages = [found.name for found in pkgutil.iter_modules(dlst.__path__) if found.ispkg]
    return [f"dlst.{name}" for name in packages if not name.startswith("_") and name != "cli"]


def public_names(room: str) -> list[str]:
    module = importlib.import_module(room)
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not name.startswith("_")]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == room
    ]


def listed() -> list[str]:
    found = []
    for group in tomllib.loads(GROUPS.read_text(encoding="utf-8"))["group"]:
        found += [f"{group['module']}.{name}" for name in group["names"] if "." not in name]
    return found


LISTED = listed()


def value_of(full: str):
    module, _, name = full.rpartition(".")
    return getattr(importlib.import_module(module), name)


DOCUMENTED = [
    full for full in LISTED if inspect.isclass(value_of(full)) or inspect.isroutine(value_of(full))
]


METHODS_OF_CLASSES = list(
    {
        f"{found.__module__}.{found.__qualname__}": found
        for full in DOCUMENTED
        if inspect.isclass(value_of(full))
        for name in dir(value_of(full))
        if not name.startswith("_")
        and inspect.isroutine(found := getattr(value_of(full), name))
        and (getattr(found, "__module__", "") or "").startswith("dlst.")
    }.values()
)
# Servers, clusters, and what would stay registered.
NOT_RUN = {
    "dlst.distributed.connected",
    "dlst.serve.serve",
    "dlst.experiments.register_probe",
    "dlst.reports.register_layout",
}


@pytest.fixture(scope="module")
def pages():
    """Import the extension that writes the pages, where Sphinx is installed."""
    pytest.importorskip("sphinx")
    file = GROUPS.parents[1] / "_extensions" / "reference_pages.py"
    spec = importlib.util.spec_from_file_location("reference_pages", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("room", ["dlst", "dlst.errors", *rooms()])
def test_every_public_name_has_a_page(room):
    pages = [value_of(full) for full in LISTED]
    absent = [
        name
        for name in public_names(room)
        if not any(value_of(f"{room}.{name}") is page for page in pages)
    ]
    assert absent == []


def test_a_name_has_one_page():
    assert len(set(LISTED)) == len(LISTED)


def sections_of(full: str):
    return numpydoc.NumpyDocString(inspect.cleandoc(inspect.getdoc(value_of(full)) or ""))


def is_left_to_its_base(found) -> bool:
    """Tell exceptions, protocols and the like, which have no parameters of their own."""
    return inspect.isclass(found) and (
        issubclass(found, Exception | Warning) or getattr(found, "_is_protocol", False)
    )


@pytest.mark.parametrize("full", DOCUMENTED)
def test_every_parameter_is_documented(full):
    found = value_of(full)
    if is_left_to_its_base(found):
        return
    sections = sections_of(full)
    documented = {
        name.strip(" *")
        for entry in sections["Parameters"] + sections["Attributes"]
        for name in entry.name.split(",")
    }
    assert [name for name in inspect.signature(found).parameters if name not in documented] == []


@pytest.mark.parametrize("full", DOCUMENTED)
def test_what_a_function_returns_is_documented(full):
    found = value_of(full)
    if inspect.isclass(found) or inspect.signature(found).return_annotation in (None, "None"):
        return
    sections = sections_of(full)
    assert sections["Returns"] or sections["Yields"]


@pytest.mark.parametrize("full", DOCUMENTED)
def test_every_name_has_an_example(full):
    assert ">>> " in "\n".join(sections_of(full)["Examples"])


def test_examples_run():
    """An example that is skipped shows nothing: only what a small machine cannot do may be."""
    skipped = [
        full
        for full in DOCUMENTED
        if all(
            "+SKIP" in line
            for line in "\n".join(sections_of(full)["Examples"]).splitlines()
            if line.startswith(">>>")
        )
    ]
    assert set(skipped) <= NOT_RUN


def test_the_reference_is_not_empty():
    assert len(DOCUMENTED) > 270
    assert len(METHODS_OF_CLASSES) > 250


@pytest.mark.parametrize("method", METHODS_OF_CLASSES, ids=lambda each: each.__qualname__)
def test_every_argument_of_a_method_is_explained(method, pages):
    left_out = pages.unexplained(method)
    assert [name for name in left_out if not pages.explanation_of(method, name)] == []


def test_every_explanation_of_an_argument_is_used(pages):
    used = {
        pages.explanation_of(method, name)
        for method in METHODS_OF_CLASSES
        for name in pages.unexplained(method)
    }
    assert set(pages.arguments()) - used == set()


@pytest.mark.parametrize("full", LISTED)
def test_every_name_says_what_else_to_see(full, pages):
    documented = full in DOCUMENTED and sections_of(full)["See Also"]
    assert documented or pages.near(full)


@pytest.mark.parametrize("row", METHODS, ids=lambda row: row.name)
def test_every_method_names_its_source(row):
    made = type(row.make())
    assert sections_of(f"dlst.methods.{made.__name__}")["References"]
