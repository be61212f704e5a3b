"""The fast path, compiled: characters to rows, and rows to means.

:func:`find_rows` is the twin of :meth:`embeddings.vocabulary.Vocabulary.ids` and
:func:`average_rows` that of the plain mean in :mod:`embeddings.encoders`; tests
hold both to the very same numbers. Each runs without the interpreter's lock, so
that threads share the work.

The tokenizer here follows the alternatives of the pattern in :mod:`sts.text` by
their numbers. It walks each sentence once; every word is hashed while it is
walked, and CRC-32 serves both the look-up and the hashed rows of unknown words.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from embeddings.characters import (
    APOSTROPHE,
    COMMA,
    DIGIT,
    DOT,
    INTRICATE,
    KIND,
    LETTER,
    LIMIT,
    SPACE,
    UNDERSCORE,
    characters,
)
from embeddings.vocabulary import INSIDE, LONGEST, Vocabulary

_MARK = np.frombuffer(INSIDE.encode(), np.uint8).copy()
_ROOM = 4 * LONGEST
"""Bytes that the longest word to be looked up can take."""

_LOW = np.uint32((1 << KIND) - 1)
_ALL = np.uint32(0xFFFFFFFF)
_NONE = np.uint64(0)
_LIMIT = np.uint32(LIMIT)
_BLANK = np.uint32(SPACE << KIND)


class Index(NamedTuple):
    """A vocabulary as arrays: an open-addressing hash table over its words.

    Attributes:
        slots: (2^k,) uint64; a word lies at its CRC-32 or the next free slot, as
            the CRC-32 in the upper half and its row, counted from 1, in the lower.
        ends: (V + 1,) int32, where each word begins and ends in ``letters``.
        letters: UTF-8 of all words, end to end.
        pieces: whether unknown words are spelled.
        buckets: how many hashed rows follow the known ones.
        signs: see :func:`embeddings.characters.characters`.
        crc: (256,) uint32, the table of CRC-32.
    """

    slots: NDArray[np.uint64]
    ends: NDArray[np.int32]
    letters: NDArray[np.uint8]
    pieces: bool
    buckets: int
    signs: NDArray[np.uint32]
    crc: NDArray[np.uint32]


def build_index(vocabulary: Vocabulary) -> Index:
    """The arrays of a vocabulary."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in vocabulary.known]
    hashes = np.array([zlib.crc32(word) for word in encoded], np.uint64)
    lengths = np.array([len(word) for word in encoded], np.int64)
    slots = np.zeros(1 << max(4, (2 * len(encoded)).bit_length()), np.uint64)
    _fill(slots, hashes)
    return Index(
        slots,
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        np.frombuffer(b"".join(encoded), np.uint8).copy(),
        vocabulary.spells,
        vocabulary.buckets,
        characters(),
        np.array([_crc_of(byte) for byte in range(256)], np.uint32),
    )


