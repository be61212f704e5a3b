"""The web page at ``/``, which loads nothing from elsewhere, and the policy that enforces that."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

WEB = Path(__file__).parent / "web"
STYLE = Path(__file__).parents[1] / "report" / "templates" / "style.css"


@cache
def build_page() -> tuple[str, str]:
    """Return the page with its style and scripts in it, and its Content-Security-Policy."""
    html = (WEB / "page.html").read_text(encoding="utf-8")
    style = STYLE.read_text(encoding="utf-8")
    names = ("tables.js", "charts.js", "page.js")
    script = "".join((WEB / name).read_text(encoding="utf-8") for name in names)
    policy = (
        "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    )
    return html.replace("{{style}}", style).replace("{{script}}", script), policy


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
