"""Translation of Spanish sentences into English, and round trips of English sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from embeddings.training.corpora import SentencePair
from runs.pipeline.records.reading import TranslatedPairs
from sts.cache import memory_folder
from sts.data.fetch import ensure
from sts.data.pairs import Pairs
from sts.data.schema import DataSet
from sts.errors import MissingResourceError, StsError
from sts.progress import note
from sts.text.language import spanish_side
from sts.text.tokenizer import words
from sts.translation import Translator, check_name, get_translator, read_recorded
from sts.translation.round_trips import Trip, take_trips


class NoRoundTripsError(MissingResourceError):
    """Error: no translator was named, and the default ones cannot make the round trips."""


@dataclass
class Translating:
    """Translators of one run, recorded for the signature of its result.

    Attributes:
        choice: the name given with ``--translator``; None means the memory, then Apertium.
        data: the folder given with ``--data``.
        memory: the folder in which new translations are kept; None is the cache folder.
        used: every translator that served, in order.
        noted: notes that were printed.
    """

    choice: str | None = None
    data: Path | None = None
    memory: Path | None = None
    used: list[Translator] = field(default_factory=list)
    noted: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        check_name(self.choice)

    def to_english(self, dataset: DataSet, pairs: Pairs) -> Pairs:
        """Return the pairs with Spanish sentences translated; English sets are returned as they are."""
        if "es" not in dataset.languages:
            return pairs
        translator = self._open(self.choice, dataset, pairs)
        return _in_english(pairs, spanish_places(dataset, pairs), translator)

    def round_trips(self, sentences: Sequence[str], pivot: str) -> list[SentencePair]:
        """Return (sentence, round trip) for every sentence all of whose words were translated.

        A word that neither translation knows comes back unchanged. A sentence is left out if a
        word of the pivot language stays in its round trip.
        """
        return [
            (trip.sentence, trip.returned)
            for trip in self._take_trips(sentences, pivot)
            if {word.lower() for word in trip.foreign} <= set(words(trip.sentence))
        ]

    def back_translate(self, pairs: Pairs, pivot: str, seed: int) -> Pairs:
        """Return the pairs with one side, drawn for each pair, translated to the pivot and back."""
        drawn = np.random.default_rng(seed).integers(2, size=len(pairs))
        sides = [list(pairs.left), list(pairs.right)]
        texts = [sides[side][row] for row, side in enumerate(drawn)]
        for row, trip in enumerate(self._take_trips(texts, pivot)):
            sides[drawn[row]][row] = trip.returned
        return pairs.with_sentences(*sides)

    def _take_trips(self, sentences: Sequence[str], pivot: str) -> list[Trip]:
        """Translate sentences to the pivot language and back by the chosen translators.

        Recordings are left out: they have the sentences of official tasks alone.

        Raises:
            NoRoundTripsError: no translator was named, and none is here.
        """
        chosen = check_name(self.choice)
        names = [name for name in chosen if name != "recorded"]
        if self.choice is not None and "recorded" in chosen and not names:
            self._note_once(
                "--translator recorded holds the sentences of official tasks alone; what goes to "
                "another language and back is translated by the memory, then by Apertium"
            )
        translator = self._open(",".join(names) or None)
        try:
            return take_trips(translator, sentences, [pivot])
        except MissingResourceError as error:
            if names and self.choice is not None:
                raise  # what was named must work
            raise NoRoundTripsError(str(error)) from None

    def _note_once(self, text: str) -> None:
        """Print a note on stderr, once for all data sets."""
        if text not in self.noted:
            note(text)
            self.noted.add(text)

    def signatures(self) -> list[dict[str, str]]:
        """Return the translators that the result depends on, each once."""
        entries = dict.fromkeys(tuple(t.signature().items()) for t in self.used)
        return [dict(entry) for entry in entries]

    def _open(
        self, name: str | None, dataset: DataSet | None = None, pairs: Pairs | None = None
    ) -> Translator:
        recorded = None
        if "recorded" in check_name(name) and dataset is not None and pairs is not None:
            recorded = read_recorded(pairs, self._recording_of(dataset))
        memory = self.memory or memory_folder()
        translator = get_translator(name, memory_folder=memory, recorded=recorded)
        self.used.append(translator)
        return translator

    def _recording_of(self, dataset: DataSet) -> Path:
        if dataset.translation is None:
            raise StsError(
                f"data set {dataset.name!r} comes without a recorded translation; "
                "leave --translator out, or name another one"
            )
        return ensure(dataset.translation, self.data)


def _in_english(
    pairs: Pairs, places: Sequence[tuple[int, int]], translator: Translator
) -> TranslatedPairs:
    """Return the pairs with the sentence at each (side, row) translated from Spanish."""
    sides = [list(pairs.left), list(pairs.right)]
    languages = ["en"] * len(pairs), ["en"] * len(pairs)
    texts = [sides[side][row] for side, row in places]
    for (side, row), found in zip(places, translator.translate(texts, "es", "en"), strict=True):
        sides[side][row], languages[side][row] = found.text, "es"
    left, right = map(tuple, sides)
    return TranslatedPairs(pairs.name, left, right, pairs.gold, pairs, languages)


def spanish_places(dataset: DataSet, pairs: Pairs) -> list[tuple[int, int]]:
    """Return (side, row) of every Spanish sentence: one per pair or, in Spanish tasks, two."""
    if dataset.languages == ("es",):
        return [(side, row) for row in range(len(pairs)) for side in (0, 1)]
    return [(int(side), row) for row, side in enumerate(spanish_side(pairs.left, pairs.right))]
