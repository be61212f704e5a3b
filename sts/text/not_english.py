"""Sentences that a model of English cannot read: they are counted, and told of once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from sts.progress import note, some_of
from sts.text.script import example_of, is_mostly_outside
from sts.text.tokenizer import STOP_WORDS

_LOOKED_AT, _IDENTIFIED = 1000, 100
"""Sentences whose words are looked at, and those whose language is identified, at most."""

_CONFIDENCE = 0.9
"""Above it a sentence is in another language than English."""

_SHARE = 20
"""More than one sentence in so many must be in another language."""

_WORD = re.compile(r"[^\W\d_]+")


class NotEnglish:
    """Counts the sentences in another script than Latin; of the first ones those not in English.

    The language is identified where few words are English function words, which is quick: of the
    first 300 pairs of each STS set of 2012 to 2015 none would be warned about.

    Attributes:
        seen: how many sentences were looked at.
        found: how many of them are mostly in another script.
        foreign: how many of the first 1,000 are in another language.
        example: the first of either.
    """

    def __init__(self) -> None:
        self.seen = 0
        self.found = 0
        self.foreign = 0
        self.example = ""
        self._identified = 0

    def watch(self, texts: Iterable[str]) -> Iterator[str]:
        """The texts as they come, each counted on its way."""
        for text in texts:
            self.seen += 1
            if is_mostly_outside(text):
                self.example = self.example if self.found else text
                self.found += 1
            elif self.seen <= _LOOKED_AT and self._identified < _IDENTIFIED:
                self._look_at(text)
            yield text

    def count(self, texts: Iterable[str]) -> None:
        """Look at all of them now."""
        for _ in self.watch(texts):
            pass

    def count_few(self, texts: Sequence[str], beyond_ascii: Iterable[int]) -> None:
        """Count many texts, quickly: a text in ASCII is in Latin script.

        Args:
            texts: all of them.
            beyond_ascii: which of them hold other characters, in order.
        """
        seen, first = self.seen, max(0, min(len(texts), _LOOKED_AT - self.seen))
        self.count(texts[i] for i in range(first))
        for i in beyond_ascii:
            if i >= first:
                self.seen = seen + i
                self.count([texts[i]])
        self.seen = seen + len(texts)

    def _look_at(self, text: str) -> None:
        words = _WORD.findall(text.lower())
        if len(words) < 3 or 5 * sum(word in STOP_WORDS for word in words) > len(words):
            return
        from sts.text.language import OTHER, identify

        self._identified += 1
        (found,) = identify([text], ("en",))
        if found.language == OTHER and found.confidence > _CONFIDENCE:
            self.example = self.example or text
            self.foreign += 1

    def warning(self, model: str, instead: str) -> str | None:
        """A line that says how many sentences a model of English cannot read; None if all can.

        Args:
            model: its name.
            instead: how to name the model that reads other languages too.
        """
        first = min(self.seen, _LOOKED_AT)
        if self.found:
            counted = some_of(self.found, f"{self.seen:,}")
            return (
                f"{counted} not in Latin script, such as {example_of(self.example)}; {model} knows English alone: try {instead}, which "
                "reads Russian too, or translate first"
            )
        if _SHARE * self.foreign > first:
            counted = some_of(self.foreign, f"the first {first:,}")
            return (
                f"{counted} not in English, such as {example_of(self.example)}; {model} knows English alone: try {instead}, which "
                "reads Spanish, German, French and Russian too, or translate first"
            )
        return None

    def note(self, model: str, option: str) -> None:
        """Write the warning, if there is one, to stderr.

        Args:
            model: its name.
            option: of the command: ``--language`` names one language, ``--languages`` two.
        """
        codes = "auto" if option == "--language" else "auto auto"
        if warning := self.warning(model, f"--model bitext-teacher --languages {codes}"):
            note(f"warning: {warning}")


@contextmanager
def watching(
    model: str, english: Collection[str], option: str
) -> Iterator[Callable[[Iterable[str]], Iterator[str]]]:
    """A function that hands sentences on; those that the model cannot read are noted at the end.

    Args:
        model: its name.
        english: names of the models of English alone; no other is watched.
        option: of the command, as for :meth:`NotEnglish.note`.
    """
    seen = NotEnglish()
    yield seen.watch if model in english else iter
    seen.note(model, option)
