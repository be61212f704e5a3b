"""The trained transformers behind an ensemble's columns: trained, saved, opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import CrossAttention
from embeddings.transformer.fine_tuning.cross_encoders.folders import checked_head
from embeddings.transformer.fine_tuning.saved_tuning import load_tuning, rounded, save_tuning
from embeddings.transformer.fine_tuning.tuning_configuration import CrossAttentionTuning
from embeddings.transformer.transformer_encoder import Transformer
from features.families.contextual import CROSS, TUNED
from features.resources import Resources
from runs.pipeline.tuning.network_tuning import CrossTuning, NetworkTuning, starting_network
from sts.data.pairs import Pairs

RESOURCES = frozenset((TUNED, CROSS))
"""What columns need that come from trained transformers."""


class Networks(TypedDict, total=False):
    """What opens trained transformers, as :class:`features.resources.Resources` takes it."""

    tuned: Callable[[], Transformer]
    cross: Callable[[], CrossAttention]


def networks(
    tuning: NetworkTuning | None,
    cross: CrossAttentionTuning | None,
    seed: int,
    sets: Sequence[Pairs],
    name: str,
) -> Networks:
    """What trains them on some data sets, when they are first needed.

    Args:
        tuning: of the one that reads sentences one by one; None if there is none.
        cross: how it is trained further to read both together; None if it is not.
        seed: of both.
        sets, name: as :meth:`NetworkTuning.train` takes them.
    """
    found: Networks = {}
    if tuning is not None:
        how = tuning.with_seed(seed)
        found["tuned"] = lambda: how.train(sets, name).network
    if cross is not None:
        both = CrossTuning(cross, tuning).with_seed(seed)
        found["cross"] = lambda: both.train(sets, name)
    return found


def in_four_bits(found: Networks) -> Networks:
    """The same, rounded as they ship: what each training changed takes half a byte a weight."""
    small: Networks = {}
    if "tuned" in found:
        small["tuned"] = cache(lambda: rounded(starting_network(), found["tuned"]()))
    if "cross" in found:
        small["cross"] = lambda: _cross_in_four_bits(found, small["tuned"]())
    return small


def _cross_in_four_bits(found: Networks, start: Transformer) -> CrossAttention:
    """What reads both sentences, its lower layers those of the rounded network ``start``."""
    both, fine = found["cross"](), found["tuned"]().weights
    kept = {name: start.weights[name] for name, value in both.network.weights.items()
            if np.array_equal(value, fine[name])}  # fmt: skip
    network = both.network.with_weights({**both.network.weights, **kept})
    return CrossAttention(rounded(start, network), both.head, both.graded)


def network_hashes(resources: Resources) -> dict[str, str]:
    """sha256 of those that are here, by the name of the resource."""
    found = {}
    if resources.missing(TUNED) is None:
        found[TUNED] = resources.minilm_tuned.transformer.digest
    if resources.missing(CROSS) is None:
        found[CROSS] = resources.minilm_cross.model.digest
    return found


def save_networks(folder: Path, name: str, resources: Resources) -> dict[str, str]:
    """Write how each differs from the one that it was trained from, as files that begin with ``name``.

    Returns:
        The files' names, for the model's record.
    """
    files = {}
    if resources.tuned:
        files["transformer"] = f"{name}.transformer.safetensors"
        network = resources.minilm_tuned.transformer
        save_tuning(folder / files["transformer"], starting_network(), network, {})
    if resources.cross:
        files["cross"] = f"{name}.cross.safetensors"
        start, both = resources.minilm_tuned.transformer, resources.minilm_cross.model
        save_tuning(folder / files["cross"], start, both.network, {"head": both.head})
    return files


def open_networks(folder: Path, record: Mapping[str, Any], resources: Resources) -> None:
    """Let resources open what :func:`save_networks` wrote, when it is first needed.

    It is a :class:`DataError` then if a file is damaged or of another network.
    """
    if changes := record.get("transformer"):
        resources.tuned = lambda: load_tuning(folder / changes, starting_network())[0]
    if both := record.get("cross"):
        resources.cross = lambda: load_graded(folder / both, resources.minilm_tuned.transformer)


def load_graded(path: Path, start: Transformer) -> CrossAttention:
    """What scores graded pairs, as :func:`save_networks` wrote it.

    Raises:
        DataError: the file is damaged, or its network started from another one than ``start``.
    """
    network, parts = load_tuning(path, start)
    return CrossAttention(network, checked_head(path, network, parts.get("head", {})), graded=True)
