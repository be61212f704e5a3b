"""Ensembles with the highest scores: boosting over every feature.

    semaniacs submit --run fusion     --task sts2016 --data DIR
    semaniacs submit --run contextual --task sts2016 --data DIR

The score of boosted trees is blended with simple regressions on two features, and lowered where two
sentences say the same words and contradict each other. Beside graded pairs, which hardly ever do, the
trees learn from some labelled ones. Columns, trees and weights were chosen on 2012–2015: each year from
the years before it, each data set and each genre from all others.
"""

from __future__ import annotations

from dataclasses import replace

from semaniacs.embeddings.configuration import FineTuning
from semaniacs.features.regressors.fitted import ConflictColumns
from semaniacs.runs.pipeline.recipe_parts import (
    Ensemble,
    GradedYears,
    LabelsAsGrades,
    NetworkTuning,
    Regressor,
    Vectors,
)
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.recipes import hokamp2016

CONFLICTS = {
    "polarity_conflict": 0.4, "opposite_words": 0.6, "exclusive_words": 0.3,
    "calendar_conflict": 0.3, "quantity_conflict": 0.4, "name_conflict": 0.3,
    "single_edit_conflict": 0.6, "question_conflict": 0.4, "sign_conflict": 0.6,
    "head_noun_conflict": 0.3,
}  # fmt: skip
"""Columns of contradictions in sentences that are otherwise the same, and the share of the score
that each takes away: a detail takes less than a change of the whole meaning."""

PLAIN = (
    # containment and length
    "lemma_containment", "weighted_containment",
    "relative_character_difference", "information_density", "shorter_length",
    # changes of the whole meaning
    "negation_match", "negation_count", "quantity_match", "calendar_match",
    # words against words, by their vectors and aligned
    "soft_match", "soft_least", "soft_content", "soft_gap", "dynamax",
    "aligned_content", "aligned_words", "aligned_weighted", "aligned_similarity",
    "aligned_order", "unaligned_information", "longest_run",
    # characters
    "character_2gram", "character_3gram", "character_4gram", "character_5gram", "chrf",
    # WordNet
    "wn_weighted_match", "wn_synonyms",
    # metrics of machine translation
    "bleu", "rouge_l", "edit_rate", "character_edits", "skip_bigram",
    # sentence vectors
    "paragram", "paragram-small",
)  # fmt: skip
"""Features of similarity beside the paper's, which need no tuned encoder."""

COLUMNS = (
    *hokamp2016.COLUMNS, *PLAIN, *CONFLICTS,
    # word order
    "traded", "traded_context", "traded_mean_context", "traded_phrases", "order_inversions",
    "order_turns", "order_turn_count", "order_moved_words", "order_moved_count",
    "order_moved_blocks", "order_furthest", "content_skips_kept", "kept_left_content",
    "kept_right_content",
)  # fmt: skip
"""Features that need no transformer."""

GTE = (
    "gte", "gte_tokens", "gte_least", "gte_gap", "gte_dynamax", "gte_middle",
    "gte_middle_tokens", "gte_middle_least", "gte_middle_gap",
)  # fmt: skip
"""Features that compare the states of a transformer as it comes."""

CONTEXTUAL_COLUMNS = (
    *(name for name in COLUMNS if name not in ("paraphrase1", "paraphrase2")),
    *GTE, "reader", "reader_doubt",
)  # fmt: skip
"""Features of ``fusion`` but for its tuned vectors, of the transformer, and the score of one that reads
both sentences together."""

BOOSTING = dict(hokamp2016.BOOSTING.options) | {"library": "lightgbm"}

DEEPER = BOOSTING | {"n_estimators": 1200, "learning_rate": 0.01, "max_depth": 6}
DEEPER |= {"min_samples_leaf": 8, "max_features": 0.15}

CONFLICT = ConflictColumns(
    tuple(CONFLICTS.items()),
    rest="aligned_content",
    power=2.0,
    length="shorter_length",
    words=10.0,
    decay=1.0,
)

HEAD = Ensemble(
    (Regressor.of("boosting", **DEEPER),),
    anchors=("dynamax", "paraphrase2"),
    blend_weight=0.85,
    conflicts=(CONFLICT,),
)

FUSION = Run(
    "fusion",
    f"boosting over {len(COLUMNS)} features, lowered by contradictions",
    columns=COLUMNS,
    head=HEAD,
    vectors=hokamp2016.FUSION_GBR.vectors,
    learns=GradedYears(LabelsAsGrades(every=16, same=4.6, other=4.0), back_translation=True),
    written_alike=True,
)

TUNED = NetworkTuning(
    FineTuning(epochs=1, learning_rate=2e-5, frozen=6, dropout=0.0), "correlation"
)
"""Training of the transformer's upper half on the gold of earlier years; twice the learning rate brought
no more on 2015."""

DOUBT = replace(CONFLICT, weights=(("reader_doubt", 0.8),), decay=6.0)
"""Doubt of the network about a pair, which in long sentences counts less than a value that differs."""

CONTEXTUAL = replace(
    FUSION,
    name="contextual",
    about="boosting over the features of fusion and of a small transformer, which also reads both "
    "sentences together; lowered where it doubts that they mean the same",
    columns=CONTEXTUAL_COLUMNS,
    head=Ensemble(
        (Regressor.of("boosting", **BOOSTING),),
        anchors=("gte", "gte_tokens"),
        blend_weight=1.0,
        conflicts=(CONFLICT, DOUBT),
    ),
    vectors=Vectors(network=TUNED),
    learns=GradedYears(LabelsAsGrades(every=4, same=4.6, other=3.0), back_translation=True),
)

RUNS = (FUSION, CONTEXTUAL)
