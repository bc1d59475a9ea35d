"""Importing is quiet: no module of the package asks the network or writes anything."""

from __future__ import annotations

import subprocess
import sys

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
