"""Word tokenization, compiled: what :meth:`embeddings.tokenizers.words.WordTokenizer.ids` gives.

A sentence is folded first: its text in lower case and the kind of every byte, side by side.
The tokenizer follows the alternatives of the pattern in :mod:`sts.text.tokenizer` by their
numbers. A word of up to 16 bytes is its own key in a hash table, where comparing two numbers
finds it.
"""

# mypy: disable-error-code="assignment,misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

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
    OTHER,
    SPACE,
    UNDERSCORE,
    characters,
)
from embeddings.compiled.native import (
    checksum,
    eight_bytes,
    inlined,
    inner,
    native,
    put,
    trailing_zeros,
)
from embeddings.tokenizers.ragged import Ragged
from embeddings.tokenizers.utf8 import Utf8Sentences
from embeddings.tokenizers.words import INSIDE, LONGEST, WordTokenizer

_KEY = 16
"""Bytes of the longest word that is its own key."""

_PAD = 16
"""Bytes that may be read past the end of a text."""

_INSIDE = np.frombuffer(INSIDE.encode(), np.uint8).copy()
_MARK = len(_INSIDE)
_D, _E, _L, _M, _N, _R, _S, _T, _V = b"delmnrstv"
_LIMIT = np.uint32(LIMIT)
_LOW = np.uint32((1 << KIND) - 1)
"""The bits of a character table's entry that hold the code point."""

_ZERO = np.int64(0)
"""Not 0: Numba would compile a function that is called with a literal once more for it."""

_HIGHEST_BITS = np.uint64(0x8080808080808080)
"""The bit of each of eight kinds that is set for all but letters and digits."""

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


def _words_of(tokenizer: WordTokenizer) -> Words:
    encoded = [word.encode("utf-8", "surrogatepass") for word in tokenizer.known]
    offsets = np.cumsum([0, *map(len, encoded)])
    # Writable, as the text of a sentence is: Numba would compile _key once more for other arrays.
    letters = np.frombuffer(bytearray(b"".join(encoded) + bytes(_PAD)), np.uint8)
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
def _look_up(words, text, begin, size):
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
    return _ZERO - 1


@inner
def _is_at(letters, offset, text, begin, size):
    for place in range(size):
        if letters[offset + place] != text[begin + place]:
            return False
    return True


@inner
def _decode(data, begin, end):
    """The code point of several bytes that begins at ``begin``, and where it ends.

    The code point is LIMIT where it is not UTF-8.
    """
    code = np.uint32(data[begin])
    size = 2 + (code >= 0xE0) + (code >= 0xF0)
    if code < 0xC2 or begin + size > end:
        return _LIMIT, end
    code &= np.uint32(0x7F >> size)
    for place in range(begin + 1, begin + size):
        if data[place] & 0xC0 != 0x80:
            return _LIMIT, end
        code = code << np.uint32(6) | np.uint32(data[place] & 0x3F)
    if code < (0x80, 0x800, 0x10000)[size - 2] or 0xD800 <= code < 0xE000:
        return _LIMIT, end
    return min(code, _LIMIT), begin + size


@inner
def _fold_ascii(data, begin, end, text, kinds):
    """Write a sentence of ASCII as :func:`_fold` does.

    The compiler vectorizes the loop, because it has no branch, and its places are unsigned: Numba
    would ask of each signed one whether it counts from the end.
    """
    begin = np.uint64(begin)
    for place in range(np.uint64(end) - begin):
        code = data[begin + place]
        capital = (code >= 65) & (code <= 90)
        letter = capital | ((code >= 97) & (code <= 122))
        blank = (code == 32) | ((code >= 9) & (code <= 13)) | ((code >= 28) & (code <= 31))
        kind = SPACE if blank else OTHER
        kind = UNDERSCORE if code == 95 else kind
        kind = APOSTROPHE if (code == 39) | (code == 96) else kind
        kind = DOT if code == 46 else kind
        kind = COMMA if code == 44 else kind
        kind = DIGIT if (code >= 48) & (code <= 57) else kind
        kinds[place] = LETTER if letter else kind
        folded = code | 32 if capital else code
        text[place] = 39 if code == 96 else folded


