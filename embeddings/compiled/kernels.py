"""Functions that compiled code shares: reading characters, hashing, looking up, sorting.

They run without the interpreter's lock, so that threads share the work, and give the very
numbers of the plain path.

Numba stores compiled code beside each file and uses it until that file changes. It does
not see that other files depend on this one, on ``intrinsics.py`` or ``finders/ascii.py``:
after a change there, remove their compiled code (``find embeddings -name "*.nb?" -delete``).
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.character_table import INTRICATE, KIND, LIMIT, SPACE, characters
from embeddings.compiled.compiling import announce_compiling, njit

announce_compiling()


# Without Numba's run time nothing can be allocated and no references are counted, which
# would take several times as long as the work itself.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
_INNER: dict[str, Any] = _OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def native(function):
    """Compile a function when it is first called, and store the result on disk."""
    return njit(**_OPTIONS)(function)


def inner(function):
    """As :func:`native`, but only compiled code can call it: it is compiled sooner."""
    return njit(**_INNER)(function)


def inlined(function):
    """As :func:`inner`, and made a part of each function that calls it."""
    return njit(**_INNER, forceinline=True)(function)


def _crc_of(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (0xEDB88320 if byte & 1 else 0)
    return byte


ALL = np.uint32(0xFFFFFFFF)
"""The initial value of CRC-32, and the final exclusive-or."""

LOW = np.uint32((1 << KIND) - 1)
"""The bits of a character table's entry that hold the code point."""

_CRC = np.array([_crc_of(byte) for byte in range(256)], np.uint32)
_NONE = np.uint64(0)
_LIMIT = np.uint32(LIMIT)


@native
def put(word, at, code):
    """Write a code point as UTF-8 (surrogates too); returns the place after it."""
    if code < 0x80:
        word[at] = code
        return at + 1
    if code < 0x800:
        word[at] = 0xC0 | (code >> 6)
        word[at + 1] = 0x80 | (code & 0x3F)
        return at + 2
    if code < 0x10000:
        word[at] = 0xE0 | (code >> 12)
        word[at + 1] = 0x80 | ((code >> 6) & 0x3F)
        word[at + 2] = 0x80 | (code & 0x3F)
        return at + 3
    word[at] = 0xF0 | (code >> 18)
    word[at + 1] = 0x80 | ((code >> 12) & 0x3F)
    word[at + 2] = 0x80 | ((code >> 6) & 0x3F)
    word[at + 3] = 0x80 | (code & 0x3F)
    return at + 4


@native
def checksum(word, begin, end):
    """CRC-32 of ``word[begin:end]``."""
    crc = ALL
    for place in range(begin, end):
        crc = _CRC[(crc ^ np.uint32(word[place])) & np.uint32(255)] ^ (crc >> np.uint32(8))
    return crc ^ ALL


@native
def write(text, begin, end, word):
    """Write code points to ``word`` as UTF-8; returns its length and CRC-32."""
    length = 0
    for place in range(begin, end):
        length = put(word, length, text[place])
    return length, checksum(word, 0, length)


class Names(NamedTuple):
    """Strings and their rows: an open-addressing hash table.

    Attributes:
        slots: (2^k,) uint64; a name is at the slot of its CRC-32 or the next free one,
            with the CRC-32 in the upper half and the row, counted from 1, in the lower.
        ends: (V + 1,) int32, where each name begins and ends in ``letters``.
        letters: UTF-8 of all names, end to end.
    """

    slots: NDArray[np.uint64]
    ends: NDArray[np.int32]
    letters: NDArray[np.uint8]


def names_of(known: Iterable[str]) -> Names:
    """The table of names, which are given in the order of their rows."""
    encoded = [name.encode("utf-8", "surrogatepass") for name in known]
    hashes = np.array([zlib.crc32(name) for name in encoded], np.uint64)
    lengths = np.array([len(name) for name in encoded], np.int64)
    slots = np.zeros(1 << max(4, (2 * len(encoded)).bit_length()), np.uint64)
    _fill(slots, hashes)
    return Names(
        slots,
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        np.frombuffer(b"".join(encoded), np.uint8).copy(),
    )


@native
def _fill(slots, hashes):
    last = np.uint64(len(slots) - 1)
    for row in range(len(hashes)):
        slot = hashes[row] & last
        while slots[slot] != _NONE:
            slot = (slot + np.uint64(1)) & last
        slots[slot] = (hashes[row] << np.uint64(32)) | np.uint64(row + 1)


@native
def find(slots, ends, letters, word, length, crc):
    """Row of the name in ``word[:length]`` whose CRC-32 is ``crc``, or -1."""
    last = np.uint64(len(slots) - 1)
    slot = np.uint64(crc) & last
    while True:
        entry = slots[slot]
        if entry == _NONE:
            return -1
        if entry >> np.uint64(32) == crc:
            row = np.int64(entry & np.uint64(ALL)) - 1
            begin = ends[row]
            if ends[row + 1] - begin == length:
                same = 0
                while same < length and letters[begin + same] == word[same]:
                    same += 1
                if same == length:
                    return row
        slot = (slot + np.uint64(1)) & last


def readable_characters(intricate: str = "") -> NDArray[np.uint32]:
    """The table of characters for :func:`fold`: a lone surrogate is a question mark.

    Args:
        intricate: further characters whose sentences are left to the plain path.
    """
    table = characters().copy()
    table[0xD800:0xE000] = table[ord("?")]
    table[[ord(character) for character in intricate]] = INTRICATE << KIND
    return table


@native
def fold(signs, codes, begin, end, space, text):
    """Write a normalised sentence, a space first, to ``text``.

    The text is that of :func:`embeddings.tokenizers.sentencepiece.readable`. Returns its
    length, at most one more than the sentence's; 0 for a blank sentence, -1 for one with an
    intricate character.
    """
    length = 0
    blank = True
    for place in range(begin, end):
        sign = signs[min(codes[place], _LIMIT)]
        kind = sign >> np.uint32(KIND)
        if kind == SPACE:
            blank = True
            continue
        if kind == INTRICATE:
            return -1
        if blank:
            text[length] = space
            length += 1
            blank = False
        text[length] = sign & LOW
        length += 1
    return length
