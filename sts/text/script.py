"""Scripts: Latin, Cyrillic, Han … of letters, and texts that are mostly in another one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache

from sts.progress import note

LATIN = frozenset({"LATIN"})

_EXAMPLE = 60
"""Characters of a text that a message shows."""


@cache
def script_of(letter: str) -> str:
    """The script of a letter, such as ``LATIN`` or ``CYRILLIC``; Chinese characters are ``CJK``.

    It is the first word of the letter's Unicode name, once full-width and ornamental forms have
    become the plain ones.
    """
    plain = unicodedata.normalize("NFKC", letter)[0]
    return re.split("[ -]", unicodedata.name(plain, ""))[0]


def is_mostly_outside(text: str, scripts: Collection[str] = LATIN) -> bool:
    """Whether more than half of the letters are in none of the scripts."""
    if text.isascii() and "LATIN" in scripts:
        return False
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(script_of(letter) not in scripts for letter in letters) > len(letters)


def example_of(text: str) -> str:
    """The beginning of a text on one line, quoted, to be shown in a message."""
    line = " ".join(text.split())
    return repr(line if len(line) <= _EXAMPLE else line[: _EXAMPLE - 1] + "…")


class NotLatin:
    """Counts the sentences that are mostly in another script than Latin.

    Attributes:
        seen: how many sentences were looked at.
        found: how many of them are mostly in another script.
        example: the first of these.
    """

    def __init__(self) -> None:
        self.seen = 0
        self.found = 0
        self.example = ""

    def watch(self, texts: Iterable[str]) -> Iterator[str]:
        """The texts as they come, each counted on its way."""
        for text in texts:
            self.seen += 1
            if is_mostly_outside(text):
                self.example = self.example or text
                self.found += 1
            yield text

    def count(self, texts: Iterable[str]) -> None:
        """Look at all of them now."""
        for _ in self.watch(texts):
            pass

    def warning(self, model: str, instead: str) -> str | None:
        """A line that says how many sentences a model of English cannot read; None if all can.

        Args:
            model: its name.
            instead: how to name the model that reads Russian too.
        """
        if not self.found:
            return None
        return (
            f"{self.found:,} of {self.seen:,} sentences are not in Latin script, such as "
            f"{example_of(self.example)}; {model} knows English alone: try {instead}, which reads "
            "Russian too, or translate first"
        )

    def note(self, model: str, option: str) -> None:
        """Write the warning, if there is one, to stderr.

        Args:
            model: its name.
            option: of the command, that names languages.
        """
        if warning := self.warning(model, f"--model bitext-teacher {option}"):
            note(f"warning: {warning}")


@contextmanager
def watching(
    model: str, english: Collection[str], option: str
) -> Iterator[Callable[[Iterable[str]], Iterator[str]]]:
    """A function that hands sentences on; those that the model cannot read are noted at the end.

    Args:
        model: its name.
        english: names of the models of English alone; no other is watched.
        option: of the command, that names languages.
    """
    scripts = NotLatin()
    yield scripts.watch if model in english else iter
    scripts.note(model, option)
