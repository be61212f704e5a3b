"""Several translators in a row: each text is translated by the first that can."""

from __future__ import annotations

from collections.abc import Sequence

from semaniacs.sts.errors import MissingResourceError
from semaniacs.sts.progress import note
from semaniacs.sts.translation.memory import CachedTranslator
from semaniacs.sts.translation.recorded import Recorded
from semaniacs.sts.translation.translator import (
    BadAnswerError,
    RejectedError,
    Translation,
    TranslationError,
    Translator,
    UnknownPairError,
)

_MOST_REFUSALS = 3  # number of refused texts in a row after which a translator is sent no more

Link = CachedTranslator | Recorded


class Chain(Translator):
    """Translates each text by the first of ``links`` that is available and succeeds.

    A text that one refuses goes to the next, and so do all remaining texts when one cannot be
    reached or has no quota left. A note on stderr says how many each one translated.
    """

    def __init__(self, links: Sequence[Link]) -> None:
        hints = [f"{link.name}: {link.install_hint}" for link in links]
        super().__init__(",".join(link.name for link in links), "; ".join(hints))
        self._links = tuple(links)
        self._by: dict[tuple[str, str, str], Link] = {}  # by source, target and text

    @property
    def version(self) -> str:
        """Name and version of each that translated something."""
        used = [link for link in self._links if link in self._by.values()]
        return "; ".join(f"{link.name}: {link.version}" for link in used) or "not called"

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
    """Return the texts that ``link`` has translated, and its first error, if any."""
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
            one_text = isinstance(error, RejectedError | BadAnswerError)
            if not one_text or refused >= _MOST_REFUSALS:
                break
            waiting = rest[1:]  # texts are sent in order, so the first was refused
    return set(link.known(texts, source, target)), reason
