"""What stands around each word of a sentence."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from embeddings.compiled.kernel import kernel
from features.measures.word_order.kinds import (
    AFTER,
    BEFORE,
    CONTENT,
    DETERMINER,
    KIND,
    OPENED_BY,
    POSSESSIVE,
    PREPOSITION,
    VERB,
    VERB_AFTER,
    VERB_BEFORE,
)

_OPENS = 1 << PREPOSITION | 1 << POSSESSIVE


@kernel(nogil=True)
def look_around(words):
    """Fill in the nearest content words and verbs, and the preposition that opens the phrase."""
    content = verb = preposition = -1
    for i in range(len(words)):
        kind = words[i, KIND]
        words[i, BEFORE], words[i, VERB_BEFORE] = content, verb
        if _OPENS >> kind & 1:
            preposition = i
        elif kind == DETERMINER:  # behind a content word it begins another phrase
            preposition = -1 if content == i - 1 and i > 0 else preposition
        elif kind < CONTENT or kind == VERB:
            preposition = -1
        words[i, OPENED_BY] = preposition
        content = i if kind >= CONTENT else content
        verb = i if kind == VERB else verb
    content = verb = -1
    for i in range(len(words) - 1, -1, -1):
        kind = words[i, KIND]
        words[i, AFTER], words[i, VERB_AFTER] = content, verb
        content = i if kind >= CONTENT else content
        verb = i if kind == VERB else verb
