"""Translation engines on the network, through the deep-translator package."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

from sts.errors import MissingResourceError, StsError
from sts.translation.translator import Translation, TranslationError

TIMEOUT = 30.0
"""Seconds to wait for an engine to connect, and again for it to answer."""

_LANGUAGES = ("en", "es")
"""The languages of the task, ISO 639-1; every engine has them."""


@dataclass(frozen=True)
class Engine:
    """How deep-translator reaches one engine.

    Attributes:
        module, class_name: where its class is.
        codes: ISO 639-1 to the engine's own language codes, where they differ.
        key_variable: the environment variable that must hold a key, if there is one.
        refusals: how an answer begins that is a notice and not a translation.
    """

    module: str
    class_name: str
    codes: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    key_variable: str | None = None
    refusals: tuple[str, ...] = ()


ENGINES = {
    "google": Engine("deep_translator.google", "GoogleTranslator"),
    "mymemory": Engine(
        "deep_translator.mymemory",
        "MyMemoryTranslator",
        codes={"en": "en-US", "es": "es-ES"},
        refusals=("MYMEMORY WARNING", "QUERY LENGTH LIMIT", "INVALID ", "PLEASE SELECT"),
    ),
    "libre": Engine(
        "deep_translator.libre",
        "LibreTranslator",
        options={"use_free_api": False},  # the host of the free one is gone
        key_variable="LIBRE_API_KEY",
    ),
}
"""The engines that can be chosen, by name."""


class Online:
    """One engine of :data:`ENGINES`, asked text by text."""

    chunk = 50

    def __init__(self, name: str) -> None:
        self.name = name
        self._engine = ENGINES[name]

    @property
    def version(self) -> str:
        """The version of the package; the engines themselves do not tell theirs."""
        return f"deep-translator {installed_version('deep-translator')}"

    @property
    def install_hint(self) -> str:
        """How to install the package and, where one is needed, where to put the key."""
        key = self._engine.key_variable
        return "install it: pip install deep-translator" + (f" and set {key}" if key else "")

    def available(self) -> bool:
        """Whether the package is installed and the key is set; the network is not tried."""
        key = self._engine.key_variable
        return find_spec("deep_translator") is not None and (not key or bool(os.environ.get(key)))

    def ask(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """One translation for each text, in order, each as soon as it is there.

        Raises:
            MissingResourceError: the package or the key is missing.
            TranslationError: the engine failed, refused or gave nothing.
        """
        client = self._client(source, target)
        for text in texts:
            yield Translation(self._translated(client, text))

    def _client(self, source: str, target: str) -> Any:
        if not self.available():
            raise MissingResourceError(f"{self.name} cannot be asked; {self.install_hint}")
        unknown = [code for code in (source, target) if code not in _LANGUAGES]
        if unknown:
            raise StsError(
                f"{self.name}: unknown language {unknown[0]!r}; choose from {', '.join(_LANGUAGES)}"
            )
        module = import_module(self._engine.module)
        _limit_waiting(module)
        options = dict(self._engine.options)
        if self._engine.key_variable:
            options["api_key"] = os.environ[self._engine.key_variable]
        codes = self._engine.codes
        return getattr(module, self._engine.class_name)(
            source=codes.get(source, source), target=codes.get(target, target), **options
        )

    def _translated(self, client: Any, text: str) -> str:
        try:
            answer = client.translate(text)
        except Exception as error:
            # The package lets errors of requests, of its parser and of its own
            # through. Only the kind is told: some messages hold the key.
            raise TranslationError(
                f"{self.name} failed with {type(error).__name__} on {text[:80]!r}"
            ) from None
        if not isinstance(answer, str) or not answer.strip():
            raise TranslationError(f"{self.name} gave no translation for {text[:80]!r}")
        if answer.startswith(self._engine.refusals):
            raise TranslationError(f"{self.name} refused {text[:80]!r}: {answer[:80]!r}")
        return answer


def _limit_waiting(module: Any) -> None:
    """Give the module's requests a time-out: it asks without one and could wait for ever."""
    import requests

    module.requests = SimpleNamespace(
        get=partial(requests.get, timeout=TIMEOUT), post=partial(requests.post, timeout=TIMEOUT)
    )
