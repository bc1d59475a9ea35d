"""What only several items together say."""

from __future__ import annotations

from collections.abc import Mapping

from dlst.paper.setting import AP, PIPELINE, most_runs
from dlst.reports import Run

SET = "msrc"


def tuned_and_not(runs: Mapping[str, Run]) -> str:
    """Tell the paper's pipeline on a tenth of MSRC as tuned once, and with default parameters.

    Table II and the figure of missing labels have the very same setting; empty where one of them
    was not run.

    Parameters
    ----------
    runs : mapping of str to Run
        By name of the item.

    Returns
    -------
    str

    Examples
    --------
    >>> tuned_and_not({})
    ''
    """
    found = []
    for item in ("table-main", "figure-missing"):
        if item not in runs or not runs[item].has_results:
            return ""
        frame = most_runs(runs[item].frame)
        cells = frame[(frame["data"] == SET) & (frame["method"] == PIPELINE)]
        cells = cells[cells["effective_missing"] == 0]
        if cells.empty:
            return ""
        found.append((cells[AP].mean(), cells["tuned_on"].max()))
    (tuned, rows), (default, _) = found
    title = runs["table-main"].title(PIPELINE)
    how = f"tuned once, on {rows:.0f} rows" if rows == rows else "as run there"
    return (
        f"{title} on {SET} with a tenth of each class has an AP of {tuned:.3f} in table-main, "
        f"{how}, and of {default:.3f} in figure-missing, the same setting with default parameters: "
        "so few rows choose badly, and claims on Table II suffer from it."
    )
