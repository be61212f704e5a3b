"""A small transformer, as it comes and trained: all-MiniLM-L6-v2 (Reimers and Gurevych, 2019).

    python run_submission.py --run minilm --task sts2016 --data DIR
    python run_submission.py --run minilm-sts --task sts2015 --data DIR
    python run_submission.py --run minilm-cross --task sts2015 --data DIR
    python run_submission.py --run paws-cross --task paws-wiki --data DIR
    python run_submission.py --run paws-bi --task paws-wiki --data DIR
    python run_submission.py --run paws-aligned --task paws-wiki --data DIR
    python run_submission.py --run paws-fused --task paws-wiki --data DIR

For PAWS-Wiki the ``paws`` runs learn from the development set; for PAWS-X, whose sentences come
from there, from the test set of PAWS-Wiki. A trained network is kept in the cache.
"""

from __future__ import annotations

from embeddings.transformer.fine_tuning.tuning_configuration import (
    AlignedTuning,
    CrossAttentionTuning,
    FineTuning,
)
from runs.pipeline.transformer_runs.aligned_run import AlignedRun
from runs.pipeline.transformer_runs.bi_encoder_run import BiEncoderRun
from runs.pipeline.transformer_runs.cross_encoder_run import CrossEncoderRun
from runs.pipeline.transformer_runs.fused_run import FusedRun
from runs.recipes.ensemble2026 import GRADED, GRADED_CROSS
from runs.recipes.paraphrases2026 import PAWS

MINILM = BiEncoderRun("minilm", "cosine of all-MiniLM-L6-v2, not trained further")

MINILM_STS = BiEncoderRun(
    "minilm-sts",
    "cosine of all-MiniLM-L6-v2, trained on the gold of the earlier years",
    training=GRADED.training,
    objective=GRADED.objective,
)

MINILM_CROSS = CrossEncoderRun(
    "minilm-cross",
    "the network of minilm-sts, trained again on the same pairs to read both sentences together",
    training=GRADED_CROSS,
    first=GRADED,
)

PAWS_BI = BiEncoderRun(
    "paws-bi",
    "cosine of all-MiniLM-L6-v2, trained on labelled pairs with the same words",
    training=FineTuning(epochs=5, learning_rate=1e-4),
    labelled=True,
)

PAWS_CROSS = CrossEncoderRun(
    "paws-cross",
    "all-MiniLM-L6-v2 that reads both sentences together, trained on pairs with the same words",
    training=CrossAttentionTuning(epochs=3, learning_rate=2e-4, frozen=3, dropout=0.0, same=6.0),
    labelled=True,
)

PAWS_ALIGNED = AlignedRun(
    "paws-aligned",
    "small networks that compare each word with its partner as all-MiniLM-L6-v2 sees both",
    training=AlignedTuning(epochs=6, batch=64, learning_rate=1e-3, weight_decay=0.05, dropout=0.2),
)

CONTEXTUAL = (
    "minilm", "minilm_tokens", "minilm_least", "minilm_gap", "minilm_middle",
    "minilm_middle_tokens", "minilm_middle_least", "minilm_middle_gap", "minilm_dynamax",
)  # fmt: skip
"""What all-MiniLM-L6-v2 says of a pair as it comes."""

PAWS_FUSED = FusedRun(
    "paws-fused",
    "paraphrase or not, by the columns of paws, those of MiniLM and the scores of paws-aligned",
    columns=(*PAWS.columns, *CONTEXTUAL),
    regressors=PAWS.regressors,
    networks=(PAWS_ALIGNED,),
)

RUNS = (MINILM, MINILM_STS, MINILM_CROSS, PAWS_BI, PAWS_CROSS, PAWS_ALIGNED, PAWS_FUSED)
