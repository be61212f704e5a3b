"""A small transformer, as it comes and trained: gte-small (Li et al., 2023).

    semaniacs submit --run gte --task sts2016 --data DIR
    semaniacs submit --run gte-sts --task sts2015 --data DIR
    semaniacs submit --run paws-bi --task paws-wiki --data DIR
    semaniacs submit --run paws-cross --task paws-wiki --data DIR

For PAWS-Wiki the ``paws`` runs learn from the development set; for PAWS-X, whose sentences come
from there, from the test set of PAWS-Wiki. Trained networks are cached.
"""

from __future__ import annotations

from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning
from semaniacs.runs.pipeline.recipe_parts import (
    Cosine,
    GradedYears,
    Labelled,
    NetworkTuning,
    ReadTogether,
)
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.recipes.ensemble2026 import TUNED

RUNS = (
    Run(
        "gte",
        "cosine of gte-small, not trained further",
        head=Cosine(NetworkTuning(FineTuning())),
    ),
    Run(
        "gte-sts",
        "cosine of gte-small, its upper half trained on the gold of the earlier years",
        head=Cosine(TUNED),
        learns=GradedYears(),
    ),
    Run(
        "paws-bi",
        "cosine of gte-small, trained on labelled pairs with the same words",
        head=Cosine(NetworkTuning(FineTuning(epochs=5, learning_rate=1e-4, frozen=6))),
        learns=Labelled(),
    ),
    Run(
        "paws-cross",
        "gte-small that reads both sentences together, trained on pairs with the same words",
        head=ReadTogether(
            CrossAttentionTuning(
                epochs=3, learning_rate=1.5e-4, frozen=6, dropout=0.0, gate=-3.0, same=6.0
            )
        ),
        learns=Labelled(),
    ),
)
