"""Two encoders of several languages, averaged; nothing is translated.

    semaniacs submit --run bitext-both --task sts2016-es-en --data DIR

``bitext-teacher`` knows the meanings of English words, and ``bitext-sp`` learned which words
translations share: they err on different pairs. The weight was chosen on the Spanish tasks of
2014 and 2015.
"""

from __future__ import annotations

from runs.pipeline.run import Mean
from runs.recipes.wieting2019 import SP, TEACHER

RUNS = (
    Mean(
        "bitext-both",
        "the mean of bitext-teacher and bitext-sp, which compare the sentences as they are",
        ((TEACHER, 1.0), (SP, 0.5)),
    ),
)
