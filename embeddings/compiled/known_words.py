"""A hash table of the known words and pieces, for compiled code.

A word of up to 16 bytes is its own key, and comparing two numbers finds it.
"""

# mypy: disable-error-code="assignment,misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled.native import eight_bytes, inlined, inner, native
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer

_KEY = 16  # bytes of the longest word that is its own key
PAD = 16  # bytes that may be read past the end of a text

ZERO = np.int64(0)
"""Not 0: Numba would compile a function that is called with a literal once more for it."""

_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_MASKS = np.array(
    [[(1 << 8 * min(size, 8)) - 1, (1 << 8 * max(size - 8, 0)) - 1] for size in range(_KEY + 1)],
    np.uint64,
)
"""The bytes of a word of 0 to 16 bytes among the eight from its first and from its ninth on."""

_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
"""Large odd numbers: to multiply by them spreads a key over the upper bits (Knuth, 6.4)."""


class Words(NamedTuple):
    """The known words and pieces.

    Attributes:
        slots: (2^k,) an open-addressing hash table of keys, see :func:`_key`, and rows, counted
            from 1; 0 in a free slot.
        offsets: (known + 1,) where each word begins and ends in ``letters``.
        letters: UTF-8 of all words, end to end.
        longest: bytes of the longest of them; 0 if there are no pieces to spell others with.
        buckets: how many hashed rows follow those of the known words.
    """

    slots: NDArray[np.void]
    offsets: NDArray[np.int64]
    letters: NDArray[np.uint8]
    longest: int
    buckets: int


_SLOT = np.dtype([("low", "u8"), ("high", "u8"), ("row", "i4")], align=True)


def words_of(tokenizer: WordTokenizer) -> Words:
    """Return the table of a tokenizer's words."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in tokenizer.known]
    offsets = np.cumsum([0, *map(len, encoded)])
    # Writable, as the text of a sentence is: Numba would compile _key once more for other arrays.
    letters = np.frombuffer(bytearray(b"".join(encoded) + bytes(PAD)), np.uint8)
    words = Words(
        np.zeros(1 << max(4, (2 * len(encoded)).bit_length()), _SLOT),
        offsets,
        letters,
        int(np.diff(offsets).max(initial=0)) if tokenizer.has_pieces else 0,
        tokenizer.buckets,
    )
    _fill(words.slots, words.offsets, words.letters)
    return words


@inlined
def _key(text, begin, size):
    """Two numbers for a word: its bytes, or a hash and the size of one of more than 16 bytes."""
    if size <= _KEY:  # without asking whether it is longer than eight: no guess can be wrong
        low, high = eight_bytes(text, begin), eight_bytes(text, begin + 8)
        return low & _MASKS[size, 0], high & _MASKS[size, 1]
    return _long_key(text, begin, size)


@inner
def _long_key(text, begin, size):
    low = np.uint64(0)
    for place in range(begin, begin + size):
        low = (low ^ np.uint64(text[place])) * _MIX[0]
    return low, _ONES - np.uint64(size)  # no UTF-8 ends in such bytes


@inlined
def _home(slots, low, high):
    """The slot where a word is, if no other was there before."""
    return ((low ^ high * _MIX[1]) * _MIX[0] >> np.uint64(32)) & np.uint64(len(slots) - 1)


@native
def _fill(slots, offsets, letters):
    for row in range(len(offsets) - 1):
        size = offsets[row + 1] - offsets[row]
        if size:
            low, high = _key(letters, offsets[row], size)
            slot = _home(slots, low, high)
            while slots[slot].row:
                slot = (slot + np.uint64(1)) & np.uint64(len(slots) - 1)
            slots[slot].low, slots[slot].high, slots[slot].row = low, high, row + 1


@inlined
def look_up(words, text, begin, size):
    """The row of the known word ``text[begin:][:size]``, or -1."""
    slots = words.slots
    low, high = _key(text, begin, size)
    slot = _home(slots, low, high)
    while slots[slot].row:
        if slots[slot].low == low and slots[slot].high == high:
            row = np.int64(slots[slot].row) - 1
            if size <= _KEY or _is_at(words.letters, words.offsets[row], text, begin, size):
                return row
        slot = (slot + np.uint64(1)) & np.uint64(len(slots) - 1)
    return ZERO - 1


@inner
def _is_at(letters, offset, text, begin, size):
    for place in range(size):
        if letters[offset + place] != text[begin + place]:
            return False
    return True
