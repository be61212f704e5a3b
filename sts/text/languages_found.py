"""The languages of sentences that a model of several languages is given without their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sts.errors import StsError, UnknownNameError
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
        self._sides: tuple[set[str], set[str]] = set(), set()

    def codes(self, texts: Sequence[str], sides: Sequence[int] = (0, 1)) -> list[str]:
        """A known language for each text; one in another language counts as :attr:`fallback`.

        Args:
            texts: n sentences.
            sides: where they stand: 0 is left, 1 is right; both if that is not known.
        """
        found = identify(texts, self.known)
        for text, one in zip(texts, found, strict=True):
            if one.language == OTHER:
                self.example = self.example or text
                self.others += 1
            elif one.language != UNDETERMINED:
                self.counts[one.language] += 1
                self._confidence += one.confidence
        for side in sides:
            self._sides[side].update({one.language for one in found} - {UNDETERMINED})
        return [one.language if one.language in self.known else self.fallback for one in found]

    def codes_of_sides(
        self, left: Sequence[str], right: Sequence[str], languages: Sides | None
    ) -> tuple[list[str], list[str]]:
        """A language for each sentence of both sides; None identifies all of them.

        Raises:
            UnknownNameError: a language that the model does not know.
        """
        one, other = languages or (AUTO, AUTO)
        return self._codes_of(left, one, 0), self._codes_of(right, other, 1)

    def _codes_of(self, texts: Sequence[str], language: str, side: int) -> list[str]:
        if language == AUTO:
            return self.codes(texts, (side,))
        self._sides[side].add(language)
        return [language] * len(texts)

    @property
    def names(self) -> Sides:
        """Return the language to name: the only one of a side, or ``auto`` where there are several."""
        left, right = (
            next(iter(codes)) if len(codes) == 1 and OTHER not in codes else AUTO
            for codes in self._sides
        )
        return left, right

    @property
    def fallback(self) -> str:
        """The language that a sentence in an unknown one is read in."""
        return "en" if "en" in self.known else self.known[0]

    @property
    def total(self) -> int:
        """How many sentences were identified."""
        return sum(self.counts.values())

    def identified(self, form: str, named: Sequence[str | None] = (AUTO, AUTO)) -> str | None:
        """A line that says which languages were identified, and how surely; None if none was.

        Args:
            form: how languages are named, with ``{}`` for that of each side, or one for both.
            named: the languages that the caller named, where the sentences do not say it.
        """
        if not self.total:
            return None
        counts = ", ".join(f"{code} {count:,}" for code, count in self.counts.most_common())
        names = [code if code not in (None, AUTO) else own
                 for code, own in zip(named, self.names, strict=True)]  # fmt: skip
        if form.count("{}") == 1:
            names = names[:1] if names[0] == names[1] else [AUTO]
        what_to_type = form.format(*names)
        if set(names) == {AUTO}:
            instead = f"each sentence is read in its own, as with {what_to_type}"
        else:
            instead = f"to name them yourself: {what_to_type}"
        confidence = self._confidence / self.total
        return f"languages identified: {counts} (mean confidence {confidence:.3f}); {instead}"

    def warning(self, model: str) -> str | None:
        """A line that says how many sentences are in another language; None if none is.

        Args:
            model: its name.
        """
        if not self.others:
            return None
        some = "1 sentence is" if self.others == 1 else f"{self.others:,} sentences are"
        return (
            f"{some} in a language that {model} does not know, such as "
            f"{example_of(self.example)}; read as {self.fallback}; it knows {', '.join(self.known)}"
        )

    def note(self, model: str, option: str, named: Sequence[str | None] = (AUTO, AUTO)) -> None:
        """Write the lines to stderr.

        Args:
            model: its name.
            option: ``--language`` for a command that takes one language, ``--languages`` for two.
            named: as for :meth:`identified`.
        """
        form = "--languages" + (" {}" if option == "--language" else " {} {}")
        if line := self.identified(form, named):
            note(line)
        if line := self.warning(model):
            note(f"warning: {line}")


def check_languages(name: str, known: Sequence[str], languages: Sides | None) -> None:
    """Check that a model knows languages; ``auto`` is for one that knows several.

    Raises:
        UnknownNameError: it does not; those that it knows are listed.
        StsError: they are not two.
    """
    check_two(languages)
    allowed = [*known, AUTO] if len(known) > 1 else [*known]
    for code in languages or ():
        if code not in allowed:
            raise UnknownNameError(f"language of {name}", code, allowed)


def check_two(languages: Sides | None) -> None:
    """Check that languages, if there are any, are those of two sides.

    Raises:
        StsError: one code, or not two.
    """
    if languages is not None and (isinstance(languages, str) or len(languages) != 2):
        raise StsError(
            f'languages={languages!r}; give two, (left, right), such as ("de", "en"); '
            '"auto" in place of one identifies it'
        )
