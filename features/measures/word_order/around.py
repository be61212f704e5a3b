"""Neighbouring content words, verbs and prepositions of each word of a sentence."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from embeddings.compiled.kernel import kernel
from features.measures.word_order import kinds as at

_OPENS = 1 << at.PREPOSITION | 1 << at.POSSESSIVE


@kernel(nogil=True)
def look_around(words):
    """Fill in the nearest content words and verbs, and the preposition that opens the phrase."""
    content = verb = preposition = -1
    for i in range(len(words)):
        kind = words[i, at.KIND]
        words[i, at.BEFORE], words[i, at.VERB_BEFORE] = content, verb
        if _OPENS >> kind & 1:
            preposition = i
        elif kind == at.DETERMINER:  # behind a content word it begins another phrase
            preposition = -1 if content == i - 1 and i > 0 else preposition
        elif kind < at.CONTENT or kind == at.VERB:
            preposition = -1
        words[i, at.OPENED_BY] = preposition
        content = i if kind >= at.CONTENT else content
        verb = i if kind == at.VERB else verb
    content = verb = -1
    for i in range(len(words) - 1, -1, -1):
        kind = words[i, at.KIND]
        words[i, at.AFTER], words[i, at.VERB_AFTER] = content, verb
        content = i if kind >= at.CONTENT else content
        verb = i if kind == at.VERB else verb
