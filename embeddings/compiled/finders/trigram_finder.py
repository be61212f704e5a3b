"""Trigram tokenization, compiled.

Gives what :meth:`embeddings.tokenizers.trigrams.TrigramTokenizer.ids` gives. Three code
points of 21 bits are one key of an open-addressing hash table.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import numpy as np

from embeddings.compiled.found_rows import FoundRows
from embeddings.compiled.kernels import fold, native, readable_characters, write
from embeddings.tokenizers.trigrams import TrigramTokenizer
from embeddings.tokenizers.utf8 import Utf8Sentences

_SPACE = np.uint32(ord(" "))
_BITS = np.uint64(21)
_KEPT = np.uint64((1 << 63) - 1)
_TAKEN = np.uint64(1 << 63)
"""Set in every key, so that 0 means a free slot."""

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio: multiplying by it spreads a key over the upper bits (Knuth, 6.4)."""


@native
def _slot(keys, key):
    """The slot of a key, or the free slot where it would go."""
    last = np.uint64(len(keys) - 1)
    slot = (key * _MIX) >> np.uint64(32) & last
    while keys[slot] != key and keys[slot] != np.uint64(0):
        slot = (slot + np.uint64(1)) & last
    return slot


@native
def _push(key, code):
    """The key of the last three characters, after one more."""
    return (key << _BITS | np.uint64(code)) & _KEPT | _TAKEN


@native
def _fill(keys, rows, codes, known):
    for i in range(len(known)):
        key = _TAKEN
        for place in range(3 * i, 3 * i + 3):
            key = _push(key, codes[place])
        slot = _slot(keys, key)
        keys[slot] = key
        rows[slot] = known[i]


@native
def _find_rows(keys, rows, known, buckets, signs, codes, begins, ends, out, counts, text, word):
    for i in range(len(counts)):
        length = fold(signs, codes, begins[i], ends[i], _SPACE, text)
        counts[i] = min(length, 0)
        if length > 0:
            counts[i] = length - 1
            text[length] = _SPACE
            key = _push(_push(_TAKEN, text[0]), text[1])
            for place in range(length - 1):
                key = _push(key, text[place + 2])
                slot = _slot(keys, key)
                row = rows[slot]
                if keys[slot] != key:
                    _, crc = write(text, place, place + 3, word)
                    row = known + crc % np.uint32(buckets)
                out[begins[i] + place] = row


class TrigramFinder:
    """Row numbers of the trigrams of many sentences; the table is built once."""

    def __init__(self, tokenizer: TrigramTokenizer) -> None:
        self.known, self.buckets = len(tokenizer.known), tokenizer.buckets
        found = {entry: row for entry, row in tokenizer.rows.items() if len(entry) == 3}
        codes = np.frombuffer("".join(found).encode("utf-32-le", "surrogatepass"), np.uint32)
        self.keys = np.zeros(1 << max(4, (2 * len(found)).bit_length()), np.uint64)
        self.rows = np.zeros(len(self.keys), np.int32)
        _fill(self.keys, self.rows, codes, np.fromiter(found.values(), np.int32, len(found)))
        self.signs = readable_characters()

    def __call__(self, sentences: Utf8Sentences) -> FoundRows:
        """See :class:`embeddings.compiled.found_rows.Finder`."""
        codes, begins, ends = sentences.code_points()
        room = int((ends - begins).max(initial=0)) + 2
        text, word = np.empty(room, np.uint32), np.empty(12, np.uint8)
        ids, counts = np.empty(len(codes), np.int32), np.empty(len(begins), np.int64)
        _find_rows(
            self.keys, self.rows, self.known, self.buckets, self.signs,
            codes, begins, ends, ids, counts, text, word,
        )  # fmt: skip
        return FoundRows(ids, begins, counts)
