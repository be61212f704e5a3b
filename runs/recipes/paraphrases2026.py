"""Paraphrase or not: pairs with the same words, often in another order (Zhang et al., 2019).

    python run_submission.py --run paws --task paws-wiki --data DIR
    python run_submission.py --run paws --task paws-x-en --data DIR

For PAWS-Wiki it learns from the development set; for PAWS-X, whose sentences come from there,
from the test set of PAWS-Wiki. The score is 5 times the probability of a paraphrase. Columns and
trees were chosen on the development set, by folds of pairs without a sentence in common.
"""

from __future__ import annotations

from runs.pipeline.classifier_run import ClassifierRun
from runs.pipeline.ensemble_run import Regressor

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
)  # fmt: skip
"""Those of ``fusion`` that need no tuned encoder."""

PAWS = ClassifierRun(
    "paws",
    "paraphrase or not, learned from labelled pairs with the same words (PAWS-Wiki)",
    columns=COLUMNS,
    regressors=(
        Regressor.of(
            "boosting",
            library="lightgbm",
            objective="logistic",
            n_estimators=500,
            learning_rate=0.04,
            max_depth=4,
            min_samples_leaf=20,
            subsample=0.5,
            max_features=0.3,
        ),
    ),
)

RUNS = (PAWS,)
