"""Transformers that read both sentences of a pair and score it, without JAX.

A cross-encoder reads them end to end in all layers. A network with cross-attention reads each
sentence alone in its lower layers. In the layers that are trained, a token attends to the tokens of
the other sentence too, and to the score of each of them a learned number is added, a gate of that
head. Where gates are low, the network is the sentence encoder that it was; training starts near
there. A second gate is for the same token, which shows a word its partner from the beginning. The
head compares the mean states of both sides, and starts as their cosine. So little has to be learned
from few pairs, where a cross-encoder has to learn anew what it looks at.

Sentences that meet only in the upper layers: MacAvaney et al. (2020), Cao et al. (2020). A gate for
what is new, so that training starts from what the network knows: Alayrac et al. (2022).

A score does not depend on which sentence is the left one, to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import in_this_context
from semaniacs.embeddings.configuration import CrossAttentionTuning
from semaniacs.embeddings.encoder import threads
from semaniacs.embeddings.training.checkpoint import digest
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import TEXTS_AT_ONCE, Tokens
from semaniacs.embeddings.transformer.plain_forward import Gates
from semaniacs.embeddings.transformer.transformer_encoder import Text, Transformer
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import Bar

ScoringHead = Mapping[str, Any]
"""Arrays by name: ``dense`` with its ``bias``, ``out`` (dim,), and ``level``, a number. With
cross-attention also ``gates``, and ``same`` if equal tokens have some, (trained layers, heads), and
``slope`` of the cosine."""


class PairScorer:
    """Network and head that give one number to a pair."""

    def __init__(self, network: Transformer, head: ScoringHead) -> None:
        self.network = network
        self.head = {name: np.asarray(value, np.float32) for name, value in head.items()}

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = "scoring"
    ) -> NDArray[np.float64]:
        """Return the similarity (n,) of each pair, from 0 to 1; equal with sides exchanged.

        Threads share the work.

        Raises:
            StsError: a score is not finite.
        """
        texts = self.texts_of(left, right)
        self.network.prepare()
        work = in_this_context(partial(self.numbers, Tokens.of(self.network, texts)))
        begins = range(0, len(texts), TEXTS_AT_ONCE)
        chosen = [np.arange(begin, min(len(texts), begin + TEXTS_AT_ONCE)) for begin in begins]
        found: list[NDArray[np.float32]] = []
        with Bar(label, "pairs", len(left)) as bar, ThreadPoolExecutor(threads()) as pool:
            for part, of_part in zip(chosen, pool.map(work, chosen), strict=True):
                found.append(of_part)
                bar.update(len(part) // 2)
        numbers = np.concatenate(found or [np.empty(0, np.float32)]).astype(np.float64)
        if not np.isfinite(numbers).all():
            raise StsError(f"{label}: a score is no finite number; the weights are damaged")
        return self.scores(numbers)

    @staticmethod
    def texts_of(left: Sequence[str], right: Sequence[str]) -> Sequence[Text]:
        """Return two texts per pair, the same whichever sentence is the left one."""
        raise NotImplementedError

    def numbers(self, tokens: Tokens, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the head's numbers for some texts."""
        raise NotImplementedError

    def scores(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scores (n,) from the numbers of all texts."""
        raise NotImplementedError

    def dense(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the head's number for each row (n, dim) before ``level`` is added.

        Each row is multiplied alone: its bits do not depend on what else is scored.
        """
        inner = np.stack([self.head["dense"] @ row for row in rows])
        inner = np.tanh(inner + self.head["bias"])
        found: NDArray[np.float32] = (inner * self.head["out"]).sum(axis=1)
        return found


class CrossEncoder(PairScorer):
    """Cross-encoder: tanh of a dense layer over [CLS], then one number, its logistic.

    Each pair is read in both orders and scored by their mean.
    """

    @staticmethod
    def texts_of(left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str]]:
        """Both orders of each pair, (2n)."""
        found = []
        for a, b in zip(left, right, strict=True):
            first, last = sorted((a, b))
            found += [(first, last), (last, first)]
        return found

    def numbers(self, tokens: Tokens, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
        """Logits of some texts."""
        ids, types = tokens.of_texts(chosen)
        (states,) = self.network.states(ids, [self.network.shape.layers], types)
        begins = np.cumsum([0, *map(len, ids[:-1])])
        found: NDArray[np.float32] = self.dense(states[begins]) + self.head["level"]
        return found

    def scores(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean chance of both orders."""
        chances = _logistic(numbers)
        return (chances[0::2] + chances[1::2]) / 2

    @cached_property
    def digest(self) -> str:
        """Hash of everything that decides a score."""
        return digest([self.network.digest, sorted(self.head.items())])


class CrossAttention(PairScorer):
    """Network whose sentences see each other in the upper layers.

    Attributes:
        graded: a score is the head's number as it is, cut to 0 and 1, as that of a cosine would be;
            else its logistic, the chance of a label.
    """

    def __init__(self, network: Transformer, head: ScoringHead, graded: bool = False) -> None:
        super().__init__(network, head)
        self.graded = graded

    @staticmethod
    def texts_of(left: Sequence[str], right: Sequence[str]) -> list[str]:
        """Both sides of each pair, (2n), in alphabetical order."""
        return [side for pair in zip(left, right, strict=True) for side in sorted(pair)]

    @np.errstate(all="ignore")  # all numbers together are checked for being finite
    def numbers(self, tokens: Tokens, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
        """Numbers (k,) of k pairs, of whose 2k sentences the tokens are."""
        shape, (ids, _) = self.network.shape, tokens.of_texts(chosen)
        (states,) = self.network.states(ids, [shape.layers], gates=gates_of(self.head))
        ends = np.cumsum([len(own) for own in ids])
        read = (states[end - len(own) : end] for own, end in zip(ids, ends, strict=True))
        means = np.stack([own.mean(axis=0) for own in read])
        unit = means / np.sqrt((means * means).sum(axis=1, keepdims=True))
        cosines, compared = compare(np, unit)
        found: NDArray[np.float32] = self.dense(compared) + self.head["slope"] * cosines
        return found + self.head["level"]

    def scores(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers of grades, chances of labels."""
        return np.clip(numbers, 0, 1) if self.graded else _logistic(numbers)

    @cached_property
    def digest(self) -> str:
        """Hash of everything that decides a score."""
        return digest([self.network.digest, sorted(self.head.items()), self.graded])


def initial_gated_head(start: Transformer, how: CrossAttentionTuning) -> dict[str, Any]:
    """Return a head whose number is the cosine of the mean states of both sides.

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


def gates_of(head: ScoringHead) -> Gates:
    """Return the gates of a head; those of equal tokens are 0 if it has none."""
    return Gates(head["gates"], head.get("same", 0 * head["gates"]))


def compare(numpy: Any, unit: Any) -> tuple[Any, Any]:
    """Return the cosines (k,) and further comparisons (k, 2 · dim) of the sides of k pairs.

    Args:
        numpy: the library of the arrays, NumPy or that of JAX.
        unit: (2k, dim) of length 1, a left side before each right side.
    """
    a, b, dim = unit[0::2], unit[1::2], unit.shape[1]
    compared = numpy.concatenate([dim**0.5 * numpy.abs(a - b), dim * a * b], axis=1)
    return (a * b).sum(axis=1), compared


def _logistic(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-numbers))
