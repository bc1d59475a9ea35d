"""Probes that do to their process what a bad cell may do."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from pathlib import Path


def dies(data, settings):
    print("out of something", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def dies_once(data, settings):
    marker = Path(settings["marker"])
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"n": data.n_samples}


def hangs(data, settings):
    """Hold Python's lock for ever: no thread of the process can do anything about it."""
    Path(settings["marker"]).write_text(str(os.getpid()))
    ctypes.PyDLL(None).sleep(10_000)


def leaves_a_child(data, settings):
    """Die with a child that holds the pipes open."""
    child = os.fork()
    if child == 0:
        time.sleep(10_000)
    Path(settings["marker"]).write_text(str(child))
    os.kill(os.getpid(), signal.SIGKILL)


def talks(data, settings):
    print("said to nobody" * 100_000)
    return {"n": data.n_samples}


def fills_its_cgroup(data, settings):
    """Take memory in a control group until the kernel kills the process."""
    Path(settings["group"], "cgroup.procs").write_text(str(os.getpid()))
    taken = []
    while True:
        taken.append(b"x" * 2**22)


def fills_memory(data, settings):
    """Take memory until Python is refused any."""
    taken = []
    while True:
        taken.append(b"x" * 2**22)
