"""The page at ``/``: one file without anything from elsewhere, and the policy that holds it to that."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

WEB = Path(__file__).parent / "web"


class WebPage(NamedTuple):
    """A page, and the value of its header Content-Security-Policy."""

    html: str
    policy: str


@cache
def build_page() -> WebPage:
    """The page with its style and its scripts in it; nothing else may run in it."""
    html, style, *scripts = (
        (WEB / name).read_text(encoding="utf-8")
        for name in ("page.html", "page.css", "tables.js", "charts.js", "page.js")
    )
    script = "".join(scripts)
    policy = (
        "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    )
    return WebPage(html.replace("{{style}}", style).replace("{{script}}", script), policy)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
