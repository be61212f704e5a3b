"""Part-of-speech tags and lemmas of a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, islice

from semaniacs.sts.text.lexicon.english import guessed_tag, listed_tag, readings
from semaniacs.sts.text.tokenizer import STOP_WORDS, is_word, parts, tokens_of_part, words_of


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
        return tuple(
            lemma(token.lower(), tag)
            for token, tag in zip(self.tokens, self.tags, strict=True)
            if is_word(token) and token.lower() not in STOP_WORDS
        )

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
