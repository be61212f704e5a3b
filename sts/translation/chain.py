"""Several translators in a row: each text by the first that answers, and everyone is told."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from tqdm import tqdm

from sts.errors import MissingResourceError
from sts.translation.online.faults import BadAnswerError, RejectedError, UnknownPairError
from sts.translation.translator import TranslationError, Translator, has_letters, signature_of

_REFUSED_IN_A_ROW = 3
"""After so many single refusals nothing more is asked of a translator."""

T = TypeVar("T")

Key = tuple[str, str, str]
"""Source, target, text."""


class Link(Translator, Protocol):
    """A translator that says what it can serve without asking anybody."""

    def known(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Those of ``texts`` whose translation is at hand."""


def _say(text: str) -> None:
    """A note on stderr that breaks no progress bar."""
    tqdm.write(text, file=sys.stderr)


class Chain:
    """The first of ``links`` that is there and answers, for each text.

    Nobody is put into a chain who was not named. A text that one refuses goes
    to the next, and so does everything that is left when one cannot be reached
    or has no quota. Each keeps what it gave under its own name, and a note says
    who served how many.

    Args:
        links: from one on, the preferred first.
        say: prints the note.
    """

    def __init__(self, links: Sequence[Link], say: Callable[[str], None] = _say) -> None:
        self._links = tuple(links)
        self._say = say
        self._by: dict[Key, Link] = {}
        self._served: dict[Key, str] = {}

    @property
    def name(self) -> str:
        """The names of all, as they are given on the command line."""
        return ",".join(link.name for link in self._links)

    @property
    def version(self) -> str:
        """The name and version of each that has served, else of all."""
        used = set(map(id, self._by.values()))
        links = [link for link in self._links if not used or id(link) in used]
        return "; ".join(f"{link.name}: {link.version}" for link in links)

    @property
    def install_hint(self) -> str:
        """How to get each."""
        return "; ".join(f"{link.name}: {link.install_hint}" for link in self._links)

    def available(self) -> bool:
        """Whether one of them is."""
        return any(link.available() for link in self._links)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """The translations of the n ``texts``, n of them and in the same order.

        Raises:
            TranslationError: some texts were answered by nobody; says why by each.
        """
        served = self._serve(
            texts, source, target, lambda link, t: link.translate(t, source, target)
        )
        self._served.update(((source, target, text), served[text]) for text in served)
        return [served.get(text, text) for text in texts]

    def untranslated(self, texts: Sequence[str], source: str, target: str) -> list[tuple[str, ...]]:
        """For each text the words that its translation leaves in the source language.

        Raises:
            TranslationError: some texts were answered by nobody.
        """
        served = self._serve(
            texts, source, target, lambda link, t: link.untranslated(t, source, target)
        )
        return [served.get(text, ()) for text in texts]

    def signature(self) -> dict[str, str]:
        """``provider``, ``version`` and the ``sha256`` of the translations served so far."""
        return signature_of(self.name, [self.version] if self._served else [], self._served)

    def _serve(
        self,
        texts: Sequence[str],
        source: str,
        target: str,
        get: Callable[[Link, list[str]], list[T]],
    ) -> dict[str, T]:
        """What ``get`` gives for each distinct text with letters, from the link it belongs to."""
        distinct = [text for text in dict.fromkeys(texts) if has_letters(text)]
        self._assign([t for t in distinct if (source, target, t) not in self._by], source, target)
        served: dict[str, T] = {}
        for link in self._links:
            own = [text for text in distinct if self._by[source, target, text] is link]
            if own:
                served.update(zip(own, get(link, own), strict=True))
        return served

    def _assign(self, texts: Sequence[str], source: str, target: str) -> None:
        """Find a link for each text, and say which served how many."""
        left = list(texts)
        counts: list[str] = []
        reasons: list[str] = []
        for link in self._links:
            if not left:
                break
            answered, reason = _ask(link, left, source, target)
            self._by.update({(source, target, text): link for text in answered})
            left = [text for text in left if text not in answered]
            counts.append(f"{link.name} {len(answered)}")
            if reason:
                reasons.append(f"{link.name}: {reason}")
        if counts:
            why = f" ({'; '.join(reasons)})" if reasons else ""
            self._say(f"{source}->{target}, texts by translator: {', '.join(counts)}{why}")
        if left:
            raise TranslationError(
                f"{len(left)} of {len(texts)} texts have no {source}->{target} translation from "
                f"any of {self.name}; {'; '.join(reasons)}"
            )


def _ask(link: Link, texts: Sequence[str], source: str, target: str) -> tuple[set[str], str]:
    """The texts that ``link`` has translated, and its first error, if any."""
    waiting = list(texts)
    reason = ""
    refused = 0
    while waiting:
        try:
            link.translate(waiting, source, target)
            return _known(link, texts, source, target), reason
        except (TranslationError, MissingResourceError, UnknownPairError) as error:
            reason = reason or str(error)
            known = _known(link, waiting, source, target)
            rest = [text for text in waiting if text not in known]
            refused = 1 if len(rest) < len(waiting) else refused + 1
            single = isinstance(error, (RejectedError, BadAnswerError))
            if not single or refused >= _REFUSED_IN_A_ROW:
                break
            waiting = rest[1:]  # texts are asked for in order, so the first was refused
    return _known(link, texts, source, target), reason


def _known(link: Link, texts: Sequence[str], source: str, target: str) -> set[str]:
    try:
        return set(link.known(texts, source, target))
    except UnknownPairError:
        return set()
