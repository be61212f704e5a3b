"""Words that are not aligned, and the similarity of two sentences apart from order."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from embeddings.compiled.kernel import kernel
from features.measures.word_order import kinds as at
from features.measures.word_order.block_alignment import SAME_LEMMA

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

(
    UNALIGNED_DETERMINERS, UNALIGNED_PREPOSITIONS, UNALIGNED_CONJUNCTIONS, UNALIGNED_AUXILIARIES,
    UNALIGNED_PRONOUNS, UNALIGNED_POSSESSIVES, UNALIGNED_FUNCTION_WORDS, UNALIGNED_NOUNS,
    UNALIGNED_NAMES, UNALIGNED_VERBS, UNALIGNED_ADJECTIVES, UNALIGNED_ADVERBS, UNALIGNED_NUMBERS,
    UNALIGNED_OTHERS, UNALIGNED_CONTENT, UNALIGNED_BOTH, UNALIGNED_GAP, ALIGNED_EXACTLY,
    ALIGNED_LEAST_SIMILAR, CONTENT_COUNT, NAME_COUNT, NOUN_COUNT, VERB_COUNT, NUMBER_WORD_COUNT,
    MARK_DIFFERENCE, SUBSTITUTED, SUBSTITUTED_NAMES, LENGTH_RATIO,
) = range(len(NAMES))  # fmt: skip


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
        found[p, UNALIGNED_CONTENT] = (free_a + free_b) / content if content > 0 else 0.0
        found[p, UNALIGNED_BOTH] = min(free_a, free_b)
        found[p, UNALIGNED_GAP] = abs(free_a - free_b)
        found[p, CONTENT_COUNT] = content / 2
        found[p, MARK_DIFFERENCE] = abs(marks_a - marks_b)
        found[p, LENGTH_RATIO] = min(m, n) / max(m, n) if m + n > 0 else 1.0


@kernel(nogil=True)
def _one_side(words, found):
    """Content words, those without a partner, and marks."""
    content = free = marks = 0
    for i in range(len(words)):
        kind = words[i, at.KIND]
        if words[i, at.PARTNER] < 0:
            found[kind] += 1
            free += kind >= at.CONTENT
        content += kind >= at.CONTENT
        marks += words[i, at.MARK]
        if kind == at.NAME:
            found[NAME_COUNT] += 0.5
        elif kind == at.NOUN:
            found[NOUN_COUNT] += 0.5
        elif kind == at.VERB:
            found[VERB_COUNT] += 0.5
        elif kind == at.NUMBER:
            found[NUMBER_WORD_COUNT] += 0.5
    return content, free, marks


@kernel(nogil=True)
def _similarity(a, n, similar, found):
    exact = aligned = 0
    least = 1.0
    for i in range(len(a)):
        j = a[i, at.PARTNER]
        if j < 0 or a[i, at.KIND] < at.CONTENT:
            continue
        alike = similar[i * n + j]
        aligned += 1
        exact += alike == 1.0
        least = min(least, alike)
        if alike < SAME_LEMMA:
            found[SUBSTITUTED] += 1
            found[SUBSTITUTED_NAMES] += a[i, at.KIND] == at.NAME
    found[ALIGNED_EXACTLY] = exact / aligned if aligned > 0 else 1.0
    found[ALIGNED_LEAST_SIMILAR] = least
