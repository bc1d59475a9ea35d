"""Pages from the package's templates."""

from __future__ import annotations

import os
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from dlst._files import atomic_write


def rendered(template: str, **values: Any) -> str:
    """Fill a template; what is no markup is escaped, and a name without a value is an error."""
    environment = Environment(
        loader=PackageLoader("dlst.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**values)


def write_whole(page: str, path: str | os.PathLike[str]) -> None:
    """Write a page, all of it or nothing; a file that is there is replaced."""
    with atomic_write(path, text=True) as stream:
        stream.write(page)
