"""Put plotly's JavaScript into the wheel, so that report pages can be written without plotly.

The Python package of plotly takes 64 MB where it is installed, and one file of it is wanted.
"""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TARGET = "src/dlst/reports/templates/plotly.min.js.gz"


class CustomBuildHook(BuildHookInterface):
    """Hatchling calls it for wheels and for editable installs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file among the templates, and name it as part of the wheel."""
        spec = find_spec("plotly")
        source = Path(spec.submodule_search_locations[0]) / "package_data" / "plotly.min.js"
        # No time inside: equal sources give equal wheels.
        packed = gzip.compress(source.read_bytes(), mtime=0)
        Path(self.root, TARGET).write_bytes(packed)
        build_data["artifacts"].append(TARGET)
