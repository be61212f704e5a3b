"""What a translator is, and what it gives back."""

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
    """A source of new translations. It stands behind :class:`.remembered.Remembered`."""

    @property
    def name(self) -> str:
        """What the memory files its translations under."""

    @property
    def version(self) -> str:
        """What was asked, exactly enough to tell two answers apart."""

    @property
    def install_hint(self) -> str:
        """The command that makes it available."""

    @property
    def chunk(self) -> int:
        """How many texts to ask for before storing the answers."""

    def available(self) -> bool:
        """Whether it can be asked on this machine."""

    def ask(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """One translation for each text, in order; what was yielded before an error is good."""


@runtime_checkable
class VersionedByPair(Protocol):
    """A provider that tells the version of one pair of languages apart from the others'."""

    def version_of(self, source: str, target: str) -> str:
        """What the memory files a translation between these languages under."""


class Translator(Protocol):
    """What a run translates with. Language codes are ISO 639-1, ``en`` and ``es``."""

    @property
    def name(self) -> str:
        """The name of the provider whose translations these are."""

    @property
    def version(self) -> str:
        """The version of that provider."""

    @property
    def install_hint(self) -> str:
        """The command that makes it available."""

    def available(self) -> bool:
        """Whether it can translate anything on this machine."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """The translations of the n ``texts``, n of them and in the same order."""

    def untranslated(self, texts: Sequence[str], source: str, target: str) -> list[tuple[str, ...]]:
        """For each text the words that its translation leaves in the source language."""

    def signature(self) -> dict[str, str]:
        """``provider``, ``version`` and the ``sha256`` of the translations served so far."""


class MissingTranslationsError(MissingResourceError):
    """Some texts have no stored translation, and nobody can be asked for one."""


class TranslationError(StsError):
    """A provider was asked and failed."""


def has_letters(text: str) -> bool:
    """Whether there is anything to translate; numbers, emoji and punctuation stay as they are."""
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
    """Which translations a result rests on; ``served`` maps (source, target, text) to them.

    The digest is taken over the sorted entries, so the order of asking does not matter.
    """
    lines = sorted(json.dumps([*key, translation]) for key, translation in served.items())
    digest = hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()
    return {"provider": provider, "version": ", ".join(sorted(set(versions))), "sha256": digest}


def round_trip(
    translator: Translator, texts: Sequence[str], source: str = "en", pivot: str = "es"
) -> list[str]:
    """The ``texts`` translated to ``pivot`` and back, n of them and in the same order."""
    return translator.translate(translator.translate(texts, source, pivot), pivot, source)
