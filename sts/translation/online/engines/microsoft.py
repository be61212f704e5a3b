"""Microsoft Translator, with a key (https://learn.microsoft.com/azure/ai-services/translator).

Not by deep-translator, whose class calls the network when it is made and hides errors.
"""

from __future__ import annotations

import os
from typing import Any

from sts.translation.online.http import QUOTA_EXCEEDED, HttpProvider
from sts.translation.online.splitting import Load


class Microsoft(HttpProvider):
    """Microsoft's interface 3.0, one text per request."""

    name = "microsoft"
    version = "Microsoft Translator 3.0"
    rate = 10.0
    load = Load(1, 10_000)
    keys = ("MICROSOFT_API_KEY",)
    quota = frozenset({403, QUOTA_EXCEEDED})

    def request(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        """JSON with the key in a header; the region is needed by regional keys only."""
        headers = {"Ocp-Apim-Subscription-Key": os.environ["MICROSOFT_API_KEY"]}
        if region := os.environ.get("MICROSOFT_REGION"):
            headers["Ocp-Apim-Subscription-Region"] = region
        return {
            "method": "POST",
            "url": "https://api.cognitive.microsofttranslator.com/translate",
            "params": {"api-version": "3.0", "from": source, "to": target},
            "headers": headers,
            "json": [{"text": texts[0]}],
        }

    def read(self, answer: Any) -> list[object]:
        """``[{"translations": [{"text": ...}]}]``."""
        return [answer[0]["translations"][0]["text"]]


PROVIDER = Microsoft
