"""What is not aligned, and how much alike the two sentences are apart from order."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from embeddings.compiled.compiling import njit
from features.measures.word_order.kinds import CONTENT, KINDS, NAME, NOUN, NUMBER, VERB

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

MOST = 10.0


@njit(nogil=True)
def describe(partner, back, similar, kinds_a, kinds_b, marks_a, marks_b, found):
    """Fill in the values of :data:`NAMES`."""
    m, n = len(partner), len(back)
    content = free_a = free_b = 0
    for i in range(m):
        if partner[i] < 0:
            found[kinds_a[i]] += 1
            free_a += kinds_a[i] >= CONTENT
        content += kinds_a[i] >= CONTENT
        for slot, kind in ((20, NAME), (21, NOUN), (22, VERB), (23, NUMBER)):
            found[slot] += 0.5 * (kinds_a[i] == kind)
    for j in range(n):
        if back[j] < 0:
            found[kinds_b[j]] += 1
            free_b += kinds_b[j] >= CONTENT
        content += kinds_b[j] >= CONTENT
        for slot, kind in ((20, NAME), (21, NOUN), (22, VERB), (23, NUMBER)):
            found[slot] += 0.5 * (kinds_b[j] == kind)
    for kind in range(KINDS):
        found[kind] = min(MOST, found[kind])
    for slot in range(20, 24):
        found[slot] = min(MOST, found[slot])
    base = KINDS
    found[base] = (free_a + free_b) / content if content > 0 else 0.0
    found[base + 1] = min(MOST, free_a, free_b)
    found[base + 2] = min(MOST, abs(free_a - free_b))
    exact = aligned = 0
    least = 1.0
    for i in range(m):
        j = partner[i]
        if j < 0 or kinds_a[i] < CONTENT:
            continue
        aligned += 1
        exact += similar[i, j] == 1.0
        least = min(least, similar[i, j])
        if similar[i, j] < 0.9:
            found[base + 11] = min(MOST, found[base + 11] + 1)
            found[base + 12] = min(MOST, found[base + 12] + (kinds_a[i] == NAME))
    found[base + 3] = exact / aligned if aligned > 0 else 1.0
    found[base + 4] = least
    found[base + 5] = min(50.0, content / 2)
    found[base + 10] = min(MOST, abs(marks_a.sum() - marks_b.sum()))
    found[base + 13] = min(m, n) / max(m, n) if m + n > 0 else 1.0
