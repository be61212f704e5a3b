"""Bitext: sentences and their translations, line by line; by people, or one side by a machine.

Free translations by people are of short sentences and of news. A rule-based translator puts
thousands of English sentences per second into Spanish (Sennrich et al., 2016, Improving neural
machine translation models with monolingual data, 3). Russian headlines come with three recorded
translations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

import numpy as np

from semaniacs.embeddings.formats.lines import STDIN, columns, lines
from semaniacs.embeddings.training.corpora import SentencePair, read_corpus, without
from semaniacs.sts.errors import DataError
from semaniacs.sts.text.tokenizer import fold
from semaniacs.sts.translation.apertium import Apertium
from semaniacs.sts.translation.memory import CachedTranslator, TranslationMemory
from semaniacs.sts.translation.translator import Translator

ENGLISH = "en"

SOURCES = ("news", "tatoeba")
"""Corpora that are trained on; NTREX is held out, mining is measured on it."""


@dataclass(frozen=True)
class Bitext:
    """Pairs of sentences that mean the same, in the ``languages`` of the first and of the second side."""

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

    Pairs with a sentence of ``held_out``, which are folded, are left out. A DataError if a file is
    damaged, or none is there (it lists the languages that are).
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

    Raises a DataError if a file is missing or damaged, a line is empty, one file is longer than the
    other, or both are stdin.
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


PARAPHRASES = ("quora-duplicates", "twitter-url", "asset", "flickr30k-captions", "msrp-positives")
"""Corpora of pairs."""

SYSTEMS = ("google", "microsoft", "yandex")
"""Translators of ParaPhraser's Russian headlines to English."""

MEMORY = "translations.jsonl"  # file of translations in a work folder


@dataclass(frozen=True)
class MachineTranslations:
    """Material of a recipe beside translations by people.

    Attributes:
        english: (corpus, count): number of English sentences of each, drawn at random, that
            Apertium translates; a corpus is a file of ``paraphrases/`` or of ``bitext/``.
        headlines: whether to add the headlines of ParaPhraser's training set.
        seed: random seed.
    """

    english: tuple[tuple[str, int], ...]
    headlines: bool = True
    seed: int = 0

    def of(
        self, data: Path, language: str, held_out: Collection[str], work: Path
    ) -> list[SentencePair]:
        """Return (English, translation) pairs of a language, without held-out (folded) sentences.

        ``data`` is the folder with ``paraphrases/``, ``bitext/`` and ``paraphraser/``; ``work`` one that
        translations are cached in. Raises a DataError if a file is missing or damaged, an StsError if
        Apertium is not installed.
        """
        if language == "es":
            translator = CachedTranslator(Apertium(), TranslationMemory(work / MEMORY))
            return self._in_spanish(data, held_out, translator)
        if language == "ru" and self.headlines:
            return list(without(russian_headlines(data), held_out))
        return []

    def _in_spanish(
        self, data: Path, held_out: Collection[str], translator: Translator
    ) -> list[SentencePair]:
        sentences = self.draw(data, held_out)
        translations = translator.translate(sentences, "en", "es")
        pairs = ((s, found.text) for s, found in zip(sentences, translations, strict=True))
        return [pair for pair in without(pairs, held_out) if pair[1].strip()]

    def draw(self, data: Path, held_out: Collection[str]) -> list[str]:
        """Return the English sentences, each once, in the order of their corpora."""
        rng = np.random.default_rng(self.seed)
        drawn: list[str] = []
        for name, count in self.english:
            found = [s for s in _sentences(data, name) if fold(s) not in held_out]
            drawn += (found[i] for i in np.sort(rng.permutation(len(found))[:count]).tolist())
        return list(dict.fromkeys(drawn))


def _sentences(data: Path, name: str) -> list[str]:
    paraphrases = data / "paraphrases" / f"{name}.tsv.gz"
    if paraphrases.is_file():
        return list(dict.fromkeys(side for pair in read_corpus(paraphrases) for side in pair))
    pairs = read_corpus(data / "bitext" / f"{name}.tsv.gz")
    return list(dict.fromkeys(english for english, _ in pairs))


def russian_headlines(data: Path) -> list[SentencePair]:
    """Return (English, Russian) of every headline of ParaPhraser's training set, by three systems.

    Raises a DataError if a file is missing, damaged, or longer or shorter than the others.
    """
    path = data / "paraphraser" / "train.tsv"
    rows = islice(columns(str(path), "id text_1 text_2 class"), 1, None)
    russian = [text for _, *pair, _ in rows for text in pair]
    found = []
    for system, english in headlines(data).items():
        if len(english) != len(russian):
            raise DataError(
                f"{path}: {len(russian) // 2} rows; expected {len(english) // 2}, as in the "
                f"translations by {system}; fetch both again"
            )
        found += [pair for pair in zip(english, russian, strict=True) if all(map(str.strip, pair))]
    return found


def headlines(data: Path) -> dict[str, list[str]]:
    """Return each system's English of the headlines in ParaPhraser's training set, in one order."""
    paths = [data / "paraphraser" / f"train.en.{system}.tsv.gz" for system in SYSTEMS]
    found: list[list[str]] = []
    for path in paths:
        below_the_names = islice(columns(str(path), "id text_1 text_2"), 1, None)
        found.append([text for _, *pair in below_the_names for text in pair])
        rows, expected = len(found[-1]) // 2, len(found[0]) // 2
        if rows != expected:
            raise DataError(
                f"{path}: {rows} rows; expected {expected}, as in {paths[0]}; fetch both again"
            )
    return dict(zip(SYSTEMS, found, strict=True))
