"""LibreTranslate, a free service that anyone can run: ``pip install libretranslate``.

Not by deep-translator, whose class demands a key, which a server of one's own does not have,
sends text and key in the address, and one text at a time. The interface is documented at
https://docs.libretranslate.com.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from sts.errors import StsError
from sts.translation.online.faults import RejectedError, TemporaryError, UnknownPairError
from sts.translation.online.http import Fetch, HttpProvider
from sts.translation.online.limits import Settings
from sts.translation.online.splitting import Load

PUBLIC = "https://libretranslate.com"
"""The server of the makers, which wants a key."""


class Libre(HttpProvider):
    """A LibreTranslate server, sent several texts per request.

    Args:
        address: None takes ``STS_LIBRE_URL``, else the public server.
        key: None takes ``LIBRE_API_KEY``; a server of one's own seldom wants one.
        settings: None takes them from the environment.

    Raises:
        StsError: the address is not one of a server.
    """

    name = "libre"
    install_hint = (
        "set STS_LIBRE_URL to the address of a server, such as http://127.0.0.1:5000, "
        f"or LIBRE_API_KEY to a key for {PUBLIC}"
    )
    load = Load(20, 2000)  # a server that accepts less is sent one text at a time
    languages = None
    chunk = 40

    def __init__(
        self, address: str | None = None, key: str | None = None, settings: Settings | None = None
    ) -> None:
        super().__init__(settings)
        own = address or os.environ.get("STS_LIBRE_URL")
        self._address = _checked_address(own or PUBLIC)
        self._key = key or os.environ.get("LIBRE_API_KEY") or None
        self._has_server = bool(own or self._key)
        self.rate = 10.0 if own else 1.0  # the public server allows 80 requests a minute

    @property
    def version(self) -> str:
        """The server, as others may have other models; without its user and password."""
        return f"LibreTranslate at {urlsplit(self._address).netloc.rpartition('@')[2]}"

    def available(self) -> bool:
        """Whether there is an address or a key."""
        return self._has_server

    def secrets(self) -> list[str]:
        """The key, and the password in the address."""
        password = unquote(urlsplit(self._address).password or "")
        return [secret for secret in (self._key, password) if secret]

    def request(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        """``POST /translate`` with a text or a list of them; the key is in the body."""
        body: dict[str, object] = {
            "q": texts if len(texts) > 1 else texts[0],
            "source": source,
            "target": target,
            "format": "text",
        }
        if self._key:
            body["api_key"] = self._key
        return {"method": "POST", "url": f"{self._address}/translate", "json": body}

    def read(self, answer: Any) -> Sequence[object]:
        """``{"translatedText": ...}``: a text, or a list where a list was sent."""
        found = answer["translatedText"]
        return found if isinstance(found, list) else [found]

    def send(self, fetch: Fetch, source: str, target: str, texts: list[str]) -> Sequence[object]:
        """Send the texts once; after a refusal, ask whether it was for the languages."""
        try:
            return super().send(fetch, source, target, texts)
        except RejectedError:
            pairs = self._pairs(fetch)
            if pairs and f"{source}->{target}" not in pairs:
                raise UnknownPairError(
                    f"libre: the server has no pair {source}->{target}, it has: {', '.join(pairs)}"
                ) from None
            raise

    def _pairs(self, fetch: Fetch) -> list[str]:
        """``en->es`` and so on, from ``GET /languages``; empty if that cannot be read."""
        try:
            languages = fetch({"method": "GET", "url": f"{self._address}/languages"})
            return [f"{entry['code']}->{to}" for entry in languages for to in entry["targets"]]
        except (TemporaryError, RejectedError, KeyError, TypeError):
            return []


def _checked_address(address: str) -> str:
    """The address without a slash at its end, if it is the address of a server."""
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
