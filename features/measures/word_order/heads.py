"""Which aligned words hang on the same noun, verb and preposition, in numbers."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.kernel import kernel
from features.measures.word_order.attachment import OBJECT, OF_LIKE, PART, SUBJECT
from features.measures.word_order.kinds import (
    ADJECTIVE,
    CONTENT,
    KIND,
    NAME,
    NUMBER,
    PARTNER,
    PHRASE,
    PLACE_OF,
    RELATION,
    TO_NOUN,
    TO_VERB,
    VERB,
)

NAMES = (
    "head_noun_kept", "head_verb_kept", "head_kept", "head_relation_kept", "head_all_kept",
    "head_lost_names", "head_lost_nouns", "head_lost_adjectives", "head_lost_numbers",
    "head_traded_names", "head_traded_nouns", "head_traded_adjectives", "head_traded_numbers",
    "role_exchanged", "role_subject_kept", "role_object_kept", "phrase_kept",
    "phrase_adjectives_kept", "phrase_names_kept", "phrase_numbers_kept", "phrase_split",
    "role_subject_lost", "head_traded_verb", "phrase_preposition_kept",
)  # fmt: skip


@kernel(nogil=True)
def describe(words_a, words_b, offsets_a, offsets_b, found):
    """Fill in the values of :data:`NAMES`."""
    for p in range(len(found)):
        a = words_a[offsets_a[p] : offsets_a[p + 1]]
        b = words_b[offsets_b[p] : offsets_b[p + 1]]
        _heads(a, b, found[p])
        totals, kept = np.zeros(4), np.zeros(4)
        _phrases(a, b, totals, kept, found[p])
        _phrases(b, a, totals, kept, found[p])
        for x in range(4):
            found[p, 16 + x] = kept[x] / totals[x] if totals[x] > 0 else 1.0


@kernel(nogil=True)
def _heads(a, b, found):
    count = subjects = objects = phrases = 0
    for i in range(len(a)):
        j, kind = a[i, PARTNER], a[i, KIND]
        if j < 0 or kind < CONTENT:
            continue
        r, q = a[i, RELATION], b[j, RELATION]
        noun = state(a, b, a[i, TO_NOUN], b[j, TO_NOUN])
        verb = state(a, b, a[i, TO_VERB], b[j, TO_VERB])
        same_relation = like(r, q)
        count += 1
        found[0] += noun > 0
        found[1] += verb > 0
        kept = noun > 0 or (verb > 0 and r != PART and r != OF_LIKE)
        found[2] += kept
        found[3] += same_relation
        found[4] += same_relation and noun > 0 and verb > 0
        if PLACE_OF[kind] > 0 and kind != VERB:
            slot = 3 if kind == NUMBER else PLACE_OF[kind] - 1
            found[5 + slot] += not kept
            found[9 + slot] += noun < 0
        found[22] += verb < 0
        if r in (SUBJECT, OBJECT) and q in (SUBJECT, OBJECT):
            found[13] += r != q and verb > 0
            found[21] += r == q and verb < 0
        if r == SUBJECT or q == SUBJECT:
            subjects += 1
            found[14] += r == q and verb > 0
        if r == OBJECT or q == OBJECT:
            objects += 1
            found[15] += r == q and verb > 0
        if r >= 0 or q >= 0:
            phrases += 1
            found[23] += r == q
    for place in range(5):
        found[place] = found[place] / count if count > 0 else 1.0
    found[14] = found[14] / subjects if subjects > 0 else 1.0
    found[15] = found[15] / objects if objects > 0 else 1.0
    found[23] = found[23] / phrases if phrases > 0 else 1.0


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
    j, i = a[one, PARTNER], b[other, PARTNER]
    if j == other:
        return 1
    if j >= 0 and b[j, PHRASE] >= 0 and b[j, PHRASE] == b[other, PHRASE]:
        return 1
    if i >= 0 and a[i, PHRASE] >= 0 and a[i, PHRASE] == a[one, PHRASE]:
        return 1
    return -1 if j >= 0 and i >= 0 else 0


@kernel(nogil=True)
def _phrases(a, b, totals, kept, found):
    """Count the aligned words of one phrase, and those that are in one phrase on the other side."""
    m = len(a)
    for i in range(m):
        for k in range(i + 1, min(m, i + 8)):
            if a[i, PHRASE] < 0 or a[i, PHRASE] != a[k, PHRASE]:
                continue
            one, other = a[i, KIND], a[k, KIND]
            if min(one, other) < CONTENT or a[i, PARTNER] < 0 or a[k, PARTNER] < 0:
                continue
            p, q = b[a[i, PARTNER], PHRASE], b[a[k, PARTNER], PHRASE]
            same = p >= 0 and (p == q or b[p, TO_NOUN] == q or b[q, TO_NOUN] == p)
            slot = 0
            if one == ADJECTIVE or other == ADJECTIVE:
                slot = 1
            elif one == NUMBER or other == NUMBER:
                slot = 3
            elif one == NAME or other == NAME:
                slot = 2
            totals[0] += 1
            kept[0] += same
            if slot > 0:
                totals[slot] += 1
                kept[slot] += same
            found[20] += 0.5 * (not same)
