"""Spanish and English: means of encoders of several languages, and of a translation's scores.

    semaniacs submit --run bitext-both --task sts2016-es-en --data DIR
    semaniacs submit --run crosslingual --task sts2016-es-en --translator apertium --data DIR

``bitext-teacher`` knows the meanings of English words, and ``bitext-sp`` learned which words
translations share; a translation loses other parts of the meaning. They err on different pairs.
The weights were chosen on the Spanish tasks of 2014 and 2015.
"""

from __future__ import annotations

from semaniacs.runs.pipeline.run import Mean
from semaniacs.runs.recipes.ensemble2026 import FUSION
from semaniacs.runs.recipes.wieting2019 import SP, TEACHER

BITEXT_BOTH = Mean(
    "bitext-both",
    "the mean of bitext-teacher and bitext-sp, which compare the sentences as they are",
    ((TEACHER, 1.0), (SP, 0.5)),
)

CROSSLINGUAL = Mean(
    "crosslingual",
    "the mean of fusion on the translation and of bitext-sp and bitext-teacher on the original",
    ((FUSION, 1.0), (SP, 0.4), (TEACHER, 0.2)),
)

RUNS = (BITEXT_BOTH, CROSSLINGUAL)
