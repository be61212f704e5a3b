"""Tunes a transformer on graded or labelled pairs; a trained network is cached, and ships as a file.

Several runs use the same: its key is made of the pairs and of how it is trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.weights import find_transformer
from sts.cache import Cache, cache_folder, key
from sts.data.pairs import HIGHEST, Pairs, concatenate

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder
    from embeddings.transformer.transformer_encoder import Transformer

CODE = "embeddings.transformer.fine_tuning.bi_encoder:train_bi_encoder"
"""What computes a trained network."""


@dataclass(frozen=True)
class NetworkTuning:
    """How a transformer that reads sentences one by one is trained.

    Attributes:
        training: schedule, and how much of the network is trained.
        objective: a key of :data:`embeddings.training.losses.labelled_pairs.PAIR_LOSSES`.
        pooling: a key of :data:`embeddings.transformer.poolings.POOLINGS`.
    """

    training: FineTuning
    objective: str = "cosent"
    pooling: str = "mean"

    def with_seed(self, seed: int) -> NetworkTuning:
        """The same, drawn with another seed."""
        return replace(self, training=replace(self.training, seed=seed))

    def train(self, data_sets: Sequence[Pairs], name: str) -> BiEncoder:
        """The encoder that learned from these pairs, trained now or taken from the cache.

        Args:
            data_sets: with gold for each pair; gold is compared within one alone, as data sets
                were annotated one by one and are scored so.
            name: of what it is trained for, for the progress bar.
        """
        from embeddings.training.losses.labelled_pairs import PAIR_LOSSES
        from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder, train_bi_encoder
        from embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning
        from embeddings.transformer.poolings import POOLINGS

        start, how, pairs = starting_network(), self.training, concatenate(data_sets)
        sets = np.repeat(np.arange(len(data_sets)), [len(one) for one in data_sets])
        pooling = POOLINGS[self.pooling]()
        inputs = {"start": start.digest, "pairs": [pairs.left, pairs.right, pairs.gold, sets]}
        digest = key(CODE, inputs=inputs, configuration=[how, self.objective, self.pooling])

        def write(path: Path) -> None:
            made = train_bi_encoder(
                start, pairs.left, pairs.right, pairs.gold / HIGHEST, how,
                PAIR_LOSSES[self.objective](), pooling, sets,
                label=f"training {name}", checkpoint=checkpoint_of(digest),
            )  # fmt: skip
            save_tuning(path, start, made.network, {"pooling": made.own})

        def read(path: Path) -> BiEncoder:
            network, own = load_tuning(path, start)
            return BiEncoder(network, pooling, own.get("pooling"))

        about = f"{name}, from {' and '.join(p.name for p in data_sets)}, seed {how.seed}"
        return Cache("transformer", CODE).get(digest, read, write, about)


def checkpoint_of(digest: str) -> Path:
    """Where a training of this key is saved while it runs, so that it can be resumed."""
    folder = cache_folder() / "training"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{digest[:16]}.checkpoint.safetensors"


def starting_network() -> Transformer:
    """The network that training starts from; call only if its weights are here."""
    from embeddings.transformer.bert_folder import read_transformer

    found = find_transformer()
    assert found is not None
    return read_transformer(found)


def save_network(path: Path, network: Transformer) -> None:
    """Write how a network differs from the one that training starts from."""
    from embeddings.transformer.fine_tuning.saved_tuning import save_tuning

    save_tuning(path, starting_network(), network, {})


def load_network(path: Path) -> Transformer:
    """The network that :func:`save_network` was given.

    Raises:
        DataError: the file is damaged, or its network started from another one.
    """
    from embeddings.transformer.fine_tuning.saved_tuning import load_tuning

    return load_tuning(path, starting_network())[0]
