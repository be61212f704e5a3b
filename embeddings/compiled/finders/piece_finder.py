"""SentencePiece tokenization, compiled.

Gives what :meth:`embeddings.tokenizers.sentencepiece.SentencePieceTokenizer.ids` gives. The
best path is found as the ``sentencepiece`` library, release 0.2.3, finds it (Kudo, 2018,
3.2; Viterbi, 1967): for every character all pieces that begin there, the shortest first;
sums in float32 from the beginning of the sentence; of equal sums the first. Paths are so
often nearly as good as each other that every rounding counts.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.finders.trie import after, build_trie
from embeddings.compiled.found_rows import FoundRows
from embeddings.compiled.kernels import find, fold, names_of, native, readable_characters, write
from embeddings.tokenizers.sentencepiece import SPACE, SentencePieceTokenizer
from embeddings.tokenizers.utf8 import Utf8Sentences

_SPACE = np.uint32(ord(SPACE))

_PENALTY = np.float32(10)
"""A character without a piece scores this much less than the worst piece, as in the library."""

_FAR = np.float32(50_000)
"""Beyond this sum a sentence is left to the library, which restarts its sums at 100,000."""


@native
def _cut(nodes, unknown, letters, length, scores, begins, rows):
    """The best path to each place: its score, where its last piece begins, and that piece's row.

    Returns False where the library may find another path; see :data:`_FAR`.
    """
    for place in range(length + 1):
        begins[place] = -1
    scores[0] = 0
    for begin in range(length):
        so_far = scores[begin]
        if abs(so_far) > _FAR:
            return False
        alone = False
        node = after(nodes, 0, letters[begin])
        end = begin + 1
        while node >= 0:
            if nodes[node].row >= 0:
                score = so_far + nodes[node].score
                if begins[end] < 0 or score > scores[end]:
                    scores[end], begins[end], rows[end] = score, begin, nodes[node].row
                alone |= end == begin + 1
            node = after(nodes, node, letters[end])
            end += 1
        if not alone:
            score = so_far + unknown
            if begins[begin + 1] < 0 or score > scores[begin + 1]:
                scores[begin + 1], begins[begin + 1], rows[begin + 1] = score, begin, -1
    return True


@native
def _turn(begins, length):
    """Reverse the links of the best path in place, from backward to forward."""
    place = length
    follows = -1
    while place >= 0:
        before = begins[place]  # -1 at the beginning
        begins[place] = follows
        follows = place
        place = before


@native
def _collect(slots, ends, spelled, buckets, text, follows, rows, length, word, out, first):
    """Write the rows of the best path to ``out``; returns how many. Adjacent unknowns are one."""
    at = first
    begin = 0
    while begin < length:
        end = follows[begin]
        row = rows[end]
        if row < 0:
            while end < length and rows[follows[end]] < 0:
                end = follows[end]
            size, crc = write(text, begin, end, word)
            row = find(slots, ends, spelled, word, size, crc)  # it may be a piece of another model
            if row < 0:
                row = len(ends) - 1 + crc % np.uint32(buckets)
        out[at] = row
        at += 1
        begin = end
    return at - first


@native
def _find_rows(
    nodes, letter_of, unknown, slots, ends, spelled, buckets, signs,
    codes, begins, stops, out, firsts, counts, text, letters, word, scores, path, rows,
):  # fmt: skip
    for i in range(len(counts)):
        length = fold(signs, codes, begins[i], stops[i], _SPACE, text)
        counts[i] = min(length, 0)
        if length > 0:
            for place in range(length):
                letters[place] = letter_of[text[place]]
            letters[length] = 0  # no piece continues with 0
            if not _cut(nodes, unknown, letters, length, scores, path, rows):
                counts[i] = -1
                continue
            _turn(path, length)
            counts[i] = _collect(
                slots, ends, spelled, buckets, text, path, rows, length, word, out, firsts[i]
            )


class PieceFinder:
    """Row numbers of the pieces of many sentences; the tables are built once.

    Args:
        tokenizer: rows of the pieces, and of what the model does not know.
        pieces: those of the model.
        scores: (pieces,) float32, see :func:`embeddings.tokenizers.unigram.log_probabilities`.
    """

    def __init__(
        self, tokenizer: SentencePieceTokenizer, pieces: Sequence[str], scores: NDArray[np.float32]
    ) -> None:
        self.trie = build_trie(pieces, [tokenizer.rows[piece] for piece in pieces], scores)
        self.unknown = scores.min() - _PENALTY
        self.names, self.buckets = names_of(tokenizer.known), tokenizer.buckets
        # The library reads the first as a space and the second as the end of the text.
        self.signs = readable_characters(intricate=SPACE + "\0")

    def __call__(self, sentences: Utf8Sentences) -> FoundRows:
        """See :class:`embeddings.compiled.found_rows.Finder`."""
        codes, begins, ends = sentences.code_points()
        count = len(begins)
        ids = np.empty(len(codes) + count, np.int32)  # the first space may be a piece
        found = FoundRows(ids, begins + np.arange(count), np.empty(count, np.int64))
        room = int((ends - begins).max(initial=0)) + 2
        text, letters = np.empty(room, np.uint32), np.empty(room, np.int32)
        word, scores = np.empty(4 * room, np.uint8), np.empty(room, np.float32)
        path, rows = np.empty((2, room), np.int32)
        _find_rows(
            *self.trie, self.unknown, *self.names, self.buckets, self.signs,
            codes, begins, ends, *found, text, letters, word, scores, path, rows,
        )  # fmt: skip
        return found
