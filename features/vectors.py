"""Similarity in vector spaces: Paragram encoders, word vectors, latent semantic analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.overlap import information
from features.registry import Batch, Column, columnwise
from features.surface import DCU, TAKELAB
from sts.text import Sentence

WordSpace = Any
"""gensim's KeyedVectors."""

Words = Callable[[Sentence], Sequence[str]]


def _register_paraphrase(name: str) -> None:
    @columnwise(name, "paragram", DCU, low=-1.0, needs=(name,))
    def column(batch: Batch) -> Column:
        encoder = batch.resources.encoders[name]
        return encoder.similarity_pairwise(
            [sentence.text for sentence in batch.left], [sentence.text for sentence in batch.right]
        )


for _name in ("paraphrase1", "paraphrase2"):  # task-internal and synthetic, Table 4
    _register_paraphrase(_name)


def unit_rows(words: Sequence[str], space: WordSpace) -> NDArray[np.float64]:
    """Unit vectors (k, dim) of those ``words`` that the space knows."""
    rows = _known_rows(words, space)
    vectors = space.vectors[rows].astype(np.float64).reshape(len(rows), space.vector_size)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float64] = np.divide(
        vectors, norms, out=np.zeros_like(vectors), where=norms > 0
    )
    return unit


def weighted_sum(weights: Mapping[str, float], space: WordSpace) -> NDArray[np.float64]:
    """Σ weight · unit vector over the words that the space knows: (dim,)."""
    known = [word for word in weights if word in space.key_to_index]
    total: NDArray[np.float64] = np.array([weights[w] for w in known]) @ unit_rows(known, space)
    return total


def cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Cosine of two (dim,) vectors; 0 if either is zero."""
    norm = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / norm if norm > 0 else 0.0


def _once(values: Sequence[str]) -> dict[str, float]:
    return dict.fromkeys(values, 1.0)


def _by_information(values: Sequence[str]) -> dict[str, float]:
    return {word: information(word) * n for word, n in Counter(values).items()}


Weights = Callable[[Sequence[str]], dict[str, float]]


def _column(batch: Batch, similarity: Callable[[Sentence, Sentence], float]) -> Column:
    values = (similarity(a, b) for a, b in zip(batch.left, batch.right, strict=True))
    return np.fromiter(values, np.float64, len(batch))


def _register_lsa(name: str, number: int, space: str, words: Words, weigh: Weights) -> None:
    """|cos| of the weighted sums of unit LSA vectors (TakeLab, §2.4)."""

    @columnwise(name, "lsa", f"{TAKELAB} f{number}", needs=(space,))
    def column(batch: Batch) -> Column:
        vectors = batch.resources.spaces[space]
        return _column(
            batch,
            lambda a, b: abs(
                cosine(
                    weighted_sum(weigh(words(a)), vectors), weighted_sum(weigh(words(b)), vectors)
                )
            ),
        )


# TakeLab's spaces were learned from the New York Times and from Wikipedia. Ours
# come from news and from everyday text, see features/lsa.py.
_register_lsa("dist_sim", 17, "lsa-news", lambda s: s.lemmas, _once)
_register_lsa("weighted_dist_sim_news", 18, "lsa-news", lambda s: s.content, _by_information)
_register_lsa("weighted_dist_sim_daily", 19, "lsa-daily", lambda s: s.content, _by_information)


def summed(a: Sequence[str], b: Sequence[str], space: WordSpace) -> float:
    """Cosine of the summed word vectors; 1 if neither side has words, 0 if one has none."""
    left, right = _known_rows(a, space), _known_rows(b, space)
    if not left and not right:
        return 1.0
    return cosine(
        space.vectors[left].sum(axis=0, dtype=np.float64),
        space.vectors[right].sum(axis=0, dtype=np.float64),
    )


def _known_rows(words: Sequence[str], space: WordSpace) -> list[int]:
    return [space.key_to_index[word] for word in words if word in space.key_to_index]


def product(a: Sequence[str], b: Sequence[str], space: WordSpace) -> float:
    """Geometric mean over all words of the best cosine with a word of the other side.

    The paper names "product" and does not define it; this is our reading: the
    product of the words' best matches, with a root so that length does not
    matter. One word without a match weighs heavily, which a sum would hide.
    """
    left, right = unit_rows(a, space), unit_rows(b, space)
    if not len(left) or not len(right):
        return 1.0 if len(left) == len(right) else 0.0
    cosines = np.clip(left @ right.T, 0.05, 1.0)  # a floor, or one stranger makes all 0
    best = np.concatenate([cosines.max(axis=1), cosines.max(axis=0)])
    return float(np.exp(np.log(best).mean()))


def _register_w2v(
    name: str, words: Words, compare: Callable[[Any, Any, WordSpace], float], low: float
) -> None:
    @columnwise(name, "w2v", DCU, low=low, needs=("w2v",))
    def column(batch: Batch) -> Column:
        space = batch.resources.spaces["w2v"]
        return _column(batch, lambda a, b: compare(words(a), words(b), space))


_register_w2v("product_w2v", lambda s: s.content, product, 0.0)
_register_w2v("nn_w2v", lambda s: s.tagged("NN"), summed, -1.0)
_register_w2v("vb_w2v", lambda s: s.tagged("VB"), summed, -1.0)
_register_w2v("sum_w2v", lambda s: s.content, summed, -1.0)
