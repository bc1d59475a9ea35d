from __future__ import annotations

import pytest
from soak import deadly_probes


@pytest.fixture
def deadly():
    """Let plans ask for the probes of ``deadly_probes``."""
    with deadly_probes():
        yield
