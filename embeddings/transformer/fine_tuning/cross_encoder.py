"""A cross-encoder: all layers of a transformer read both sentences of a pair, end to end.

:mod:`.reader` is faster and learns from fewer pairs; a cross-encoder is what other libraries know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import in_this_context
from semaniacs.embeddings.encoder import threads
from semaniacs.embeddings.training.checkpoint import digest
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import TEXTS_AT_ONCE, Tokens
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import Bar
from semaniacs.sts.text.normalisation import normalise_all

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

        Threads share the work.

        Raises:
            StsError: a score is not finite.
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
        found = []
        for a, b in zip(left, right, strict=True):
            first, last = sorted((a, b))
            found += [(first, last), (last, first)]
        return found

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
