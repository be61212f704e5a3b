"""Several languages: a network that knows them, alone and beside what reads a translation.

    semaniacs submit --run multilingual --task sts2016-es-en --data DIR
    semaniacs submit --run crosslingual --task sts2016-es-en --translator apertium --data DIR

``multilingual`` compares the sentences as they are; a translation loses other parts of the
meaning, so their mean is better than either. Its weight was chosen on the Spanish tasks of 2014 and
2015.
"""

from __future__ import annotations

from semaniacs.runs.pipeline.recipe_parts import AS_IT_IS, Vectors
from semaniacs.runs.pipeline.run import Mean, Run
from semaniacs.runs.recipes.ensemble2026 import CONTEXTUAL

MULTILINGUAL = Run(
    "multilingual",
    "cosine of a network of five languages, which compares the sentences as they are",
    vectors=Vectors(start="multilingual"),
    reads=AS_IT_IS,
)

CROSSLINGUAL = Mean(
    "crosslingual",
    "the mean of contextual on the translation and of multilingual on the original",
    ((CONTEXTUAL, 1.0), (MULTILINGUAL, 1.0)),
)

RUNS = (MULTILINGUAL, CROSSLINGUAL)
