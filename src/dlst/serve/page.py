"""The page: one self-contained file, with a content security policy that enforces this."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

from starlette.responses import HTMLResponse, Response


def page_response() -> Response:
    """Return the page with its content security policy."""
    page, policy = _page()
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})


@cache
def _page() -> tuple[str, str]:
    page = (files("dlst.serve") / "page.html").read_text(encoding="utf-8")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hashes('script', page)}",
            f"style-src {_hashes('style', page)}",
            "img-src data: blob:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )
    return page, policy


def _hashes(element: str, page: str) -> str:
    """Return the hashes of the page's scripts or styles; browsers run no others."""
    contents = re.findall(rf"<{element}>(.*?)</{element}>", page, flags=re.DOTALL)
    digests = (hashlib.sha256(content.encode()).digest() for content in contents)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
