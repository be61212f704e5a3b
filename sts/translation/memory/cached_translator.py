"""A translator that calls its provider only for texts that no memory holds."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import NoReturn

from tqdm import tqdm

from sts.translation.memory.claims import Claims
from sts.translation.memory.store import Stored, TranslationMemory
from sts.translation.translator import (
    Provider,
    Translation,
    TranslationError,
    VersionedByPair,
    has_letters,
    missing_error,
    signature_of,
)

_SHOW_PROGRESS_FROM = 500
"""Fewer texts are translated before anybody could read a progress bar."""


class CachedTranslator:
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
        self._provider = provider
        self._memories = memories
        self._live = live
        self._renew = renew
        self._versions: set[str] = set()
        self._present: dict[tuple[str, str], str] = {}
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

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """The translations of the n ``texts``, n of them and in the same order.

        A text without letters comes back unchanged.

        Raises:
            MissingTranslationsError: a text is in no memory and the provider is not available.
            TranslationError: the provider failed; what it translated before is stored.
        """
        distinct = [text for text in dict.fromkeys(texts) if has_letters(text)]
        self._refresh()
        missing = [text for text in distinct if self._stored(text, source, target) is None]
        if missing and not self._can_call():
            raise missing_error(missing, len(distinct), f"{source}->{target}", self.install_hint)
        self._translate_missing(missing, source, target)
        return [self._serve(text, source, target) for text in texts]

    def known(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Those of ``texts`` that a memory holds, in the same order."""
        self._refresh()
        return [text for text in texts if self._stored(text, source, target) is not None]

    def signature(self) -> dict[str, str]:
        """``provider``, ``version`` and the ``sha256`` of the translations served so far."""
        return signature_of(self.name, self._versions, self._served)

    def _serve(self, text: str, source: str, target: str) -> Translation:
        """The stored translation, which becomes part of the signature."""
        stored = self._stored(text, source, target)
        if stored is None:
            return Translation(text)  # it has no letters
        self._versions.add(stored.version)
        self._served[source, target, text] = stored.translation.text
        return stored.translation

    def _stored(self, text: str, source: str, target: str) -> Stored | None:
        version = self._version_of(source, target) if self._renew else None
        for memory in self._memories:
            stored = memory.get(self.name, source, target, text, version)
            if stored is not None:
                return stored
        return None

    def _version_of(self, source: str, target: str) -> str:
        """The provider's present version, for this pair if it has one; looked up once."""
        if (source, target) not in self._present:
            self._present[source, target] = (
                self._provider.version_of(source, target)
                if isinstance(self._provider, VersionedByPair)
                else self._provider.version
            )
        return self._present[source, target]

    def _refresh(self) -> None:
        for memory in self._memories:
            memory.refresh()

    def _can_call(self) -> bool:
        return self._live and self._provider.available()

    def _translate_missing(self, missing: Sequence[str], source: str, target: str) -> None:
        """Store each chunk before the next, so that a killed process loses one chunk at most."""
        if not missing:
            return
        path = self._memories[-1].path
        with (
            Claims(path.with_name(f"{path.name}.lock")) as claims,
            tqdm(
                total=len(missing),
                desc=f"{self.name} {source}->{target}",
                unit="text",
                file=sys.stderr,
                disable=True if len(missing) < _SHOW_PROGRESS_FROM else None,  # None: no terminal
            ) as bar,
        ):
            try:
                self._in_chunks(missing, source, target, claims, bar)
            except TranslationError as error:
                done = sum(self._stored(t, source, target) is not None for t in missing)
                raise type(error)(  # keeps the class
                    f"{error}; {done} of {len(missing)} texts were translated and are kept "
                    f"in {path}, run again to go on from there"
                ) from None

    def _in_chunks(
        self,
        missing: Sequence[str],
        source: str,
        target: str,
        claims: Claims,
        bar: tqdm[NoReturn],
    ) -> None:
        """Texts that another process is having translated wait until the others are done.

        If that process ends without a translation, they are translated here.
        """
        size = self._provider.chunk
        while missing:
            put_off: list[str] = []
            for start in range(0, len(missing), size):
                chunk = missing[start : start + size]
                elsewhere = self._translate_chunk(chunk, source, target, claims)
                bar.update(len(chunk) - len(elsewhere))
                put_off += elsewhere
            claims.wait_for([self._claim(text, source, target) for text in put_off])
            self._memories[-1].refresh()
            missing = [text for text in put_off if self._stored(text, source, target) is None]
            bar.update(len(put_off) - len(missing))

    def _translate_chunk(
        self, chunk: Sequence[str], source: str, target: str, claims: Claims
    ) -> list[str]:
        """Translate and store what is missing; returns the texts that another process has."""
        ours = claims.take([self._claim(text, source, target) for text in chunk])
        self._memories[-1].refresh()  # only now: another process may have just stored some
        missing = [self._stored(text, source, target) is None for text in chunk]
        wanted = [text for text, a, b in zip(chunk, ours, missing, strict=True) if a and b]
        try:
            self._translate_and_store(wanted, source, target)
        finally:
            claims.release()
        return [text for text, a, b in zip(chunk, ours, missing, strict=True) if b and not a]

    def _claim(self, text: str, source: str, target: str) -> str:
        """The name of the claim on a text."""
        return json.dumps([self.name, source, target, text])

    def _translate_and_store(self, chunk: Sequence[str], source: str, target: str) -> None:
        """If the provider fails half-way, the translations before are stored."""
        if not chunk:
            return
        answers: list[Translation] = []
        try:
            for answer in self._provider.translate(chunk, source, target):
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
        version = self._version_of(source, target)
        self._memories[-1].add_many(self.name, version, source, target, pairs)
