"""What is loaded while no garbage is searched counts as old, and is not searched at once."""

from __future__ import annotations

import gc

import pytest

from dlst._garbage import without_collecting


@pytest.fixture(autouse=True)
def collector():
    gc.unfreeze()
    gc.enable()
    yield
    gc.unfreeze()
    gc.enable()


def is_old(wanted):
    return any(each is wanted for each in gc.get_objects(generation=2))


def test_what_was_loaded_is_old_and_the_collector_runs_again():
    with without_collecting():
        assert not gc.isenabled()
        loaded = ["stays"]
        assert not is_old(loaded)
    assert gc.isenabled()
    assert is_old(loaded)
    assert gc.get_freeze_count() == 0


def test_what_a_program_froze_stays_frozen():
    gc.freeze()
    frozen = gc.get_freeze_count()
    with without_collecting():
        pass
    # Some objects may die meanwhile; to unfreeze leaves none.
    assert gc.get_freeze_count() > frozen // 2 > 0


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    with without_collecting():
        pass
    assert not gc.isenabled()
