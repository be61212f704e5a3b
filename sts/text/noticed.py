"""Counts of sentences that a model cannot read, and of detected languages."""

from __future__ import annotations

from collections.abc import Sequence

from sts.text.languages_found import LanguagesFound, Sides
from sts.text.not_english import NotEnglish

Seen = NotEnglish | LanguagesFound
"""The sentences that a model cannot read, counted, and if it knows several languages those found."""


def watch(known: Sequence[str]) -> Seen:
    """Return a counter for a model of these languages."""
    return NotEnglish() if tuple(known) == ("en",) else LanguagesFound(known)


def count_languages(
    seen: Seen, left: Sequence[str], right: Sequence[str], languages: Sides | None = None
) -> tuple[list[str], list[str]] | None:
    """Count what is noticed of the sentences; their languages, if the model knows several.

    Args:
        seen: see :func:`watch`.
        left, right: n sentences each.
        languages: two-letter codes of the left and of the right ones, or ``auto``, if somebody
            named them.
    """
    if isinstance(seen, LanguagesFound):
        return seen.codes_of_sides(left, right, languages)
    pairs = zip(left, right, strict=True)
    seen.count(text for pair in pairs if all(map(str.strip, pair)) for text in pair)
    return None


def warnings_of(seen: Seen, name: str, instead: str, example: str | None) -> list[str]:
    """Return warnings about unreadable sentences and about languages that nobody named.

    Args:
        seen: see :func:`watch`.
        name: of the model.
        instead: what reads other languages, where the model reads English.
        example: how languages are named, with ``{}`` for either side; None if they were.
    """
    if isinstance(seen, NotEnglish):
        lines = [seen.warning(name, instead)]
    else:
        lines = [None if example is None else seen.identified(example), seen.warning(name)]
    return list(filter(None, lines))
