"""The languages of sentences that a model of several languages is given without their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sts.errors import UnknownNameError
from sts.progress import note
from sts.text.language import OTHER, UNDETERMINED, identify
from sts.text.script import example_of

AUTO = "auto"
"""In place of a language: it is identified, sentence by sentence."""

Sides = tuple[str, str]
"""The languages of the left and of the right sentences; either may be ``auto``."""


class LanguagesFound:
    """Identifies the language of sentences, and counts what it found.

    Args:
        known: codes of the languages of the model.

    Attributes:
        counts: how many sentences each language was found in.
        others: how many are in a language that the model does not know.
        example: the first of these.
    """

    def __init__(self, known: Sequence[str]) -> None:
        self.known = tuple(known)
        self.counts: Counter[str] = Counter()
        self.others = 0
        self.example = ""
        self._confidence = 0.0

    def codes(self, texts: Sequence[str]) -> list[str]:
        """A known language for each text; one in another language counts as :attr:`fallback`."""
        found = identify(texts, self.known)
        for text, one in zip(texts, found, strict=True):
            if one.language == OTHER:
                self.example = self.example or text
                self.others += 1
            elif one.language != UNDETERMINED:
                self.counts[one.language] += 1
                self._confidence += one.confidence
        return [one.language if one.language in self.known else self.fallback for one in found]

    def codes_of_sides(
        self, left: Sequence[str], right: Sequence[str], languages: Sides | None
    ) -> tuple[list[str], list[str]]:
        """A language for each sentence of both sides; None identifies all of them.

        Raises:
            UnknownNameError: a language that the model does not know.
        """
        one, other = languages or (AUTO, AUTO)
        return self._codes_of(left, one), self._codes_of(right, other)

    def _codes_of(self, texts: Sequence[str], language: str) -> list[str]:
        if language == AUTO:
            return self.codes(texts)
        return [language] * len(texts)

    @property
    def fallback(self) -> str:
        """The language that a sentence in an unknown one is read in."""
        return "en" if "en" in self.known else self.known[0]

    @property
    def total(self) -> int:
        """How many sentences were identified."""
        return sum(self.counts.values())

    def identified(self, instead: str) -> str | None:
        """A line that says which languages were identified, and how surely; None if none was.

        Args:
            instead: how languages are named.
        """
        if not self.total:
            return None
        counts = ", ".join(f"{code} {count:,}" for code, count in self.counts.most_common())
        return (
            f"languages identified: {counts} (mean confidence {self._confidence / self.total:.3f}); "
            f"to name them yourself: {instead}"
        )

    def warning(self, model: str) -> str | None:
        """A line that says how many sentences are in another language; None if none is.

        Args:
            model: its name.
        """
        if not self.others:
            return None
        return (
            f"{self.others:,} sentences are in a language that {model} does not know, such as "
            f"{example_of(self.example)}; read as {self.fallback}; it knows {', '.join(self.known)}"
        )

    def note(self, model: str, option: str) -> None:
        """Write the lines to stderr.

        Args:
            model: its name.
            option: of the command, that names languages.
        """
        codes = self.known[: 1 if option == "--language" else 2]
        if line := self.identified(" ".join([option, *codes])):
            note(line)
        if line := self.warning(model):
            note(f"warning: {line}")


def check_languages(name: str, known: Sequence[str], languages: Sides | None) -> None:
    """Check that a model knows languages; ``auto`` is for one that knows several.

    Raises:
        UnknownNameError: it does not; those that it knows are listed.
    """
    allowed = [*known, AUTO] if len(known) > 1 else [*known]
    for code in languages or ():
        if code not in allowed:
            raise UnknownNameError(f"language of {name}", code, allowed)
