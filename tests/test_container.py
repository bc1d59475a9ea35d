"""The image is built from what ``.dockerignore`` lets through, which must be enough to build."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_image_has_what_the_package_is_built_from():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_through = {line[1:] for line in ignored if line.startswith("!")}
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hooks = told["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]
    # Hatchling's own name for the file of a custom hook.
    files = [hook.get("path", "hatch_build.py") for hook in hooks.values()]
    project = told["project"]
    needed = {"src", "pyproject.toml", project["readme"], *project["license-files"], *files}
    assert needed <= let_through
    assert all((ROOT / name).exists() for name in needed)
