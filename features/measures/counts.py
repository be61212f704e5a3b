"""Bags of n-grams, counted and compared for whole columns at once.

An n-gram is identified by a 64-bit hash of the numbers in it. The n-grams of each sentence are
sorted once; two sentences are then compared by walking along both sorted lists.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import kernel, sort
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features.batch import Batch, Column, once, ratio, where_empty

PACKED, _BITS = 6, 10  # characters in a number of 64 bits, and the bits of each

_ONE = (1 << _BITS) - 1  # the bits of one character


@dataclass(frozen=True)
class Bags:
    """One bag a sentence.

    Attributes:
        keys: the distinct n-grams of each sentence, ascending, sentence by sentence.
        counts: how often each occurs there.
        begins, ends: (s,) where each sentence's keys lie.

    Methods take ``weights``, (v,) by the number of a word, for bags of single words; without
    them every n-gram weighs 1.
    """

    keys: NDArray[np.uint64]
    counts: Column
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    def distinct(self) -> Bags:
        """Return these bags with every key once."""
        return replace(self, counts=np.minimum(self.counts, 1))

    def totals(self, weights: Column | None = None) -> Column:
        """(s,) Σ weight · count of each sentence."""
        return _totals(self.counts * self._weights(weights), self.begins, self.ends)

    def squares(self, weights: Column | None = None) -> Column:
        """(s,) Σ (weight · count)² of each sentence."""
        return _totals((self._weights(weights) * self.counts) ** 2, self.begins, self.ends)

    def shared(self, batch: Batch, weights: Column | None = None) -> Column:
        """(n,) Σ weight · min(count, count) over the n-grams of both sides."""
        return self._walk(batch, weights, squared=False)

    def product(self, batch: Batch, weights: Column | None = None) -> Column:
        """(n,) Σ weight² · count · count over the n-grams of both sides."""
        return self._walk(batch, weights, squared=True)

    def dice(self, batch: Batch, weights: Column | None = None, **empty: float) -> Column:
        """(n,) 2 · shared / (left + right), the F1 of precision and recall (Dice, 1945).

        It is 0 where a bag is empty, unless ``neither`` or ``one`` says otherwise, see
        :func:`where_empty`.
        """
        left, right = batch.sides(self.totals(weights))
        matched = ratio(2 * self.shared(batch, weights), left + right)
        return where_empty(matched, left, right, **empty)

    def cosines(self, batch: Batch, weights: Column | None = None) -> Column:
        """(n,) cosine of the counts times their weights, in [0, 1]; 0 if a side is empty."""
        left, right = batch.sides(self.squares(weights))
        return np.minimum(1.0, ratio(self.product(batch, weights), np.sqrt(left * right)))

    def _weights(self, table: Column | None) -> Column:
        return np.ones(len(self.keys)) if table is None else table[self.keys.astype(np.int64)]

    def _walk(self, batch: Batch, weights: Column | None, squared: bool) -> Column:
        bags = self.keys, self.counts, self.begins, self.ends, self._weights(weights)
        return _walk(*bags, *batch.pairs, squared)


@once
def bags_of(batch: Batch, view: str, n: int) -> Bags:
    """The n-grams of a view of every distinct sentence; keys of single words are their numbers."""
    return count(batch.view(view).sequences, n)


@once
def skip_bags(batch: Batch, view: str, gap: int) -> Bags:
    """Single words and ordered pairs of words with at most ``gap`` words between them."""
    return count(_with_skips(batch.view(view).sequences, gap), 1)


@once
def character_bags(batch: Batch, n: int) -> Bags:
    """The n-grams of characters of every distinct sentence."""
    packed = _packed_grams(batch) if n <= PACKED else None
    if packed is None:
        return count(batch.characters, n)
    return _count_with(_count_packed, packed, n)


@once
def _packed_grams(batch: Batch) -> Ragged | None:
    """The ``PACKED`` characters from each place on, ascending within a sentence.

    In that order stand their beginnings, too: they are sorted once for every n. None if there are
    too many kinds of characters to be packed into 64 bits.
    """
    flat, offsets = batch.characters
    kinds = np.bincount(flat) > 0 if len(flat) else np.zeros(0, bool)
    if np.count_nonzero(kinds) > _ONE:
        return None
    packed: NDArray[Any] = np.cumsum(kinds).astype(np.uint64)[flat]
    _pack(packed, offsets)
    return Ragged(packed, offsets)


def count(sequences: Ragged, n: int) -> Bags:
    """The n-grams of each sequence."""
    # One kind of numbers, so that the function is compiled for one.
    return _count_with(_count, Ragged(sequences.flat.astype(np.uint64), sequences.offsets), n)


def _count_with(kernel: Callable[..., None], sequences: Ragged, n: int) -> Bags:
    room = np.maximum(sequences.lengths - (n - 1), 0)
    begins = np.concatenate([[0], np.cumsum(room)])
    keys, counts = np.zeros(begins[-1], np.uint64), np.zeros(begins[-1])
    ends = np.empty(len(room), np.int64)
    kernel(*sequences, n, begins, keys, counts, ends)
    return Bags(keys, counts, begins[:-1], ends)


def _with_skips(sequences: Ragged, gap: int) -> Ragged:
    lengths = sequences.lengths
    steps = np.arange(1, gap + 2)
    pairs = np.maximum(lengths[:, None] - steps[None, :], 0).sum(axis=1)
    offsets = np.concatenate([[0], np.cumsum(lengths + pairs)])
    hashed = np.empty(offsets[-1], np.uint64)
    _skip(sequences.flat, sequences.offsets, gap, offsets, hashed)
    return Ragged(hashed, offsets)


@kernel(nogil=True)
def _count(flat, offsets, n, begins, keys, counts, ends):
    for s in range(len(offsets) - 1):
        first, place = offsets[s], begins[s]
        length = begins[s + 1] - place
        if length == 0:
            ends[s] = place
            continue
        grams = keys[place : place + length]
        for i in range(length):
            key = flat[first + i]
            for j in range(1, n):
                key = _mix(key) + flat[first + i + j]
            grams[i] = key
        sort(grams, length)
        last = place  # the distinct ones move to the front
        counts[last] = 1.0
        for i in range(1, length):
            if grams[i] == keys[last]:
                counts[last] += 1.0
            else:
                last += 1
                keys[last], counts[last] = grams[i], 1.0
        ends[s] = last + 1


@kernel(nogil=True)
def _pack(flat, offsets):
    for s in range(len(offsets) - 1):
        key = np.uint64(0)
        for i in range(offsets[s + 1] - 1, offsets[s] - 1, -1):
            key = (flat[i] << np.uint64(_BITS * (PACKED - 1))) | (key >> np.uint64(_BITS))
            flat[i] = key
        sort(flat[offsets[s] : offsets[s + 1]], offsets[s + 1] - offsets[s])


@kernel(nogil=True)
def _count_packed(flat, offsets, n, begins, keys, counts, ends):
    rest = np.uint64(_BITS * (PACKED - n))
    for s in range(len(offsets) - 1):
        last = begins[s] - 1
        for i in range(offsets[s], offsets[s + 1]):
            key = flat[i] >> rest
            if key & np.uint64(_ONE) == 0:  # it goes past the end
                continue
            if last < begins[s] or keys[last] != key:
                last += 1
                keys[last] = key
            counts[last] += 1.0
        ends[s] = last + 1


@kernel(nogil=True)
def _skip(flat, offsets, gap, begins, hashed):
    for s in range(len(offsets) - 1):
        place = begins[s]
        for i in range(offsets[s], offsets[s + 1]):
            hashed[place] = np.uint64(flat[i])
            place += 1
            for j in range(i + 1, min(i + gap + 2, offsets[s + 1])):
                hashed[place] = _mix(np.uint64(flat[i])) + np.uint64(flat[j])
                place += 1


@kernel(nogil=True)
def _mix(key):
    """The finaliser of SplitMix64 (Steele et al., 2014): spreads a number over 64 bits."""
    key = (key + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@kernel(nogil=True)
def _walk(keys, counts, begins, ends, weights, left, right, squared):
    sums = np.zeros(len(left))
    for p in range(len(left)):
        i, j = begins[left[p]], begins[right[p]]
        while i < ends[left[p]] and j < ends[right[p]]:
            if keys[i] < keys[j]:
                i += 1
            elif keys[j] < keys[i]:
                j += 1
            else:
                if squared:
                    sums[p] += weights[i] * weights[i] * counts[i] * counts[j]
                else:
                    sums[p] += weights[i] * min(counts[i], counts[j])
                i += 1
                j += 1
    return sums


@kernel(nogil=True)
def _totals(values, begins, ends):
    totals = np.zeros(len(begins))
    for s in range(len(begins)):
        for i in range(begins[s], ends[s]):
            totals[s] += values[i]
    return totals
