"""A small transformer, as it comes and trained: all-MiniLM-L6-v2 (Reimers and Gurevych, 2019).

    semaniacs submit --run minilm --task sts2016 --data DIR
    semaniacs submit --run minilm-sts --task sts2015 --data DIR
    semaniacs submit --run minilm-cross --task sts2015 --data DIR
    semaniacs submit --run paws-bi --task paws-wiki --data DIR
    semaniacs submit --run paws-cross --task paws-wiki --data DIR

For PAWS-Wiki the ``paws`` runs learn from the development set; for PAWS-X, whose sentences come
from there, from the test set of PAWS-Wiki. Trained networks are cached.
"""

from __future__ import annotations

from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning
from semaniacs.runs.pipeline.recipe_parts import (
    Cosine,
    CrossEncoder,
    GradedYears,
    Labelled,
    NetworkTuning,
)
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.recipes.ensemble2026 import GRADED, GRADED_CROSS

RUNS = (
    Run(
        "minilm",
        "cosine of all-MiniLM-L6-v2, not trained further",
        head=Cosine(NetworkTuning(FineTuning())),
    ),
    Run(
        "minilm-sts",
        "cosine of all-MiniLM-L6-v2, trained on the gold of the earlier years",
        head=Cosine(GRADED),
        learns=GradedYears(),
    ),
    Run(
        "minilm-cross",
        "the network of minilm-sts, trained again on the same pairs to read both sentences together",
        head=CrossEncoder(GRADED_CROSS, first=GRADED),
        learns=GradedYears(),
    ),
    Run(
        "paws-bi",
        "cosine of all-MiniLM-L6-v2, trained on labelled pairs with the same words",
        head=Cosine(NetworkTuning(FineTuning(epochs=5, learning_rate=1e-4))),
        learns=Labelled(),
    ),
    Run(
        "paws-cross",
        "all-MiniLM-L6-v2 that reads both sentences together, trained on pairs with the same words",
        head=CrossEncoder(
            CrossAttentionTuning(epochs=3, learning_rate=2e-4, frozen=3, dropout=0.0, same=6.0)
        ),
        learns=Labelled(),
    ),
)
