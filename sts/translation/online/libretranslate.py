"""LibreTranslate, a free engine that anyone can run: ``pip install libretranslate``.

The one engine for which deep-translator's class is not used, though it has one.
That class demands a key, which a server of one's own does not have; it puts
text and key into the address of the request, where a long text does not fit and
the key gets into logs; and it sends one text at a time. So this file speaks the
interface itself, as its documentation describes it (https://docs.libretranslate.com):
``POST /translate`` with a list of texts, errors as ``{"error": ...}``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote, urlsplit

from sts.errors import MissingResourceError, StsError
from sts.translation.online.faults import (
    BadAnswerError,
    BusyError,
    RejectedError,
    TemporaryError,
    UnknownPairError,
)
from sts.translation.online.http import Rules, exchange, is_page, json_of, open_session
from sts.translation.online.rate_limit import Clock, Meter, Patience, Settings, meter_of
from sts.translation.online.splitting import Load, translate_in_pieces
from sts.translation.translator import Translation

PUBLIC = "https://libretranslate.com"
"""The server of the makers, which wants a key."""

_RATES = {True: 10.0, False: 1.0}
"""Requests a second: to a server of one's own, and to the public one, which allows 80 a minute."""

LOAD = Load(texts=20, size=2000)
"""Twenty sentences; a server that wants fewer characters is asked for one text at a time."""


class Libre:
    """A LibreTranslate server, asked for several texts at once.

    Each control character of a text is sent as a space (see
    :func:`.splitting.cleaned`); white space around a text stays as it was.

    Args:
        address: of the server, such as ``http://127.0.0.1:5000``; None takes
            ``STS_LIBRE_URL``, else the public server.
        key: None takes ``LIBRE_API_KEY``; a server of one's own seldom wants one.
        load: what one request takes.
        settings: None takes them from the environment.
        meter: pace and budget; None is the one that the process shares.
        clock: time and sleep.

    Raises:
        StsError: the address is none.
    """

    name = "libre"
    install_hint = (
        "set STS_LIBRE_URL to the address of a server, such as http://127.0.0.1:5000, "
        f"or LIBRE_API_KEY to a key for {PUBLIC}"
    )
    chunk = 40

    def __init__(
        self,
        address: str | None = None,
        key: str | None = None,
        *,
        load: Load = LOAD,
        settings: Settings | None = None,
        meter: Meter | None = None,
        clock: Clock = time,
    ) -> None:
        own = address or os.environ.get("STS_LIBRE_URL")
        self._address = _checked_address(own or PUBLIC)
        self._key = key or os.environ.get("LIBRE_API_KEY") or None
        self._can_ask = bool(own or self._key)
        self._load = load
        self._settings = settings or Settings.from_environment()
        rate = self._settings.rate or _RATES[own is not None]
        meter = meter or meter_of(self.name, rate, self._settings.budget)
        self._patience = Patience(self.name, self._settings.tries, meter, clock)
        password = unquote(urlsplit(self._address).password or "")
        secrets = tuple(secret for secret in (self._key, password) if secret)
        self._rules = Rules(self.name, secrets=secrets, clock=clock)

    @property
    def version(self) -> str:
        """The server: others may have other models. Without its user and password, if any."""
        return f"LibreTranslate at {urlsplit(self._address).netloc.rpartition('@')[2]}"

    def available(self) -> bool:
        """Whether there is an address or a key; the network is not tried."""
        return self._can_ask and find_spec("requests") is not None

    def ask(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """One translation for each text, in order, each as soon as it is there.

        Raises:
            MissingResourceError: there is neither an address nor a key.
            UnknownPairError: the server does not have the pair; the message lists what it has.
            TranslationError: the server failed, refused or gave nothing; see :mod:`.faults`.
        """
        if not self.available():
            raise MissingResourceError(f"{self.name} cannot be asked; {self.install_hint}")
        with open_session() as session:
            batch = _Batch(self, session, source, target)
            yield from map(Translation, translate_in_pieces(texts, self._load, batch.translate))


class _Batch:
    """What one call of :meth:`Libre.ask` has found so far, and the connection it uses."""

    def __init__(self, libre: Libre, session: Any, source: str, target: str) -> None:
        self._libre = libre
        self._session = session
        self._source = source
        self._target = target
        self._found: dict[str, str] = {}

    def translate(self, pieces: list[str]) -> Iterator[str]:
        """As many translations; where not all can be had at once, one after the other."""
        try:
            self._ask_for(pieces)
        except (BadAnswerError, BusyError, RejectedError):
            # One text may spoil it for all, or the server may want fewer at once.
            if len(pieces) == 1:
                raise
        for piece in pieces:
            self._ask_for([piece])
            yield self._found[piece]

    def _ask_for(self, pieces: list[str]) -> None:
        """Find what is not found yet."""
        missing = [piece for piece in dict.fromkeys(pieces) if piece not in self._found]
        if missing:
            self._libre._patience.call(
                lambda: self._ask_once(missing), missing[0], sum(map(len, missing))
            )

    def _ask_once(self, pieces: list[str]) -> None:
        """One request, for those of ``pieces`` that no earlier try has found."""
        missing = [piece for piece in pieces if piece not in self._found]
        for piece, answer in zip(missing, self._post(missing), strict=True):
            if isinstance(answer, str) and answer.strip() and not is_page(answer):
                self._found[piece] = answer
        empty = [piece for piece in missing if piece not in self._found]
        if empty:
            raise BadAnswerError(
                f"libre gave no translation for {len(empty)} of {len(missing)} texts"
            )

    def _post(self, pieces: list[str]) -> list[object]:
        """The answers of the server, one for each piece, whatever they are."""
        body: dict[str, object] = {
            "q": pieces if len(pieces) > 1 else pieces[0],
            "source": self._source,
            "target": self._target,
            "format": "text",
        }
        if self._libre._key:
            body["api_key"] = self._libre._key
        try:
            answer = self._request("POST", "translate", json=body)
        except RejectedError:
            self._check_pair()
            raise
        found = answer.get("translatedText") if isinstance(answer, dict) else None
        answers = found if isinstance(found, list) else [found]
        if len(answers) != len(pieces):
            raise BadAnswerError(f"libre gave {len(answers)} translations for {len(pieces)} texts")
        return answers

    def _request(self, method: str, path: str, **options: object) -> Any:
        libre = self._libre
        response = exchange(
            # Redirected, a POST becomes a GET, and the key goes where nobody sent it.
            lambda: self._session.request(
                method,
                f"{libre._address}/{path}",
                timeout=libre._settings.timeout,
                allow_redirects=False,
                **options,
            ),
            libre._rules,
        )
        return json_of(response, libre.name)

    def _check_pair(self) -> None:
        """After a refusal: is it for the languages?

        Raises:
            UnknownPairError: the server lists its pairs, and this one is not among them.
        """
        try:
            pairs = _pairs_of(self._request("GET", "languages"))
        except (TemporaryError, RejectedError):
            return
        asked = f"{self._source}->{self._target}"
        if pairs and asked not in pairs:
            raise UnknownPairError(
                f"libre: the server has no pair {asked}, it has: {', '.join(pairs)}"
            )


def _pairs_of(languages: Any) -> list[str]:
    """``en->es`` and so on, from what ``GET /languages`` says; nothing if it is not readable."""
    try:
        return [f"{entry['code']}->{to}" for entry in languages for to in entry["targets"]]
    except (KeyError, TypeError):
        return []


def _checked_address(address: str) -> str:
    """The address without a slash at its end.

    Raises:
        StsError: it is no address of a server.
    """
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
