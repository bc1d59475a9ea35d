"""Examples whose data are not in the data home are shown without being run, and say so.

An example names what it needs in a line ``# needs: yeast, scene``; a module of an extra likewise,
``# needs: fastapi``.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dlst.data import available, data_home, is_at_hand

HERE = Path(__file__).resolve().parents[1]
NEEDS = re.compile(r"^# needs: (.+)$", re.MULTILINE)
SHOWN_NEEDS = re.compile(r"\.\. code-block:: Python\n\s*# needs: [^\n]*\n")


def missing_for(script: Path) -> list[str]:
    """Return what a script needs and does not find."""
    needed = NEEDS.search(script.read_text(encoding="utf-8"))
    names = needed.group(1).split(", ") if needed else []
    return [name for name in names if not _is_there(name)]


def _is_there(name: str) -> bool:
    if (data_home() / name).is_dir() or find_spec(name) is not None:
        return True
    return name in available() and is_at_hand(name)


def choose(app: Any, config: Any) -> None:
    """Let the gallery run what can run here."""
    left_out = {}
    for folder in config.sphinx_gallery_conf["examples_dirs"]:
        for script in sorted((HERE / folder).glob("*.py")):
            if missing := missing_for(script):
                left_out[script.stem] = missing
                print(f"not run: {folder}/{script.name}, as {', '.join(missing)} is not here")
    if left_out:
        names = "|".join(map(re.escape, left_out))
        config.sphinx_gallery_conf["filename_pattern"] = rf"/(?!({names})\.py)[^/]*\.py$"
    config.data_at_hand_left_out = left_out


def compile_first(app: Any) -> None:
    """Compile what a new installation compiles on first use, so that pages do not show its time."""
    from dlst.serve.kernels import compile_kernels

    compile_kernels()


def say_so(app: Any, docname: str, source: list[str]) -> None:
    """Put a note on the page of an example that was not run; nobody need read what it needs."""
    source[0] = SHOWN_NEEDS.sub("", source[0])
    missing = app.config.data_at_hand_left_out.get(docname.rsplit("/", 1)[-1])
    if missing and docname.startswith(("learn/", "gallery/")):
        said = f"{', '.join(missing)} was not at hand"
        source[0] = f".. note:: Not run when this page was built: {said}.\n\n{source[0]}"


def setup(app: Any) -> dict[str, bool]:
    """Join Sphinx."""
    app.add_config_value("data_at_hand_left_out", {}, "env")
    app.connect("config-inited", choose, priority=10)
    # Before the gallery runs.
    app.connect("builder-inited", compile_first, priority=10)
    app.connect("source-read", say_so)
    return {"parallel_read_safe": True}
