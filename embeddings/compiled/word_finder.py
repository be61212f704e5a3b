"""Word tokenization, compiled: what :meth:`semaniacs.embeddings.tokenizers.row_numbers.WordTokenizer.ids` gives.

A sentence is folded first: its text in lower case and the kind of every byte, side by side.
The tokenizer follows the alternatives of the pattern in :mod:`semaniacs.sts.text.tokenizer` by their
numbers.
"""

# mypy: disable-error-code="assignment,misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import numpy as np

from semaniacs.embeddings.compiled.character_table import (
    ALONE,
    APOSTROPHE,
    COMMA,
    DIGIT,
    DOT,
    FIRST,
    INTRICATE,
    KIND,
    LETTER,
    LIMIT,
    SECOND,
    SPACE,
    UNDERSCORE,
    characters,
)
from semaniacs.embeddings.compiled.known_words import PAD, ZERO, look_up, words_of
from semaniacs.embeddings.compiled.native import (
    checksum,
    eight_bytes,
    inlined,
    inner,
    native,
    put,
    trailing_zeros,
)
from semaniacs.embeddings.tokenizers.row_numbers import (
    INSIDE,
    LONGEST,
    Ragged,
    Utf8Sentences,
    WordTokenizer,
)

_INSIDE = np.frombuffer(INSIDE.encode(), np.uint8).copy()
_MARK = len(_INSIDE)
_D, _E, _L, _M, _N, _R, _S, _T, _V = b"delmnrstv"
_SHARP_S, _SS = (0xC3, 0x9F), (_S, _S)  # in UTF-8 both are two bytes
_LIMIT = np.uint32(LIMIT)
_ONE, _SECOND, _ALONE = np.uint32(1), np.uint32(SECOND), np.uint32(ALONE)
_LOW = np.uint32(FIRST - 1)  # the bits of a character table's entry that hold the code point

_HIGHEST_BITS = np.uint64(0x8080808080808080)
"""One bit of each of eight bytes: set in kinds but letters and digits, and in text beyond ASCII."""


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
def _fold(signs, data, begin, end, text, kinds):
    """Write a sentence in lower case to ``text``, and the kind of each byte to ``kinds``.

    Return its length, and a number that is 0 if it surely has its one form. The length is -1 if there is
    an intricate character, a lone surrogate, or bytes that are not UTF-8.
    """
    length, before, doubt = ZERO, np.uint32(0), np.uint32(0)
    while begin < end:
        size = 8 if begin + 8 <= end and not eight_bytes(data, begin) & _HIGHEST_BITS else 1
        if data[begin] < 0x80:
            for place in range(size):
                sign = signs[data[begin + place]]
                doubt |= sign & _ALONE | before << _ONE & sign & _SECOND
                before = sign
                text[length + place] = sign
                kinds[length + place] = sign >> np.uint32(KIND)
            length += size
            begin += size
            continue
        code, begin = _decode(data, begin, end)
        sign = signs[code]
        kind = sign >> np.uint32(KIND)
        if kind == INTRICATE:
            return ZERO - 1, _ONE
        doubt |= sign & _ALONE | before << _ONE & sign & _SECOND
        before = sign
        after = put(text, length, sign & _LOW)
        while length < after:
            kinds[length] = kind
            length += 1
    for place in range(length, length + PAD):
        text[place] = 0
        kinds[place] = SPACE
    return length, doubt


@inlined
def _after_letters(kinds, place):
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
    mark = ZERO
    while begin < end:
        size = min(end - begin, words.longest - mark)
        for place in range(size):
            piece[mark + place] = text[begin + place]
        row = ZERO - 1
        while size > 0 and row < 0:
            if text[begin + size] & 0xC0 != 0x80:  # not in the middle of a character
                row = look_up(words, piece, ZERO, mark + size)
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
def _other_spelling(words, text, begin, size, piece):
    """The row of a word with ss for ß, or else with ß for ss; below 0 if it has none."""
    for old, new in ((_SHARP_S, _SS), (_SS, _SHARP_S)):
        place, found = ZERO, False
        while place < size:
            piece[place] = text[begin + place]
            if place and piece[place - 1] == old[0] and piece[place] == old[1]:
                piece[place - 1], piece[place] = new
                found = True
                if place + 1 < size:  # no letter belongs to two
                    place += 1
                    piece[place] = text[begin + place]
            place += 1
        if found:
            return look_up(words, piece, ZERO, size)
    return ZERO - 1


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
        row = _other_spelling(words, text, begin, end - begin, piece)
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
    place = ZERO
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
        row = look_up(words, text, place, after - place)
        if row < 0 or after - place > LONGEST:
            at = _append_rare(words, row, text, place, after, piece, out, at)
        else:
            out[at] = row
            at += 1
        place = after + (kinds[after] == SPACE)
    return at


@native
def _find_rows(words, signs, data, begins, ends, text, kinds, piece, ids, counts, doubts):
    at = ZERO
    for i in range(len(begins)):
        length, doubts[i] = _fold(signs, data, begins[i], ends[i], text, kinds)
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
        self.words, self.signs = words_of(tokenizer), characters()

    def __call__(self, sentences: Utf8Sentences) -> tuple[Ragged, list[int]]:
        """Return the row numbers of n sentences, and the numbers of those that may have another form.

        They are found without the interpreter's lock. The plain tokenizer reads what is not UTF-8, or has
        an intricate character, see :mod:`semaniacs.embeddings.compiled.character_table`.
        """
        data, begins, ends = sentences.data, sentences.begins, sentences.ends
        sizes = ends - begins
        # A letter may be longer in lower case.
        room = 2 * int(sizes.max(initial=0)) + PAD
        text, kinds = np.empty((2, room), np.uint8)
        piece = np.empty(max(self.words.longest, 4 * LONGEST) + PAD, np.uint8)
        ids = np.empty(2 * int(sizes.sum()), np.int32)
        counts, doubts = np.empty(len(begins), np.int64), np.empty(len(begins), np.uint32)
        found = _find_rows(
            self.words, self.signs, data, begins, ends, text, kinds, piece, ids, counts, doubts
        )
        doubtful: list[int] = np.flatnonzero(doubts).tolist()
        intricate = np.flatnonzero(counts < 0)
        offsets = np.concatenate([[0], np.cumsum(np.maximum(counts, 0))])
        simple = Ragged(ids[:found], offsets)
        if not len(intricate):
            return simple, doubtful
        plain = self.tokenizer.ids_of_many([sentences[i] for i in intricate.tolist()])
        order = np.arange(len(begins))
        order[intricate] = len(begins) + np.arange(len(intricate))
        return Ragged.joined([simple, plain]).take(order), doubtful
