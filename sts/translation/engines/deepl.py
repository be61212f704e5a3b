"""DeepL, with a key (https://developers.deepl.com/docs).

Not by deep-translator, whose class sends the key and the text in the address of a GET request:
DeepL has refused both since January 2026.
"""

from __future__ import annotations

import os
from typing import Any

from semaniacs.sts.translation.online import HttpProvider


class DeepL(HttpProvider):
    """DeepL's interface v2."""

    name = "deepl"
    version = "DeepL API v2"
    rate = 5.0
    batch = chunk = 50
    longest = 10_000
    keys = ("DEEPL_API_KEY",)

    def request(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        """Return a form with the key in a header; keys with ``:fx`` are for the free server."""
        key = os.environ["DEEPL_API_KEY"]
        host = "api-free.deepl.com" if key.endswith(":fx") else "api.deepl.com"
        return {
            "method": "POST",
            "url": f"https://{host}/v2/translate",
            "headers": {"Authorization": f"DeepL-Auth-Key {key}"},
            "data": {"source_lang": source, "target_lang": target, "text": texts},
        }

    def read(self, answer: Any) -> list[object]:
        """Return the texts in ``{"translations": [{"text": ...}]}``."""
        return [one["text"] for one in answer["translations"]]


PROVIDER = DeepL
