"""Word lists of ``lexicon/words.tsv``: kind, entry, value. A row without a value lists words.

They are our own; where one follows a book or a paper, the module that reads it names the source.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from pathlib import Path

PATH = Path(__file__).parent / "lexicon" / "words.tsv"


@cache
def _kinds() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for line in PATH.read_text("utf-8").splitlines()[1:]:
        kind, entry, value = line.split("\t")
        found.setdefault(kind, []).append((entry, value))
    return found


def rows(kind: str) -> list[tuple[str, str]]:
    """Return the entries of a kind with their values, in the order of the table."""
    return _kinds()[kind]


def words(kind: str) -> frozenset[str]:
    """Return the words of a kind, several in each entry."""
    return frozenset(word for entry, _ in rows(kind) for word in entry.split())


def phrases(kind: str) -> tuple[str, ...]:
    """Return the entries of a kind, which may have several words."""
    return tuple(entry for entry, _ in rows(kind))


def table(kind: str) -> dict[str, str]:
    """Return the value of each entry of a kind."""
    return dict(rows(kind))


def fields(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the value of each entry of a kind, divided at slashes with blanks around."""
    return {entry: tuple(value.split(" / ")) for entry, value in rows(kind)}


def numbers(kind: str) -> dict[str, float]:
    """Return the value of each entry of a kind as a number."""
    return {entry: float(value) for entry, value in rows(kind)}


def whole_numbers(kind: str) -> dict[str, int]:
    """Return the value of each entry of a kind as a whole number."""
    return {entry: int(value) for entry, value in rows(kind)}


def exclusive_members(*kinds: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the groups of each word of which a thing has one member, such as colours, and which."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for number, line in enumerate(chain.from_iterable(map(phrases, kinds))):
        for member, word in ((m, word) for m in line.split() for word in m.split("/")):
            found[word] = (*found.get(word, ()), (f"{number:03}", member))
    return found
