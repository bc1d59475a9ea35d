"""Kernels compile where nothing may be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dlst
from dlst._compiled import compiled

SCRIPT = """
import ctypes, os, sys
if os.geteuid() == 0:  # root may write anywhere, unless it gives its capabilities up
    nothing = (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), nothing) == 0
assert not os.access(os.environ["HOME"], os.W_OK), "the test's own folders can be written"
import warnings
warnings.simplefilter("error")
import dlst.data, dlst.methods, dlst.metrics
assert dlst.__file__.startswith(sys.argv[1]), dlst.__file__
print(dlst.metrics.ranking_loss([[1, 0], [0, 1]], [[0.9, 0.2], [0.3, 0.1]]))
"""


@pytest.mark.skipif(os.name != "posix", reason="rights as on Unix")
def test_a_package_and_a_home_that_may_only_be_read_will_do(tmp_path):
    package = tmp_path / "site" / "dlst"
    shutil.copytree(Path(dlst.__file__).parent, package, ignore=shutil.ignore_patterns("*.nb?"))
    home = tmp_path / "home"
    home.mkdir()
    folders = [home, package, *(each for each in package.rglob("*") if each.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    surroundings = {"HOME": str(home), "PYTHONPATH": str(tmp_path / "site")}
    try:
        told = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(package)],
            env={**surroundings, "PATH": os.environ["PATH"]},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
    finally:
        for folder in folders:
            folder.chmod(0o700)
    assert (told.stdout, told.stderr) == ("0.5\n", "")


@compiled()
def _half(value):
    return value // 2


@compiled()
def _halvings(value):
    count = 0
    while value > 1:
        value = _half(value)
        count += 1
    return count


@compiled()
def _factorial(value):
    return value * _factorial(value - 1) if value > 1 else 1


def test_compiled_functions_call_each_other_and_themselves():
    assert _halvings(1000) == 9
    assert _half(9) == 4
    assert _factorial(10) == 3628800
    assert _half.__name__ == "_half"
