"""How long a run took, whatever its breaks."""

from __future__ import annotations

import pytest

from dlst.reports import wall_seconds


def worked(ended, seconds):
    return {"finished": f"2026-01-01T{ended}+00:00", "wall_seconds": seconds}


@pytest.mark.parametrize(
    ("records", "seconds"),
    [
        ([], 0),
        ([{"status": "done"}], 0),
        ([worked("10:00:10", 10), worked("10:00:20", 10)], 20),
        ([worked("10:00:20", 10), worked("10:00:10", 10)], 20),  # whatever the order
        ([worked("10:01:00", 60), worked("10:00:30", 10)], 60),  # one within the other
        ([worked("10:00:10", 10), worked("10:00:21", 10)], 21),  # starting takes a moment
        ([worked("10:00:10", 10), worked("11:00:00", 10)], 20),  # a break
    ],
)
def test_breaks_and_overlaps_do_not_count(records, seconds):
    assert wall_seconds(records) == seconds
