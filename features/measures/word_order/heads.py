"""Which aligned words hang on the same noun, verb and preposition, in numbers."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from embeddings.compiled.compiling import njit
from features.measures.word_order.attachment import (
    OBJECT,
    OF_LIKE,
    PART,
    PHRASE,
    RELATION,
    SUBJECT,
    TO_NOUN,
    TO_VERB,
)
from features.measures.word_order.kinds import ADJECTIVE, CONTENT, NAME, NOUN, NUMBER

NAMES = (
    "head_noun_kept", "head_verb_kept", "head_kept", "head_relation_kept", "head_all_kept",
    "head_lost_names", "head_lost_nouns", "head_lost_adjectives", "head_lost_numbers",
    "head_traded_names", "head_traded_nouns", "head_traded_adjectives", "head_traded_numbers",
    "role_exchanged", "role_subject_kept", "role_object_kept", "phrase_kept",
    "phrase_adjectives_kept", "phrase_names_kept", "phrase_numbers_kept", "phrase_split",
    "role_subject_lost", "head_traded_verb", "phrase_preposition_kept",
)  # fmt: skip

MOST = 10.0


@njit(nogil=True)
def describe(partner, back, kinds_a, kinds_b, tree_a, tree_b, found):
    """Fill in the values of :data:`NAMES`."""
    count = subjects = objects = phrases = 0
    for i in range(len(partner)):
        j = partner[i]
        if j < 0 or kinds_a[i] < CONTENT:
            continue
        kind, r, q = kinds_a[i], tree_a[RELATION, i], tree_b[RELATION, j]
        noun = state(partner, back, tree_a[TO_NOUN, i], tree_b[TO_NOUN, j], tree_a, tree_b)
        verb = state(partner, back, tree_a[TO_VERB, i], tree_b[TO_VERB, j], tree_a, tree_b)
        same_relation = r == q or (r in (OF_LIKE, PART) and q in (OF_LIKE, PART))
        count += 1
        found[0] += noun > 0
        found[1] += verb > 0
        kept = noun > 0 or (verb > 0 and r != PART and r != OF_LIKE)
        found[2] += kept
        found[3] += same_relation
        found[4] += same_relation and noun > 0 and verb > 0
        slot = 0 if kind == NAME else 1 if kind == NOUN else 2 if kind == ADJECTIVE else 3
        if kind in (NAME, NOUN, ADJECTIVE, NUMBER):
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
    for place in (0, 1, 2, 3, 4):
        found[place] = found[place] / count if count > 0 else 1.0
    found[14] = found[14] / subjects if subjects > 0 else 1.0
    found[15] = found[15] / objects if objects > 0 else 1.0
    found[23] = found[23] / phrases if phrases > 0 else 1.0
    for place in (5, 6, 7, 8, 9, 10, 11, 12, 13, 21, 22):
        found[place] = min(MOST, found[place])
    _phrases(partner, back, kinds_a, kinds_b, tree_a, tree_b, found)


@njit(nogil=True)
def state(partner, back, one, other, tree_a, tree_b):
    """1 if two heads are aligned or both absent, −1 if both are aligned otherwise, else 0."""
    if one < 0 and other < 0:
        return 1
    if one < 0 or other < 0:
        return 0
    j, i = partner[one], back[other]
    if j == other:
        return 1
    if j >= 0 and tree_b[PHRASE, j] >= 0 and tree_b[PHRASE, j] == tree_b[PHRASE, other]:
        return 1
    if i >= 0 and tree_a[PHRASE, i] >= 0 and tree_a[PHRASE, i] == tree_a[PHRASE, one]:
        return 1
    return -1 if j >= 0 and i >= 0 else 0


@njit(nogil=True)
def _phrases(partner, back, kinds_a, kinds_b, tree_a, tree_b, found):
    """Share of the aligned words of one phrase that are in one phrase on the other side too."""
    totals = [0, 0, 0, 0]
    kept = [0, 0, 0, 0]
    for side in range(2):
        kinds, tree, other, to = (
            (kinds_a, tree_a, tree_b, partner) if side == 0 else (kinds_b, tree_b, tree_a, back)
        )
        m = len(kinds)
        for i in range(m):
            for k in range(i + 1, min(m, i + 8)):
                if tree[PHRASE, i] < 0 or tree[PHRASE, i] != tree[PHRASE, k]:
                    continue
                if min(kinds[i], kinds[k]) < CONTENT or to[i] < 0 or to[k] < 0:
                    continue
                p, q = other[PHRASE, to[i]], other[PHRASE, to[k]]
                same = p >= 0 and (p == q or other[TO_NOUN, p] == q or other[TO_NOUN, q] == p)
                slot = (
                    1 if ADJECTIVE in (kinds[i], kinds[k])
                    else 3 if NUMBER in (kinds[i], kinds[k])
                    else 2 if NAME in (kinds[i], kinds[k]) else 0
                )  # fmt: skip
                totals[0] += 1
                kept[0] += same
                if slot > 0:
                    totals[slot] += 1
                    kept[slot] += same
                found[20] += 0.5 * (not same)
    for x in range(4):
        found[16 + x] = kept[x] / totals[x] if totals[x] > 0 else 1.0
    found[20] = min(MOST, found[20])
