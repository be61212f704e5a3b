"""Kinds of words as small numbers, and the columns of the table of words."""

from __future__ import annotations

from functools import cache

import numpy as np

from features import lexicon
from sts.text.tokenizer import STOP_WORDS

DETERMINER, PREPOSITION, CONJUNCTION, AUXILIARY, PRONOUN, POSSESSIVE, FUNCTION = range(7)
NOUN, NAME, VERB, ADJECTIVE, ADVERB, NUMBER, OTHER = range(7, 14)
CONTENT = NOUN
"""The first kind that is no function word."""

KINDS = 14

NOMINAL = 1 << NOUN | 1 << NAME
"""Nouns and names, a bit each: ``NOMINAL >> kind & 1`` says whether a kind is one of them."""

PLACE_OF = np.zeros(KINDS, np.int64)
"""The place of each kind among the columns of names, nouns, adjectives, verbs, numbers, from 1."""
PLACE_OF[[NAME, NOUN, ADJECTIVE, VERB, NUMBER]] = range(1, 6)

OF, BY, BE, AND, PARTICIPLE = range(1, 6)
"""Words that say how others hang together; 0 for all other words."""

(
    WORD, LEMMA, KIND, LINK, MARK,
    PHRASE, RELATION, TO_NOUN, TO_VERB, COMPANION,
    BEFORE, AFTER, VERB_BEFORE, VERB_AFTER, OPENED_BY,
    PARTNER, BLOCK,
) = range(17)  # fmt: skip
"""Properties of a word, one per column, so that compiled code takes one array of one sentence:

its number, its lemma's, its kind, its link, whether a mark stands before it;
what it hangs on, see :mod:`.attachment`;
the content words and the verbs around it and the preposition of its phrase, see :mod:`.attachment`;
the word of the other sentence that it is aligned with and its block, see :mod:`.block_alignment`.
Places are counted from the sentence's first word; −1 for none.
"""
COLUMNS = BLOCK + 1

FIRST, LAST, RANK, BY_RANK = range(4)
"""Properties of a block of words that is adjacent on both sides: its first and last place on the
left, its rank among the blocks on the right, and the block that has its number as rank there."""

_PREPOSITIONS = lexicon.words("plain preposition")
_AUXILIARIES = lexicon.words("plain auxiliary")
_DETERMINERS = lexicon.words("plain determiner")
_PRONOUNS = lexicon.words("plain pronoun")
_SMALL = (
    (frozenset(("'s",)), POSSESSIVE),
    (_PREPOSITIONS, PREPOSITION),
    (frozenset("and or but".split()), CONJUNCTION),
    (_AUXILIARIES, AUXILIARY),
    (_DETERMINERS, DETERMINER),
    (_PRONOUNS, PRONOUN),
)
_KIND_OF_STOP_WORD = {
    word: next((kind for words, kind in _SMALL if word in words), FUNCTION) for word in STOP_WORDS
}
_BY_TAG = (
    ("NNP", NAME), ("NN", NOUN), ("VB", VERB), ("JJ", ADJECTIVE), ("RB", ADVERB),
    ("CD", NUMBER), ("IN", PREPOSITION), ("TO", PREPOSITION), ("DT", DETERMINER),
    ("MD", AUXILIARY), ("PRP", PRONOUN), ("CC", CONJUNCTION),
)  # fmt: skip
_LINKS = {"of": OF, "by": BY, "and": AND, "or": AND} | dict.fromkeys(
    "am is are was were be been being".split(), BE
)


def kind(word: str, tag: str) -> int:
    """The kind of a lower-cased word with a Penn Treebank tag."""
    if not word.isalpha() and any(map(str.isdigit, word)):
        return NUMBER
    found = _KIND_OF_STOP_WORD.get(word)
    return _kind_of_tag(tag) if found is None else found


@cache
def _kind_of_tag(tag: str) -> int:
    return next((kind for prefix, kind in _BY_TAG if tag.startswith(prefix)), OTHER)


def link(word: str, tag: str) -> int:
    """How the word links others: ``OF``, ``BY``, ``BE``, ``AND``, …; 0 if it does not."""
    return _LINKS.get(word, PARTICIPLE if tag == "VBN" and word not in STOP_WORDS else 0)
