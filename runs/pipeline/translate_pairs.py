"""Translation of Spanish sentences into English, and round trips of English sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from semaniacs.embeddings.training.corpora import SentencePair
from semaniacs.runs.pipeline.recipe_parts import TranslatedPairs
from semaniacs.sts.cache import memory_folder
from semaniacs.sts.data.catalog import DataSet
from semaniacs.sts.data.fetch import ensure
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import MissingResourceError, StsError
from semaniacs.sts.progress import note
from semaniacs.sts.text.language import spanish_side
from semaniacs.sts.text.tokenizer import words
from semaniacs.sts.translation import Translator, check_name, get_translator, read_recorded
from semaniacs.sts.translation.round_trips import Trip, take_trips


class NoRoundTripsError(MissingResourceError):
    """Error: no translator was named, and the default ones cannot make the round trips."""


@dataclass
class Translating:
    """Translators of one run, recorded for the signature of its result.

    Attributes:
        choice: the name given with ``--translator``; None means the memory, then Apertium.
        data: the folder given with ``--data``.
        memory: folder for new translations; None is the cache folder.
        used: every translator that served, in order.
        noted: whether the note on ``--translator recorded`` was printed.
    """

    choice: str | None = None
    data: Path | None = None
    memory: Path | None = None
    used: list[Translator] = field(default_factory=list)
    noted: bool = False

    def __post_init__(self) -> None:
        check_name(self.choice)

    def to_english(self, dataset: DataSet, pairs: Pairs) -> Pairs:
        """Return the pairs with Spanish sentences translated; English sets are returned as they are."""
        if "es" not in dataset.languages:
            return pairs
        recorded = None
        if "recorded" in check_name(self.choice):
            if dataset.translation is None:
                raise StsError(
                    f"data set {dataset.name!r} comes without a recorded translation; "
                    "leave --translator out, or name another one"
                )
            recorded = read_recorded(pairs, ensure(dataset.translation, self.data))
        translator = self._open(self.choice, recorded)
        sides = [list(pairs.left), list(pairs.right)]
        languages = ["en"] * len(pairs), ["en"] * len(pairs)
        places = spanish_places(dataset, pairs)
        texts = [sides[side][row] for side, row in places]
        for (side, row), found in zip(places, translator.translate(texts, "es", "en"), strict=True):
            sides[side][row], languages[side][row] = found.text, "es"
        left, right = map(tuple, sides)
        return TranslatedPairs(pairs.name, left, right, pairs.gold, pairs, languages)

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

    def signatures(self) -> list[dict[str, str]]:
        """Return the translators that the result depends on, each once."""
        entries = dict.fromkeys(tuple(t.signature().items()) for t in self.used)
        return [dict(entry) for entry in entries]

    def _take_trips(self, sentences: Sequence[str], pivot: str) -> list[Trip]:
        """Translate sentences to the pivot language and back by the chosen translators.

        Recordings are left out: they contain the sentences of official tasks alone.

        Raises:
            NoRoundTripsError: no translator was named, and none is here.
        """
        chosen = check_name(self.choice)
        names = [name for name in chosen if name != "recorded"]
        if self.choice is not None and not names and not self.noted:
            self.noted = True
            note(
                "--translator recorded contains the sentences of official tasks alone; round "
                "trips are made by the memory, then by Apertium"
            )
        translator = self._open(",".join(names) or None)
        try:
            return take_trips(translator, sentences, [pivot])
        except MissingResourceError as error:
            if names and self.choice is not None:
                raise  # the translator that was named must work
            raise NoRoundTripsError(str(error)) from None

    def _open(self, name: str | None, recorded: Mapping[str, str] | None = None) -> Translator:
        memory = self.memory or memory_folder()
        self.used.append(get_translator(name, memory_folder=memory, recorded=recorded))
        return self.used[-1]


def spanish_places(dataset: DataSet, pairs: Pairs) -> list[tuple[int, int]]:
    """Return (side, row) of every Spanish sentence: one per pair or, in Spanish tasks, two."""
    if dataset.languages == ("es",):
        return [(side, row) for row in range(len(pairs)) for side in (0, 1)]
    return [(int(side), row) for row, side in enumerate(spanish_side(pairs.left, pairs.right))]
