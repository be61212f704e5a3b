"""LibreTranslate, a free service that anyone can run: ``pip install libretranslate``.

Not by deep-translator, whose class demands a key, which an own server does not have, and sends
text and key in the address. The interface is documented at https://docs.libretranslate.com.
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import unquote, urlsplit

from semaniacs.sts.errors import StsError
from semaniacs.sts.translation.online import HttpProvider

PUBLIC = "https://libretranslate.com"  # the server of the makers, which needs a key


class Libre(HttpProvider):
    """The LibreTranslate server of ``STS_LIBRE_URL``, else the public one.

    An address of no server is a StsError.
    The key is ``LIBRE_API_KEY``; an own server seldom needs one.
    """

    name = "libre"
    install_hint = (
        "set STS_LIBRE_URL to the address of a server, such as http://127.0.0.1:5000, "
        f"or LIBRE_API_KEY to a key for {PUBLIC}"
    )
    batch = chunk = 20
    longest = 2000
    languages = None

    def __init__(self) -> None:
        own = os.environ.get("STS_LIBRE_URL")
        self._address = _checked_address(own or PUBLIC)
        self._key = os.environ.get("LIBRE_API_KEY")
        self._has_server = bool(own or self._key)
        self.rate = 100.0 if own else 1.0  # the public server allows 80 requests a minute

    @property
    def version(self) -> str:
        """Name of the server, as others may have other models; without user and password."""
        return f"LibreTranslate at {urlsplit(self._address).netloc.rpartition('@')[2]}"

    def available(self) -> bool:
        """Return whether there is an address or a key."""
        return self._has_server

    def secrets(self) -> list[str]:
        """Return the key, and the password in the address."""
        password = unquote(urlsplit(self._address).password or "")
        return [secret for secret in (self._key, password) if secret]

    def request(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        """Return ``POST /translate`` with a text or a list of them; the key is in the body."""
        sent = texts if len(texts) > 1 else texts[0]
        body = {"q": sent, "source": source, "target": target, "format": "text"}
        if self._key:
            body["api_key"] = self._key
        return {"method": "POST", "url": f"{self._address}/translate", "json": body}

    def read(self, answer: Any) -> list[object]:
        """Return what ``{"translatedText": ...}`` contains: a text, or a list if one was sent."""
        found = answer["translatedText"]
        return found if isinstance(found, list) else [found]


def _checked_address(address: str) -> str:
    """Return the address without a slash at its end, if it is the address of a server."""
    address = address.strip().rstrip("/").removesuffix("/translate")
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        shown = address.rpartition("@")[2][:80]  # without a password
        raise StsError(
            f"STS_LIBRE_URL: {shown!r} is not the address of a server, "
            "expected one such as http://127.0.0.1:5000"
        )
    return address


PROVIDER = Libre
