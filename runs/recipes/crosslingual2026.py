"""Spanish and English: scores of the translation and of the sentences as they are, averaged.

    semaniacs submit --run crosslingual --task sts2016-es-en --translator apertium --data DIR

A translation loses some of the meaning, and encoders of several languages lose another part of
it. The weights were chosen on 2014 and 2015.
"""

from __future__ import annotations

from runs.pipeline.run import Mean
from runs.recipes.ensemble2026 import FUSION
from runs.recipes.wieting2019 import SP, TEACHER

CROSSLINGUAL = Mean(
    "crosslingual",
    "the mean of fusion on the translation and of bitext-sp and bitext-teacher on the original",
    ((FUSION, 1.0), (SP, 0.4), (TEACHER, 0.2)),
)

RUNS = (CROSSLINGUAL,)
