"""Where the bundled vectors start: at the teacher's vector of each word alone.

Words that are frequent in English or in the sentences have rows of their own; others are spelled
from pieces, which start at zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import Encoder
from embeddings.formats.word2vec import hashed_rows
from embeddings.table import Vectors
from embeddings.tokenizers.words import INSIDE, WordTokenizer
from sts.text.tokenizer import words

_LONGEST_PIECE = 7
_LONGEST_SPELLED = 25
"""Characters beyond which a word says nothing about useful pieces."""

Probabilities = dict[str, float]


def word_probabilities(sentences: Iterable[str]) -> Probabilities:
    """p(word) in English by wordfreq, or in the sentences where that is higher.

    Words that the sentences hold once are left out unless wordfreq lists them.
    """
    from wordfreq import get_frequency_dict

    counts = Counter(word for sentence in sentences for word in words(sentence))
    total = counts.total()
    english = get_frequency_dict("en", wordlist="large")
    probabilities = {word: n / total for word, n in counts.items() if n > 1}
    for listed, p in english.items():
        split = words(listed)
        if len(split) == 1:
            word = split[0]
            probabilities[word] = max(p, probabilities.get(word, 0.0))
    return probabilities


def choose_words(probabilities: Probabilities, size: int) -> list[str]:
    """The ``size`` most probable words, in that order; of equal ones the first in the alphabet."""
    return sorted(probabilities, key=lambda word: (-probabilities[word], word))[:size]


def choose_pieces(known: Sequence[str], probabilities: Probabilities, size: int) -> list[str]:
    """Pieces to spell every other word with.

    These are all single characters, so that any word over them can be spelled, and ``size``
    stretches of letters from inside unknown words. A stretch is worth its length times the
    square root of the word's probability, summed over all words.
    """
    listed = set(known)
    alphabet = dict.fromkeys(c for word in probabilities for c in word if c not in listed)
    inside = dict.fromkeys(INSIDE + c for word in probabilities for c in word[1:])
    saved: Counter[str] = Counter()
    rare = 1e-8
    for word, p in probabilities.items():
        if word not in listed and len(word) <= _LONGEST_SPELLED:
            worth = max(p / rare, 1.0) ** 0.5
            for begin in range(1, len(word)):
                for end in range(begin + 2, min(len(word), begin + _LONGEST_PIECE) + 1):
                    saved[word[begin:end]] += worth * (end - begin)
    best = sorted(saved, key=lambda piece: (-saved[piece], piece))[:size]
    return [*alphabet, *inside, *(INSIDE + piece for piece in best)]


def starting_encoder(
    known: Sequence[str],
    pieces: Sequence[str],
    taught: Vectors,
    probabilities: Mapping[str, float],
    *,
    dim: int,
    smoothing: float,
    buckets: int,
) -> Encoder:
    """Principal components of the teacher's word vectors, scaled by smooth inverse frequency.

    Args:
        known: V words.
        pieces: what other words are spelled from.
        taught: (V, teacher dim) each word's vector.
        probabilities: p(word).
        dim: components kept.
        smoothing: a of a / (a + p(word)), Arora et al. (2017), eq. 3.
        buckets: rows for words that cannot be spelled.
    """
    p = np.array([probabilities[word] for word in known])
    rows = principal_components(taught, dim) * (smoothing / (smoothing + p))[:, None]
    length = float(np.linalg.norm(rows, axis=1).mean()) / 2
    spelled = np.zeros((len(pieces), dim))
    table = np.vstack([rows, spelled, hashed_rows(buckets, dim, length)]).astype(np.float32)
    return Encoder(WordTokenizer([*known, *pieces], buckets), table)


def principal_components(vectors: Vectors, dim: int) -> NDArray[np.float64]:
    """The centred vectors (n, any) along their ``dim`` strongest directions: (n, dim)."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    return np.asarray(centred @ strongest_directions(centred, dim))


def strongest_directions(vectors: NDArray[np.float64], dim: int) -> NDArray[np.float64]:
    """Orthonormal directions (any, dim) of the largest sums of squares, strongest first.

    Of a direction and its opposite, the one whose largest component is positive is taken.
    """
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    strongest = directions[:, ::-1][:, :dim]
    largest = strongest[np.argmax(np.abs(strongest), axis=0), np.arange(strongest.shape[1])]
    return np.asarray(strongest * np.sign(largest))


def with_untrained(encoder: Encoder) -> Encoder:
    """The encoder with a random direction for every row that is still zero after training.

    These are pieces that no sentence held: letters of scripts that were not learned. With them a
    sentence is like itself and like others that share its letters, and like nothing else. They
    are as long as the hashed rows.
    """
    table = encoder.table.copy()
    untrained = np.flatnonzero(~table.any(axis=1))
    length = float(np.linalg.norm(table[len(encoder.tokenizer.known) :], axis=1).mean())
    table[untrained] = hashed_rows(len(untrained), encoder.dim, length, seed=1)
    return encoder.with_table(table)


def with_limit(encoder: Encoder, sentences: Sequence[str], times: float) -> Encoder:
    """The encoder with a hard tanh after the mean.

    Args:
        encoder: without one.
        sentences: as many as it takes to see how large the numbers of a mean are.
        times: the limit, as a multiple of the root mean square of these numbers.
    """
    lengths = np.linalg.norm(encoder.encode(sentences), axis=1)
    limit = times * float(lengths.mean()) / encoder.dim**0.5
    return Encoder(encoder.tokenizer, encoder.table, limit)


def shrink(encoder: Encoder, words: int) -> Encoder:
    """A smaller encoder: the first ``words`` words, all pieces and all hashed rows.

    The other words are spelled.
    """
    vocabulary = encoder.tokenizer
    kept = [
        row
        for row, word in enumerate(vocabulary.known)
        if row < words or word.startswith(INSIDE) or len(word) == 1
    ]
    rows = [*kept, *range(len(vocabulary.known), len(vocabulary))]
    known = [vocabulary.known[row] for row in kept]
    tokenizer = WordTokenizer(known, vocabulary.buckets)
    return Encoder(tokenizer, encoder.table[rows], encoder.limit)
