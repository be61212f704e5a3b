"""Networks that read both sentences of a pair and give it one number, without JAX.

A cross-encoder reads them together in all layers; it is what other libraries know. A reader is
faster and learns from fewer pairs. Its lower layers read each sentence alone. In the upper ones a token attends to the tokens of the
other sentence too, and to the score of each of them a learned number is added, a gate of that head.
Where gates are low, it is the sentence encoder that it was; training starts near there. A
second gate is for the same token, which shows a word its partner from the beginning. The head
compares the means and the maxima of the last states of both sides, and starts as a cosine.

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
from semaniacs.embeddings.transformer.plain_forward import Gates, Lower
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import Bar
from semaniacs.sts.text.normalisation import normalise_all

PAIRS_READ, PAIRS_COMPARED = 1024, 32
"""Pairs whose lower states are in memory at once, and those that a thread takes at once."""

SLOPE = 6.0
"""Weight of the cosine in an untrained logit: .1 more is what .5 against .65 is to a logistic."""

LEVEL = 0.9  # cosine at which an untrained logit is 0

Head = Mapping[str, Any]
"""Arrays by name: ``gates`` and ``same`` (upper layers, heads), ``dense`` (dim, 4 · dim) with its
``bias`` (dim,), ``out`` (dim,), and ``slope`` and ``level``, which are numbers."""


class Reader:
    """Network and head that give one number to a pair.

    A ``graded`` score is the number as it is, cut to 0 and 1, as that of a cosine would be; else it is
    its logistic, the chance that both mean the same.
    """

    def __init__(self, network: Transformer, head: Head, graded: bool = False) -> None:
        self.network, self.graded = network, graded
        self.head = {name: np.asarray(value, np.float32) for name, value in head.items()}

    @property
    def first(self) -> int:
        """Number of the layers that read each sentence alone."""
        return self.network.shape.layers - len(self.head["gates"])

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = "reading"
    ) -> NDArray[np.float64]:
        """Return the score (n,) of each pair, from 0 to 1; equal with sides exchanged.

        A sentence is read once in the lower layers, however many pairs of a part it is in. An StsError if
        a score is not finite.
        """
        if isinstance(left, str) and isinstance(right, str):
            left, right = [left], [right]
        found = [np.empty(0)]
        pairs = [*zip(*map(normalise_all, (left, right)), strict=True)]
        with Bar(label, "pairs", len(pairs)) as bar:
            for begin in range(0, len(pairs), PAIRS_READ):
                part = pairs[begin : begin + PAIRS_READ]
                found.append(self.compare(part))
                bar.update(len(part))
        return np.concatenate(found)

    def compare(self, pairs: Sequence[tuple[str, ...]]) -> NDArray[np.float64]:
        """Return the score (n,) of pairs that are few enough for all states to be in memory."""
        texts = [text for pair in pairs for text in sorted(pair)]
        place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        ids, (lower,) = self.network.layers([*place], (self.first,))
        places = [place[text] for text in texts]

        def numbers(chosen: Sequence[int]) -> NDArray[np.float32]:
            return self._numbers(
                [ids[place] for place in chosen], [lower[place] for place in chosen]
            )

        size = 2 * PAIRS_COMPARED
        parts = [places[begin : begin + size] for begin in range(0, len(places), size)]
        self.network.prepare()
        with ThreadPoolExecutor(threads()) as pool:
            found = np.concatenate([*pool.map(in_this_context(numbers), parts)]).astype(np.float64)
        if not np.isfinite(found).all():
            raise StsError("a score is no finite number; the weights of the reader are damaged")
        return np.clip(found, 0, 1) if self.graded else 1 / (1 + np.exp(-found))

    @np.errstate(all="ignore")  # all numbers together are checked for being finite
    def _numbers(self, ids: Sequence[Any], lower: Sequence[Any]) -> NDArray[np.float32]:
        """Numbers (k,), from the tokens of 2k sentences and their lower states."""
        shape, below = self.network.shape, Lower(self.first, np.concatenate(lower))
        (states,) = self.network.states(ids, [shape.layers], gates=gates_of(self.head), lower=below)
        read = np.split(states, np.cumsum([len(own) for own in ids])[:-1])
        means = np.stack([own.mean(axis=0) for own in read])
        tops = np.stack([own.max(axis=0) for own in read])
        cosines, compared = compare_sides(np, means, tops)
        # Not by ``@``, which starts threads of its own, and whose bits depend on what else is scored.
        inner = np.einsum("od,pd->po", self.head["dense"], compared) + self.head["bias"]
        given = (np.tanh(inner) * self.head["out"]).sum(axis=1)
        return np.asarray(given + self.head["slope"] * cosines + self.head["level"], np.float32)

    @cached_property
    def digest(self) -> str:
        """Hash of everything that decides a score."""
        return digest([self.network.digest, sorted(self.head.items()), self.graded])


def compare_sides(numpy: Any, means: Any, tops: Any) -> tuple[Any, Any]:
    """Return the cosines (k,) and further comparisons (k, 4 · dim) of the sides of k pairs.

    ``means`` and ``tops`` (2k, dim) are means and maxima of the states, a left side before each right
    one, as arrays of ``numpy``: that library, or that of JAX.
    """
    dim = means.shape[1]
    unit = means / numpy.sqrt((means * means).sum(axis=1, keepdims=True))
    a, b, high, low = unit[0::2], unit[1::2], tops[0::2], tops[1::2]
    parts = [dim**0.5 * numpy.abs(a - b), dim * a * b, numpy.abs(high - low), high * low]
    return (a * b).sum(axis=1), numpy.concatenate(parts, axis=1)


def untrained_head(start: Transformer, how: CrossAttentionTuning, graded: bool) -> dict[str, Any]:
    """Return a head whose number is the cosine of the mean states of both sides, or a logit of it."""
    rng, dim = np.random.default_rng(how.seed), start.width
    gated = (start.shape.layers - how.first, start.shape.heads)
    return {
        "gates": np.full(gated, how.gate, np.float32),
        "same": np.full(gated, how.same or 0.0, np.float32),
        "dense": rng.normal(0, 0.02, (dim, 4 * dim)).astype(np.float32),
        "bias": np.zeros(dim, np.float32),
        "out": np.zeros(dim, np.float32),
        "slope": np.float32(1 if graded else SLOPE),
        "level": np.float32(0 if graded else -LEVEL * SLOPE),
    }


def of_grades(head: Head) -> dict[str, Any]:
    """Return the head of a reader of labels, with grades from 0 to 1 for logits from −3 to 3."""
    scaled = {name: head[name] / SLOPE for name in ("out", "slope", "level")}
    return {**head, **scaled, "level": scaled["level"] + 0.5}


def gates_of(head: Head) -> Gates:
    """Return the gates of a head."""
    return Gates(head["gates"], head["same"])


ScoringHead = Mapping[str, Any]
"""Arrays by name: ``dense`` (dim, dim) with its ``bias``, ``out`` (dim,), and ``level``, a number."""


class CrossEncoder:
    """Network and head: tanh of a dense layer over [CLS], then one number, and its logistic.

    Each pair is read in both orders and scored by their mean, so that a score does not depend on
    which sentence is the left one, to the last bit.
    """

    def __init__(self, network: Transformer, head: ScoringHead) -> None:
        self.network = network
        self.head = {name: np.asarray(value, np.float32) for name, value in head.items()}

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = "scoring"
    ) -> NDArray[np.float64]:
        """Return the similarity (n,) of each pair, from 0 to 1; equal with sides exchanged.

        Threads share the work. An StsError if a score is not finite.
        """
        texts = self.texts_of(normalise_all(left), normalise_all(right))
        self.network.prepare()
        work = in_this_context(partial(self._logits, Tokens.of(self.network, texts)))
        begins = range(0, len(texts), TEXTS_AT_ONCE)
        chosen = [np.arange(begin, min(len(texts), begin + TEXTS_AT_ONCE)) for begin in begins]
        found = [np.empty(0, np.float32)]
        with Bar(label, "pairs", len(left)) as bar, ThreadPoolExecutor(threads()) as pool:
            for part, of_part in zip(chosen, pool.map(work, chosen), strict=True):
                found.append(of_part)
                bar.update(len(part) // 2)
        logits = np.concatenate(found).astype(np.float64)
        if not np.isfinite(logits).all():
            raise StsError(f"{label}: a score is no finite number; the weights are damaged")
        chances = 1 / (1 + np.exp(-logits))
        return np.asarray((chances[0::2] + chances[1::2]) / 2)

    @staticmethod
    def texts_of(left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str]]:
        """Both orders of each pair, (2n)."""
        ordered = [sorted(pair) for pair in zip(left, right, strict=True)]
        return [text for first, last in ordered for text in ((first, last), (last, first))]

    def _logits(self, tokens: Tokens, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
        ids, types = tokens.of_texts(chosen)
        (states,) = self.network.states(ids, [self.network.shape.layers], types)
        first = states[np.cumsum([0, *map(len, ids[:-1])])]
        # Each row is multiplied alone: its bits do not depend on what else is scored.
        inner = np.tanh(np.stack([self.head["dense"] @ row for row in first]) + self.head["bias"])
        found: NDArray[np.float32] = (inner * self.head["out"]).sum(axis=1) + self.head["level"]
        return found

    @cached_property
    def digest(self) -> str:
        """Hash of everything that decides a score."""
        return digest([self.network.digest, sorted(self.head.items())])
