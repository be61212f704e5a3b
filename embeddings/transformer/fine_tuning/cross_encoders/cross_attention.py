"""A transformer whose upper layers let each sentence of a pair look at the other.

The lower layers read each sentence alone. In the layers that are trained, a token attends to the
tokens of the other sentence too, and to the score of each of them a learned number is added, a gate
of that head. Where gates are low, the network is the sentence encoder that it was; training starts
near there. A second gate is for the same token, which shows a word its partner from the beginning.
The head compares the mean states of both sides, and starts as their cosine. So little has to be
learned from few pairs, where a network that is given both sentences end to end has to learn anew
what it looks at.

Sentences that meet only in the upper layers: MacAvaney et al. (2020), Cao et al. (2020). A gate for
what is new, so that training starts from what the network knows: Alayrac et al. (2022).

Both sides are read alike, one as the first and one as the last of an alphabet would have it: a score
does not depend on which one is the left one, to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.kernel import in_this_context
from embeddings.encoder import threads
from embeddings.training.checkpoint import digest
from embeddings.training.configuration import CrossAttentionTuning
from embeddings.transformer.fine_tuning.lower_layers import TEXTS_AT_ONCE, Tokens
from embeddings.transformer.shape import Gates
from embeddings.transformer.transformer_encoder import Transformer
from sts.errors import StsError
from sts.progress import Bar

Head = Mapping[str, Any]
"""``gates``, and ``same`` if equal tokens have some, (trained layers, heads); of the comparison:
``dense`` (dim, 2 · dim) with its ``bias`` and ``out`` (dim,), ``slope`` of the cosine, and ``level``."""


class CrossAttention:
    """A transformer with gates and a head.

    Attributes:
        network: as trained.
        head: its arrays, float32.
        graded: a score is the head's number as it is, cut to 0 and 1, as that of a cosine would be;
            else its logistic, the chance of a label.
    """

    def __init__(self, network: Transformer, head: Head, graded: bool = False) -> None:
        self.network, self.graded = network, graded
        self.head = {name: np.asarray(value, np.float32) for name, value in head.items()}

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = "scoring"
    ) -> NDArray[np.float64]:
        """Return the similarity (n,) of each pair, from 0 to 1; equal with sides exchanged.

        Threads share the work.
        """
        texts = side_by_side(left, right)
        self.network.prepare()
        work = in_this_context(partial(self.numbers, Tokens.of(self.network, texts)))
        places = range(0, len(texts), TEXTS_AT_ONCE)
        rows = [np.arange(begin, min(len(texts), begin + TEXTS_AT_ONCE)) for begin in places]
        found = [np.empty(0, np.float32)]
        with (
            Bar(label, "pairs", len(left)) as bar,
            ThreadPoolExecutor(threads()) as pool,
        ):
            for part in pool.map(work, rows):
                found.append(part)
                bar.update(len(part))
        numbers = np.concatenate(found).astype(np.float64)
        if not np.isfinite(numbers).all():
            raise StsError(f"{label}: a score is no finite number; the weights are damaged")
        return np.clip(numbers, 0, 1) if self.graded else 1 / (1 + np.exp(-numbers))

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides a score."""
        return digest([self.network.digest, sorted(self.head.items()), self.graded])

    @np.errstate(all="ignore")  # what is not finite is refused where all are together
    def numbers(self, tokens: Tokens, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The head's numbers (k,) of k pairs, whose 2k sentences these are."""
        shape, (ids, _) = self.network.shape, tokens.of_texts(rows)
        (states,) = self.network.states(ids, [shape.layers], gates=gates_of(self.head))
        ends = np.cumsum([len(own) for own in ids])
        read = (states[end - len(own) : end] for own, end in zip(ids, ends, strict=True))
        means = np.stack([own.mean(axis=0) for own in read])
        unit = means / np.sqrt((means * means).sum(axis=1, keepdims=True))
        cosines, compared = compare(np, unit)
        # A pair alone: its bits do not depend on what else is scored.
        inner = np.stack([self.head["dense"] @ one for one in compared])
        inner = np.tanh(inner + self.head["bias"])
        said = (inner * self.head["out"]).sum(axis=1) + self.head["slope"] * cosines
        found: NDArray[np.float32] = said + self.head["level"]
        return found


def initial_head(start: Transformer, how: CrossAttentionTuning) -> dict[str, Any]:
    """A head whose number is the cosine of the mean states of both sides.

    Args:
        start: the network before training.
        how: the gates, and the layers that have some.
    """
    rng, dim = np.random.default_rng(how.seed), start.width
    gated = (start.shape.layers - (how.frozen or 0), start.shape.heads)
    same = {} if how.same is None else {"same": np.full(gated, how.same, np.float32)}
    return same | {
        "gates": np.full(gated, how.gate, np.float32),
        "dense": rng.normal(0, 0.02, (dim, 2 * dim)).astype(np.float32),
        "bias": np.zeros(dim, np.float32),
        "out": np.zeros(dim, np.float32),
        "slope": np.float32(1),
        "level": np.float32(0),
    }


def gates_of(head: Head) -> Gates:
    """The gates of a head; those of equal tokens are 0 if it has none."""
    return Gates(head["gates"], head.get("same", 0 * head["gates"]))


def compare(numpy: Any, unit: Any) -> tuple[Any, Any]:
    """Cosines (k,), and what else is known (k, 2 · dim), of the sides of k pairs.

    Args:
        numpy: the library of the arrays, NumPy or that of JAX.
        unit: (2k, dim) of length 1, a left side before each right side.
    """
    a, b, dim = unit[0::2], unit[1::2], unit.shape[1]
    compared = numpy.concatenate([dim**0.5 * numpy.abs(a - b), dim * a * b], axis=1)
    return (a * b).sum(axis=1), compared


def side_by_side(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """(2n) both sides of each pair, the same list whichever sentence is the left one."""
    return [side for pair in zip(left, right, strict=True) for side in sorted(pair)]
