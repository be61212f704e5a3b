"""DeepL, with a key (https://developers.deepl.com/docs).

Not by deep-translator, whose class sends the key and the text in the address of a GET request:
DeepL has refused both since January 2026.
"""

from __future__ import annotations

import os
from typing import Any

from sts.translation.online.http import HttpProvider
from sts.translation.online.splitting import Load


class DeepL(HttpProvider):
    """DeepL's interface v2, one text per request."""

    name = "deepl"
    version = "DeepL API v2"
    rate = 5.0
    load = Load(1, 10_000)
    keys = ("DEEPL_API_KEY",)

    def request(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        """A form with the key in a header; keys that end in ``:fx`` are for the free server."""
        key = os.environ["DEEPL_API_KEY"]
        host = "api-free.deepl.com" if key.endswith(":fx") else "api.deepl.com"
        return {
            "method": "POST",
            "url": f"https://{host}/v2/translate",
            "headers": {"Authorization": f"DeepL-Auth-Key {key}"},
            "data": {"source_lang": source, "target_lang": target, "text": texts[0]},
        }

    def read(self, answer: Any) -> list[object]:
        """``{"translations": [{"text": ...}]}``."""
        return [answer["translations"][0]["text"]]


PROVIDER = DeepL
