"""The fast path, compiled: characters to rows, and rows to means.

:func:`find_rows` is the twin of :meth:`embeddings.vocabulary.Vocabulary.ids` and
:func:`average_rows` that of the plain mean in :mod:`embeddings.encoders`; tests
hold both to the very same numbers. Each runs without the interpreter's lock, so
that threads share the work.

The tokenizer here follows the alternatives of the pattern in :mod:`sts.text` by
their numbers. It walks each sentence once; every word is hashed while it is
walked, and CRC-32 serves both the look-up and the hashed rows of unknown words.
"""

# mypy: disable-error-code="misc,untyped-decorator"

from __future__ import annotations

import zlib
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from embeddings.characters import (
    APOSTROPHE,
    COMMA,
    DIGIT,
    DOT,
    INTRICATE,
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


class Index(NamedTuple):
    """A vocabulary as arrays: an open-addressing hash table over its words.

    Attributes:
        slots: (2^k,) int32, row or -1; a word lies at its CRC-32 or the next free slot.
        hashes: (V,) uint32, the CRC-32 of each word.
        ends: (V + 1,) int32, where each word begins and ends in ``letters``.
        letters: UTF-8 of all words, end to end.
        pieces: whether unknown words are spelled.
        buckets: how many hashed rows follow the known ones.
        kind, lower: see :class:`embeddings.characters.Characters`.
        crc: (256,) uint32, the table of CRC-32.
    """

    slots: NDArray[np.int32]
    hashes: NDArray[np.uint32]
    ends: NDArray[np.int32]
    letters: NDArray[np.uint8]
    pieces: bool
    buckets: int
    kind: NDArray[np.uint8]
    lower: NDArray[np.uint32]
    crc: NDArray[np.uint32]


def build_index(vocabulary: Vocabulary) -> Index:
    """The arrays of a vocabulary."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in vocabulary.known]
    hashes = np.array([zlib.crc32(word) for word in encoded], np.uint32)
    lengths = np.array([len(word) for word in encoded], np.int64)
    size = 1 << max(4, (4 * len(encoded) - 1).bit_length())
    return Index(
        _fill_slots(hashes, size),
        hashes,
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        np.frombuffer(b"".join(encoded), np.uint8).copy(),
        vocabulary.spells,
        vocabulary.buckets,
        *characters(),
        np.array([_crc_of(byte) for byte in range(256)], np.uint32),
    )


def _crc_of(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (0xEDB88320 if byte & 1 else 0)
    return byte


def _compile(function):  # type: ignore[no-untyped-def]
    return numba.njit(nogil=True, cache=True, boundscheck=False)(function)


@_compile
def _fill_slots(hashes, size):  # type: ignore[no-untyped-def]
    slots = np.full(size, -1, np.int32)
    for row in range(len(hashes)):
        slot = hashes[row] & (size - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = row
    return slots


@_compile
def _find(index, word, length, crc):  # type: ignore[no-untyped-def]
    """Row of the word in ``word[:length]`` whose CRC-32 is ``crc``, or -1."""
    last = len(index.slots) - 1
    slot = crc & last
    while True:
        row = index.slots[slot]
        if row < 0:
            return row
        if index.hashes[row] == crc:
            begin = index.ends[row]
            if index.ends[row + 1] - begin == length:
                same = 0
                while same < length and index.letters[begin + same] == word[same]:
                    same += 1
                if same == length:
                    return row
        slot = (slot + 1) & last


@_compile
def _step(table, crc, byte):  # type: ignore[no-untyped-def]
    return table[(crc ^ byte) & np.uint32(255)] ^ (crc >> np.uint32(8))


@_compile
def _put(word, at, code):  # type: ignore[no-untyped-def]
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


@_compile
def _add_word(index, codes, begin, end, word, out, at):  # type: ignore[no-untyped-def]
    """Append the rows of the word ``codes[begin:end]`` to ``out`` at ``at``; returns its end."""
    one = np.uint32(0xFFFFFFFF)
    crc = one
    length = 0
    for place in range(begin, end):
        code = index.lower[codes[place]]
        if code < 0x80:
            word[length] = code
            crc = _step(index.crc, crc, np.uint32(code))
            length += 1
        else:
            after = _put(word, length, code)
            for byte in range(length, after):
                crc = _step(index.crc, crc, np.uint32(word[byte]))
            length = after
        length = min(length, _ROOM)  # longer than any word that is looked up: only the hash goes on
    crc ^= one
    if end - begin <= LONGEST:
        row = _find(index, word, length, crc)
        if row >= 0:
            out[at] = row
            return at + 1
        if index.pieces:
            after = _spell(index, word, length, out, at)
            if after > at:
                return after
    out[at] = len(index.hashes) + crc % np.uint32(index.buckets)
    return at + 1


@_compile
def _spell(index, word, length, out, at):  # type: ignore[no-untyped-def]
    """Append the longest pieces of a word to ``out``; returns ``at`` if it cannot be spelled."""
    one = np.uint32(0xFFFFFFFF)
    piece = np.empty(len(_MARK) + _ROOM, np.uint8)
    begin = 0
    to = at
    while begin < length:
        crc = one
        size = 0
        if begin:
            for byte in _MARK:
                piece[size] = byte
                crc = _step(index.crc, crc, np.uint32(byte))
                size += 1
        found = -1
        found_end = begin
        for place in range(begin, length):
            piece[size] = word[place]
            crc = _step(index.crc, crc, np.uint32(word[place]))
            size += 1
            if place + 1 < length and word[place + 1] & 0xC0 == 0x80:
                continue  # in the middle of a character
            row = _find(index, piece, size, crc ^ one)
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
def _is_word_part(kind):  # type: ignore[no-untyped-def]
    return kind == LETTER or kind == DIGIT


@_compile
def _is(codes, place, end, letter):  # type: ignore[no-untyped-def]
    """Whether an ASCII letter, in either case, stands at ``place``."""
    return place < end and (codes[place] | np.uint32(0x20)) == letter


@_compile
def _ends_word(index, codes, place, end):  # type: ignore[no-untyped-def]
    """Whether no letter, digit or underscore stands at ``place`` (the pattern's \\b after one)."""
    if place >= end:
        return True
    kind = index.kind[codes[place]]
    return not (kind == LETTER or kind == DIGIT or kind == UNDERSCORE)


@_compile
def _after_number(index, codes, place, end):  # type: ignore[no-untyped-def]
    """Alternative 1: the end of a number with marks that begins at ``place``, or ``place``."""
    at = place
    while at < end and index.kind[codes[at]] == DIGIT:
        at += 1
    marked = place
    while at + 1 < end:
        mark = index.kind[codes[at]]
        if (mark != DOT and mark != COMMA) or index.kind[codes[at + 1]] != DIGIT:
            break
        at += 1
        while at < end and index.kind[codes[at]] == DIGIT:
            at += 1
        marked = at
    return marked


@_compile
def _after_abbreviation(index, codes, place, end):  # type: ignore[no-untyped-def]
    """Alternative 2: the end of two or more letters with dots, or ``place``."""
    at = place
    while at + 1 < end and index.kind[codes[at]] == LETTER and index.kind[codes[at + 1]] == DOT:
        at += 2
    return at if at - place >= 4 else place


@_compile
def _after_clitic(index, codes, place, end):  # type: ignore[no-untyped-def]
    """Alternative 6: the end of 's, 're, 've, 'll, 'd or 'm, or ``place``."""
    first = place + 1
    for letter in (ord("s"), ord("d"), ord("m")):
        if _is(codes, first, end, letter) and _ends_word(index, codes, first + 1, end):
            return first + 1
    for one, two in ((ord("r"), ord("e")), (ord("v"), ord("e")), (ord("l"), ord("l"))):
        if (
            _is(codes, first, end, one)
            and _is(codes, first + 1, end, two)
            and _ends_word(index, codes, first + 2, end)
        ):
            return first + 2
    return place


@_compile
def _negates(index, codes, place, end):  # type: ignore[no-untyped-def]
    """Whether n't stands at ``place`` and a word ends after it."""
    return (
        place + 2 < end
        and _is(codes, place, end, ord("n"))
        and index.kind[codes[place + 1]] == APOSTROPHE
        and _is(codes, place + 2, end, ord("t"))
        and _ends_word(index, codes, place + 3, end)
    )


@_compile
def _walk(index, codes, begin, end, word, out, at):  # type: ignore[no-untyped-def]
    """Append the rows of the words of one sentence; returns where they end."""
    kinds = index.kind
    place = begin
    while place < end:
        kind = kinds[codes[place]]
        after = place
        if kind == DIGIT:
            after = _after_number(index, codes, place, end)
        elif kind == LETTER and (place == begin or not _is_word_part(kinds[codes[place - 1]])):
            after = _after_abbreviation(index, codes, place, end)
        elif kind == APOSTROPHE:
            after = _after_clitic(index, codes, place, end)
        if after == place and (kind == LETTER or kind == DIGIT):
            while after < end and _is_word_part(kinds[codes[after]]):
                after += 1
            if _negates(index, codes, after - 1, end):
                # Alternatives 4 and 5: do|n't; alone, n't is one word.
                after = after - 1 if after - 1 > place else after + 2
        if after > place:
            at = _add_word(index, codes, place, after, word, out, at)
            place = after
        else:
            place += 1
    return at


@_compile
def find_rows(index, codes, begins, out, counts):  # type: ignore[no-untyped-def]
    """Rows of the words of each sentence.

    Args:
        index: of the vocabulary.
        codes: (characters,) uint32, all sentences end to end.
        begins: (n + 1,) int64, where each sentence begins and ends in ``codes``.
        out: (characters,) int32; the rows of sentence i are written from ``begins[i]`` on.
        counts: (n,) int64; how many rows were written, or -1 for a sentence
            that the plain tokenizer must read.
    """
    word = np.empty(_ROOM + 8, np.uint8)
    for i in range(len(begins) - 1):
        begin, end = begins[i], begins[i + 1]
        intricate = False
        blank = True
        for place in range(begin, end):
            code = codes[place]
            kind = INTRICATE if code >= LIMIT else index.kind[code]
            if kind == INTRICATE:
                intricate = True
                break
            blank &= kind == SPACE
        if intricate:
            counts[i] = -1
            continue
        at = _walk(index, codes, begin, end, word, out, begin)
        if at == begin and not blank:  # no word: marks and symbols stand for themselves
            for place in range(begin, end):
                if index.kind[codes[place]] != SPACE:
                    at = _add_word(index, codes, place, place + 1, word, out, at)
        counts[i] = at - begin


@_compile
def average_rows(rows, scale, ids, begins, counts, out):  # type: ignore[no-untyped-def]
    """The mean row of each sentence, added up in the order of its words.

    Args:
        rows: (V, dim) float32 or int8.
        scale: (V,) float32, what each row is multiplied by.
        ids: rows of all sentences; those of sentence i are ``ids[begins[i]:][:counts[i]]``.
        out: (n, dim) float32, overwritten; zeros for a sentence without words.
    """
    dim = rows.shape[1]
    total = np.empty(dim, np.float32)
    for i in range(len(counts)):
        count = counts[i]
        if count == 0:
            out[i] = 0.0
            continue
        first = ids[begins[i]]
        factor = scale[first]
        for j in range(dim):
            total[j] = np.float32(rows[first, j]) * factor
        for place in range(begins[i] + 1, begins[i] + count):
            row = ids[place]
            factor = scale[row]
            for j in range(dim):
                total[j] += np.float32(rows[row, j]) * factor
        length = np.float32(count)
        for j in range(dim):
            out[i, j] = total[j] / length
