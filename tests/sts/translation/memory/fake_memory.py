"""A provider without Apertium, and short ways to write and read a memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sts.translation import (
    Translation,
    TranslationError,
    TranslationMemory,
)


class Fake:
    """Translates by turning a text round, and remembers what it was asked."""

    name = "fake"
    version = "1"
    install_hint = "install it: apt-get install fake"
    chunk = 3

    def __init__(self, fail_on: str | None = None, ready: bool = True) -> None:
        self.asked: list[str] = []
        self.fail_on = fail_on
        self.ready = ready

    def available(self) -> bool:
        return self.ready

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        for text in texts:
            self.asked.append(text)
            if text == self.fail_on:
                raise TranslationError(f"fake failed on {text!r}")
            yield Translation(text[::-1], (text,) if text.startswith("x") else ())


def store(memory: TranslationMemory, *texts: str, version: str = "1") -> None:
    memory.add_many(
        "fake", version, "es", "en", [(text, Translation(text[::-1])) for text in texts]
    )


def recall(memory: TranslationMemory, text: str) -> str | None:
    memory.refresh()
    stored = memory.get("fake", "es", "en", text)
    return None if stored is None else stored.translation.text
