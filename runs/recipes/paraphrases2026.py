"""Paraphrase or not: pairs with the same words, often in another order (Zhang et al., 2019).

    semaniacs submit --run paws --task paws-wiki --data DIR
    semaniacs submit --run paws --task paws-x-en --data DIR

For PAWS-Wiki it learns from the development set; for PAWS-X, whose sentences come from there,
from the test set of PAWS-Wiki. The score is 5 times the probability of a paraphrase. Columns and
trees were chosen on the development set, by folds of pairs without a sentence in common.
"""

from __future__ import annotations

from runs.pipeline.recipe_parts import Classifier, Labelled, Regressor
from runs.pipeline.run import Run

COLUMNS = (
    "number_count", "number_match", "number_subset", "case_count", "case_match", "stock_count",
    "stock_match", "content_1gram", "content_2gram", "content_3gram", "lemma_1gram",
    "lemma_2gram", "lemma_3gram", "wn_sim_match", "weighted_word_match", "weighted_lemma_match",
    "dist_sim", "weighted_dist_sim_news", "weighted_dist_sim_daily", "relative_len_difference",
    "relative_ic_difference", "cosine_icf", "product_w2v", "nn_w2v", "vb_w2v", "cosine",
    "sum_w2v", "det_1", "det_2", "lemma_containment", "weighted_containment",
    "relative_character_difference", "information_density", "shorter_length", "negation_match",
    "negation_count", "number_value_match", "number_conflict", "date_match", "entity_match",
    "entity_conflict", "question_match", "question_count", "soft_match", "soft_least",
    "soft_content", "soft_gap", "dynamax", "aligned_content", "aligned_words", "aligned_weighted",
    "aligned_similarity", "aligned_order", "unaligned_information", "longest_run",
    "character_2gram", "character_3gram", "character_4gram", "character_5gram", "chrf",
    "wn_weighted_match", "wn_synonyms", "antonyms", "bleu", "rouge_l", "edit_rate",
    "character_edits", "meteor", "skip_bigram", "paragram", "paragram-small", "word2vec", "usif",
    # order, roles, negation
    "polarity_conflict", "polarity_match", "opposite_words", "quantifier_conflict", "role_match",
    "role_conflict", "role_moved", "modifier_conflict", "modifier_moved", "comparison_match",
    "direction_conflict", "comparison_conflict", "time_order_conflict", "cause_conflict",
    "place_conflict", "structure_conflict", "order_inversions", "order_turns", "order_turn_count",
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
"""Columns of ``fusion`` that need no tuned encoder, then columns of order, roles and negation."""

TREES = Regressor.of(
    "boosting",
    library="lightgbm",
    objective="logistic",
    n_estimators=1000,
    learning_rate=0.03,
    max_depth=4,
    min_samples_leaf=20,
    subsample=0.5,
    max_features=0.2,
)

PAWS = Run(
    "paws",
    "paraphrase or not, learned from labelled pairs with the same words (PAWS-Wiki)",
    columns=COLUMNS,
    head=Classifier((TREES,)),
    learns=Labelled(exchanges=10),
    written_alike=True,
)

RUNS = (PAWS,)
