"""Bitext: sentences and their translations, line by line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from semaniacs.embeddings.formats.lines import STDIN, lines
from semaniacs.embeddings.training.corpora import SentencePair, read_corpus, without
from semaniacs.sts.errors import DataError

ENGLISH = "en"

SOURCES = ("news", "tatoeba")
"""Corpora that are trained on; NTREX is held out, mining is measured on it."""


@dataclass(frozen=True)
class Bitext:
    """Pairs of sentences in two languages that mean the same.

    Attributes:
        languages: of the first and of the second side, as two-letter codes.
        pairs: n of them.
    """

    languages: tuple[str, str]
    pairs: Sequence[SentencePair]

    def __len__(self) -> int:
        return len(self.pairs)

    def side(self, number: int) -> list[str]:
        """Return the n sentences of one side, 0 or 1."""
        return [pair[number] for pair in self.pairs]


def read_bitext(
    folder: Path, language: str, held_out: Collection[str], sources: Sequence[str] = SOURCES
) -> Bitext:
    """Read English and another language from ``folder/SOURCE.en-LANGUAGE.tsv.gz``.

    Args:
        folder: with one of the files or more.
        language: two-letter code of the other language.
        held_out: folded sentences; pairs with one of them are left out.
        sources: corpora, in their order.

    Raises:
        DataError: no file is there (it lists the languages that are), or one is damaged.
    """
    files = [folder / f"{source}.{ENGLISH}-{language}.tsv.gz" for source in sources]
    here = [file for file in files if file.is_file()]
    if not here:
        found = sorted(
            {file.name.split(".")[1] for s in sources for file in folder.glob(f"{s}.*.tsv.gz")}
        )
        raise DataError(
            f"{folder}: no bitext {' or '.join(file.name for file in files)}; "
            f"there is bitext for: {', '.join(found) or 'no language'}"
        )
    pairs = (pair for file in here for pair in read_corpus(file))
    return Bitext((ENGLISH, language), tuple(clean(pairs, held_out)))


def read_sides(left: str, right: str) -> list[SentencePair]:
    """Read pairs of two files; line i of one translates line i of the other.

    Raises:
        DataError: missing, damaged, an empty line, one file longer than the other, or
            stdin for both.
    """
    if left == right == STDIN:
        raise DataError(f"{STDIN} {STDIN}: stdin holds one side; name a file for the other")
    pairs = []
    for number, (one, two) in enumerate(zip_longest(lines(left), lines(right)), 1):
        if one is None or two is None:
            shorter, longer = (left, right) if one is None else (right, left)
            raise DataError(
                f"{longer}:{number}: {shorter} has no line {number}; expected as many lines in "
                "both, line i of one translating line i of the other"
            )
        for source, sentence in ((left, one), (right, two)):
            if not sentence.strip():
                raise DataError(f"{source}:{number}: empty; expected a sentence on every line")
        pairs.append((one, two))
    return pairs


def clean(pairs: Iterable[SentencePair], held_out: Collection[str] = ()) -> list[SentencePair]:
    """Return each pair once, in order, without those that hold a held-out sentence."""
    return list(dict.fromkeys(without(pairs, held_out)))
