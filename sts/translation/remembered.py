"""The memory in front of a provider: what was paid for once is never paid for again."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tqdm import tqdm

from sts.translation.memory import Stored, TranslationMemory
from sts.translation.translator import (
    Provider,
    Translation,
    TranslationError,
    has_letters,
    missing_error,
    signature_of,
)

_SHOW_PROGRESS_FROM = 500
"""Fewer texts than this are translated before a progress bar could be read."""


class Remembered:
    """A translator that asks ``provider`` only for what no memory holds.

    Args:
        provider: whose translations to serve.
        memories: looked up in this order; new translations go to the last one.
        live: False serves what the memories hold and never calls the provider.
    """

    def __init__(self, provider: Provider, *memories: TranslationMemory, live: bool = True) -> None:
        self._provider = provider
        self._memories = memories
        self._live = live
        self._versions: set[str] = set()
        self._served: dict[tuple[str, str, str], str] = {}

    @property
    def name(self) -> str:
        """The provider's name."""
        return self._provider.name

    @property
    def version(self) -> str:
        """The versions behind the translations served so far, else the provider's own."""
        if self._versions:
            return ", ".join(sorted(self._versions))
        return self._provider.version if self._can_ask() else "not asked"

    @property
    def install_hint(self) -> str:
        """The provider's hint, or how to get a memory filled."""
        if self._live:
            return self._provider.install_hint
        return (
            f"this translator only remembers; choose {self._provider.name!r} to have them "
            f"translated ({self._provider.install_hint})"
        )

    def available(self) -> bool:
        """Whether the provider can be asked or a memory holds anything."""
        self._refresh()
        return self._can_ask() or any(len(memory) for memory in self._memories)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """The translations of the n ``texts``, n of them and in the same order.

        A text without any letter comes back untouched.

        Raises:
            MissingTranslationsError: a text is in no memory and nobody can be asked.
            TranslationError: the provider failed; what it gave before is kept.
        """
        return [found.text for found in self._serve(texts, source, target)]

    def untranslated(self, texts: Sequence[str], source: str, target: str) -> list[tuple[str, ...]]:
        """For each text the words that its translation leaves in the source language.

        Raises:
            The errors of :meth:`translate`.
        """
        return [found.untranslated for found in self._serve(texts, source, target)]

    def signature(self) -> dict[str, str]:
        """``provider``, ``version`` and the ``sha256`` of the translations served so far."""
        return signature_of(self.name, self._versions, self._served)

    def _serve(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        distinct = [text for text in dict.fromkeys(texts) if has_letters(text)]
        self._refresh()
        missing = [text for text in distinct if self._recall(text, source, target) is None]
        if missing and not self._can_ask():
            raise missing_error(missing, len(distinct), f"{source}->{target}", self.install_hint)
        self._ask_for(missing, source, target)
        return [self._hand_over(text, source, target) for text in texts]

    def _hand_over(self, text: str, source: str, target: str) -> Translation:
        """The stored translation, noted for the signature."""
        stored = self._recall(text, source, target)
        if stored is None:
            return Translation(text)  # it has no letters
        self._versions.add(stored.version)
        self._served[source, target, text] = stored.translation.text
        return stored.translation

    def _recall(self, text: str, source: str, target: str) -> Stored | None:
        for memory in self._memories:
            stored = memory.get(self.name, source, target, text)
            if stored is not None:
                return stored
        return None

    def _refresh(self) -> None:
        for memory in self._memories:
            memory.refresh()

    def _can_ask(self) -> bool:
        return self._live and self._provider.available()

    def _ask_for(self, missing: Sequence[str], source: str, target: str) -> None:
        """Ask chunk by chunk, and store a chunk before the next, so that a kill loses one."""
        size = self._provider.chunk
        with tqdm(
            total=len(missing),
            desc=f"{self.name} {source}->{target}",
            unit="text",
            file=sys.stderr,
            disable=len(missing) < _SHOW_PROGRESS_FROM,
        ) as bar:
            for start in range(0, len(missing), size):
                chunk = missing[start : start + size]
                self._memories[-1].refresh()  # another process may have been faster
                chunk = [text for text in chunk if self._recall(text, source, target) is None]
                try:
                    self._ask_chunk(chunk, source, target)
                except TranslationError as error:
                    done = sum(self._recall(t, source, target) is not None for t in missing)
                    raise TranslationError(
                        f"{error}; {done} of {len(missing)} texts were translated and are kept "
                        f"in {self._memories[-1].path}, run again to go on from there"
                    ) from None
                bar.update(min(size, len(missing) - start))

    def _ask_chunk(self, chunk: Sequence[str], source: str, target: str) -> None:
        """Ask and store; when the provider fails half-way, the first half is stored."""
        answers: list[Translation] = []
        try:
            for answer in self._provider.ask(chunk, source, target):
                answers.append(answer)
        except BaseException:
            self._store(chunk, answers, source, target)
            raise
        if len(answers) != len(chunk):
            raise TranslationError(
                f"{self.name} gave {len(answers)} translations for {len(chunk)} texts, "
                "expected one each; nothing of it was stored"
            )
        self._store(chunk, answers, source, target)

    def _store(
        self, chunk: Sequence[str], answers: Sequence[Translation], source: str, target: str
    ) -> None:
        pairs = zip(chunk, answers, strict=False)  # fewer answers than texts after a failure
        self._memories[-1].add_many(self.name, self._provider.version, source, target, pairs)
