"""Governors of words, found from parts of speech alone, and the words around each.

A rough stand-in for a parse. A noun phrase is a run of determiners, adjectives, numbers and nouns;
its last noun is its head. What follows a preposition hangs on the noun and the verb before it,
what stands before a verb is its subject, what stands behind it its object, or the other way round
if it is passive; what follows "and" or a comma hangs where the phrase before it hangs.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return,assignment"

from __future__ import annotations

import numpy as np

from semaniacs.embeddings.compiled import kernel
from semaniacs.features.measures.word_order import kinds as at

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


SUBJECT, OBJECT, OF_LIKE, PART = -2, -3, -4, -5
"""Relations; others are the number of a preposition, and −1 is none."""

_HEADS = at.NOMINAL | 1 << at.NUMBER | 1 << at.PRONOUN
_INSIDE = _HEADS | 1 << at.DETERMINER | 1 << at.ADJECTIVE | 1 << at.OTHER
_BEFORE_PARTICIPLE = 1 << at.DETERMINER | 1 << at.ADJECTIVE
_BEHIND_PARTICIPLE = at.NOMINAL | 1 << at.ADJECTIVE
_BESIDE_VERBS = 1 << at.ADVERB | 1 << at.AUXILIARY


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
        head = words[i, at.PHRASE]
        if head < 0:
            if _is_verb(words, i):
                passive = words[i, at.LINK] == at.PARTICIPLE and _follows_be(words, i)
                for k in range(waiting, i):
                    if words[k, at.RELATION] == SUBJECT and words[k, at.TO_VERB] < 0:
                        words[k, at.TO_VERB] = i
                        words[k, at.RELATION] = OBJECT if passive else SUBJECT
                verb = waiting = i
                words[i, at.TO_NOUN] = noun
            elif words[i, at.KIND] >= at.CONTENT:
                words[i, at.TO_VERB], words[i, at.TO_NOUN] = verb, noun
            continue
        end = i
        while end < m and words[end, at.PHRASE] == head:
            end += 1
        _attach_phrase(words, i, head, noun, verb, passive)
        for k in range(i, end):
            if k != head:
                words[k, at.RELATION], words[k, at.TO_NOUN] = PART, head
                words[k, at.TO_VERB] = words[head, at.TO_VERB]
        owned = -1
        if end + 1 < m and words[end, at.KIND] == at.POSSESSIVE:
            owned = words[end + 1, at.PHRASE]
        if owned >= 0:
            for row in range(at.RELATION, at.COMPANION + 1):
                words[owned, row] = words[head, row]  # put right when the owned phrase comes
            words[head, at.RELATION], words[head, at.TO_NOUN] = OF_LIKE, owned
        else:
            noun = head
        goes_on = end
    for k in range(m):  # "x with y hit z": an unfinished subject hangs on the last verb
        if words[k, at.RELATION] == SUBJECT and words[k, at.TO_VERB] < 0:
            words[k, at.TO_VERB] = verb


@kernel(nogil=True)
def _attach_phrase(words, start, head, noun, verb, passive):
    before = start - 1
    while before >= 0 and words[before, at.KIND] == at.ADVERB and not words[before + 1, at.MARK]:
        before -= 1
    if before < 0:
        words[head, at.RELATION] = SUBJECT
        return
    kind, link = words[before, at.KIND], words[before, at.LINK]
    listed = words[start, at.MARK] or link == at.AND
    if kind == at.POSSESSIVE:
        return  # it hangs where its owner hung
    if kind == at.PREPOSITION:
        words[head, at.RELATION] = words[before, at.LEMMA]
        words[head, at.TO_NOUN], words[head, at.TO_VERB] = noun, verb
        if link == at.OF:
            words[head, at.RELATION] = OF_LIKE
        elif link == at.BY and passive:
            words[head, at.RELATION] = SUBJECT
    elif listed and noun >= 0 and _ends_at(words, noun, before):
        words[head, at.COMPANION] = noun
        for row in range(at.RELATION, at.TO_VERB + 1):
            words[head, row] = words[noun, row]
    elif verb >= 0 and not words[start, at.MARK] and verb >= before - 1:
        words[head, at.RELATION], words[head, at.TO_VERB] = OBJECT, verb
        if words[verb, at.LINK] == at.BE:
            words[head, at.TO_NOUN] = noun
    else:
        words[head, at.RELATION] = SUBJECT


@kernel(nogil=True)
def _ends_at(words, noun, before):
    last = before - 1 if words[before, at.LINK] == at.AND else before
    return last >= 0 and words[last, at.PHRASE] == noun


@kernel(nogil=True)
def _is_verb(words, i):
    if words[i, at.KIND] == at.VERB:
        return True
    if words[i, at.KIND] != at.AUXILIARY:
        return False
    k = i + 1
    while k < len(words) and _BESIDE_VERBS >> words[k, at.KIND] & 1:
        k += 1
    return k == len(words) or words[k, at.KIND] != at.VERB


@kernel(nogil=True)
def _follows_be(words, i):
    k = i - 1
    while k >= 0 and words[k, at.KIND] == at.ADVERB:
        k -= 1
    return k >= 0 and words[k, at.LINK] == at.BE


@kernel(nogil=True)
def _phrases(words):
    """Write the place of the head of its noun phrase at each place; −1 outside of phrases."""
    m = len(words)
    goes_on = 0
    for i in range(m):
        if i < goes_on:
            continue
        end, head = i, -1
        while end < m and (end == i or not words[end, at.MARK]):
            kind = words[end, at.KIND]
            behind = words[end + 1, at.KIND] if end + 1 < m else at.DETERMINER
            if kind == at.DETERMINER and end > i:
                break
            inside = _INSIDE >> kind & 1
            if kind == at.ADVERB:  # "a very old man"
                inside = behind == at.ADJECTIVE and not words[end + 1, at.MARK]
            if kind == at.VERB:  # "the broken window"
                inside = (
                    _BEHIND_PARTICIPLE >> behind & 1
                    and end > i
                    and _BEFORE_PARTICIPLE >> words[end - 1, at.KIND] & 1
                )
            if not inside:
                break
            if _HEADS >> kind & 1:
                head = end
            end += 1
        if head >= 0:
            for k in range(i, end):
                words[k, at.PHRASE] = head if k <= head or words[k, at.KIND] != at.ADVERB else -1
        goes_on = end


@kernel(nogil=True)
def describe_heads(a, b, found):
    """Fill in how many aligned words hang on the same noun, verb and preposition."""
    _heads(a, b, found)
    totals, kept = np.zeros(4), np.zeros(4)
    _phrases_kept(a, b, totals, kept, found)
    _phrases_kept(b, a, totals, kept, found)
    for x in range(4):
        found[at.PHRASE_KEPT + x] = kept[x] / totals[x] if totals[x] > 0 else 1.0


@kernel(nogil=True)
def _heads(a, b, found):
    count = subjects = objects = phrases = 0
    for i in range(len(a)):
        j, kind = a[i, at.PARTNER], a[i, at.KIND]
        if j < 0 or kind < at.CONTENT:
            continue
        r, q = a[i, at.RELATION], b[j, at.RELATION]
        noun = state(a, b, a[i, at.TO_NOUN], b[j, at.TO_NOUN])
        verb = state(a, b, a[i, at.TO_VERB], b[j, at.TO_VERB])
        same_relation = like(r, q)
        count += 1
        found[at.HEAD_NOUN_KEPT] += noun > 0
        found[at.HEAD_VERB_KEPT] += verb > 0
        kept = noun > 0 or (verb > 0 and r != PART and r != OF_LIKE)
        found[at.HEAD_KEPT] += kept
        found[at.HEAD_RELATION_KEPT] += same_relation
        found[at.HEAD_ALL_KEPT] += same_relation and noun > 0 and verb > 0
        if at.PLACE_OF[kind] > 0 and kind != at.VERB:
            slot = 3 if kind == at.NUMBER else at.PLACE_OF[kind] - 1
            found[at.HEAD_LOST_NAMES + slot] += not kept
            found[at.HEAD_TRADED_NAMES + slot] += noun < 0
        found[at.HEAD_TRADED_VERB] += verb < 0
        if r in (SUBJECT, OBJECT) and q in (SUBJECT, OBJECT):
            found[at.ROLE_EXCHANGED] += r != q and verb > 0
            found[at.ROLE_SUBJECT_LOST] += r == q and verb < 0
        if r == SUBJECT or q == SUBJECT:
            subjects += 1
            found[at.ROLE_SUBJECT_KEPT] += r == q and verb > 0
        if r == OBJECT or q == OBJECT:
            objects += 1
            found[at.ROLE_OBJECT_KEPT] += r == q and verb > 0
        if r >= 0 or q >= 0:
            phrases += 1
            found[at.PHRASE_PREPOSITION_KEPT] += r == q
    for place in range(at.HEAD_NOUN_KEPT, at.HEAD_ALL_KEPT + 1):
        found[place] = found[place] / count if count > 0 else 1.0
    found[at.ROLE_SUBJECT_KEPT] = found[at.ROLE_SUBJECT_KEPT] / subjects if subjects > 0 else 1.0
    found[at.ROLE_OBJECT_KEPT] = found[at.ROLE_OBJECT_KEPT] / objects if objects > 0 else 1.0
    found[at.PHRASE_PREPOSITION_KEPT] = (
        found[at.PHRASE_PREPOSITION_KEPT] / phrases if phrases > 0 else 1.0
    )


@kernel(nogil=True)
def like(one, other):
    """Whether two relations are the same; what belongs to a noun may say so with "of" or before it."""
    return one == other or (one in (OF_LIKE, PART) and other in (OF_LIKE, PART))


@kernel(nogil=True)
def state(a, b, one, other):
    """1 if two heads are aligned or both absent, −1 if both are aligned otherwise, else 0."""
    if one < 0 and other < 0:
        return 1
    if one < 0 or other < 0:
        return 0
    j, i = a[one, at.PARTNER], b[other, at.PARTNER]
    if j == other:
        return 1
    if j >= 0 and b[j, at.PHRASE] >= 0 and b[j, at.PHRASE] == b[other, at.PHRASE]:
        return 1
    if i >= 0 and a[i, at.PHRASE] >= 0 and a[i, at.PHRASE] == a[one, at.PHRASE]:
        return 1
    return -1 if j >= 0 and i >= 0 else 0


@kernel(nogil=True)
def _phrases_kept(a, b, totals, kept, found):
    """Count the aligned words of one phrase, and those that are in one phrase on the other side."""
    m = len(a)
    for i in range(m):
        for k in range(i + 1, min(m, i + 8)):
            if a[i, at.PHRASE] < 0 or a[i, at.PHRASE] != a[k, at.PHRASE]:
                continue
            one, other = a[i, at.KIND], a[k, at.KIND]
            if min(one, other) < at.CONTENT or a[i, at.PARTNER] < 0 or a[k, at.PARTNER] < 0:
                continue
            p, q = b[a[i, at.PARTNER], at.PHRASE], b[a[k, at.PARTNER], at.PHRASE]
            same = p >= 0 and (p == q or b[p, at.TO_NOUN] == q or b[q, at.TO_NOUN] == p)
            slot = 0
            if one == at.ADJECTIVE or other == at.ADJECTIVE:
                slot = 1
            elif one == at.NUMBER or other == at.NUMBER:
                slot = 3
            elif one == at.NAME or other == at.NAME:
                slot = 2
            totals[0] += 1
            kept[0] += same
            if slot > 0:
                totals[slot] += 1
                kept[slot] += same
            found[at.PHRASE_SPLIT] += 0.5 * (not same)
