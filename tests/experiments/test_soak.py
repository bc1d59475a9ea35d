"""The soak of ``make soak``, in small."""

from __future__ import annotations

import os

import pytest
import soak

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as on Unix")


def test_kills_lose_and_change_nothing(tmp_path):
    found = soak.kills(tmp_path, 3, cells=25)
    assert found["tried"] == {"group": 1, "parent": 1, "worker": 1}
    assert found["runs"] >= 1, "a run must have ended and been compared"
    assert (found["lost"], found["changed"]) == (0, 0)


@pytest.mark.parametrize(
    ("scene", "options"),
    [
        (soak.three_runners, {"cells": 12}),
        (soak.jumping_clock, {"cells": 3}),
        (soak.hang, {}),
        (soak.refused_memory, {}),
        (soak.out_of_memory, {}),
        (soak.full_disk, {"cells": 20}),
    ],
)
def test_nothing_is_lost_twice_or_changed(scene, options, tmp_path):
    found = scene(tmp_path, **options)
    if found is None:
        pytest.skip("this machine does not let us try it")
    assert found["tried"].get("failed", 0) == 0
    assert (found["lost"], found["changed"], found.get("twice", 0)) == (0, 0, 0)


def test_what_was_tried_is_told_in_words():
    assert soak.in_words({"hang": 1}) == "1 hang"
    assert soak.in_words({"group": 66, "worker": 1}) == "66 groups, 1 worker"
    tried = {"full disk": 1, "reported": 1, "kept": 7}
    assert soak.in_words(tried) == "1 full disk, 1 reported, 7 kept"
