"""MyMemory, without a key (https://mymemory.translated.net/doc/spec.php).

Not by deep-translator, whose class sends the text without encryption.
"""

from __future__ import annotations

import html
import os
from typing import Any

from sts.translation.online.faults import RejectedError, shorten
from sts.translation.online.http import QUOTA_EXCEEDED, HttpProvider
from sts.translation.online.splitting import Load, utf8_bytes

_CODES = {"en": "en-US", "es": "es-ES"}
_NOTICES = ("MYMEMORY WARNING", "QUERY LENGTH LIMIT", "INVALID ", "PLEASE SELECT")
"""How an answer begins that is a notice in place of a translation."""


class MyMemory(HttpProvider):
    """MyMemory, one text per request; an e-mail address raises the daily quota tenfold."""

    name = "mymemory"
    version = "MyMemory API"
    install_hint = "it needs nothing; MYMEMORY_EMAIL raises the daily quota"
    rate = 1.0
    load = Load(1, 499, utf8_bytes)

    def request(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        """The interface has GET only."""
        fields = {"q": texts[0], "langpair": f"{_CODES[source]}|{_CODES[target]}"}
        if email := os.environ.get("MYMEMORY_EMAIL"):
            fields["de"] = email
        return {
            "method": "GET",
            "url": "https://api.mymemory.translated.net/get",
            "params": fields,
        }

    def status(self, answer: Any) -> int:
        """The answer repeats its HTTP status, as a number or as a string."""
        if not isinstance(answer, dict):
            return 200
        if answer.get("quotaFinished") is True:
            return QUOTA_EXCEEDED
        status = str(answer.get("responseStatus") or 200)
        return int(status) if status.isdecimal() else 200

    def read(self, answer: Any) -> list[object]:
        """``{"responseData": {"translatedText": ...}}``, with HTML entities; or a notice."""
        text = answer["responseData"]["translatedText"]
        if text.startswith(_NOTICES):
            raise RejectedError(f"mymemory gave a notice and no translation: {shorten(text)}")
        return [html.unescape(text)]


PROVIDER = MyMemory
