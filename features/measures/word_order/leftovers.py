"""What is not aligned, and how much alike the two sentences are apart from order."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from embeddings.compiled.kernel import kernel
from features.measures.word_order.kinds import (
    CONTENT,
    KIND,
    KINDS,
    MARK,
    NAME,
    NOUN,
    NUMBER,
    PARTNER,
    VERB,
)

_OF_KIND = (
    "determiners", "prepositions", "conjunctions", "auxiliaries", "pronouns", "possessives",
    "function_words", "nouns", "names", "verbs", "adjectives", "adverbs", "numbers", "others",
)  # fmt: skip
NAMES = (
    *(f"unaligned_{kinds}" for kinds in _OF_KIND),
    "unaligned_content", "unaligned_both", "unaligned_gap", "aligned_exactly",
    "aligned_least_similar", "content_count", "name_count", "noun_count", "verb_count",
    "number_word_count", "mark_difference", "substituted", "substituted_names", "length_ratio",
)  # fmt: skip


@kernel(nogil=True)
def describe(words_a, words_b, offsets_a, offsets_b, similar, starts, found):
    """Fill in the values of :data:`NAMES`."""
    for p in range(len(found)):
        a = words_a[offsets_a[p] : offsets_a[p + 1]]
        b = words_b[offsets_b[p] : offsets_b[p + 1]]
        _similarity(a, len(b), similar[starts[p] : starts[p] + len(a) * len(b)], found[p])
        content_a, free_a, marks_a = _one_side(a, found[p])
        content_b, free_b, marks_b = _one_side(b, found[p])
        m, n, content = len(a), len(b), content_a + content_b
        found[p, KINDS] = (free_a + free_b) / content if content > 0 else 0.0
        found[p, KINDS + 1] = min(free_a, free_b)
        found[p, KINDS + 2] = abs(free_a - free_b)
        found[p, KINDS + 5] = content / 2
        found[p, KINDS + 10] = abs(marks_a - marks_b)
        found[p, KINDS + 13] = min(m, n) / max(m, n) if m + n > 0 else 1.0


@kernel(nogil=True)
def _one_side(words, found):
    """Content words, those without a partner, and marks."""
    content = free = marks = 0
    for i in range(len(words)):
        kind = words[i, KIND]
        if words[i, PARTNER] < 0:
            found[kind] += 1
            free += kind >= CONTENT
        content += kind >= CONTENT
        marks += words[i, MARK]
        if kind == NAME:
            found[20] += 0.5
        elif kind == NOUN:
            found[21] += 0.5
        elif kind == VERB:
            found[22] += 0.5
        elif kind == NUMBER:
            found[23] += 0.5
    return content, free, marks


@kernel(nogil=True)
def _similarity(a, n, similar, found):
    exact = aligned = 0
    least = 1.0
    for i in range(len(a)):
        j = a[i, PARTNER]
        if j < 0 or a[i, KIND] < CONTENT:
            continue
        alike = similar[i * n + j]
        aligned += 1
        exact += alike == 1.0
        least = min(least, alike)
        if alike < 0.9:
            found[KINDS + 11] += 1
            found[KINDS + 12] += a[i, KIND] == NAME
    found[KINDS + 3] = exact / aligned if aligned > 0 else 1.0
    found[KINDS + 4] = least
