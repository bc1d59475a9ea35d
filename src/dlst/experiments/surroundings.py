"""What a record depends on besides its task: the code and the libraries."""

from __future__ import annotations

import platform
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dlst

PACKAGES = ("dlst", "numpy", "scipy", "scikit-learn", "numba")


def surroundings() -> dict[str, Any]:
    """Name versions, the machine, and the commit where the code is a checkout."""
    commit = _commit(Path(dlst.__file__).resolve().parents[2])
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        **{name: version(name) for name in PACKAGES},
        **({"commit": commit} if commit else {}),
    }


def _commit(root: Path) -> str:
    """Name the commit of a checkout, with a plus where files were changed since."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return ""

    def asked(*words: str) -> str:
        command = [git, "-C", str(root), *words]
        return subprocess.run(  # noqa: S603  # nothing of a user's
            command, capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()

    try:
        changed = asked("status", "--porcelain", "--untracked-files=no", "--", "src")
        return asked("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return ""
