"""Part-of-speech tags and lemmas of a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from sts.text.tokenizer import STOP_WORDS, is_word, parts, tokens_of_part, words_of

if TYPE_CHECKING:
    from textblob.en import Parser


@dataclass(frozen=True)
class Sentence:
    """A sentence and its analyses, each computed at most once.

    Attributes:
        text: the sentence as it was read.
        tokens: its tokens in their original case, punctuation included, see :func:`.tokenize`.
        tags: one Penn Treebank part-of-speech tag per token.
    """

    text: str
    tokens: tuple[str, ...] = field(compare=False)  # follows from the text
    tags: tuple[str, ...] = field(compare=False)

    def __hash__(self) -> int:
        """The hash of the text, which a string computes only once."""
        return hash(self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Lower-cased words, see :func:`words`."""
        return tuple(words_of(self.tokens))

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Lower-cased words without the stop words."""
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

    @cached_property
    def word_lemmas(self) -> tuple[str, ...]:
        """The lemma of each of :attr:`words`, stop words included."""
        return tuple(map(lemma, self.words, self.word_tags))

    def tagged(self, prefix: str) -> tuple[str, ...]:
        """Lower-cased words whose tag begins with ``prefix``: NN for nouns, VB for verbs."""
        return tuple(
            token.lower()
            for token, tag in zip(self.tokens, self.tags, strict=True)
            if tag.startswith(prefix) and is_word(token)
        )


_UNIVERSAL = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV"}


Readings = Mapping[str, Sequence[str]]
"""The lemmas of a word by its part of speech, as in Universal Dependencies."""


@cache
def _lemmas() -> dict[str, Readings]:
    """LemmInflect's table, without the deep copy that its own function makes of each answer."""
    from lemminflect import config
    from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec
    from lemminflect.codecs.OverridesCodec import OverridesCodec

    table: dict[str, Readings] = LemmaLUCodec.load(config.lemma_lu_fn)
    for word, readings in OverridesCodec.load(config.lemma_overrides_fn).items():
        table[word] = {**table.get(word, {}), **readings}
    return table


@lru_cache(maxsize=1 << 18)
def readings(word: str) -> Readings:
    """What LemmInflect's table has of a lower-cased word; empty if it is not listed."""
    found = _lemmas().get(word, {})
    return {part: tuple(map(str.lower, forms)) for part, forms in found.items()}


def has_readings(word: str) -> bool:
    """Whether LemmInflect's table lists a lower-cased word."""
    return bool(_lemmas().get(word))


@lru_cache(maxsize=1 << 18)
def lemma(word: str, tag: str) -> str:
    """The lemma of a lower-cased word in LemmInflect's table; the word itself if not listed."""
    found = _lemmas().get(word)
    if not found:
        return word
    part = _UNIVERSAL.get(tag[:1], "")
    if part == "VERB" and part not in found:
        part = "AUX"
    forms = found.get(part) or next(iter(found.values()))
    return forms[0].lower()


@cache
def _tagger() -> Parser:
    """TextBlob's tagger with its English tables.

    It is opened from its file: to import the package brings NLTK, which brings scikit-learn and
    SciPy, and takes longer than everything else that a score needs.
    """
    package = find_spec("textblob")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("textblob is not installed", name="textblob")
    folder = Path(package.origin).parent
    spec = spec_from_file_location("_textblob_text", folder / "_text.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    names = ("lexicon", "morphology", "context", "entities")
    tables = {"path" if n == "lexicon" else n: str(folder / "en" / f"en-{n}.txt") for n in names}
    lexicon = module.Lexicon(**tables, language="en")
    parser: Parser = module.Parser(lexicon=lexicon, default=("NN", "NNP", "CD"), language="en")
    return parser


def tag(tokens: Sequence[str]) -> tuple[str, ...]:
    """One Penn Treebank tag per token, by the Brill tagger that comes with TextBlob."""
    return (*map(_first_tag, tokens[:1]), *map(_later_tag, tokens[1:]))


# TextBlob looks at one token after the other, and at the first also without its capital.


@lru_cache(maxsize=1 << 16)
def _first_tag(token: str) -> str:
    return str(_tagger().find_tags([token])[0][1])


@lru_cache(maxsize=1 << 18)
def _later_tag(token: str) -> str:
    listed = _tagger().lexicon.get(token)
    return str(listed) if listed else str(_tagger().find_tags(["", token])[1][1])


Tagged = tuple[tuple[str, ...], tuple[str, ...]]
"""Tokens and their tags."""

_SHORT = 1000
"""Characters up to which the parts of a text are remembered; what has no blanks may be long."""


def _read_part(part: str) -> Tagged:
    tokens = tuple(tokens_of_part(part))
    return tokens, tuple(map(_later_tag, tokens))


_remembered_part = lru_cache(maxsize=1 << 17)(_read_part)


def _read(text: str) -> Tagged:
    """The tokens of a text and their tags; most of what stands between two blanks comes back."""
    read = list(map(_remembered_part if len(text) <= _SHORT else _read_part, parts(text)))
    tokens = tuple(chain.from_iterable([part[0] for part in read]))
    tags = chain.from_iterable([part[1] for part in read])
    return tokens, (*map(_first_tag, tokens[:1]), *islice(tags, 1, None))


def analyse(texts: Iterable[str]) -> dict[str, Sentence]:
    """Each distinct text as a :class:`Sentence`, by text."""
    analysed = {}
    for text in dict.fromkeys(texts):
        tokens, tags = _read(text)
        analysed[text] = Sentence(text, tokens, tags)
    return analysed
