"""Translations, and the protocols of those who make and serve them."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from sts.errors import MissingResourceError, StsError


class Translation(NamedTuple):
    """One translated text.

    Attributes:
        text: the translation, without any mark.
        untranslated: the words that were left in the source language, in order;
            empty when there are none or when the provider does not say.
    """

    text: str
    untranslated: tuple[str, ...] = ()


class Provider(ABC):
    """A source of new translations; :class:`.CachedTranslator` puts a memory in front of it.

    Attributes:
        name: the memory stores its translations under it.
        chunk: how many texts to translate before the translations are stored.
    """

    name: ClassVar[str]
    chunk: ClassVar[int]

    @property
    @abstractmethod
    def version(self) -> str:
        """Describes the provider well enough to tell two sets of translations apart."""

    @property
    @abstractmethod
    def install_hint(self) -> str:
        """Return the command that makes it available."""

    @abstractmethod
    def available(self) -> bool:
        """Whether it can be used on this machine; the network is not tried."""

    @abstractmethod
    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """One translation per text, in order; those yielded before an error are used."""

    def version_of(self, source: str, target: str) -> str:
        """The version that is stored with a translation between these languages."""
        return self.version


class Translator(ABC):
    """Translates texts. Languages are ISO 639-1 codes, such as ``en`` and ``es``."""

    def __init__(self) -> None:
        self._served: dict[tuple[str, str, str], str] = {}

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the provider whose translations these are."""

    @property
    @abstractmethod
    def version(self) -> str:
        """The versions behind the translations served so far, else the provider's own."""

    @property
    @abstractmethod
    def install_hint(self) -> str:
        """Return the command that makes it available."""

    @abstractmethod
    def available(self) -> bool:
        """Whether it can translate anything on this machine."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """The translations of the n ``texts``, n of them and in the same order.

        A text without letters comes back unchanged.

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
        """The translation of each of some distinct texts with letters, see :meth:`translate`."""

    def signature(self) -> dict[str, str]:
        """``provider``, ``version`` and the ``sha256`` of the translations served so far.

        The hash does not depend on their order.
        """
        lines = sorted(json.dumps([*key, text]) for key, text in self._served.items())
        return {
            "provider": self.name,
            "version": self.version if self._served else "",
            "sha256": hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest(),
        }

    def _no_translation(
        self, missing: Sequence[str], of: int, source: str, target: str
    ) -> MissingTranslationsError:
        """The error for ``missing`` texts out of ``of`` distinct ones."""
        return MissingTranslationsError(
            f"{len(missing)} of {of} distinct texts have no {source}->{target} translation, "
            f"the first is {missing[0][:80]!r}; {self.install_hint}"
        )


class MissingTranslationsError(MissingResourceError):
    """Some texts have no stored translation, and no provider is available."""


class TranslationError(StsError):
    """A provider failed."""


def has_letters(text: str) -> bool:
    """Whether there is anything to translate; numbers, emoji and punctuation are kept as they are."""
    return any(character.isalpha() for character in text)
