"""Which aligned words hang on the same noun, verb and preposition, in numbers."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.kernel import kernel
from features.measures.word_order import kinds as at
from features.measures.word_order.attachment import OBJECT, OF_LIKE, PART, SUBJECT

NAMES = (
    "head_noun_kept", "head_verb_kept", "head_kept", "head_relation_kept", "head_all_kept",
    "head_lost_names", "head_lost_nouns", "head_lost_adjectives", "head_lost_numbers",
    "head_traded_names", "head_traded_nouns", "head_traded_adjectives", "head_traded_numbers",
    "role_exchanged", "role_subject_kept", "role_object_kept", "phrase_kept",
    "phrase_adjectives_kept", "phrase_names_kept", "phrase_numbers_kept", "phrase_split",
    "role_subject_lost", "head_traded_verb", "phrase_preposition_kept",
)  # fmt: skip

(
    HEAD_NOUN_KEPT, HEAD_VERB_KEPT, HEAD_KEPT, HEAD_RELATION_KEPT, HEAD_ALL_KEPT, HEAD_LOST_NAMES,
    HEAD_LOST_NOUNS, HEAD_LOST_ADJECTIVES, HEAD_LOST_NUMBERS, HEAD_TRADED_NAMES,
    HEAD_TRADED_NOUNS, HEAD_TRADED_ADJECTIVES, HEAD_TRADED_NUMBERS, ROLE_EXCHANGED,
    ROLE_SUBJECT_KEPT, ROLE_OBJECT_KEPT, PHRASE_KEPT, PHRASE_ADJECTIVES_KEPT, PHRASE_NAMES_KEPT,
    PHRASE_NUMBERS_KEPT, PHRASE_SPLIT, ROLE_SUBJECT_LOST, HEAD_TRADED_VERB,
    PHRASE_PREPOSITION_KEPT,
) = range(len(NAMES))  # fmt: skip


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
            found[p, PHRASE_KEPT + x] = kept[x] / totals[x] if totals[x] > 0 else 1.0


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
        found[HEAD_NOUN_KEPT] += noun > 0
        found[HEAD_VERB_KEPT] += verb > 0
        kept = noun > 0 or (verb > 0 and r != PART and r != OF_LIKE)
        found[HEAD_KEPT] += kept
        found[HEAD_RELATION_KEPT] += same_relation
        found[HEAD_ALL_KEPT] += same_relation and noun > 0 and verb > 0
        if at.PLACE_OF[kind] > 0 and kind != at.VERB:
            slot = 3 if kind == at.NUMBER else at.PLACE_OF[kind] - 1
            found[HEAD_LOST_NAMES + slot] += not kept
            found[HEAD_TRADED_NAMES + slot] += noun < 0
        found[HEAD_TRADED_VERB] += verb < 0
        if r in (SUBJECT, OBJECT) and q in (SUBJECT, OBJECT):
            found[ROLE_EXCHANGED] += r != q and verb > 0
            found[ROLE_SUBJECT_LOST] += r == q and verb < 0
        if r == SUBJECT or q == SUBJECT:
            subjects += 1
            found[ROLE_SUBJECT_KEPT] += r == q and verb > 0
        if r == OBJECT or q == OBJECT:
            objects += 1
            found[ROLE_OBJECT_KEPT] += r == q and verb > 0
        if r >= 0 or q >= 0:
            phrases += 1
            found[PHRASE_PREPOSITION_KEPT] += r == q
    for place in range(HEAD_ALL_KEPT + 1):
        found[place] = found[place] / count if count > 0 else 1.0
    found[ROLE_SUBJECT_KEPT] = found[ROLE_SUBJECT_KEPT] / subjects if subjects > 0 else 1.0
    found[ROLE_OBJECT_KEPT] = found[ROLE_OBJECT_KEPT] / objects if objects > 0 else 1.0
    found[PHRASE_PREPOSITION_KEPT] = (
        found[PHRASE_PREPOSITION_KEPT] / phrases if phrases > 0 else 1.0
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
def _phrases(a, b, totals, kept, found):
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
            found[PHRASE_SPLIT] += 0.5 * (not same)
