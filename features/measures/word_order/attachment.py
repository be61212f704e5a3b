"""What each word hangs on, found from parts of speech alone: phrases, their verbs, prepositions.

A rough stand-in for a parse. A noun phrase is a run of determiners, adjectives, numbers and nouns;
its last noun is its head. What follows a preposition hangs on the noun and the verb before it,
what stands before a verb is its subject, what stands behind it its object, or the other way round
if it is passive; what follows "and" or a comma hangs where the phrase before it hangs.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return,assignment"

from __future__ import annotations

import numpy as np

from embeddings.compiled.kernel import kernel
from features.measures.word_order.kinds import (
    ADJECTIVE,
    ADVERB,
    AND,
    AUXILIARY,
    BE,
    BY,
    COMPANION,
    CONTENT,
    DETERMINER,
    KIND,
    LEMMA,
    LINK,
    MARK,
    NOMINAL,
    NUMBER,
    OF,
    OTHER,
    PARTICIPLE,
    PHRASE,
    POSSESSIVE,
    PREPOSITION,
    PRONOUN,
    RELATION,
    TO_NOUN,
    TO_VERB,
    VERB,
)

NOTHING, SUBJECT, OBJECT, OF_LIKE, PART = -1, -2, -3, -4, -5
"""Relations; others are the number of a preposition."""

_HEADS = NOMINAL | 1 << NUMBER | 1 << PRONOUN
_INSIDE = _HEADS | 1 << DETERMINER | 1 << ADJECTIVE | 1 << OTHER
_BEFORE_PARTICIPLE = 1 << DETERMINER | 1 << ADJECTIVE
_BEHIND_PARTICIPLE = NOMINAL | 1 << ADJECTIVE
_BESIDE_VERBS = 1 << ADVERB | 1 << AUXILIARY


@kernel(nogil=True)
def attach(words):
    """Fill in what each word of a sentence hangs on, from its kind, link, lemma and marks.

    ``PHRASE`` is the head of its phrase, then come the relation, the noun, the verb, and
    ``COMPANION``, the head of the phrase before it in "x and y" or "x, y".
    """
    _phrases(words)
    m = len(words)
    waiting = goes_on = 0  # from where on phrases wait for their verb; where the phrase ends
    # Of one type from the start; what is called would be compiled for a literal −1 and False too.
    noun = verb = np.int64(-1)
    passive = np.bool_(False)
    for i in range(m):
        if i < goes_on:
            continue
        head = words[i, PHRASE]
        if head < 0:
            if _is_verb(words, i):
                passive = words[i, LINK] == PARTICIPLE and _follows_be(words, i)
                for k in range(waiting, i):
                    if words[k, RELATION] == SUBJECT and words[k, TO_VERB] < 0:
                        words[k, TO_VERB] = i
                        words[k, RELATION] = OBJECT if passive else SUBJECT
                verb = waiting = i
                words[i, TO_NOUN] = noun
            elif words[i, KIND] >= CONTENT:
                words[i, TO_VERB], words[i, TO_NOUN] = verb, noun
            continue
        end = i
        while end < m and words[end, PHRASE] == head:
            end += 1
        _attach_phrase(words, i, head, noun, verb, passive)
        for k in range(i, end):
            if k != head:
                words[k, RELATION], words[k, TO_NOUN] = PART, head
                words[k, TO_VERB] = words[head, TO_VERB]
        owned = -1
        if end + 1 < m and words[end, KIND] == POSSESSIVE:
            owned = words[end + 1, PHRASE]
        if owned >= 0:
            for row in range(RELATION, COMPANION + 1):
                words[owned, row] = words[head, row]  # put right when the owned phrase comes
            words[head, RELATION], words[head, TO_NOUN] = OF_LIKE, owned
        else:
            noun = head
        goes_on = end
    for k in range(m):  # "x with y hit z": an unfinished subject hangs on the last verb
        if words[k, RELATION] == SUBJECT and words[k, TO_VERB] < 0:
            words[k, TO_VERB] = verb


@kernel(nogil=True)
def _attach_phrase(words, start, head, noun, verb, passive):
    """Say on what the head of a phrase hangs."""
    before = start - 1
    while before >= 0 and words[before, KIND] == ADVERB and not words[before + 1, MARK]:
        before -= 1
    if before < 0:
        words[head, RELATION] = SUBJECT
        return
    kind, link = words[before, KIND], words[before, LINK]
    listed = words[start, MARK] or link == AND
    if kind == POSSESSIVE:
        return  # it hangs where its owner hung
    if kind == PREPOSITION:
        words[head, RELATION] = words[before, LEMMA]
        words[head, TO_NOUN], words[head, TO_VERB] = noun, verb
        if link == OF:
            words[head, RELATION] = OF_LIKE
        elif link == BY and passive:
            words[head, RELATION] = SUBJECT
    elif listed and noun >= 0 and _ends_at(words, noun, before):
        words[head, COMPANION] = noun
        for row in range(RELATION, TO_VERB + 1):
            words[head, row] = words[noun, row]
    elif verb >= 0 and not words[start, MARK] and verb >= before - 1:
        words[head, RELATION], words[head, TO_VERB] = OBJECT, verb
        if words[verb, LINK] == BE:
            words[head, TO_NOUN] = noun
    else:
        words[head, RELATION] = SUBJECT


@kernel(nogil=True)
def _ends_at(words, noun, before):
    """Whether the phrase of a noun ends at a place, or just before the "and" there."""
    last = before - 1 if words[before, LINK] == AND else before
    return last >= 0 and words[last, PHRASE] == noun


@kernel(nogil=True)
def _is_verb(words, i):
    """Whether a place holds a verb, or an auxiliary that no verb follows."""
    if words[i, KIND] == VERB:
        return True
    if words[i, KIND] != AUXILIARY:
        return False
    k = i + 1
    while k < len(words) and _BESIDE_VERBS >> words[k, KIND] & 1:
        k += 1
    return k == len(words) or words[k, KIND] != VERB


@kernel(nogil=True)
def _follows_be(words, i):
    """Whether a form of "be" stands before a participle, adverbs apart."""
    k = i - 1
    while k >= 0 and words[k, KIND] == ADVERB:
        k -= 1
    return k >= 0 and words[k, LINK] == BE


@kernel(nogil=True)
def _phrases(words):
    """Write the place of the head of its noun phrase at each place; −1 outside of phrases."""
    m = len(words)
    goes_on = 0
    for i in range(m):
        if i < goes_on:
            continue
        end, head = i, -1
        while end < m and (end == i or not words[end, MARK]):
            kind = words[end, KIND]
            behind = words[end + 1, KIND] if end + 1 < m else DETERMINER
            if kind == DETERMINER and end > i:
                break
            inside = _INSIDE >> kind & 1
            if kind == ADVERB:  # "a very old man"
                inside = behind == ADJECTIVE and not words[end + 1, MARK]
            if kind == VERB:  # "the broken window"
                inside = (
                    _BEHIND_PARTICIPLE >> behind & 1
                    and end > i
                    and _BEFORE_PARTICIPLE >> words[end - 1, KIND] & 1
                )
            if not inside:
                break
            if _HEADS >> kind & 1:
                head = end
            end += 1
        if head >= 0:
            for k in range(i, end):
                words[k, PHRASE] = head if k <= head or words[k, KIND] != ADVERB else -1
        goes_on = end
