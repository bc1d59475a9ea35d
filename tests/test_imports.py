"""Importing is quiet and short: no network, no files written, nothing loaded before its use."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dlst

SCRIPT = """
import builtins, io, pkgutil, socket, sys

def refuse(*arguments, **options):
    raise AssertionError(f"the network was asked for {arguments}")

socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse

def watched(file, mode="r", *arguments, opened=io.open, **options):
    assert not set(mode) & set("wax+"), f"{file} was opened to write"
    return opened(file, mode, *arguments, **options)

builtins.open = watched
import dlst
names = [each.name for each in pkgutil.walk_packages(dlst.__path__, "dlst.")]
for name in names:
    if not name.endswith("__main__"):
        __import__(name)
print(len(names))
"""


def test_no_module_asks_the_network_or_writes_a_file():
    told = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert told.stderr == ""
    assert int(told.stdout) > 100


OFFERING = """
import importlib, pkgutil, sys, types
import dlst
for each in pkgutil.walk_packages(dlst.__path__, "dlst."):
    if not each.name.endswith("__main__"):
        importlib.import_module(each.name)
for name, package in sorted(sys.modules.items()):
    if name.split(".")[0] == "dlst" and "__getattr__" in vars(package):
        for offered in package.__all__:
            value = getattr(package, offered)
            assert not isinstance(value, types.ModuleType), f"{name}.{offered} is a module"
            assert offered in dir(package)
        assert not {"TYPE_CHECKING", "on_first_use"} & set(dir(package)), name
        print(name)
"""


def test_what_packages_offer_is_found_on_first_use():
    told = subprocess.run([sys.executable, "-c", OFFERING], capture_output=True, text=True)
    assert told.stderr == ""
    assert {"dlst", "dlst.data", "dlst.methods", "dlst.metrics"} <= set(told.stdout.split())


def test_a_name_that_is_not_offered_is_told():
    with pytest.raises(AttributeError, match="module 'dlst' has no attribute 'Nobody'"):
        dlst.Nobody  # noqa: B018


LOADED = "import sys; {statement}; print(*(name for name in {names!r} if name in sys.modules))"


@pytest.mark.parametrize(
    ("statement", "spared"),
    [
        ("import dlst", ("numpy", "sklearn", "typer")),
        (
            "from dlst import DLST",
            ("numba", "plotly", "matplotlib", "sklearn.cluster", "sklearn.svm", "scipy.io"),
        ),
        ("from dlst.data import Dataset", ("numba", "scipy.io", "requests", "sklearn.datasets")),
        ("import dlst.cli.app", ("numpy", "sklearn", "numba", "pandas", "plotly")),
    ],
)
def test_nothing_is_loaded_before_its_use(statement, spared):
    script = LOADED.format(statement=statement, names=spared)
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (told.stdout, told.stderr) == ("\n", "")
