"""Transformers that are trained on graded or labelled pairs: trained, cached, saved, opened.

Several runs use the same network: its cache key is made of the pairs and of its training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import CrossAttentionTuning
from semaniacs.embeddings.loading import load_network
from semaniacs.runs.pipeline.recipe_parts import NetworkTuning, Vectors
from semaniacs.sts.cache import Cache, cache_folder, key
from semaniacs.sts.data.pairs import HIGHEST, Pairs, concatenate

if TYPE_CHECKING:
    from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import BiEncoder
    from semaniacs.embeddings.transformer.fine_tuning.reader import Reader
    from semaniacs.embeddings.transformer.transformer_encoder import Transformer

Parts = Mapping[str, Mapping[str, Any]]
"""Arrays that are trained beside a network, by the name of the part and of the array."""

Sets = NDArray[np.int64]
"""Number of the data set of each pair."""

VERSION = 2
"""Part of the cache keys: raise it when a network trained on the same pairs differs."""

LIBRARIES = ("jax", "numpy", "optax")
"""Part of the cache keys, with their versions."""


def train_encoder(
    how: NetworkTuning, seed: int, data_sets: Sequence[Pairs], name: str
) -> BiEncoder:
    """Return the encoder of single sentences that learned from these pairs, perhaps from the cache.

    Args:
        how, seed: its training, and the random seed.
        data_sets: with gold for each pair. Gold is compared within one data set alone, as data
            sets were annotated one by one and are scored so.
        name: of the run, for the progress bar.
    """
    from semaniacs.embeddings.training.losses import PAIR_LOSSES
    from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import BiEncoder, train_bi_encoder
    from semaniacs.embeddings.transformer.poolings import POOLINGS

    start, training = load_network(), replace(how.training, seed=seed)
    pooling = POOLINGS[how.pooling]()

    def train(pairs: Pairs, sets: Sets, **options: Any) -> BiEncoder:
        loss, gold = PAIR_LOSSES[how.objective](), pairs.gold / HIGHEST
        return train_bi_encoder(
            start, pairs.left, pairs.right, gold, training, loss, pooling, sets, **options
        )

    return train_once(
        "train_bi_encoder",
        start,
        data_sets,
        [training, how.objective, how.pooling],
        name,
        train,
        parts_of=lambda encoder: {"pooling": encoder.own},
        build=lambda network, own: BiEncoder(network, pooling, own.get("pooling")),
    )


def train_reader(
    training: CrossAttentionTuning,
    seed: int,
    data_sets: Sequence[Pairs],
    name: str,
    labelled: bool = False,
) -> Reader:
    """Return the network that reads both sentences together, perhaps from the cache.

    Args:
        training, seed, data_sets, name: as for :func:`train_encoder`.
        labelled: whether the pairs have labels, not grades.
    """
    from semaniacs.embeddings.transformer.fine_tuning import reader_training
    from semaniacs.embeddings.transformer.fine_tuning.reader import Reader

    start, how = load_network(), replace(training, seed=seed)

    def train(pairs: Pairs, sets: Sets, **options: Any) -> Reader:
        own = None if labelled else sets
        gold = pairs.gold / HIGHEST
        return reader_training.train_reader(
            start, pairs.left, pairs.right, gold, how, sets=own, **options
        )

    return train_once(
        "train_reader",
        start,
        data_sets,
        [how, labelled],
        name,
        train,
        parts_of=lambda reader: {"head": reader.head},
        build=lambda network, own: Reader(network, own["head"], not labelled),
    )


def trained_network(
    vectors: Vectors, seed: int, data_sets: Sequence[Pairs], name: str
) -> Callable[[], Transformer] | None:
    """Return a function that trains the transformer of a run when it is needed; None if it has none.

    Its changes are rounded as they ship: each takes half a byte.
    """
    how = vectors.network
    if how is None:
        return None

    def train() -> Transformer:
        from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import rounded

        return rounded(load_network(), train_encoder(how, seed, data_sets, name).network)

    return train


class Trained(Protocol):
    """Result of a training."""

    network: Transformer


TrainedT = TypeVar("TrainedT", bound=Trained)


def train_once(
    made_by: str,
    start: Transformer,
    data_sets: Sequence[Pairs],
    configuration: Sequence[Any],
    name: str,
    train: Callable[..., TrainedT],
    parts_of: Callable[[TrainedT], Parts],
    build: Callable[[Transformer, Parts], TrainedT],
) -> TrainedT:
    """Return a trained network, from the cache if it was trained before.

    Args:
        made_by: name of the function that trains it.
        start: the network that training starts from.
        data_sets, configuration: everything else that the trained network depends on.
        name: of the run.
        train: takes all pairs, the number of the data set of each, the label of the progress bar,
            and the path of a checkpoint, so that a training that was stopped is resumed.
        parts_of: returns the arrays beside the network, which are saved with it.
        build: returns the same from a network and those arrays.
    """
    from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning

    pairs = concatenate(data_sets)
    sets = np.repeat(np.arange(len(data_sets)), [len(one) for one in data_sets])
    inputs = {"start": start.digest, "pairs": [pairs.left, pairs.right, pairs.gold, sets]}
    digest = key(VERSION, LIBRARIES, inputs=inputs, configuration=[made_by, configuration])
    checkpoints = cache_folder() / "training"
    checkpoints.mkdir(parents=True, exist_ok=True)
    checkpoint = checkpoints / f"{digest[:16]}.checkpoint.safetensors"

    def write(path: Path) -> None:
        made = train(pairs, sets, label=f"training {name}", checkpoint=checkpoint)
        save_tuning(path, start, made.network, parts_of(made))

    def read(path: Path) -> TrainedT:
        return build(*load_tuning(path, start))

    about = f"{name}, from {len(pairs)} pairs of {' and '.join(p.name for p in data_sets)}"
    return Cache("transformer", made_by).get(digest, read, write, about)