@inner
def _is_ascii(data, begin, end):
    bits = np.uint8(0)
    for place in range(np.uint64(begin), np.uint64(end)):
        bits = np.uint8(bits | data[place])
    return bits < 0x80


@inner
def _fold(signs, data, begin, end, text, kinds):
    """Write a sentence in lower case to ``text``, and the kind of each byte to ``kinds``.

    Return its length; -1 for one with an intricate character, a lone surrogate, or bytes that are
    not UTF-8.
    """
    length = _ZERO
    if _is_ascii(data, begin, end):
        _fold_ascii(data, begin, end, text, kinds)
        length += end - begin
        begin = end
    while begin < end:
        if data[begin] < 0x80:
            sign = signs[data[begin]]
            text[length] = sign
            kinds[length] = sign >> np.uint32(KIND)
            length += 1
            begin += 1
            continue
        code, begin = _decode(data, begin, end)
        sign = signs[code]
        kind = sign >> np.uint32(KIND)
        if kind == INTRICATE:
            return -1
        after = put(text, length, sign & _LOW)
        while length < after:
            kinds[length] = kind
            length += 1
    for place in range(length, length + _PAD):
        text[place] = 0
        kinds[place] = SPACE
    return length


@inlined
def _after_letters(kinds, place):
    """Return where the letters and digits end that begin at ``place``."""
    while True:
        others = eight_bytes(kinds, place) & _HIGHEST_BITS
        if others:
            return place + np.int64(trailing_zeros(others) >> np.uint64(3))
        place += 8


@inlined
def _after_character(text, place):
    place += 1
    while text[place] & 0xC0 == 0x80:
        place += 1
    return place


@inner
def _after_number(kinds, place):
    """Alternative 1: the end of a number with marks that begins at ``place``, or ``place``."""
    marked = at = place
    while kinds[at] == DIGIT:
        at += 1
    while (kinds[at] == DOT or kinds[at] == COMMA) and kinds[at + 1] == DIGIT:
        at += 1
        while kinds[at] == DIGIT:
            at += 1
        marked = at
    return marked


@inner
def _after_abbreviation(text, kinds, place):
    """Alternative 2: the end of two or more letters with dots, or ``place``."""
    at = place
    letters = 0
    while kinds[at] == LETTER:
        dot = _after_character(text, at)
        if kinds[dot] != DOT:
            break
        at = dot + 1
        letters += 1
    return at if letters >= 2 else place


@inner
def _after_clitic(text, kinds, place):
    """Alternative 6: the end of 's, 're, 've, 'll, 'd or 'm, or ``place``."""
    one, two = text[place + 1], text[place + 2]
    if (one == _S or one == _D or one == _M) and kinds[place + 2] > UNDERSCORE:
        return place + 2
    of_two = two == _E if one == _R or one == _V else one == two == _L
    return place + 3 if of_two and kinds[place + 3] > UNDERSCORE else place


@inner
def _after_marked(text, kinds, place, after):
    """The end of the word at ``place``, whose letters an apostrophe, dot or comma follows."""
    special = place
    if kinds[place] == APOSTROPHE:
        return _after_clitic(text, kinds, place)
    if kinds[after] == APOSTROPHE:
        negates = text[after - 1] == _N and text[after + 1] == _T
        if negates and kinds[after + 2] > UNDERSCORE:
            # Alternatives 4 and 5: do|n't; alone, n't is one word.
            special = after - 1 if after - 1 > place else after + 2
    elif kinds[place] == DIGIT:
        special = _after_number(kinds, place)
    elif place == 0 or kinds[place - 1] > DIGIT:
        special = _after_abbreviation(text, kinds, place)
    return special if special > place else after


