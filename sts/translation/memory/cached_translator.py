"""A translator that calls its provider only for texts that no memory holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from sts.progress import Bar
from sts.translation.memory.claims import Claims
from sts.translation.memory.store import Entry, TranslationMemory
from sts.translation.translator import Provider, Translation, TranslationError, Translator

Pair = tuple[str, str]
"""The source and the target language."""


class CachedTranslator(Translator):
    """A translator that sends to ``provider`` only the texts that no memory holds.

    A stored translation is used whichever version of the provider gave it: nothing is paid for
    twice, and no result changes because a provider was upgraded. A text that another process is
    having translated at this moment is waited for.

    Args:
        provider: the source of new translations.
        memories: searched in this order; new translations are added to the last one.
        live: False uses the memories only and never calls the provider.
        renew: True uses only translations of the provider's present version, and has the others
            translated again; the older translations stay in the memory.
    """

    def __init__(
        self,
        provider: Provider,
        *memories: TranslationMemory,
        live: bool = True,
        renew: bool = False,
    ) -> None:
        super().__init__()
        self._provider = provider
        self._version_of = cache(provider.version_of)
        self._memories = memories
        self._live = live
        self._renew = renew
        self._versions: set[str] = set()

    @property
    def name(self) -> str:
        """The provider's name."""
        return self._provider.name

    @property
    def version(self) -> str:
        """The versions behind the translations served so far, else the provider's own."""
        if self._versions:
            return ", ".join(sorted(self._versions))
        return self._provider.version if self._can_call() else "not called"

    @property
    def install_hint(self) -> str:
        """The provider's hint, or how to fill the memory."""
        if self._live:
            return self._provider.install_hint
        return (
            f"this translator uses its memory only; choose {self._provider.name!r} to have them "
            f"translated ({self._provider.install_hint})"
        )

    def available(self) -> bool:
        """Whether the provider is available or a memory holds anything."""
        self._refresh()
        return self._can_call() or any(len(memory) for memory in self._memories)

    def known(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Return the translations that a memory holds, in the order of ``texts``."""
        self._refresh()
        return [text for text in texts if self._stored(text, (source, target))]

    def _find(self, texts: Sequence[str], source: str, target: str) -> dict[str, Translation]:
        pair = source, target
        self._refresh()
        missing = self._missing(texts, pair)
        if missing and not self._can_call():
            raise self._no_translation(missing, len(texts), source, target)
        if missing:
            self._translate_missing(missing, pair)
        found = {}
        for text in texts:
            if stored := self._stored(text, pair):
                self._versions.add(stored.version)
                found[text] = stored.translation
        return found

    def _stored(self, text: str, pair: Pair) -> Entry | None:
        version = self._version_of(*pair) if self._renew else None
        held = (memory.get(self.name, *pair, text, version) for memory in self._memories)
        return next(filter(None, held), None)

    def _missing(self, texts: Sequence[str], pair: Pair) -> list[str]:
        return [text for text in texts if not self._stored(text, pair)]

    def _refresh(self) -> None:
        for memory in self._memories:
            memory.refresh()

    def _can_call(self) -> bool:
        return self._live and self._provider.available()

    def _translate_missing(self, missing: Sequence[str], pair: Pair) -> None:
        """Store each chunk before the next, so that a killed process loses one chunk at most."""
        path = self._memories[-1].path
        several = len(missing) > self._provider.chunk
        bar = Bar(f"{self.name} {'->'.join(pair)}", "texts", len(missing), show=several)
        with Claims(path.with_name(f"{path.name}.lock")) as claims, bar:
            try:
                self._in_chunks(missing, pair, claims, bar)
            except TranslationError as error:
                done = len(missing) - len(self._missing(missing, pair))
                raise type(error)(  # keeps the class
                    f"{error}; {done} of {len(missing)} texts were translated and are kept "
                    f"in {path}, run again to go on from there"
                ) from None

    def _in_chunks(self, missing: Sequence[str], pair: Pair, claims: Claims, bar: Bar) -> None:
        """Texts that another process is having translated wait until the others are done.

        If that process ends without a translation, they are translated here.
        """
        size = self._provider.chunk
        while missing:
            put_off: list[str] = []
            for start in range(0, len(missing), size):
                chunk = missing[start : start + size]
                elsewhere = self._translate_chunk(chunk, pair, claims)
                bar.update(len(chunk) - len(elsewhere))
                put_off += elsewhere
            claims.wait_for([self._claim(text, pair) for text in put_off])
            self._memories[-1].refresh()
            missing = self._missing(put_off, pair)
            bar.update(len(put_off) - len(missing))

    def _translate_chunk(self, chunk: Sequence[str], pair: Pair, claims: Claims) -> list[str]:
        """Translate and store what is missing; returns the texts that another process has."""
        taken = claims.take([self._claim(text, pair) for text in chunk])
        ours = {text for text, is_ours in zip(chunk, taken, strict=True) if is_ours}
        self._memories[-1].refresh()  # only now: another process may have just stored some
        missing = self._missing(chunk, pair)
        try:
            self._translate_and_store([text for text in missing if text in ours], pair)
        finally:
            claims.release()
        return [text for text in missing if text not in ours]

    def _claim(self, text: str, pair: Pair) -> str:
        """The name of the claim on a text."""
        return json.dumps([self.name, *pair, text])

    def _translate_and_store(self, texts: Sequence[str], pair: Pair) -> None:
        """If the provider fails half-way, the translations before are stored."""
        if not texts:
            return
        answers: list[Translation] = []
        try:
            for answer in self._provider.translate(texts, *pair):
                answers.append(answer)
            if (given := len(answers)) != len(texts):
                answers.clear()
                raise TranslationError(
                    f"{self.name} gave {given} translations for {len(texts)} texts, "
                    "expected one each; nothing of it was stored"
                )
        finally:
            version = self._version_of(*pair)
            self._memories[-1].add_entries(
                Entry(self.name, version, *pair, text, answer)
                for text, answer in zip(texts, answers, strict=False)  # fewer after a failure
            )
