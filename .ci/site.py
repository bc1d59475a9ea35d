"""Check the site on disk: links, anchors and pictures lead somewhere, nothing is fetched.

``python .ci/site.py docs/_build/html``; prints what is wrong and returns how much.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page is known by and what it points at."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep anchors, links, and what the browser would fetch by itself."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        is_sheet = tag == "link" and given.get("rel") in {"stylesheet", "icon", "preload"}
        for address in [given.get("src", "")] + ([given.get("href", "")] if is_sheet else []):
            if address and not address.startswith("data:"):
                self.fetched.append(address)


def faults(root: Path) -> Iterator[str]:
    """Yield a line for everything that leads nowhere."""
    pages = {path: Page(path) for path in sorted(root.rglob("*.html"))}
    # Templates and drawings inside the theme are not pages of ours.
    for path, page in pages.items():
        if "_static" in path.relative_to(root).parts:
            continue
        where = path.relative_to(root)
        for address in page.fetched:
            if urlsplit(address).netloc:
                yield f"{where}: fetches {address}"
        for address in page.links + page.fetched:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc or (not parts.path and not parts.fragment):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{where}: {address} is not there"
            elif parts.fragment and target.suffix == ".html":
                known = pages[target].anchors if target in pages else set()
                if unquote(parts.fragment) not in known:
                    yield f"{where}: {address} has no such place"


def main(folder: str) -> int:
    """Return how many links lead nowhere."""
    root = Path(folder).resolve()
    count = len(list(root.rglob("*.html")))
    found = list(dict.fromkeys(faults(root))) if count else [f"no page in {root}"]
    print("\n".join(found) or f"every link of {count} pages leads somewhere")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
