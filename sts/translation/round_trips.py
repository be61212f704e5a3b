"""Back-translation: sentences into another language and back, to make paraphrases.

Trips are filtered without a model. Whether a paraphrase kept the meaning is measured by an
encoder: :func:`semaniacs.embeddings.training.corpora.keep_useful_round_trips`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from semaniacs.sts.text.tokenizer import fold, words
from semaniacs.sts.translation.translator import Translator

SHORTEST, LONGEST = 0.5, 2.0
"""Bounds of the ratio of words in a paraphrase to words in its sentence."""


class Trip(NamedTuple):
    """A sentence, what came back, and the words of the pivot language that are left in it."""

    sentence: str
    returned: str
    foreign: tuple[str, ...] = ()


def take_trips(
    translator: Translator, sentences: Sequence[str], pivots: Sequence[str], source: str = "en"
) -> list[Trip]:
    """Send every sentence through every pivot language; return the trips sentence by sentence."""
    by_pivot = [_through(translator, sentences, pivot, source) for pivot in pivots]
    return [trip for trips in zip(*by_pivot, strict=True) for trip in trips]


def _through(
    translator: Translator, sentences: Sequence[str], pivot: str, source: str
) -> list[Trip]:
    there = [found.text for found in translator.translate(sentences, source, pivot)]
    back = translator.translate(there, pivot, source)
    return [
        Trip(sentence, found.text, found.untranslated)
        for sentence, found in zip(sentences, back, strict=True)
    ]


def paraphrases(trips: Iterable[Trip]) -> tuple[list[Trip], dict[str, int]]:
    """Return the trips that came back as another sentence, and counts of those dropped.

    A word that the first translation does not know comes back as it was, which is accepted. A
    word of the pivot language that the second does not know drops the trip.

    Returns:
        The trips kept, in order, and the counts ``empty`` (nothing on one side), ``identical`` (but
        for case, punctuation and spacing), ``untranslated``, ``length`` (the ratio of words is
            out of
        bounds), ``seen`` (the two sentences came before, in either order) and ``kept``.
    """
    counts = dict.fromkeys(("empty", "identical", "untranslated", "length", "seen", "kept"), 0)
    kept: list[Trip] = []
    seen: set[tuple[str, ...]] = set()
    for trip in trips:
        went, came = fold(trip.sentence).split(), fold(trip.returned).split()
        key = tuple(sorted([" ".join(went), " ".join(came)]))
        if not went or not came:
            outcome = "empty"
        elif went == came:
            outcome = "identical"
        elif not {word.lower() for word in trip.foreign} <= set(words(trip.sentence)):
            outcome = "untranslated"
        elif not SHORTEST <= len(came) / len(went) <= LONGEST:
            outcome = "length"
        elif key in seen:
            outcome = "seen"
        else:
            outcome = "kept"
            seen.add(key)
            kept.append(trip)
        counts[outcome] += 1
    return kept, counts
