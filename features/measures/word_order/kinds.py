"""Kinds of words as small numbers, and the columns of the table of words."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from semaniacs.features import lexicon
from semaniacs.sts.text.tokenizer import STOP_WORDS

DETERMINER, PREPOSITION, CONJUNCTION, AUXILIARY, PRONOUN, POSSESSIVE, FUNCTION = range(7)
NOUN, NAME, VERB, ADJECTIVE, ADVERB, NUMBER, OTHER = range(7, 14)
CONTENT = NOUN  # the first kind that is no function word

KINDS = 14

NOMINAL = 1 << NOUN | 1 << NAME
"""Nouns and names, a bit each: ``NOMINAL >> kind & 1`` says whether a kind is one of them."""

PLACE_OF = np.zeros(KINDS, np.int64)
"""The place of each kind among the columns of names, nouns, adjectives, verbs, numbers, from 1."""
PLACE_OF[[NAME, NOUN, ADJECTIVE, VERB, NUMBER]] = range(1, 6)

(
    WORD, LEMMA, KIND, MARK,
    PHRASE, BEFORE, AFTER, VERB_BEFORE, VERB_AFTER, OPENED_BY,
    PARTNER, BLOCK,
) = range(12)  # fmt: skip
"""Properties of a word, one per column, so that compiled code takes one array of one sentence:

its number, its lemma's, its kind, whether a mark stands before it;
the head of its noun phrase, the content words and the verbs around it and the preposition of its
phrase, see :mod:`.phrases`;
the word of the other sentence that it is aligned with and its block, see :mod:`.block_alignment`.
Places are counted from the sentence's first word; −1 for none.
"""
COLUMNS = BLOCK + 1

FIRST, LAST, RANK, BY_RANK = range(4)
"""Properties of a block of words that is adjacent on both sides: its first and last place on the
left, its rank among the blocks on the right, and the block that has its number as rank there."""

_PREPOSITIONS = lexicon.words("plain preposition")
_AUXILIARIES = lexicon.words("plain auxiliary")
_DETERMINERS = lexicon.words("plain determiner")
_PRONOUNS = lexicon.words("plain pronoun")
_SMALL = (
    (frozenset(("'s",)), POSSESSIVE),
    (_PREPOSITIONS, PREPOSITION),
    (frozenset("and or but".split()), CONJUNCTION),
    (_AUXILIARIES, AUXILIARY),
    (_DETERMINERS, DETERMINER),
    (_PRONOUNS, PRONOUN),
)
_KIND_OF_STOP_WORD = {
    word: next((kind for words, kind in _SMALL if word in words), FUNCTION) for word in STOP_WORDS
}
_BY_TAG = (
    ("NNP", NAME), ("NN", NOUN), ("VB", VERB), ("JJ", ADJECTIVE), ("RB", ADVERB),
    ("CD", NUMBER), ("IN", PREPOSITION), ("TO", PREPOSITION), ("DT", DETERMINER),
    ("MD", AUXILIARY), ("PRP", PRONOUN), ("CC", CONJUNCTION),
)  # fmt: skip


def kind(word: str, tag: str) -> int:
    """The kind of a lower-cased word with a Penn Treebank tag."""
    if not word.isalpha() and any(map(str.isdigit, word)):
        return NUMBER
    found = _KIND_OF_STOP_WORD.get(word)
    return _kind_of_tag(tag) if found is None else found


@cache
def _kind_of_tag(tag: str) -> int:
    return next((kind for prefix, kind in _BY_TAG if tag.startswith(prefix)), OTHER)


ORDER_COLUMNS = """
    order_inversions order_turns order_turn_count order_moved_words order_moved_count
    order_inverted_names order_inverted_nouns order_inverted_adjectives order_inverted_verbs
    order_inverted_numbers order_inverted_near order_inverted_far order_changed_sides
    order_blocks order_block_count order_moved_blocks order_moved_single order_moved_clauses order_largest_moved
    order_smallest_moved order_largest_block order_furthest order_mean_distance
    order_moved_at_mark order_moved_adverbs order_moved_names order_moved_nouns
    order_moved_adjectives order_moved_verbs order_moved_numbers order_first_kept
    order_last_kept order_first_name_kept kept_left kept_right kept_left_content
    kept_right_content kept_neither kept_neither_names kept_neither_nouns
    kept_neither_adjectives kept_neither_verbs kept_neither_numbers kept_preposition
    kept_preposition_count preposition_traded kept_mean_context kept_least_context kept_verb_after
    kept_verb_before traded_left traded_right traded_both adjective_noun_kept
    adjective_noun_lost adjective_noun_traded noun_noun_lost number_noun_lost
    content_pairs_kept content_skips_kept phrase_kept phrase_split traded_words traded_names
    traded_nouns traded_adjectives traded_verbs traded_numbers traded_count traded_total
    traded_in_list traded_phrases traded_phrases_count traded_phrases_in_list traded_context
    traded_mean_context unaligned_determiners unaligned_prepositions unaligned_conjunctions
    unaligned_auxiliaries unaligned_pronouns unaligned_possessives unaligned_function_words
    unaligned_nouns unaligned_names unaligned_verbs unaligned_adjectives unaligned_adverbs
    unaligned_numbers unaligned_others unaligned_both unaligned_gap content_count name_count
    noun_count verb_count number_word_count mark_difference length_ratio
""".split()
"""Columns of the family ``order``; the place of ``phrase_kept`` is ``PHRASE_KEPT``, and so on."""

ANY_COLUMNS = """
    any_inversions any_near_inversions any_breaks any_kept_next any_reversed_next any_shift
    any_largest_shift any_in_place any_out_of_sequence any_out_of_sequence_count
    any_exchanged_information any_left_kept any_right_kept any_both_kept
    any_function_words_traded any_function_word_changed any_last_function_word_kept any_names
    any_name_inversions any_unaligned any_unaligned_content any_unaligned_heaviest any_pieces
    any_pieces_of_aligned any_single_pieces any_largest_piece any_unaligned_difference
    any_largest_piece_difference
""".split()
"""Columns of the family ``any_language``, with constants likewise; all but the last two are directed."""

for _names in (ORDER_COLUMNS, ANY_COLUMNS):
    globals().update({name.upper(): place for place, name in enumerate(_names)})

if TYPE_CHECKING:

    def __getattr__(name: str) -> int: ...
