"""The normaliser, the tokenizer, and a sentence analysed once.

Every part of the system that looks at words looks at these words, so an
embedding and a feature can never disagree about what a word is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

_SAME_CHARACTER = str.maketrans(
    {
        "‘": "'", "’": "'", "‛": "'", "ʼ": "'", "´": "'", "`": "'",
        "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
        "\u00ad": "", "\u200b": "", "\ufeff": "",
    }
)  # fmt: skip

_TOKEN = re.compile(
    r"""
      \d+(?:[.,]\d+)+                  # 1  a number with decimal point or thousands marks: 1.5|bn
    | (?<![^\W_])(?:[^\W\d_]\.){2,}      # 2  an abbreviation with dots: U.S., e.g.
    | (?<![\w.])(?-i:\.[A-Z]{2,})(?![\w'])  # 3  a stock index symbol: .DJI
    | [^\W_]+?(?=n't\b)                  # 4  the verb before a negation: do|n't, ca|n't
    | n't\b                              # 5  the negation
    | '(?:s|re|ve|ll|d|m)\b              # 6  a clitic: 's, 're, 've, 'll, 'd, 'm
    | [^\W_]+                            # 7  a word: letters and digits of any script
    | [^\w\s]|_                          # 8  one mark of punctuation, one symbol, one emoji
    """,
    re.VERBOSE | re.IGNORECASE,
)

STOP_WORDS = frozenset(
    """
    a an the this that these those
    i you he she it we they me him her us them my your his its our their
    am is are was were be been being do does did have has had
    will would shall should can could may might must
    's 're 've 'll 'd 'm n't not no
    of in on at by for from to with as about into over after under between through during
    and or but if so than then there here
    who what when where which how why
    """.split()
)
"""Words that carry grammar rather than content, chosen by hand from the closed classes."""


def normalise(text: str) -> str:
    """Compose the characters (NFC), fold typographic quotes and dashes, drop invisible marks."""
    return unicodedata.normalize("NFC", text).translate(_SAME_CHARACTER)


def tokenize(text: str) -> list[str]:
    """The tokens of a sentence with their case, punctuation included."""
    return _TOKEN.findall(normalise(text))


def is_word(token: str) -> bool:
    """Whether a token holds a letter or a digit."""
    return token[:1].isalnum() or any(character.isalnum() for character in token)


def words(text: str) -> list[str]:
    """The lower-cased words of a sentence.

    A sentence of nothing but punctuation or emoji keeps these as its words, so
    that only a blank sentence has none.
    """
    return words_of(tokenize(text))


def words_of(tokens: Sequence[str]) -> list[str]:
    """What :func:`words` keeps of a tokenized sentence."""
    # The dot of a stock index symbol is a mark of its kind, not a part of its name: .DJI, dji.
    return [token.lower().lstrip(".") for token in tokens if is_word(token)] or list(tokens)


def fold(text: str) -> str:
    """What is left of a text when width, case, punctuation and spacing are ignored."""
    return " ".join(words(unicodedata.normalize("NFKC", text)))


@dataclass(frozen=True)
class Sentence:
    """A sentence and what every feature may ask of it, computed at most once.

    Attributes:
        text: the sentence as it was read.
        tokens: its tokens with case and punctuation, see :func:`tokenize`.
        tags: one Penn Treebank part of speech a token.
    """

    text: str
    tokens: tuple[str, ...] = field(compare=False)  # follow from the text: not worth hashing
    tags: tuple[str, ...] = field(compare=False)

    def __hash__(self) -> int:
        """That of the text, which a string keeps once it is known."""
        return hash(self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Lower-cased words, see :func:`words`."""
        return tuple(words_of(self.tokens))

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Lower-cased words that are no stop words."""
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
        """The part of speech of each of :attr:`words`."""
        chosen = [t for token, t in zip(self.tokens, self.tags, strict=True) if is_word(token)]
        return tuple(chosen or self.tags)

    @cached_property
    def word_lemmas(self) -> tuple[str, ...]:
        """The lemma of each of :attr:`words`, stop words too."""
        return tuple(map(lemma, self.words, self.word_tags))

    def tagged(self, prefix: str) -> tuple[str, ...]:
        """Lower-cased words whose part of speech begins with ``prefix``: NN nouns, VB verbs."""
        return tuple(
            token.lower()
            for token, tag in zip(self.tokens, self.tags, strict=True)
            if tag.startswith(prefix) and is_word(token)
        )


_UNIVERSAL = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV"}


@lru_cache(maxsize=1 << 18)
def lemma(word: str, tag: str) -> str:
    """The dictionary form of a lower-cased word, by LemmInflect's table; itself if not listed."""
    from lemminflect import getAllLemmas

    readings = getAllLemmas(word)
    if not readings:
        return word
    part = _UNIVERSAL.get(tag[:1], "")
    if part == "VERB" and part not in readings:
        part = "AUX"
    forms = readings.get(part) or next(iter(readings.values()))
    return str(forms[0])


def tag(tokens: Sequence[str]) -> tuple[str, ...]:
    """One Penn Treebank tag a token, by TextBlob's bundled Brill tagger (no download)."""
    from textblob.en import parser

    return tuple(str(pair[1]) for pair in parser.find_tags(list(tokens)))


def analyse(texts: Iterable[str]) -> dict[str, Sentence]:
    """Every distinct text once, as a :class:`Sentence`."""
    analysed = {}
    for text in dict.fromkeys(texts):
        tokens = tuple(tokenize(text))
        analysed[text] = Sentence(text, tokens, tag(tokens))
    return analysed
