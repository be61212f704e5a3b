"""Baidu, with a key (https://api.fanyi.baidu.com).

Not by deep-translator, whose class sends the text and the account in the address.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from typing import Any

from sts.translation.online.http import QUOTA_EXCEEDED, HttpProvider
from sts.translation.online.splitting import Load, utf8_bytes

_CODES = {"en": "en", "es": "spa"}
_STATUS = {
    "52001": 504,  # it took too long
    "52002": 500,  # an error of the service
    "52003": 401,  # no such user
    "54001": 401,  # a wrong signature, so a wrong key
    "54003": 429,  # too many requests
    "54004": QUOTA_EXCEEDED,  # the account is empty
    "54005": 429,  # too many long requests
    "58000": 403,  # not from this network address
    "58002": 403,  # the service is switched off
}


class Baidu(HttpProvider):
    """Baidu's general translation, one text per request."""

    name = "baidu"
    version = "Baidu VIP translate"
    rate = 1.0
    load = Load(1, 5999, utf8_bytes)
    keys = ("BAIDU_APPID", "BAIDU_APPKEY")

    def request(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        """A form, signed by the md5 of account, text, a random number and key."""
        account, key = (os.environ[variable] for variable in self.keys)
        salt = secrets.token_hex(8)
        signature = hashlib.md5(f"{account}{texts[0]}{salt}{key}".encode(), usedforsecurity=False)
        return {
            "method": "POST",
            "url": "https://fanyi-api.baidu.com/api/trans/vip/translate",
            "data": {
                "appid": account,
                "q": texts[0],
                "from": _CODES[source],
                "to": _CODES[target],
                "salt": salt,
                "sign": signature.hexdigest(),
            },
        }

    def status(self, answer: Any) -> int:
        """From Baidu's own error codes; an unknown one is a bad request."""
        code = str(answer.get("error_code") or "52000") if isinstance(answer, dict) else "52000"
        return 200 if code == "52000" else _STATUS.get(code, 400)

    def read(self, answer: Any) -> list[object]:
        """``{"trans_result": [{"dst": ...}]}``, one item per line of the text."""
        return ["\n".join(line["dst"] for line in answer["trans_result"])]


PROVIDER = Baidu
