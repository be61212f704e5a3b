"""The training data of the bundled vectors: English sentences, and small changes to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.pretraining.paraphrases import PARAPHRASES, headlines
from embeddings.training.pairs.corpora import read_corpus
from sts import progress
from sts.errors import DataError
from sts.files import read_text
from sts.text.tokenizer import fold

BITEXT = (
    *(f"news.en-{language}" for language in ("de", "es", "ru")),
    *(f"tatoeba.en-{language}" for language in ("de", "es", "fr", "ru")),
)
"""Bitext of which the English side is read."""

LONGEST = 64
"""Words beyond which a sentence is left out."""


def read_sentences(data: Path, wordnet: Path, held_out: Collection[str]) -> list[str]:
    """Distinct sentences of all sources, in order, without those held out.

    Args:
        data: folder with ``paraphrases/``, ``bitext/`` and ``paraphraser/``.
        wordnet: folder with WordNet's ``data.noun`` and the like.
        held_out: folded sentences, see :func:`~embeddings.training.pairs.corpora.read_held_out`.

    Raises:
        DataError: a file is missing, damaged or malformed.
    """
    found: dict[str, None] = {}
    for sentences in progress.track(_sources(data, wordnet), "reading", "corpora"):
        found |= dict.fromkeys(
            sentence
            for sentence in sentences
            if sentence not in found
            and 0 < len(sentence.split()) <= LONGEST
            and fold(sentence) not in held_out
        )
    return list(found)


def _sources(data: Path, wordnet: Path) -> list[Iterable[str]]:
    """The sentences of each source; a file is read when its turn comes."""
    pairs = [data / "paraphrases" / f"{name}.tsv.gz" for name in PARAPHRASES]
    bitext = [data / "bitext" / f"{name}.tsv.gz" for name in BITEXT]
    parts = [wordnet / f"data.{part}" for part in ("noun", "verb", "adj", "adv")]
    return [
        *(_sides(path, 2) for path in pairs),
        *(_sides(path, 1) for path in bitext),
        *(read_glosses(path) for path in parts),
        _headlines(data),
    ]


def _sides(path: Path, columns: int) -> Iterator[str]:
    """The first side of each pair, or both."""
    for pair in read_corpus(path):
        yield from pair[:columns]


def _headlines(data: Path) -> Iterator[str]:
    for translations in headlines(data).values():
        yield from translations


def read_glosses(path: Path) -> Iterator[str]:
    """Definitions and example sentences of one of WordNet's data files.

    A gloss follows a bar: definitions, then examples in quotes, all separated by semicolons.

    Raises:
        DataError: the file is missing or not UTF-8.
    """
    if not path.exists():
        raise DataError(f"{path}: no such file; get it with: apt-get install wordnet-base")
    for line in read_text(path).split("\n"):
        if line and not line.startswith("  "):  # the licence stands before the data
            for part in line.partition("|")[2].split("; "):
                yield part.strip().strip('"').strip()


def vary(
    sentences: Sequence[str],
    topics: NDArray[np.int64],
    count: int,
    seed: int,
    held_out: Collection[str] = (),
) -> list[str]:
    """Small changes to ``count`` of the sentences, so that high similarities have degrees.

    A third of them leaves words out, a third exchanges words for some of another sentence on
    the same topic, and a third keeps only a stretch of the sentence.

    Args:
        sentences: n of them.
        topics: (n,) the topic of each.
        count: how many changes are tried; those that change nothing are left out.
        seed: of all draws.
        held_out: folded sentences that no change may lead to.
    """
    rng = np.random.default_rng(seed)
    same_topic = np.argsort(topics, kind="stable")
    begins = np.searchsorted(topics[same_topic], np.arange(int(topics.max(initial=0)) + 2))
    known = set(sentences)
    varied: dict[str, None] = {}
    long_enough = [i for i, sentence in enumerate(sentences) if len(sentence.split()) >= 5]
    for place in rng.permutation(long_enough)[:count].tolist():
        words = sentences[place].split()
        way = rng.integers(3)
        if way == 0:
            changed = _leave_out(rng, words)
        elif way == 1:
            first, last = begins[topics[place]], begins[topics[place] + 1]
            other = sentences[same_topic[rng.integers(first, last)]]
            changed = _exchange(rng, words, other.split())
        else:
            changed = _cut(rng, words)
        text = " ".join(changed)
        if text not in known and fold(text) not in held_out:
            varied[text] = None
    return list(varied)


def _leave_out(rng: np.random.Generator, words: list[str]) -> list[str]:
    left = rng.permutation(len(words))[: rng.choice([1, 1, 2, 3, max(1, len(words) // 3)])]
    return [word for place, word in enumerate(words) if place not in left]


def _exchange(rng: np.random.Generator, words: list[str], others: list[str]) -> list[str]:
    changed = list(words)
    for _ in range(rng.choice([1, 1, 2, 3])):
        changed[rng.integers(len(changed))] = others[rng.integers(len(others))]
    return changed


def _cut(rng: np.random.Generator, words: list[str]) -> list[str]:
    begin = rng.integers(len(words) // 2)
    return words[begin : rng.integers(begin + 3, len(words) + 1)]
