"""How much memory a training needs, before it starts: an estimate from below, and what to set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from embeddings.transformer.fine_tuning.lower_layers import ROW, width_of
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from sts.errors import StsError

if TYPE_CHECKING:
    from embeddings.transformer.transformer_encoder import Text, Transformer

NUMBER = 4
"""Bytes of a number in single precision."""

COPIES = 6
"""Of a weight that is trained: itself and two moments, before and after a step; one more for each
gradient that is accumulated."""

SAMPLE = 1000
"""Texts whose tokens are counted, at most."""


@dataclass(frozen=True)
class Need:
    """Bytes that a training needs at least.

    Attributes:
        weights: of the network, and what the optimizer remembers.
        batch: what the layers that are trained keep of a batch until the gradient is computed.
    """

    weights: float
    batch: float

    @property
    def total(self) -> float:
        """Bytes."""
        return self.weights + self.batch


def estimate(
    network: Transformer, how: FineTuning, texts: float, length: float, words: int = 0
) -> Need:
    """What a training needs at least.

    A token has, in each layer that is trained, eight states, three of the inner layer, and two
    shares of attention of each head for each token of its row.

    Args:
        network: that is trained.
        how: how much of it.
        texts: that a batch reads.
        length: tokens of a text, in the mean.
        words: of the vocabulary, if hidden tokens are named; 0 otherwise.
    """
    from embeddings.transformer.fine_tuning.upper_layers import upper_weights

    trained = sum(value.size for value in upper_weights(network.weights, how.frozen).values())
    whole = sum(np.size(value) for value in network.weights.values())
    copies = COPIES + (how.accumulate > 1)
    inner = len(network.weights["encoder.layer.0.intermediate.dense.weight"])
    row = max(ROW, width_of(int(length)))
    a_layer = 8 * network.width + 3 * inner + 2 * network.shape.heads * row
    layers = network.shape.layers - (how.frozen or 0)
    numbers = texts * length * (a_layer * layers + 0.3 * words)  # twice the logits of 15 %
    return Need(NUMBER * (whole + copies * trained), NUMBER * numbers)


def free_memory() -> float:
    """Bytes that this process may still take: of the machine, and of its own limit; ∞ if unknown."""
    free = float("inf")
    try:
        import resource  # Windows has none

        told = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        free = 1024.0 * int(told["MemAvailable"].split()[0])
        held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, KeyError, ValueError):
        return free
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return free if limit == resource.RLIM_INFINITY else min(free, max(0.0, float(limit - held)))


@contextmanager
def within_memory(
    network: Transformer,
    how: FineTuning,
    texts: Sequence[Text],
    a_batch: float,
    words: int = 0,
) -> Iterator[None]:
    """Refuse a training that needs more memory than is free, or that runs out of it, in one line.

    Args:
        network, how, words: see :func:`estimate`.
        texts: that it reads; of some of them the tokens are counted.
        a_batch: how many of them are read for each one of ``how.batch``.

    Raises:
        StsError: it needs more, or ran out; the message says how much, and what to set.
    """
    sample = list(texts[:: -(-len(texts) // SAMPLE)])
    length = float(np.mean([len(one.ids) for one in network.tokenizer.encode_batch_fast(sample)]))

    def of(how: FineTuning) -> Need:
        return estimate(network, how, a_batch * how.batch, length, words)

    needed, free = of(how), free_memory()
    advice = _advice(how, free, of)
    if needed.total > free:
        raise StsError(f"{_told(needed)}, and {_gigabytes(free)} are free: {advice}")
    try:
        yield
    except (MemoryError, RuntimeError) as error:  # XLA's is a RuntimeError
        if isinstance(error, RuntimeError) and "RESOURCE_EXHAUSTED" not in str(error):
            raise
        raise StsError(f"out of memory: {_told(needed)}; {advice}") from None


def _advice(how: FineTuning, free: float, of: Callable[[FineTuning], Need]) -> str:
    """What to set: the largest batch of a power of two less that fits, with as much accumulated."""
    smaller = how
    while smaller.batch > 1:
        smaller = replace(smaller, batch=smaller.batch // 2, accumulate=2 * smaller.accumulate)
        if of(smaller).total <= free:
            break
    others = "fewer --tokens, or a higher --frozen"
    if smaller.batch == how.batch or of(smaller).total > free:
        return f"set {others}"
    return f"set --batch {smaller.batch} --accumulate {smaller.accumulate}, {others}"


def _told(needed: Need) -> str:
    return (
        f"training needs {_gigabytes(needed.total)} or more "
        f"({_gigabytes(needed.weights)} for weights, {_gigabytes(needed.batch)} for a batch)"
    )


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB"
