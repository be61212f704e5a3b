"""Paraphrase or not: pairs with the same words, often in another order (Zhang et al., 2019).

    semaniacs submit --run paws --task paws-wiki --data DIR
    semaniacs submit --run paws --task paws-x-en --data DIR
    semaniacs submit --run paws-both --task paws-wiki --data DIR

For PAWS-Wiki it learns from the development set; for PAWS-X, whose sentences come from there,
from the test set of PAWS-Wiki. The score is 5 times the probability of a paraphrase. Columns and
trees were chosen on the development set, by folds of pairs without a sentence in common.
``paws-both`` adds a network that learned from many kinds of pairs; their weights are equal, as it
learned from the development set too.
"""

from __future__ import annotations

from semaniacs.runs.pipeline.recipe_parts import Classifier, Labelled, ReadTogether, Regressor
from semaniacs.runs.pipeline.run import Mean, Run
from semaniacs.runs.recipes import ensemble2026, hokamp2016

COLUMNS = (
    *(name for name in hokamp2016.COLUMNS if not name.startswith("paraphrase")),
    *ensemble2026.PLAIN,
    # negation, order
    "polarity_conflict", "polarity_match", "opposite_words",
    "order_inversions", "order_turns", "order_turn_count",
    "order_moved_words", "order_moved_count", "order_inverted_names", "order_inverted_nouns",
    "order_inverted_adjectives", "order_inverted_verbs", "order_inverted_numbers",
    "order_changed_sides", "order_blocks", "order_block_count", "order_moved_blocks",
    "order_moved_single", "order_moved_clauses", "order_largest_moved", "order_smallest_moved",
    "order_largest_block", "order_furthest", "order_mean_distance", "order_moved_at_mark",
    "order_moved_adverbs", "order_moved_names", "order_moved_nouns", "order_moved_adjectives",
    "order_moved_verbs", "order_moved_numbers", "order_first_kept", "order_last_kept",
    "order_first_name_kept", "order_inverted_near", "order_inverted_far", "kept_left",
    "kept_right", "kept_left_content", "kept_right_content", "kept_neither", "kept_neither_count",
    "kept_preposition", "kept_preposition_count", "kept_neither_names", "kept_neither_nouns",
    "kept_neither_adjectives", "kept_neither_verbs", "kept_neither_numbers", "traded_left",
    "traded_right", "traded_both", "adjective_noun_lost", "adjective_noun_traded",
    "noun_noun_lost", "number_noun_lost", "content_pairs_kept", "content_skips_kept",
    "kept_least_context", "kept_mean_context", "preposition_traded", "kept_verb_after",
    "kept_verb_before", "adjective_noun_kept", "head_noun_kept", "head_verb_kept", "head_kept",
    "head_relation_kept", "head_all_kept", "head_lost_names", "head_lost_nouns",
    "head_lost_adjectives", "head_lost_numbers", "head_traded_names", "head_traded_nouns",
    "head_traded_adjectives", "head_traded_numbers", "role_exchanged", "role_subject_kept",
    "role_object_kept", "phrase_kept", "phrase_adjectives_kept", "phrase_names_kept",
    "phrase_numbers_kept", "phrase_split", "role_subject_lost", "head_traded_verb",
    "phrase_preposition_kept", "traded_words", "traded_names", "traded_nouns",
    "traded_adjectives", "traded_verbs", "traded_numbers", "traded_count", "traded_total",
    "traded_in_list", "traded_phrases", "traded_phrases_count", "traded_phrases_in_list",
    "traded_context", "traded_mean_context", "unaligned_determiners", "unaligned_prepositions",
    "unaligned_conjunctions", "unaligned_auxiliaries", "unaligned_pronouns",
    "unaligned_possessives", "unaligned_function_words", "unaligned_nouns", "unaligned_names",
    "unaligned_verbs", "unaligned_adjectives", "unaligned_adverbs", "unaligned_numbers",
    "unaligned_others", "unaligned_content", "unaligned_both", "unaligned_gap", "aligned_exactly",
    "aligned_least_similar", "content_count", "name_count", "noun_count", "verb_count",
    "number_word_count", "mark_difference", "substituted", "substituted_names", "length_ratio",
)  # fmt: skip
"""Columns of ``fusion`` that need no tuned encoder, then columns of negation and order."""


def label_trees(
    columns: float, *, trees: int = 500, leaf: int = 30, rows: float = 0.6
) -> Classifier:
    """Return boosted trees that learn from labels, by lightgbm.

    Args:
        columns, rows: shares of the columns and of the pairs that each tree sees.
        trees: number of trees.
        leaf: fewest pairs of a leaf.
    """
    boosting = Regressor.of(
        "boosting",
        library="lightgbm",
        objective="logistic",
        n_estimators=trees,
        learning_rate=0.03,
        max_depth=4,
        min_samples_leaf=leaf,
        subsample=rows,
        max_features=columns,
    )
    return Classifier((boosting,))


PAWS = Run(
    "paws",
    "paraphrase or not, learned from labelled pairs with the same words (PAWS-Wiki)",
    columns=COLUMNS,
    head=label_trees(0.2, trees=1000, leaf=20, rows=0.5),
    learns=Labelled(exchanges=10),
    written_alike=True,
)

READER = Run(
    "reader",
    "chance that two sentences mean the same, by a network that reads both together",
    head=ReadTogether(),
)

BOTH = Mean(
    "paws-both",
    "the mean of paws and of reader: paraphrase or not, when the words are the same",
    ((PAWS, 1.0), (READER, 1.0)),
)

RUNS = (PAWS, READER, BOTH)
