"""What each word hangs on, found from parts of speech alone: phrases, their verbs, prepositions.

A rough stand-in for a parse. A noun phrase is a run of determiners, adjectives, numbers and nouns;
its last noun is its head. What follows a preposition hangs on the noun and the verb before it,
what stands before a verb is its subject, what stands behind it its object, or the other way round
if it is passive; what follows "and" or a comma hangs where the phrase before it hangs.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.compiling import njit
from features.measures.word_order.kinds import (
    ADJECTIVE,
    ADVERB,
    AND,
    AUXILIARY,
    BE,
    BY,
    CONTENT,
    DETERMINER,
    NAME,
    NOUN,
    NUMBER,
    OF,
    OTHER,
    PARTICIPLE,
    POSSESSIVE,
    PREPOSITION,
    PRONOUN,
    VERB,
)

NOTHING, SUBJECT, OBJECT, OF_LIKE, PART = -1, -2, -3, -4, -5
"""Relations; others are the number of a preposition."""

PHRASE, RELATION, TO_NOUN, TO_VERB, COMPANION = range(5)
"""Rows of what :func:`attach` returns."""


@njit(nogil=True)
def attach_all(words, offsets, kinds, links, marks):
    """(5, places) of every sentence: :func:`attach` of each."""
    found = np.full((5, len(words)), -1)
    for s in range(len(offsets) - 1):
        part = slice(offsets[s], offsets[s + 1])
        attach(words[part], kinds[part], links[part], marks[part], found[:, part])
    return found


@njit(nogil=True)
def attach(words, kinds, links, marks, found):
    """Fill in, for each place: the phrase's head, the relation, its noun, its verb, its companion.

    ``COMPANION`` is the head of the phrase before it in "x and y" or "x, y". Places count from the
    sentence's first word; −1 for none.
    """
    _phrases(kinds, marks, found[PHRASE])
    m = len(words)
    noun = verb = -1
    passive = False
    waiting = 0  # from where on phrases wait for their verb
    i = 0
    while i < m:
        head = found[PHRASE, i]
        if head < 0:
            if _is_verb(kinds, i):
                passive = links[i] == PARTICIPLE and _follows_be(kinds, links, i)
                for k in range(waiting, i):
                    if found[RELATION, k] == SUBJECT and found[TO_VERB, k] < 0:
                        found[TO_VERB, k] = i
                        found[RELATION, k] = OBJECT if passive else SUBJECT
                verb, waiting = i, i
                found[TO_NOUN, i] = noun
            elif kinds[i] >= CONTENT:
                found[TO_VERB, i], found[TO_NOUN, i] = verb, noun
            i += 1
            continue
        end = i
        while end < m and found[PHRASE, end] == head:
            end += 1
        _attach_phrase(words, kinds, links, marks, found, i, head, noun, verb, passive)
        for k in range(i, end):
            if k != head:
                found[RELATION, k], found[TO_NOUN, k] = PART, head
                found[TO_VERB, k] = found[TO_VERB, head]
        if end < m and kinds[end] == POSSESSIVE and end + 1 < m and found[PHRASE, end + 1] >= 0:
            owned = found[PHRASE, end + 1]
            for row in (RELATION, TO_NOUN, TO_VERB, COMPANION):
                found[row, owned] = found[row, head]  # put right when the owned phrase comes
            found[RELATION, head], found[TO_NOUN, head] = OF_LIKE, owned
        else:
            noun = head
        i = end
    for k in range(m):  # "x with y hit z": an unfinished subject hangs on the last verb
        if found[RELATION, k] == SUBJECT and found[TO_VERB, k] < 0:
            found[TO_VERB, k] = verb


@njit(nogil=True)
def _attach_phrase(words, kinds, links, marks, found, start, head, noun, verb, passive):
    """Say on what the head of a phrase hangs."""
    before = start - 1
    while before >= 0 and kinds[before] == ADVERB and not marks[before + 1]:
        before -= 1
    listed = start > 0 and (marks[start] or links[before] == AND)
    if before < 0:
        found[RELATION, head] = SUBJECT
    elif kinds[before] == POSSESSIVE:
        return  # it hangs where its owner hung
    elif kinds[before] == PREPOSITION:
        found[RELATION, head] = words[before]
        found[TO_NOUN, head], found[TO_VERB, head] = noun, verb
        if links[before] == OF:
            found[RELATION, head] = OF_LIKE
        elif links[before] == BY and passive:
            found[RELATION, head] = SUBJECT
    elif listed and noun >= 0 and _ends_at(found[PHRASE], noun, before, links):
        found[COMPANION, head] = noun
        for row in (RELATION, TO_NOUN, TO_VERB):
            found[row, head] = found[row, noun]
    elif verb >= 0 and not marks[start] and verb >= before - 1:
        found[RELATION, head], found[TO_VERB, head] = OBJECT, verb
        if links[verb] == BE:
            found[TO_NOUN, head] = noun
    else:
        found[RELATION, head] = SUBJECT


@njit(nogil=True)
def _ends_at(phrases, noun, before, links):
    """Whether the phrase of a noun ends at a place, or just before the "and" there."""
    last = before - 1 if links[before] == AND else before
    return last >= 0 and phrases[last] == noun


@njit(nogil=True)
def _is_verb(kinds, i):
    """Whether a place holds a verb, or an auxiliary that no verb follows."""
    if kinds[i] == VERB:
        return True
    if kinds[i] != AUXILIARY:
        return False
    k = i + 1
    while k < len(kinds) and kinds[k] in (ADVERB, AUXILIARY):
        k += 1
    return k == len(kinds) or kinds[k] != VERB


@njit(nogil=True)
def _follows_be(kinds, links, i):
    """Whether a form of "be" stands before a participle, adverbs apart."""
    k = i - 1
    while k >= 0 and kinds[k] == ADVERB:
        k -= 1
    return k >= 0 and links[k] == BE


@njit(nogil=True)
def _phrases(kinds, marks, phrase):
    """Write the place of the head of its noun phrase at each place; −1 outside of phrases."""
    m = len(kinds)
    i = 0
    while i < m:
        end, head = i, -1
        while end < m and (end == i or not marks[end]):
            kind = kinds[end]
            if kind == DETERMINER and end > i:
                break
            nominal = kind in (NOUN, NAME, NUMBER, PRONOUN)
            inside = nominal or kind in (DETERMINER, ADJECTIVE, OTHER)
            if kind == ADVERB:  # "a very old man"
                inside = end + 1 < m and kinds[end + 1] == ADJECTIVE and not marks[end + 1]
            if kind == VERB:  # "the broken window"
                behind = end + 1 < m and kinds[end + 1] in (NOUN, NAME, ADJECTIVE)
                inside = behind and end > i and kinds[end - 1] in (DETERMINER, ADJECTIVE)
            if not inside:
                break
            if nominal:
                head = end
            end += 1
        if head >= 0:
            for k in range(i, end):
                phrase[k] = head if k <= head or kinds[k] != ADVERB else -1
            i = end
        else:
            i = max(end, i + 1)
