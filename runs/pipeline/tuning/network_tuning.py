"""Tunes a transformer on graded or labelled pairs; a trained network is cached.

Several runs use the same: its key is made of the pairs and of how it is trained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from embeddings.transformer.fine_tuning.tuning_configuration import CrossAttentionTuning, FineTuning
from embeddings.transformer.weights import find_transformer
from sts.cache import Cache, cache_folder, key
from sts.data.pairs import HIGHEST, Pairs, concatenate

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder
    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import CrossAttention
    from embeddings.transformer.transformer_encoder import Transformer

Parts = Mapping[str, Mapping[str, Any]]
"""What is trained beside a network, by name: arrays by theirs."""

CODE = "embeddings.transformer.fine_tuning.bi_encoder:train_bi_encoder"
"""What computes a network that reads sentences one by one."""

CROSS_CODE = (
    "embeddings.transformer.fine_tuning.cross_encoders.cross_attention_training"
    ":train_cross_attention"
)
"""What computes one that reads both sentences of a pair together."""


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
        from embeddings.transformer.poolings import POOLINGS

        start, how, pairs = starting_network(), self.training, concatenate(data_sets)
        sets = np.repeat(np.arange(len(data_sets)), [len(one) for one in data_sets])
        pooling = POOLINGS[self.pooling]()
        inputs = {"start": start.digest, "pairs": [pairs.left, pairs.right, pairs.gold, sets]}

        def train(checkpoint: Path) -> BiEncoder:
            return train_bi_encoder(
                start, pairs.left, pairs.right, pairs.gold / HIGHEST, how,
                PAIR_LOSSES[self.objective](), pooling, sets,
                label=f"training {name}", checkpoint=checkpoint,
            )  # fmt: skip

        return train_once(
            CODE,
            start,
            inputs,
            [how, self.objective, self.pooling],
            f"{name}, from {' and '.join(p.name for p in data_sets)}, seed {how.seed}",
            train,
            parts_of=lambda encoder: {"pooling": encoder.own},
            build=lambda network, own: BiEncoder(network, pooling, own.get("pooling")),
        )


@dataclass(frozen=True)
class CrossTuning:
    """How a transformer that reads both sentences together is trained.

    Attributes:
        training: schedule, how much of the network is trained, and the gates.
        first: how the network is trained before, to encode the sentences of the same pairs one by
            one; None begins with the network as it comes.
        labelled: whether the pairs have labels, not grades.
    """

    training: CrossAttentionTuning
    first: NetworkTuning | None = None
    labelled: bool = False

    def with_seed(self, seed: int) -> CrossTuning:
        """The same, drawn with another seed."""
        first = self.first and self.first.with_seed(seed)
        return replace(self, training=replace(self.training, seed=seed), first=first)

    def train(self, data_sets: Sequence[Pairs], name: str) -> CrossAttention:
        """The network that learned from these pairs, trained now or taken from the cache.

        Args:
            data_sets: with gold for each pair; grades are compared within one alone.
            name: of what it is trained for, for the progress bar.
        """
        from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import (
            CrossAttention,
        )
        from embeddings.transformer.fine_tuning.cross_encoders.cross_attention_training import (
            train_cross_attention,
        )

        start, pairs, how = self._start(data_sets, name), concatenate(data_sets), self.training
        sets = np.repeat(np.arange(len(data_sets)), [len(one) for one in data_sets])
        inputs = {"start": start.digest, "pairs": [pairs.left, pairs.right, pairs.gold, sets]}

        def train(checkpoint: Path) -> CrossAttention:
            return train_cross_attention(
                start, pairs.left, pairs.right, pairs.gold / HIGHEST, how,
                sets=None if self.labelled else sets,
                label=f"training {name}", checkpoint=checkpoint,
            )  # fmt: skip

        return train_once(
            CROSS_CODE,
            start,
            inputs,
            [how, self.labelled],
            f"{name}, from {len(pairs)} pairs of "
            f"{' and '.join(p.name for p in data_sets)}, seed {how.seed}",
            train,
            parts_of=lambda encoder: {"head": encoder.head},
            build=lambda network, own: CrossAttention(network, own["head"], not self.labelled),
        )

    def _start(self, data_sets: Sequence[Pairs], name: str) -> Transformer:
        if self.first is None:
            return starting_network()
        return self.first.train(data_sets, name).network


class Tuned(Protocol):
    """What a training makes."""

    network: Transformer


TunedT = TypeVar("TunedT", bound=Tuned)


def train_once(
    code: str,
    start: Transformer,
    inputs: Mapping[str, Any],
    configuration: Any,
    about: str,
    train: Callable[[Path], TunedT],
    parts_of: Callable[[TunedT], Parts],
    build: Callable[[Transformer, Parts], TunedT],
) -> TunedT:
    """A trained network, from the cache if it was trained before.

    Args:
        code: what trains it, as :func:`sts.cache.key` takes it.
        start: the network that training starts from.
        inputs, configuration: what the trained network depends on beside the code.
        about: what it is, for a person who lists the cache.
        train: given the place of a checkpoint, so that a training that was stopped goes on.
        parts_of: what it has beside the network; it is saved with it.
        build: the same from a network and those parts.
    """
    from embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning

    name = key(code, inputs=inputs, configuration=configuration)
    checkpoints = cache_folder() / "training"
    checkpoints.mkdir(parents=True, exist_ok=True)

    def write(path: Path) -> None:
        made = train(checkpoints / f"{name[:16]}.checkpoint.safetensors")
        save_tuning(path, start, made.network, parts_of(made))

    def read(path: Path) -> TunedT:
        return build(*load_tuning(path, start))

    return Cache("transformer", code).get(name, read, write, about)


def starting_network() -> Transformer:
    """The network that training starts from; call only if its weights are here."""
    from embeddings.transformer.bert_folder import read_transformer

    found = find_transformer()
    assert found is not None
    return read_transformer(found)