def _crc_of(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (0xEDB88320 if byte & 1 else 0)
    return byte


def _compile(function):
    # Without Numba's run time nothing can be allocated, and no reference to an array is
    # counted: the counting would take several times as long as the work.
    options: dict[str, Any] = {"nogil": True, "cache": True, "error_model": "numpy", "_nrt": False}
    return numba.njit(**options)(function)


@_compile
def _fill(slots, hashes):
    last = np.uint64(len(slots) - 1)
    for row in range(len(hashes)):
        slot = hashes[row] & last
        while slots[slot] != _NONE:
            slot = (slot + np.uint64(1)) & last
        slots[slot] = (hashes[row] << np.uint64(32)) | np.uint64(row + 1)


@_compile
def _find(slots, ends, letters, word, length, crc):
    """Row of the word in ``word[:length]`` whose CRC-32 is ``crc``, or -1."""
    last = np.uint64(len(slots) - 1)
    slot = np.uint64(crc) & last
    while True:
        entry = slots[slot]
        if entry == _NONE:
            return -1
        if entry >> np.uint64(32) == crc:
            row = np.int64(entry & np.uint64(_ALL)) - 1
            begin = ends[row]
            if ends[row + 1] - begin == length:
                same = 0
                while same < length and letters[begin + same] == word[same]:
                    same += 1
                if same == length:
                    return row
        slot = (slot + np.uint64(1)) & last


@_compile
def _step(table, crc, byte):
    return table[(crc ^ byte) & np.uint32(255)] ^ (crc >> np.uint32(8))


@_compile
def _put(word, at, code):
    """Write a code point from 0x80 on as UTF-8 (surrogates too); returns the place after it."""
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


@_compile
def _sign(signs, codes, place, end):
    """Entry of the character at ``place``; past the end, that of a blank."""
    return signs[min(codes[place], _LIMIT)] if place < end else _BLANK


@_compile
def _kind(signs, codes, place, end):
    return _sign(signs, codes, place, end) >> np.uint32(KIND)


@_compile
def _is(codes, place, end, letter):
    """Whether an ASCII letter, in either case, stands at ``place``."""
    return place < end and (codes[place] | np.uint32(0x20)) == letter


@_compile
def _ends_word(signs, codes, place, end):
    """Whether no letter, digit or underscore stands at ``place``: the pattern's \\b after one."""
    return _kind(signs, codes, place, end) > UNDERSCORE


@_compile
def _after_number(signs, codes, place, end):
    """Alternative 1: the end of a number with marks that begins at ``place``, or ``place``."""
    at = place
    while _kind(signs, codes, at, end) == DIGIT:
        at += 1
    marked = place
    while True:
        mark = _kind(signs, codes, at, end)
        if (mark != DOT and mark != COMMA) or _kind(signs, codes, at + 1, end) != DIGIT:
            return marked
        at += 1
        while _kind(signs, codes, at, end) == DIGIT:
            at += 1
        marked = at


@_compile
def _after_abbreviation(signs, codes, place, end):
    """Alternative 2: the end of two or more letters with dots, or ``place``."""
    at = place
    while _kind(signs, codes, at, end) == LETTER and _kind(signs, codes, at + 1, end) == DOT:
        at += 2
    return at if at - place >= 4 else place


@_compile
def _after_clitic(signs, codes, place, end):
    """Alternative 6: the end of 's, 're, 've, 'll, 'd or 'm, or ``place``."""
    first = place + 1
    for letter in (ord("s"), ord("d"), ord("m")):
        if _is(codes, first, end, letter) and _ends_word(signs, codes, first + 1, end):
            return first + 1
    for one, two in ((ord("r"), ord("e")), (ord("v"), ord("e")), (ord("l"), ord("l"))):
        if (
            _is(codes, first, end, one)
            and _is(codes, first + 1, end, two)
            and _ends_word(signs, codes, first + 2, end)
        ):
            return first + 2
    return place


@_compile
def _negates(signs, codes, place, end):
    """Whether n't stands at ``place`` and a word ends after it."""
    return (
        _kind(signs, codes, place + 1, end) == APOSTROPHE
        and _is(codes, place, end, ord("n"))
        and _is(codes, place + 2, end, ord("t"))
        and _ends_word(signs, codes, place + 3, end)
    )


@_compile
def _read(signs, table, codes, begin, end, word):
    """Write the word ``codes[begin:end]``, in lower case, to ``word``; its bytes and CRC-32."""
    crc = _ALL
    length = 0
    for place in range(begin, end):
        code = signs[codes[place]] & _LOW
        if code < 0x80:
            word[length] = code
            crc = _step(table, crc, code)
            length += 1
        else:
            after = _put(word, length, code)
            for byte in range(length, after):
                crc = _step(table, crc, np.uint32(word[byte]))
            length = after
        length = min(length, _ROOM)  # longer than any word that is looked up: only the hash goes on
    return length, crc ^ _ALL


@_compile
def _spell(slots, ends, letters, table, word, length, piece, out, at):
    """Append the longest pieces of a word to ``out``; returns ``at`` if it cannot be spelled."""
    begin = 0
    to = at
    while begin < length:
        crc = _ALL
        size = 0
        if begin:
            for byte in _MARK:
                piece[size] = byte
                crc = _step(table, crc, np.uint32(byte))
                size += 1
        found = -1
        found_end = begin
        for place in range(begin, length):
            piece[size] = word[place]
            crc = _step(table, crc, np.uint32(word[place]))
            size += 1
            if place + 1 < length and word[place + 1] & 0xC0 == 0x80:
                continue  # in the middle of a character
            row = _find(slots, ends, letters, piece, size, crc ^ _ALL)
            if row >= 0:
                found = row
                found_end = place + 1
        if found < 0:
            return at
        out[to] = found
        to += 1
        begin = found_end
    return to


@_compile
def _after_word(signs, codes, kind, begin, place, end):
    """The end of the word that begins at ``place``, or ``place`` if none does."""
    if kind == APOSTROPHE:
        return _after_clitic(signs, codes, place, end)
    if kind > DIGIT:
        return place
    after = place + 1
    while _kind(signs, codes, after, end) <= DIGIT:
        after += 1
    follows = _kind(signs, codes, after, end)
    if follows == APOSTROPHE and _negates(signs, codes, after - 1, end):
        # Alternatives 4 and 5: do|n't; alone, n't is one word.
        return after - 1 if after - 1 > place else after + 2
    if follows == DOT or follows == COMMA:
        special = place
        if kind == DIGIT:
            special = _after_number(signs, codes, place, end)
        elif place == begin or _kind(signs, codes, place - 1, end) > DIGIT:
            special = _after_abbreviation(signs, codes, place, end)
        return special if special > place else after
    return after


@_compile
def _walk(
    slots, ends, letters, pieces, buckets, signs, table, codes, begin, end, word, piece, out, marks
):
    """Write the rows of the words of a sentence to ``out`` from ``begin`` on; where they end.

    With ``marks`` every character but a blank is a word of its own. Returns -1 for
    a sentence that holds an intricate character.
    """
    at = begin
    place = begin
    while place < end:
        kind = _kind(signs, codes, place, end)
        if kind == SPACE:
            place += 1
            continue
        if kind == INTRICATE:
            return -1
        after = place + 1 if marks else _after_word(signs, codes, kind, begin, place, end)
        if after == place:
            place += 1
            continue
        length, crc = _read(signs, table, codes, place, after, word)
        row = -1
        reached = at
        if after - place <= LONGEST:
            row = _find(slots, ends, letters, word, length, crc)
            if row < 0 and pieces:
                reached = _spell(slots, ends, letters, table, word, length, piece, out, at)
        if reached == at:
            out[at] = row if row >= 0 else len(ends) - 1 + crc % np.uint32(buckets)
            reached = at + 1
        at = reached
        place = after
    return at


@_compile
def _find_rows(
    slots, ends, letters, pieces, buckets, signs, table, codes, begins, out, counts, word, piece
):
    for i in range(len(begins) - 1):
        begin, end = begins[i], begins[i + 1]
        for marks in (False, True):  # where there is no word, marks stand for themselves
            at = _walk(
                slots, ends, letters, pieces, buckets, signs, table,
                codes, begin, end, word, piece, out, marks,
            )  # fmt: skip
            if at != begin:
                break
        counts[i] = at - begin if at >= 0 else -1


def find_rows(
    index: Index,
    codes: NDArray[np.uint32],
    begins: NDArray[np.int64],
    out: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> None:
    """Rows of the words of each sentence.

    Args:
        index: of the vocabulary.
        codes: (characters,), all sentences end to end.
        begins: (n + 1,), where each sentence begins and ends in ``codes``.
        out: (characters,); the rows of sentence i are written from ``begins[i]`` on.
        counts: (n,); how many rows were written, or -1 for a sentence that the
            plain tokenizer must read.
    """
    word, piece = np.empty((2, len(_MARK) + _ROOM + 8), np.uint8)
    _find_rows(*index, codes, begins, out, counts, word, piece)


@_compile
def _average_rows(rows, scale, ids, begins, counts, out):
    dim = rows.shape[1]
    for i in range(len(counts)):
        count = counts[i]
        if count == 0:
            for j in range(dim):
                out[i, j] = 0.0
            continue
        first = ids[begins[i]]
        factor = scale[first]
        for j in range(dim):
            out[i, j] = np.float32(rows[first, j]) * factor
        for place in range(begins[i] + 1, begins[i] + count):
            row = ids[place]
            factor = scale[row]
            for j in range(dim):
                out[i, j] += np.float32(rows[row, j]) * factor
        length = np.float32(count)
        for j in range(dim):
            out[i, j] /= length


def average_rows(
    rows: NDArray[np.float32] | NDArray[np.int8],
    scale: NDArray[np.float32],
    ids: NDArray[np.int32],
    begins: NDArray[np.int64],
    counts: NDArray[np.int64],
    out: NDArray[np.float32],
) -> None:
    """The mean row of each sentence, added up in the order of its words.

    Args:
        rows: (V, dim).
        scale: (V,), what each row is multiplied by.
        ids: rows of all sentences; those of sentence i are ``ids[begins[i]:][:counts[i]]``.
        begins, counts: (n,).
        out: (n, dim), overwritten; zeros for a sentence without words.
    """
    _average_rows(rows, scale, ids, begins, counts, out)
