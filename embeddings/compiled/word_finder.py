"""Word tokenization, compiled: what :meth:`embeddings.tokenizers.words.WordTokenizer.ids` gives.

The tokenizer here follows the alternatives of the pattern in :mod:`sts.text.tokenizer` by
their numbers. It reads each sentence once; every word is hashed while it is read, and
CRC-32 serves both the look-up and the hashed rows of unknown words.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.character_table import (
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
from embeddings.compiled.found_rows import FoundRows
from embeddings.compiled.kernels import ALL, LOW, find, names_of, native, put, step
from embeddings.tokenizers.words import INSIDE, LONGEST, WordTokenizer

_MARK = np.frombuffer(INSIDE.encode(), np.uint8).copy()
_ROOM = 4 * LONGEST
"""Bytes of the longest word that is looked up."""

_LIMIT = np.uint32(LIMIT)
_BLANK = np.uint32(SPACE << KIND)


@native
def _sign(signs, codes, place, end):
    """Entry of the character at ``place``; past the end, that of a blank."""
    return signs[min(codes[place], _LIMIT)] if place < end else _BLANK


@native
def _kind(signs, codes, place, end):
    return _sign(signs, codes, place, end) >> np.uint32(KIND)


@native
def _is(codes, place, end, letter):
    """Whether an ASCII letter, in either case, stands at ``place``."""
    return place < end and (codes[place] | np.uint32(0x20)) == letter


@native
def _ends_word(signs, codes, place, end):
    """Whether no letter, digit or underscore stands at ``place``: the pattern's \\b after one."""
    return _kind(signs, codes, place, end) > UNDERSCORE


@native
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


@native
def _after_abbreviation(signs, codes, place, end):
    """Alternative 2: the end of two or more letters with dots, or ``place``."""
    at = place
    while _kind(signs, codes, at, end) == LETTER and _kind(signs, codes, at + 1, end) == DOT:
        at += 2
    return at if at - place >= 4 else place


@native
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


@native
def _negates(signs, codes, place, end):
    """Whether n't stands at ``place`` and a word ends after it."""
    return (
        _kind(signs, codes, place + 1, end) == APOSTROPHE
        and _is(codes, place, end, ord("n"))
        and _is(codes, place + 2, end, ord("t"))
        and _ends_word(signs, codes, place + 3, end)
    )


@native
def _read(signs, codes, begin, end, word):
    """Write ``codes[begin:end]`` in lower case to ``word``; returns its bytes and CRC-32."""
    crc = ALL
    length = 0
    for place in range(begin, end):
        code = signs[codes[place]] & LOW
        if code < 0x80:
            word[length] = code
            crc = step(crc, code)
            length += 1
        else:
            after = put(word, length, code)
            for byte in range(length, after):
                crc = step(crc, np.uint32(word[byte]))
            length = after
        length = min(length, _ROOM)  # longer words are not looked up: only their hash matters
    return length, crc ^ ALL


@native
def _spell(slots, ends, letters, word, length, piece, out, at):
    """Append the longest pieces of a word to ``out``; returns ``at`` if it cannot be spelled."""
    begin = 0
    to = at
    while begin < length:
        crc = ALL
        size = 0
        if begin:
            for byte in _MARK:
                piece[size] = byte
                crc = step(crc, np.uint32(byte))
                size += 1
        found = -1
        found_end = begin
        for place in range(begin, length):
            piece[size] = word[place]
            crc = step(crc, np.uint32(word[place]))
            size += 1
            if place + 1 < length and word[place + 1] & 0xC0 == 0x80:
                continue  # in the middle of a character
            row = find(slots, ends, letters, piece, size, crc ^ ALL)
            if row >= 0:
                found = row
                found_end = place + 1
        if found < 0:
            return at
        out[to] = found
        to += 1
        begin = found_end
    return to


@native
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


@native
def _walk(slots, ends, letters, pieces, buckets, signs, codes, begin, end, word, piece, out, marks):
    """Write the rows of a sentence's words to ``out`` from ``begin`` on; returns where they end.

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
        length, crc = _read(signs, codes, place, after, word)
        row = -1
        reached = at
        if after - place <= LONGEST:
            row = find(slots, ends, letters, word, length, crc)
            if row < 0 and pieces:
                reached = _spell(slots, ends, letters, word, length, piece, out, at)
        if reached == at:
            out[at] = row if row >= 0 else len(ends) - 1 + crc % np.uint32(buckets)
            reached = at + 1
        at = reached
        place = after
    return at


@native
def _find_rows(
    slots, ends, letters, pieces, buckets, signs, codes, begins, out, counts, word, piece
):
    for i in range(len(begins) - 1):
        begin, end = begins[i], begins[i + 1]
        for marks in (False, True):  # in a sentence without words every mark is a word
            at = _walk(
                slots, ends, letters, pieces, buckets, signs,
                codes, begin, end, word, piece, out, marks,
            )  # fmt: skip
            if at != begin:
                break
        counts[i] = at - begin if at >= 0 else -1


class WordFinder:
    """Row numbers of the words of many sentences; the tables are built once."""

    def __init__(self, tokenizer: WordTokenizer) -> None:
        self.names = names_of(tokenizer.known)
        self.has_pieces, self.buckets = tokenizer.has_pieces, tokenizer.buckets
        self.signs = characters()

    def __call__(self, codes: NDArray[np.uint32], begins: NDArray[np.int64]) -> FoundRows:
        """See :class:`embeddings.compiled.found_rows.Finder`."""
        found = FoundRows.room_for(codes, begins)
        word, piece = np.empty((2, len(_MARK) + _ROOM + 8), np.uint8)
        _find_rows(
            *self.names, self.has_pieces, self.buckets, self.signs,
            codes, begins, found.ids, found.counts, word, piece,
        )  # fmt: skip
        return found
