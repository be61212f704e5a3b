"""A provider that needs nothing, and short ways to write and read a memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from subprocess import getoutput

import pytest

from semaniacs.sts.translation import Translation, TranslationError, TranslationMemory
from semaniacs.sts.translation.memory import Entry
from semaniacs.sts.translation.translator import Provider

HAS_APERTIUM = "spa-eng" in getoutput("apertium -l")
needs_apertium = pytest.mark.skipif(not HAS_APERTIUM, reason="apt-get install apertium-eng-spa")


class FakeProvider(Provider):
    """Reverse a text, record what was asked, and fail where it should."""

    version = "1"
    install_hint = "install it: apt-get install fake"

    def __init__(
        self, name: str = "fake", *, ready: bool = True, chunk: int = 3, fail_on: str = ""
    ) -> None:
        self.name = name  # type: ignore[misc]
        self.chunk = chunk  # type: ignore[misc]
        self.ready = ready
        self.asked: list[str] = []
        self.faults: dict[str, Exception] = {fail_on: TranslationError(f"failed on {fail_on!r}")}

    def available(self) -> bool:
        return self.ready

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        for text in texts:
            self.asked.append(text)
            if text in self.faults:
                raise self.faults[text]
            yield self.say(text, target)

    def say(self, text: str, target: str) -> Translation:
        return Translation(text[::-1], (text,) if text.startswith("x") else ())


def plain(translations: Iterable[Translation]) -> list[str]:
    """The texts of translations, in order."""
    return [translation.text for translation in translations]


def entry(
    text: str, translation: str, *words: str, provider: str = "fake", version: str = "1"
) -> Entry:
    """Spanish to English."""
    return Entry(provider, version, "es", "en", text, Translation(translation, words))


def store(memory: TranslationMemory, *texts: str) -> None:
    """Store the translations of the fake provider."""
    memory.add_entries(entry(text, text[::-1]) for text in texts)


def recall(memory: TranslationMemory, text: str) -> str | None:
    """Return the stored translation of a text, as of now."""
    memory.refresh()
    stored = memory.get("fake", "es", "en", text)
    return None if stored is None else stored.translation.text
