"""English words and sentences: frequencies, part-of-speech tags and lemmas.

Those of a word are in tables that ``.ci/make_words.py`` makes: frequencies are those of wordfreq,
tags those of Brill's tagger as TextBlob has it, lemmas those of LemmInflect; see
``lexicon/NOTICE.md``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import chain, islice
from pathlib import Path

from semaniacs.sts.tensors import WordTable
from semaniacs.sts.text.tokenizer import STOP_WORDS, is_word, parts, tokens_of_part, words_of

FOLDER = Path(__file__).with_name("lexicon")
TABLES = ("frequencies", "tags", "lemmas")

Readings = Mapping[str, Sequence[str]]
"""The lemmas of a word by its part of speech, as in Universal Dependencies."""

_FORMS = tuple(
    (re.compile(form), tag)
    for form, tag in (
        (r"^[0-9,.:/%$-]+\Z", "CD"),
        (r"(ate|ify|ise|ize)\Z", "VBP"),
        (r"ed\Z", "VBN"),
        (r"(able|al|ful|ible|ient|ish|ive|less|tic|ous)\Z|-", "JJ"),
        (r"(?<!i)(?<!ou)(?<!s)s\Z", "NNS"),
        (r"ly\Z", "RB"),
        (r"ing\Z", "VBG"),
    )
)
"""Forms of words and their tags; the first that fits counts."""


@cache
def table(name: str) -> WordTable:
    """Open one of :data:`TABLES`, once."""
    return WordTable.open(FOLDER / f"{name}.safetensors")


def frequency(word: str) -> float:
    """Return the share of running text that a lower-cased word takes, 0 if it is not listed."""
    found = table("frequencies")
    row = found.row(word)
    return 10 ** (-int(found.tensors["centibels"][row]) / 100) if row >= 0 else 0.0


RAREST = 1e-8  # frequency given to words that wordfreq does not list: below its smallest figure

HIGHEST_INFORMATION = 18.5  # nats above that of every word


@lru_cache(maxsize=1 << 18)
def information(word: str) -> float:
    """Information content −ln p(word) in nats, from 0 to 18.5, by wordfreq's English counts.

    TakeLab took p from the Google Books n-grams (Šarić et al., 2012, 2.3).
    """
    return -math.log(max(frequency(word), RAREST))


def frequencies() -> list[float]:
    """Return the share of running text of every word that is listed."""
    rarity = table("frequencies").tensors["centibels"].tolist()
    return [10 ** (-centibels / 100) for centibels in rarity]


def listed_tag(token: str) -> str | None:
    """Return the most frequent Penn Treebank tag of a token, None if it is not listed."""
    found = table("tags")
    row = found.row(token)
    return _tag_names()[found.tensors["tag"][row]] if row >= 0 else None


@cache
def _tag_names() -> list[str]:
    return table("tags").tensors["names"].tobytes().decode().split()


def guessed_tag(token: str) -> str:
    """Return the tag of a token that is not listed, by its form (Brill, 1992)."""
    if token.istitle():
        return "NNP"
    return next((tag for form, tag in _FORMS if form.search(token)), "NN")


@lru_cache(maxsize=1 << 18)
def readings(word: str) -> Readings:
    """Return the lower-cased lemmas of a lower-cased word; empty if it is not listed."""
    found = table("lemmas")
    row = found.row(word)
    if row < 0:
        return {}
    begin, end = found.tensors["reading_ends"][row : row + 2]
    text = found.tensors["readings"][begin:end].tobytes().decode()
    parts = (reading.split(":", 1) for reading in text.split(";"))
    return {part: tuple(forms.split("/")) for part, forms in parts}


def content_lemmas(tokens: Sequence[str], tags: Sequence[str]) -> Iterator[str]:
    """Yield the lemmas of the content words among tokens with these tags, in order."""
    for token, tag in zip(tokens, tags, strict=True):
        if is_word(token) and token.lower() not in STOP_WORDS:
            yield lemma(token.lower(), tag)


@dataclass(frozen=True)
class Sentence:
    """A sentence, its tokens (see :func:`.tokenize`) and their Penn Treebank tags."""

    text: str
    tokens: tuple[str, ...] = field(compare=False)  # follows from the text
    tags: tuple[str, ...] = field(compare=False)

    def __hash__(self) -> int:
        """Return the hash of the text, which a string computes only once."""
        return hash(self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Lower-cased words, see :func:`words`."""
        return tuple(words_of(self.tokens))

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Lower-cased words but for stop words."""
        return tuple(word for word in self.words if word not in STOP_WORDS)

    @cached_property
    def lemmas(self) -> tuple[str, ...]:
        """Lemmas of the content words, in order."""
        return tuple(content_lemmas(self.tokens, self.tags))

    @cached_property
    def word_tags(self) -> tuple[str, ...]:
        """The part-of-speech tag of each of :attr:`words`."""
        chosen = [t for token, t in zip(self.tokens, self.tags, strict=True) if is_word(token)]
        return tuple(chosen or self.tags)

    def tagged(self, prefix: str) -> tuple[str, ...]:
        """Return the lower-cased words whose tag begins with ``prefix``: NN for nouns, VB for verbs."""
        return tuple(
            token.lower()
            for token, tag in zip(self.tokens, self.tags, strict=True)
            if tag.startswith(prefix) and is_word(token)
        )


_UNIVERSAL = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV"}


@lru_cache(maxsize=1 << 18)
def lemma(word: str, tag: str) -> str:
    """Return the lemma of a lower-cased word, the word itself if it is not listed."""
    found = readings(word)
    if not found:
        return word
    part = _UNIVERSAL.get(tag[:1], "")
    if part == "VERB" and part not in found:
        part = "AUX"
    forms = found.get(part) or next(iter(found.values()))
    return forms[0]


def tag(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return one Penn Treebank tag per token, the most frequent one."""
    return (*map(_first_tag, tokens[:1]), *map(_later_tag, tokens[1:]))


@lru_cache(maxsize=1 << 16)
def _first_tag(token: str) -> str:
    # The first word of a sentence has a capital that says nothing.
    return listed_tag(token) or listed_tag(token.lower()) or guessed_tag(token)


@lru_cache(maxsize=1 << 18)
def _later_tag(token: str) -> str:
    return listed_tag(token) or guessed_tag(token)


Tagged = tuple[tuple[str, ...], tuple[str, ...]]
"""Tokens and their tags."""

_SHORT = 1000
"""Characters of the longest text whose parts are cached; text without blanks may be long."""


def _read_part(part: str) -> Tagged:
    tokens = tuple(tokens_of_part(part))
    return tokens, tuple(map(_later_tag, tokens))


_remembered_part = lru_cache(maxsize=1 << 17)(_read_part)


def _read(text: str) -> Tagged:
    """Return the tokens of a text and their tags; parts between blanks are cached."""
    read = list(map(_remembered_part if len(text) <= _SHORT else _read_part, parts(text)))
    tokens = tuple(chain.from_iterable([part[0] for part in read]))
    tags = chain.from_iterable([part[1] for part in read])
    return tokens, (*map(_first_tag, tokens[:1]), *islice(tags, 1, None))


def analyse(texts: Iterable[str]) -> dict[str, Sentence]:
    """Return each distinct text as a :class:`Sentence`, by text."""
    analysed = {}
    for text in dict.fromkeys(texts):
        tokens, tags = _read(text)
        analysed[text] = Sentence(text, tokens, tags)
    return analysed
