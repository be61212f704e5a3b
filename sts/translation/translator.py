"""The protocols of translators, and what a translation is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

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


class Provider(Protocol):
    """A source of new translations; :class:`.CachedTranslator` puts a memory in front of it."""

    @property
    def name(self) -> str:
        """The name under which the memory stores its translations."""

    @property
    def version(self) -> str:
        """Describes the provider well enough to tell two sets of translations apart."""

    @property
    def install_hint(self) -> str:
        """What the user has to do to make it available."""

    @property
    def chunk(self) -> int:
        """How many texts to translate before the translations are stored."""

    def available(self) -> bool:
        """Whether it can be used on this machine."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """One translation per text, in order; those yielded before an error are used."""


@runtime_checkable
class VersionedByPair(Protocol):
    """A provider with a version of its own for each language pair."""

    def version_of(self, source: str, target: str) -> str:
        """The version that is stored with a translation between these languages."""


class Translator(Protocol):
    """Translates texts. Languages are ISO 639-1 codes, such as ``en`` and ``es``."""

    @property
    def name(self) -> str:
        """The name of the provider whose translations these are."""

    @property
    def version(self) -> str:
        """The version of that provider."""

    @property
    def install_hint(self) -> str:
        """What the user has to do to make it available."""

    def available(self) -> bool:
        """Whether it can translate anything on this machine."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """The translations of the n ``texts``, n of them and in the same order.

        A text without letters comes back unchanged.

        Raises:
            TranslationError: a provider failed.
            MissingResourceError: a text has no translation and no provider is available.
        """

    def signature(self) -> dict[str, str]:
        """``provider``, ``version`` and the ``sha256`` of the translations served so far."""


class MissingTranslationsError(MissingResourceError):
    """Some texts have no stored translation, and no provider is available."""


class TranslationError(StsError):
    """A provider failed."""


def has_letters(text: str) -> bool:
    """Whether there is anything to translate; numbers, emoji and punctuation are kept as they are."""
    return any(character.isalpha() for character in text)


def missing_error(
    missing: Sequence[str], of: int, pair: str, hint: str
) -> MissingTranslationsError:
    """The error for ``missing`` texts out of ``of`` distinct ones; ``pair`` reads ``es->en``."""
    return MissingTranslationsError(
        f"{len(missing)} of {of} distinct texts have no {pair} translation, "
        f"the first is {missing[0][:80]!r}; {hint}"
    )


def signature_of(
    provider: str, versions: Iterable[str], served: Mapping[tuple[str, str, str], str]
) -> dict[str, str]:
    """Identifies the translations behind a result, in any order.

    Args:
        provider: its name.
        versions: of the translations.
        served: each translation by (source, target, text).

    Returns:
        ``provider``, ``version`` and the ``sha256`` of the sorted translations.
    """
    lines = sorted(json.dumps([*key, translation]) for key, translation in served.items())
    digest = hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()
    return {"provider": provider, "version": ", ".join(sorted(set(versions))), "sha256": digest}
