"""Round trips into another language and back, and which of them are paraphrases.

Only what can be told without a model is told here. Whether a paraphrase kept the meaning
is for an encoder to say: :func:`embeddings.training.corpora.keep_useful_round_trips`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sts.text.tokenizer import fold, words
from sts.translation.translator import Translator

SHORTEST, LONGEST = 0.5, 2.0
"""Words of a paraphrase to a word of its sentence; beyond, something was lost or made up."""


class Trip(NamedTuple):
    """A sentence, what came back, and the words of the pivot language left in it."""

    sentence: str
    returned: str
    foreign: tuple[str, ...] = ()


def take_trips(
    translator: Translator, sentences: Sequence[str], pivots: Sequence[str], source: str = "en"
) -> list[Trip]:
    """Every sentence through every pivot: those of the first sentence, then of the next.

    Raises:
        The errors of :meth:`.Translator.translate`.
    """
    by_pivot = [_through(translator, sentences, pivot, source) for pivot in pivots]
    return [trip for trips in zip(*by_pivot, strict=True) for trip in trips]


def _through(
    translator: Translator, sentences: Sequence[str], pivot: str, source: str
) -> list[Trip]:
    there = translator.translate(sentences, source, pivot)
    back = translator.translate(there, pivot, source)
    foreign = translator.untranslated(there, pivot, source)
    return list(map(Trip, sentences, back, foreign))


def paraphrases(
    trips: Iterable[Trip], *, shortest: float = SHORTEST, longest: float = LONGEST
) -> tuple[list[Trip], dict[str, int]]:
    """The trips that came back as something else, and how many fell away for which reason.

    A word that the way there did not know comes back as it went, and is let through; a word
    of the pivot language that the way back did not know makes the trip fall away.

    Returns:
        The trips kept, in order, and the counts ``empty`` (nothing on one side),
        ``identical`` (but for case, punctuation and spacing), ``untranslated``, ``length``
        (the ratio of words is below ``shortest`` or above ``longest``), ``seen`` (the two
        sentences came before, either way round) and ``kept``.
    """
    counts = dict.fromkeys(("empty", "identical", "untranslated", "length", "seen", "kept"), 0)
    kept: list[Trip] = []
    seen: set[tuple[str, ...]] = set()
    for trip in trips:
        sides = (fold(trip.sentence).split(), fold(trip.returned).split())
        reason = _fault(trip, sides, shortest, longest)
        key = tuple(sorted(map(" ".join, sides)))
        if not reason and key in seen:
            reason = "seen"
        counts[reason or "kept"] += 1
        if not reason:
            seen.add(key)
            kept.append(trip)
    return kept, counts


def _fault(
    trip: Trip, sides: tuple[list[str], list[str]], shortest: float, longest: float
) -> str | None:
    went, came = sides
    if not went or not came:
        return "empty"
    if went == came:
        return "identical"
    if not {word.lower() for word in trip.foreign} <= set(words(trip.sentence)):
        return "untranslated"
    if not shortest <= len(came) / len(went) <= longest:
        return "length"
    return None
