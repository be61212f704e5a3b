"""Translations, the base classes of those who make and serve them, and their errors."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from semaniacs.sts.errors import MissingResourceError, StsError


class Translation(NamedTuple):
    """One translated text, and the words that the provider left in the source language."""

    text: str
    untranslated: tuple[str, ...] = ()


class TranslationError(StsError):
    """A provider failed. No message contains an API key."""


class TemporaryError(TranslationError):
    """A request failed that may succeed later, as without a connection or an answer in time."""


class BadAnswerError(TemporaryError):
    """The answer contains no translation: empty, cut off, an HTML page, or not UTF-8."""


class RejectedError(TranslationError):
    """The service refuses to translate this text; trying again would not help."""


class UnknownPairError(StsError):
    """The provider does not translate between these languages; the message lists what it does."""


class MissingTranslationsError(MissingResourceError):
    """Some texts have no stored translation, and no provider is available."""


class Provider(ABC):
    """A source of new translations; :class:`.CachedTranslator` puts a memory in front of it.

    Attributes:
        name: the memory stores its translations under it.
        chunk: number of texts to translate before the translations are stored.
    """

    name: ClassVar[str]
    chunk: ClassVar[int]

    @property
    @abstractmethod
    def version(self) -> str:
        """Description that tells two sets of translations apart."""

    @property
    @abstractmethod
    def install_hint(self) -> str:
        """Command that makes the provider available."""

    @abstractmethod
    def available(self) -> bool:
        """Return whether it can be used on this machine; the network is not tried."""

    @abstractmethod
    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """Yield one translation per text, in order; those before an error are stored.

        Every text contains letters.
        """

    def version_of(self, source: str, target: str) -> str:
        """Return the version to store with a translation between these languages."""
        return self.version


class Translator(ABC):
    """Translates texts. Languages are ISO 639-1 codes, such as ``en`` and ``es``.

    Attributes:
        name: of the provider whose translations these are.
        install_hint: command that makes more translations available.
    """

    def __init__(self, name: str, install_hint: str) -> None:
        self.name, self.install_hint = name, install_hint
        self._served: dict[tuple[str, str, str], str] = {}

    @property
    @abstractmethod
    def version(self) -> str:
        """Versions behind the translations served so far, or ``not called``."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """Return one translation per text, in order; a text without letters is returned as it is.

        Raises:
            TranslationError: a provider failed; what it translated before is stored.
            MissingResourceError: a text has no translation and no provider is available.
            UnknownPairError: the languages are not among those that it translates.
        """
        distinct = [text for text in dict.fromkeys(texts) if has_letters(text)]
        found = self._find(distinct, source, target)
        self._served.update(((source, target, text), found[text].text) for text in found)
        return [found.get(text, Translation(text)) for text in texts]

    @abstractmethod
    def _find(self, texts: Sequence[str], source: str, target: str) -> dict[str, Translation]:
        """Return the translation of each of some distinct texts with letters."""

    def signature(self) -> dict[str, str]:
        """Return ``provider``, ``version`` and the ``sha256`` of the translations served so far.

        The hash does not depend on their order.
        """
        lines = sorted(json.dumps([*key, text]) for key, text in self._served.items())
        return {
            "provider": self.name,
            "version": self.version if self._served else "",
            "sha256": hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest(),
        }

    def _no_translation(
        self, missing: Sequence[str], total: int, source: str, target: str
    ) -> MissingTranslationsError:
        return MissingTranslationsError(
            f"{len(missing)} of {total} distinct texts have no {source}->{target} translation, "
            f"the first is {missing[0][:80]!r}; {self.install_hint}"
        )


def has_letters(text: str) -> bool:
    """Return whether there is anything to translate: not in numbers, emoji and punctuation."""
    return any(character.isalpha() for character in text)
