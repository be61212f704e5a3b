"""Fusion at full strength: every feature, and regressors that err in different ways.

    python run_submission.py --run fusion     --task sts2016 --data DIR
    python run_submission.py --run contextual --task sts2016 --data DIR

What was chosen was chosen on 2012–2015: each year from the years before it, and each genre
(headlines, glosses, captions, …) from all others, for most of a new year is new. ``docs/fusion.md``
has the figures.
"""

from __future__ import annotations

from dataclasses import replace

from features.extractor import ALL_COLUMNS, CONTEXTUAL_COLUMNS
from features.regressors.boosting import Boosting
from features.regressors.extra_trees import Forest
from features.regressors.svr import Kernel
from runs.pipeline.recipe import Regressor, Run
from runs.recipes.hokamp2016 import SYNTHETIC_TUNING, TASK_INTERNAL_TUNING

FUSION = Run(
    "fusion",
    "boosting, a forest and a kernel over every feature; their mean, pulled to one of them",
    fusion=(Regressor.of(Boosting()), Regressor.of(Forest()), Regressor.of(Kernel())),
    columns=ALL_COLUMNS,
    paraphrases=(TASK_INTERNAL_TUNING, SYNTHETIC_TUNING),
    echo=True,
    anchor="dynamax",
    pull=0.4,
)

CONTEXTUAL = replace(
    FUSION,
    name="contextual",
    about="the same with what a small transformer says of sentences and of words in context",
    columns=CONTEXTUAL_COLUMNS,
    anchor="minilm_tokens",
)

RUNS = (FUSION, CONTEXTUAL)
