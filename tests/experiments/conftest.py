from __future__ import annotations

from pathlib import Path

import pytest

from dlst.experiments import probes

DEADLY = ("dies", "dies_once", "hangs", "leaves_a_child", "talks")


@pytest.fixture
def deadly(monkeypatch):
    """Let plans ask for the probes of ``deadly_probes``."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=":")
    known = {name: f"deadly_probes:{name}" for name in DEADLY}
    monkeypatch.setattr(probes, "_ADDRESSES", {**probes._ADDRESSES, **known})
