"""The base class of every translation service on the network."""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar

from sts.errors import MissingResourceError
from sts.offline import check_online
from sts.translation.online.faults import (
    BadAnswerError,
    BusyError,
    RejectedError,
    UnknownPairError,
)
from sts.translation.online.limits import Limits, Settings, shared_limits
from sts.translation.online.splitting import Load, translate_in_pieces
from sts.translation.translator import Provider, Translation

Send = Callable[[list[str]], Sequence[object]]
"""Sends texts once and returns one item per text: its translation, or whatever came instead."""


class OnlineProvider(Provider):
    """A service that is sent one request after the other; ``--translator`` takes its name.

    Attributes:
        rate: requests per second, unless the user sets another.
        load: how much one request may hold.
        keys: environment variables that must be set.
        languages: the ISO 639-1 codes that it is used for; None leaves that to the service.

    Args:
        settings: None takes them from the environment.
    """

    rate: float
    load: Load
    keys: ClassVar[tuple[str, ...]] = ()
    languages: ClassVar[tuple[str, ...] | None] = ("en", "es")
    chunk = 10

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings.from_environment()

    @property
    def install_hint(self) -> str:
        """The keys to set."""
        return f"set {' and '.join(self.keys)}" if self.keys else "it needs nothing"

    def available(self) -> bool:
        """Whether every key is set."""
        return all(map(os.environ.get, self.keys))

    @abstractmethod
    def connect(self, source: str, target: str) -> AbstractContextManager[Send]:
        """A connection for texts in one language pair, closed at the end of the context."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """One translation per text, in order, each as soon as it is there.

        Raises:
            MissingResourceError: a package or a key is missing, or the user forbids connections.
            UnknownPairError: the service does not translate between these languages.
            TranslationError: the service failed or refused; see :mod:`.faults`.
        """
        check_online(f"translator {self.name}", "choose apertium or memory")
        if not self.available():
            raise MissingResourceError(f"{self.name} cannot be used; {self.install_hint}")
        if self.languages and (source == target or not {source, target} <= set(self.languages)):
            raise UnknownPairError(
                f"{self.name} is not used for {source}->{target}; "
                f"choose two of {', '.join(self.languages)}"
            )
        chosen = self.settings
        limits = shared_limits(self.name, chosen.rate or self.rate, chosen.tries, chosen.budget)
        with self.connect(source, target) as send:
            batch = _Batch(self.name, send, limits)
            yield from map(Translation, translate_in_pieces(texts, self.load, batch.translate))


class _Batch:
    """Keeps each translation that an incomplete answer holds, so that it is not paid for again."""

    def __init__(self, name: str, send: Send, limits: Limits) -> None:
        self._name = name
        self._send = send
        self._limits = limits
        self._found: dict[str, str] = {}

    def translate(self, pieces: list[str]) -> Iterator[str]:
        """One translation per piece; after a failure of the whole list, one request per piece."""
        try:
            self._request(pieces)
        except (BadAnswerError, BusyError, RejectedError):
            # One text may spoil the request for all, or the service may accept fewer at once.
            if len(pieces) == 1:
                raise
        for piece in pieces:
            self._request([piece])
            yield self._found[piece]

    def _request(self, pieces: list[str]) -> None:
        missing = self._missing(pieces)
        if missing:
            self._limits.call(lambda: self._send_missing(missing), missing)

    def _send_missing(self, pieces: list[str]) -> None:
        """Send the pieces that no earlier try has translated, and keep what comes back."""
        missing = self._missing(pieces)
        answers = self._send(missing)
        if len(answers) != len(missing):
            raise BadAnswerError(
                f"{self._name} gave {len(answers)} translations for {len(missing)} texts"
            )
        for piece, answer in zip(missing, answers, strict=True):
            if isinstance(answer, str) and answer.strip() and not is_page(answer):
                self._found[piece] = answer
        if empty := self._missing(missing):
            raise BadAnswerError(
                f"{self._name} gave no translation for {len(empty)} of {len(missing)} texts"
            )

    def _missing(self, pieces: list[str]) -> list[str]:
        return [piece for piece in dict.fromkeys(pieces) if piece not in self._found]


def is_page(text: str) -> bool:
    """Whether a text is an HTML page, as proxies and overloaded servers send."""
    return re.match(r"\s*<(!doctype|html|head|body)\b", text, re.IGNORECASE) is not None
