"""Noun phrases, found from parts of speech alone, the words around each word, and kinds of words.

A noun phrase is a run of determiners, adjectives, numbers and nouns; its last noun is its head.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return,assignment"

from __future__ import annotations

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


_HEADS = at.NOMINAL | 1 << at.NUMBER | 1 << at.PRONOUN
_INSIDE = _HEADS | 1 << at.DETERMINER | 1 << at.ADJECTIVE | 1 << at.OTHER
_BEFORE_PARTICIPLE = 1 << at.DETERMINER | 1 << at.ADJECTIVE
_BEHIND_PARTICIPLE = at.NOMINAL | 1 << at.ADJECTIVE


@kernel(nogil=True)
def find_phrases(words):
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
def describe_phrases(a, b, found):
    """Fill in how many aligned content words of one phrase are in one phrase on the other side too."""
    total = split = 0
    for words, others in ((a, b), (b, a)):
        for i in range(len(words)):
            for k in range(i + 1, min(len(words), i + 8)):
                if words[i, at.PHRASE] < 0 or words[i, at.PHRASE] != words[k, at.PHRASE]:
                    continue
                j, l = words[i, at.PARTNER], words[k, at.PARTNER]  # noqa: E741
                kinds = words[i, at.KIND], words[k, at.KIND]
                if min(kinds) < at.CONTENT or j < 0 or l < 0:
                    continue
                total += 1
                phrase = others[j, at.PHRASE]
                split += phrase < 0 or phrase != others[l, at.PHRASE]
    found[at.PHRASE_KEPT] = 1 - split / total if total > 0 else 1.0
    found[at.PHRASE_SPLIT] = split / 2


@kernel(nogil=True)
def describe_rest(a, b, found):
    """Fill in how many words of each kind there are, and how many are not aligned."""
    content_a, free_a, marks_a = _one_side(a, found)
    content_b, free_b, marks_b = _one_side(b, found)
    m, n = len(a), len(b)
    found[at.UNALIGNED_BOTH] = min(free_a, free_b)
    found[at.UNALIGNED_GAP] = abs(free_a - free_b)
    found[at.CONTENT_COUNT] = (content_a + content_b) / 2
    found[at.MARK_DIFFERENCE] = abs(marks_a - marks_b)
    found[at.LENGTH_RATIO] = min(m, n) / max(m, n) if m + n > 0 else 1.0


@kernel(nogil=True)
def _one_side(words, found):
    content = free = marks = 0
    for i in range(len(words)):
        kind = words[i, at.KIND]
        if words[i, at.PARTNER] < 0:
            found[at.UNALIGNED_DETERMINERS + kind] += 1
            free += kind >= at.CONTENT
        content += kind >= at.CONTENT
        marks += words[i, at.MARK]
        if kind == at.NAME:
            found[at.NAME_COUNT] += 0.5
        elif kind == at.NOUN:
            found[at.NOUN_COUNT] += 0.5
        elif kind == at.VERB:
            found[at.VERB_COUNT] += 0.5
        elif kind == at.NUMBER:
            found[at.NUMBER_WORD_COUNT] += 0.5
    return content, free, marks