@inner
def _spell(words, text, begin, end, piece, out, at):
    """Append the longest pieces of a word to ``out``; returns ``at`` if it cannot be spelled."""
    to = at
    mark = _ZERO
    while begin < end:
        size = min(end - begin, words.longest - mark)
        for place in range(size):
            piece[mark + place] = text[begin + place]
        row = _ZERO - 1
        while size > 0 and row < 0:
            if text[begin + size] & 0xC0 != 0x80:  # not in the middle of a character
                row = _look_up(words, piece, _ZERO, mark + size)
            size -= 1
        if row < 0:
            return at
        out[to] = row
        to += 1
        begin += size + 1
        mark = _MARK
        for place in range(_MARK):
            piece[place] = _INSIDE[place]
    return to


@inner
def _append_rare(words, row, text, begin, end, piece, out, at):
    """Append the rows of a word to ``out`` that is unknown or very long; returns where they end."""
    characters = 0
    for place in range(begin, end):
        characters += text[place] & 0xC0 != 0x80
    if characters <= LONGEST:
        if row >= 0:
            out[at] = row
            return at + 1
        spelled = _spell(words, text, begin, end, piece, out, at) if words.longest else at
        if spelled > at:
            return spelled
    out[at] = len(words.offsets) - 1 + checksum(text, begin, end) % np.uint32(words.buckets)
    return at + 1


@inner
def _walk(words, text, kinds, length, marks, piece, out, at):
    """Write the rows of a sentence's words to ``out`` from ``at`` on; returns where they end.

    With ``marks`` every character but a blank is a word of its own.
    """
    place = _ZERO
    while place < length:
        if kinds[place] == SPACE:
            place += 1
            continue
        after = _after_letters(kinds, place)
        if marks:
            after = _after_character(text, place)
        elif APOSTROPHE <= kinds[after] <= COMMA:
            after = _after_marked(text, kinds, place, after)
        if after == place:
            place += 1
            continue
        row = _look_up(words, text, place, after - place)
        if row < 0 or after - place > LONGEST:
            at = _append_rare(words, row, text, place, after, piece, out, at)
        else:
            out[at] = row
            at += 1
        place = after + (kinds[after] == SPACE)
    return at


@native
def _find_rows(words, signs, data, begins, ends, text, kinds, piece, ids, counts):
    at = _ZERO
    for i in range(len(begins)):
        length = _fold(signs, data, begins[i], ends[i], text, kinds)
        first = at
        for marks in (False, True):  # in a sentence without words every mark is a word
            if at == first:
                at = _walk(words, text, kinds, length, marks, piece, ids, at)
        counts[i] = at - first if length >= 0 else -1
    return at


class WordFinder:
    """Row numbers of the words of many sentences; the tables are built once."""

    def __init__(self, tokenizer: WordTokenizer) -> None:
        self.tokenizer = tokenizer
        self.words, self.signs = _words_of(tokenizer), characters()

    def __call__(self, sentences: Utf8Sentences) -> Ragged:
        """Return the row numbers of n sentences, found without the interpreter's lock.

        The plain tokenizer reads sentences with an intricate character, see
        :mod:`embeddings.compiled.character_table`, and sentences that are not UTF-8.
        """
        data, begins, ends = sentences.data, sentences.begins, sentences.ends
        sizes = ends - begins
        # A letter may be longer in lower case.
        room = 2 * int(sizes.max(initial=0)) + _PAD
        text, kinds = np.empty((2, room), np.uint8)
        piece = np.empty(self.words.longest + _PAD, np.uint8)
        ids = np.empty(2 * int(sizes.sum()), np.int32)
        counts = np.empty(len(begins), np.int64)
        found = _find_rows(
            self.words, self.signs, data, begins, ends, text, kinds, piece, ids, counts
        )
        intricate = np.flatnonzero(counts < 0)
        offsets = np.concatenate([[0], np.cumsum(np.maximum(counts, 0))])
        simple = Ragged(ids[:found], offsets)
        if not len(intricate):
            return simple
        plain = self.tokenizer.ids_of_many([sentences[i] for i in intricate.tolist()])
        order = np.arange(len(begins))
        order[intricate] = len(begins) + np.arange(len(intricate))
        return Ragged.joined([simple, plain]).take(order)
