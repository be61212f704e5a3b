"""Training on bitext: a hinge loss over translations and their hardest negatives.

    max(0, δ − cos(s, t) + cos(s, t′)) + max(0, δ − cos(s, t) + cos(s′, t))

for a pair (s, t), a negative t′ from the language of t, and s′ from that of s
(Wieting et al., 2019, eq. 1, with a hinge for either side).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

import numpy as np

from embeddings.bitext.bitext_configuration import BitextTraining
from embeddings.bitext.bitext_data import BitextData
from embeddings.bitext.corpus import Bitext
from embeddings.bitext.lstm import RecurrentEncoder, lstm_pool
from embeddings.bitext.multilingual import Multilingual
from embeddings.encoder import Encoder, SentenceEncoder, unit
from embeddings.table import Vectors
from embeddings.training.loop import Options, train_encoder
from embeddings.training.optimizers import make_optimizer
from embeddings.training.sentence_model import MEAN, Pool, SentenceModel
from embeddings.training.sparse_rows import replaced
from sts.errors import StsError


def train_on_bitext(
    start: Multilingual,
    bitexts: Sequence[Bitext],
    configuration: BitextTraining,
    *,
    teacher: Callable[[Sequence[str]], Vectors] | None = None,
    **options: Unpack[Options[Multilingual]],
) -> Multilingual:
    """Train new encoders under which the two sides of each pair are similar.

    Args:
        start: where training starts from; its encoders share one table.
        bitexts: pairs of languages that ``start`` has.
        configuration: schedule and objective.
        teacher: from the first sides to their target vectors (n, dim), used if
            ``configuration.teacher_weight`` is not 0.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs or two pairs a batch, a teacher of another dimension
            or none for its weight, a checkpoint that is damaged or of another training, or
            a loss that is not finite.
    """
    label = options.setdefault("label", "training on bitext")
    total = sum(map(len, bitexts))
    if total < 2:
        raise StsError(f"{label}: {total} pairs of sentences; at least two are needed")
    if configuration.batch < 2:
        raise StsError(
            f"{label}: --batch {configuration.batch} leaves a pair without another one to be "
            "told apart from; type --batch 2 or more"
        )
    weight = configuration.teacher_weight
    if weight and teacher is None:
        raise StsError(f"{label}: a weight of {weight} for a teacher, and no teacher")
    targets = _targets(teacher, bitexts, start, label) if weight and teacher else None
    data = BitextData.of(bitexts, lambda code, s: start.of(code).ids(s), configuration, targets)
    first = next(iter(start.encoders.values()))
    model = SentenceModel(
        first.table[data.active],
        make_optimizer("adam"),
        configuration.objective,
        pool=_pool_of(first),
        dropout=configuration.dropout,
        seed=configuration.seed,
    )

    def current() -> Multilingual:
        table = replaced(first.table, data.active, model.rows())
        return start.mapped(lambda encoder: _with_rows(encoder, table, model))

    parts = {
        "start": list(start.encoders.values()),
        "list_of_pairs": [[bitext.languages, list(bitext.pairs)] for bitext in bitexts],
        "teacher": targets,
    }
    return train_encoder(model, data, configuration, current, parts, **options)


def _with_rows(encoder: SentenceEncoder, table: Vectors, model: SentenceModel) -> SentenceEncoder:
    if isinstance(encoder, RecurrentEncoder):
        return RecurrentEncoder(encoder.tokenizer, table, model.pool_parameters)
    return Encoder(encoder.tokenizer, table)


def _pool_of(encoder: SentenceEncoder) -> Pool:
    return lstm_pool(encoder.parameters) if isinstance(encoder, RecurrentEncoder) else MEAN


def _targets(
    teacher: Callable[[Sequence[str]], Vectors],
    bitexts: Sequence[Bitext],
    start: Multilingual,
    label: str,
) -> Vectors:
    """Return the teacher's unit vectors (n, dim) of the first sides."""
    vectors = teacher([sentence for bitext in bitexts for sentence in bitext.side(0)])
    dim = start.of(bitexts[0].languages[0]).dim
    if vectors.shape[1] != dim:
        raise StsError(
            f"{label}: the teacher's vectors have {vectors.shape[1]} numbers, these {dim}; "
            f"train with --dim {vectors.shape[1]}"
        )
    return unit(np.asarray(vectors, np.float32))
