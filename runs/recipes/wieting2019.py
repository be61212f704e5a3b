"""Paraphrastic similarity from parallel translations (Wieting et al., 2019).

    semaniacs submit --run bitext-sp      --task sts2016       --data DIR
    semaniacs submit --run bitext-word    --task sts2016       --data DIR
    semaniacs submit --run bitext-trigram --task sts2016       --data DIR
    semaniacs submit --run bitext-lstm    --task sts2016       --data DIR
    semaniacs submit --run bitext-teacher --task sts2016-es-en --data DIR
    semaniacs submit --run paraphrase-sp  --task sts2016       --data DIR
    semaniacs submit --run random-sp      --task sts2016       --data DIR
    semaniacs submit --run random-trigram --task sts2016       --data DIR
    semaniacs submit --run random-word    --task sts2016       --data DIR

Sentences in other languages are compared as they are: nothing is translated. Two of the
encoders ship; the others are learned, once, from the bitext that lies beside ``DIR``.
"""

from __future__ import annotations

from semaniacs.embeddings.bitext import named_encoders
from semaniacs.embeddings.bitext.named_encoders import BitextRecipe
from semaniacs.runs.pipeline.recipe_parts import AS_IT_IS, Cosine
from semaniacs.runs.pipeline.run import Run


def _run(made: BitextRecipe, about: str) -> Run:
    return Run(made.name, about, head=Cosine(bitext=made), reads=AS_IT_IS)


SP = _run(named_encoders.SP, "subwords learned from translations into four languages")
TEACHER = _run(
    named_encoders.TEACHER,
    "Spanish, German, French, Russian words, learned from their English meanings in raw",
)

RUNS = (
    SP,
    _run(named_encoders.WORD, "words learned from translations into Spanish"),
    _run(named_encoders.TRIGRAM, "character trigrams learned from translations into Spanish"),
    _run(named_encoders.LSTM, "a bidirectional LSTM over subwords, learned from the same"),
    TEACHER,
    _run(
        named_encoders.PARAPHRASES, "subwords learned from English paraphrases instead, to compare"
    ),
    *(_run(made, "random vectors: the paper's baseline") for made in named_encoders.RANDOM),
)
