"""Transformers that are trained on graded or labelled pairs: trained, cached, saved, opened.

Several runs use the same network: its cache key is made of the pairs and of its training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.transformer.weights import INSTALL, find_transformer
from semaniacs.runs.pipeline.recipe_parts import CrossEncoder, NetworkTuning, Vectors
from semaniacs.sts.cache import Cache, cache_folder, key
from semaniacs.sts.data.pairs import HIGHEST, Pairs, concatenate
from semaniacs.sts.errors import MissingResourceError

if TYPE_CHECKING:
    from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import BiEncoder
    from semaniacs.embeddings.transformer.fine_tuning.pair_scorers import CrossAttention
    from semaniacs.embeddings.transformer.transformer_encoder import Transformer
    from semaniacs.features.resources import Resources

RESOURCES = frozenset(("minilm_tuned", "minilm_cross"))
"""Names of the resources of columns that come from trained transformers."""

Parts = Mapping[str, Mapping[str, Any]]
"""Arrays that are trained beside a network, by the name of the part and of the array."""

Sets = NDArray[np.int64]
"""Number of the data set of each pair."""

VERSION = 1
"""Part of the cache keys: raise it when a network trained on the same pairs differs."""

LIBRARIES = ("jax", "numpy", "optax")
"""Part of the cache keys, with their versions."""


def require_network(name: str) -> None:
    """Raise a :class:`MissingResourceError` if the weights that a run needs are not installed."""
    if find_transformer() is None:
        raise MissingResourceError(
            f"run {name!r} needs the weights of all-MiniLM-L6-v2; to have them: {INSTALL}"
        )


def starting_network() -> Transformer:
    """Return the network that training starts from; call only if its weights are here."""
    from semaniacs.embeddings.transformer.bert_folder import read_transformer

    found = find_transformer()
    assert found is not None
    return read_transformer(found)


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

    start, training = starting_network(), replace(how.training, seed=seed)
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


def train_cross(
    how: CrossEncoder, seed: int, data_sets: Sequence[Pairs], name: str, labelled: bool = False
) -> CrossAttention:
    """Return the network that reads both sentences together, perhaps from the cache.

    Args:
        how, seed, data_sets, name: as for :func:`train_encoder`.
        labelled: whether the pairs have labels, not grades.
    """
    from semaniacs.embeddings.transformer.fine_tuning.pair_scorers import CrossAttention
    from semaniacs.embeddings.transformer.fine_tuning.scorer_training import train_cross_attention

    start, training = starting_network(), replace(how.training, seed=seed)
    if how.first is not None:
        start = train_encoder(how.first, seed, data_sets, name).network

    def train(pairs: Pairs, sets: Sets, **options: Any) -> CrossAttention:
        sides, gold = (pairs.left, pairs.right), pairs.gold / HIGHEST
        own = None if labelled else sets
        return train_cross_attention(start, *sides, gold, training, sets=own, **options)

    return train_once(
        "train_cross_attention",
        start,
        data_sets,
        [training, labelled],
        name,
        train,
        parts_of=lambda encoder: {"head": encoder.head},
        build=lambda network, own: CrossAttention(network, own["head"], not labelled),
    )


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


# Networks behind columns


class Networks(TypedDict, total=False):
    """Functions that open trained transformers, as :class:`semaniacs.features.resources.Resources` takes."""

    tuned: Callable[[], Transformer]
    cross: Callable[[], CrossAttention]


def networks(vectors: Vectors, seed: int, sets: Sequence[Pairs], name: str) -> Networks:
    """Return functions that train the networks of a run on some data sets when they are needed."""
    found: Networks = {}
    if (tuning := vectors.network) is not None:
        found["tuned"] = lambda: train_encoder(tuning, seed, sets, name).network
    if (cross := vectors.cross) is not None:
        found["cross"] = lambda: train_cross(CrossEncoder(cross, vectors.network), seed, sets, name)
    return found


def in_four_bits(found: Networks) -> Networks:
    """Return the same networks, rounded as they ship: each change takes half a byte per weight."""
    from semaniacs.embeddings.transformer.fine_tuning.pair_scorers import CrossAttention
    from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import rounded

    small: Networks = {}
    if "tuned" in found:
        small["tuned"] = cache(lambda: rounded(starting_network(), found["tuned"]()))

    def cross() -> CrossAttention:
        start, both, fine = small["tuned"](), found["cross"](), found["tuned"]().weights
        kept = {
            name: start.weights[name]
            for name, value in both.network.weights.items()
            if np.array_equal(value, fine[name])  # lower layers, which stayed as they were
        }
        network = both.network.with_weights({**both.network.weights, **kept})
        return CrossAttention(rounded(start, network), both.head, both.graded)

    if "cross" in found:
        small["cross"] = cross
    return small


def network_hashes(resources: Resources) -> dict[str, str]:
    """Return sha256 of the trained networks that are here, by the name of the resource."""
    found = {}
    if resources.missing("minilm_tuned") is None:
        found["minilm_tuned"] = resources.minilm_tuned.transformer.digest
    if resources.missing("minilm_cross") is None:
        found["minilm_cross"] = resources.minilm_cross.model.digest
    return found


def save_networks(folder: Path, name: str, resources: Resources) -> dict[str, str]:
    """Write the difference of each network from the one that it was trained from.

    Returns:
        Names of the files, which begin with ``name``, for the model's record.
    """
    files: dict[str, str] = {}
    if not resources.tuned:  # the cross-encoder is trained from it
        return files
    from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import save_tuning

    tuned = resources.minilm_tuned.transformer
    files["transformer"] = f"{name}.transformer.safetensors"
    save_tuning(folder / files["transformer"], starting_network(), tuned, {})
    if resources.cross:
        files["cross"] = f"{name}.cross.safetensors"
        both = resources.minilm_cross.model
        save_tuning(folder / files["cross"], tuned, both.network, {"head": both.head})
    return files


def open_networks(folder: Path, record: Mapping[str, Any], resources: Resources) -> None:
    """Let resources open the files of :func:`save_networks` when they are first needed.

    A :class:`DataError` is raised then if a file is damaged or of another network.
    """
    from semaniacs.embeddings.transformer.fine_tuning.pair_scorers import CrossAttention
    from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import load_tuning
    from semaniacs.embeddings.transformer.fine_tuning.transformer_folder import checked_head

    def tuned() -> Transformer:
        return load_tuning(folder / record["transformer"], starting_network())[0]

    def cross() -> CrossAttention:
        path = folder / record["cross"]
        network, parts = load_tuning(path, resources.minilm_tuned.transformer)
        head = checked_head(path, network, parts.get("head", {}))
        return CrossAttention(network, head, graded=True)

    if "transformer" in record:
        resources.tuned = tuned
    if "cross" in record:
        resources.cross = cross
