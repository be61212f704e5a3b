"""Training on pairs that mean the same (paper, 3), with the objectives of later papers too.

Only the rows of words that occur in the corpora take part. The gradient of every other
row is exactly zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np

from embeddings.encoder import Encoder
from embeddings.training.configuration import Training
from embeddings.training.loop import Options, train_encoder
from embeddings.training.optimizers import make_optimizer
from embeddings.training.pairs.pair_data import Corpus, PairData
from embeddings.training.sentence_model import SentenceModel
from embeddings.training.sparse.pooling import mean_pool
from embeddings.training.sparse.sparse_rows import replaced
from sts.errors import StsError


def train(
    encoder: Encoder,
    corpora: Sequence[Corpus],
    configuration: Training,
    **options: Unpack[Options[Encoder]],
) -> Encoder:
    """A new encoder whose rows are tuned so that the two sides of each pair come closer.

    Args:
        encoder: where training starts from.
        corpora: the pairs, source by source.
        configuration: objective and schedule.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs, no word in any of them, no negative for some pair, a
            batch too small for the objective, a checkpoint that is damaged or of another
            training, or a loss that is not finite.
    """
    label = options.setdefault("label", "training")
    total = sum(len(corpus.pairs) for corpus in corpora)
    if total < 2:
        raise StsError(f"{label}: {total} training pairs; at least two are needed")
    data = PairData.of(corpora, encoder, configuration)
    if data.fewest > configuration.batch:
        raise StsError(
            f"{label}: --batch {configuration.batch} leaves a pair without another one in its "
            "batch to be told apart from; type --batch 2 or more, or choose --negatives random "
            "with --objective paragram or one-sided"
        )
    if not data.has_words:
        raise StsError(f"{label}: no training pair holds a word")
    if not data.has_negatives:
        raise StsError(f"{label}: no sentence outside the pair to draw as a negative")
    model = SentenceModel(
        encoder.table[data.active],
        make_optimizer(configuration.optimizer),
        data.loss,
        l2_to_init=configuration.l2_to_init,
        pool=mean_pool(encoder),
    )

    def current() -> Encoder:
        weight = np.float32(configuration.interpolation)
        rows = model.rows()
        if weight != 1:
            rows = encoder.table[data.active] * (1 - weight) + rows * weight
        return encoder.with_table(replaced(encoder.table, data.active, rows))

    parts = {
        "start": encoder,
        "list_of_pairs": [[list(corpus.pairs), list(corpus.others)] for corpus in corpora],
    }
    return train_encoder(model, data, configuration, current, parts, **options)
