"""Paraphrastic similarity from parallel translations (Wieting et al., 2019).

    python run_submission.py --run bitext-sp      --task sts2016       --data DIR
    python run_submission.py --run bitext-word    --task sts2016       --data DIR
    python run_submission.py --run bitext-trigram --task sts2016       --data DIR
    python run_submission.py --run bitext-lstm    --task sts2016       --data DIR
    python run_submission.py --run bitext-teacher --task sts2016-es-en --data DIR
    python run_submission.py --run paraphrase-sp  --task sts2016       --data DIR
    python run_submission.py --run random-sp      --task sts2016       --data DIR
    python run_submission.py --run random-trigram --task sts2016       --data DIR
    python run_submission.py --run random-word    --task sts2016       --data DIR

Sentences in other languages are compared as they are: nothing is translated. Two of the
encoders ship; the others are learned, once, from the bitext that lies beside ``DIR``.
"""

from __future__ import annotations

from embeddings.bitext import named_encoders
from embeddings.bitext.named_encoders import BitextRecipe
from runs.pipeline.bitext_run import BitextRun


def _run(made: BitextRecipe, about: str) -> BitextRun:
    return BitextRun(made.name, about, made=made)


RUNS = (
    _run(named_encoders.SP, "subwords learned from translations into four languages"),
    _run(named_encoders.WORD, "words learned from translations into Spanish"),
    _run(named_encoders.TRIGRAM, "character trigrams learned from translations into Spanish"),
    _run(named_encoders.LSTM, "a bidirectional LSTM over subwords, learned from the same"),
    _run(
        named_encoders.TEACHER,
        "Spanish, German, French, Russian words taught what theirs mean in raw",
    ),
    _run(
        named_encoders.PARAPHRASES, "subwords learned from English paraphrases instead, to compare"
    ),
    *(
        _run(made, "the same, never trained: the paper's baseline")
        for made in named_encoders.RANDOM
    ),
)
