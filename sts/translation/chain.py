"""Several translators in a row: each text is translated by the first that can."""

from __future__ import annotations

from collections.abc import Sequence

from sts.errors import MissingResourceError
from sts.progress import note
from sts.translation.memory.cached_translator import CachedTranslator
from sts.translation.online.faults import BadAnswerError, RejectedError, UnknownPairError
from sts.translation.recorded import Recorded
from sts.translation.translator import Translation, TranslationError, Translator

_MOST_REFUSALS = 3
"""After so many refused texts in a row, a translator is sent no more."""

Link = CachedTranslator | Recorded
"""A translator that knows which translations it has already."""


class Chain(Translator):
    """Translates each text by the first of ``links`` that is available and succeeds.

    Only translators that were named are used. A text that one refuses goes to the next, and so
    do all remaining texts when one cannot be reached or has no quota left. Each translation is
    stored under the name of its own translator. A note on stderr says how many each one gave.

    Args:
        links: at least one, the preferred first.
    """

    def __init__(self, links: Sequence[Link]) -> None:
        super().__init__()
        self._links = tuple(links)
        self._by: dict[tuple[str, str, str], Link] = {}  # by source, target and text

    @property
    def name(self) -> str:
        """The names of all, as they are given on the command line."""
        return ",".join(link.name for link in self._links)

    @property
    def version(self) -> str:
        """The name and version of each that translated something, else of all."""
        used = set(map(id, self._by.values()))
        links = [link for link in self._links if not used or id(link) in used]
        return "; ".join(f"{link.name}: {link.version}" for link in links)

    @property
    def install_hint(self) -> str:
        """The hints of all."""
        return "; ".join(f"{link.name}: {link.install_hint}" for link in self._links)

    def available(self) -> bool:
        """Whether one of them is."""
        return any(link.available() for link in self._links)

    def _find(self, texts: Sequence[str], source: str, target: str) -> dict[str, Translation]:
        self._assign([t for t in texts if (source, target, t) not in self._by], source, target)
        found: dict[str, Translation] = {}
        for link in self._links:
            own = [text for text in texts if self._by[source, target, text] is link]
            if own:
                found.update(zip(own, link.translate(own, source, target), strict=True))
        return found

    def _assign(self, texts: Sequence[str], source: str, target: str) -> None:
        """Find a translator for each text, and print how many each one translated."""
        left = list(texts)
        counts: list[str] = []
        reasons: list[str] = []
        for link in self._links:
            if not left:
                break
            answered, reason = _try(link, left, source, target)
            self._by.update({(source, target, text): link for text in answered})
            left = [text for text in left if text not in answered]
            counts.append(f"{link.name} {len(answered)}")
            if reason:
                reasons.append(f"{link.name}: {reason}")
        if counts:
            why = f" ({'; '.join(reasons)})" if reasons else ""
            note(f"{source}->{target}, texts by translator: {', '.join(counts)}{why}")
        if left:
            raise TranslationError(
                f"{len(left)} of {len(texts)} texts have no {source}->{target} translation from "
                f"any of {self.name}; {'; '.join(reasons)}"
            )


def _try(link: Link, texts: Sequence[str], source: str, target: str) -> tuple[set[str], str]:
    """The texts that ``link`` has translated, and its first error, if any."""
    waiting = list(texts)
    reason = ""
    refused = 0
    while waiting:
        try:
            link.translate(waiting, source, target)
            break
        except (TranslationError, MissingResourceError, UnknownPairError) as error:
            reason = reason or str(error)
            known = set(link.known(waiting, source, target))
            rest = [text for text in waiting if text not in known]
            refused = 1 if known else refused + 1
            single = isinstance(error, (RejectedError, BadAnswerError))
            if not single or refused >= _MOST_REFUSALS:
                break
            waiting = rest[1:]  # texts are sent in order, so the first was refused
    return set(link.known(texts, source, target)), reason
