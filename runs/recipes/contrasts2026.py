"""The fusion that is not taken in by the same words: swapped roles, a "not", another number.

    python run_submission.py --run fusion-contrast --task paws-wiki --data DIR
    semaniacs score pairs.tsv --model fusion-contrast

Beside graded pairs, which hardly ever have the same words and another meaning, its regressors learn
from labelled ones, and what two sentences contradict each other in lowers the score at last. No
encoder is tuned. ``docs/meaning.md`` has the figures behind the choices, and what they cost.
"""

from __future__ import annotations

from runs.pipeline.ensemble_run import ConflictColumns, EnsembleRun, LabelsAsGrades
from runs.recipes import ensemble2026

CONFLICTS = (
    "polarity_conflict", "opposite_words", "exclusive_words", "factuality_conflict",
    "quantifier_conflict", "calendar_conflict", "quantity_conflict", "name_conflict",
    "structure_conflict",
)  # fmt: skip
"""What is denied, exchanged or another in a sentence that is the same otherwise."""

COLUMNS = (
    *(name for name in ensemble2026.COLUMNS if name not in ("paraphrase1", "paraphrase2")),
    # what contradicts, and the kinds of structure that can be exchanged
    *CONFLICTS, "spelled_match", "role_conflict", "modifier_conflict", "direction_conflict",
    "comparison_conflict", "time_order_conflict", "cause_conflict", "place_conflict",
    # word order
    "traded", "traded_context", "traded_mean_context", "traded_phrases", "order_inversions",
    "order_turns", "order_turn_count", "order_moved_words", "order_moved_count",
    "order_moved_blocks", "order_furthest", "content_skips_kept", "kept_left_content",
    "kept_right_content", "head_kept",
)  # fmt: skip
"""The features of ``fusion`` but for those of tuned encoders, of conflict and of word order."""

FUSION_CONTRAST = EnsembleRun(
    "fusion-contrast",
    "fusion for pairs with the same words: conflicts, word order, and pairs of PAWS-Wiki",
    regressors=ensemble2026.REGRESSORS,
    columns=COLUMNS,
    anchor="dynamax",
    blend_weight=0.4,
    labels=LabelsAsGrades(every=8, same=4.6, other=4.0),
    conflicts=ConflictColumns(
        CONFLICTS, rest="aligned_content", weight=0.5, power=4.0, length="shorter_length", words=8.0
    ),
)

RUNS = (FUSION_CONTRAST,)
