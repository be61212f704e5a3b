"""Long texts in pieces: cut at sentence ends, joined back with the white space between."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sts.translation.translator import has_letters

Measure = Callable[[str], int]
"""The size of a text as an engine counts it; not less than that of a part of the text."""

_SENTENCE_END = re.compile(
    r"""[.!?…。]+ ["'”’»)\]]* (?=\s)  # a full stop, its closing quotes, and then white space
      | \S (?=\s*\n)                  # or the last character of a line
    """,
    re.VERBOSE,
)
_WORD_END = re.compile(r"\S(?=\s)")


def utf8_bytes(text: str) -> int:
    """The size for engines that count bytes; a lone surrogate counts as it is sent, as one."""
    return len(text.encode("utf-8", "replace"))


@dataclass(frozen=True)
class Cut:
    """A text in pieces.

    Attributes:
        pieces: none is empty or begins or ends in white space.
        gaps: the white space before, between and after them; one more than pieces.
    """

    pieces: tuple[str, ...]
    gaps: tuple[str, ...]

    def joined(self, pieces: Sequence[str]) -> str:
        """``pieces`` in the place of the own ones; the own ones give the text back."""
        return self.gaps[0] + "".join(
            piece + gap for piece, gap in zip(pieces, self.gaps[1:], strict=True)
        )


def cut(text: str, limit: int, measure: Measure = len) -> Cut:
    """``text`` in as few pieces of at most ``limit`` as whole sentences allow.

    A sentence that is too long is cut between words, and a word that is too
    long inside, but not before a mark that belongs to the letter before it.

    Args:
        text: of any length.
        limit: the size of a piece at most, from 4: one character may have 4 bytes.
        measure: the size of a text.
    """
    pieces: list[str] = []
    gaps = [""]
    rest = text
    while rest:
        head = rest[: _end_of_head(rest, limit, measure)]
        before, piece, after = _parts(head)
        if piece:
            gaps[-1] += before
            pieces.append(piece)
            gaps.append(after)
        else:
            gaps[-1] += head
        rest = rest[len(head) :]
    return Cut(tuple(pieces), tuple(gaps))


def _parts(text: str) -> tuple[str, str, str]:
    """White space, what is between, white space."""
    piece = text.strip()
    start = len(text) - len(text.lstrip())
    return text[:start], piece, text[start + len(piece) :]


def _end_of_head(text: str, limit: int, measure: Measure) -> int:
    """Where to cut off a head whose piece is within the limit; from 1."""
    before, piece, _ = _parts(text)
    if measure(piece) <= limit:
        return len(text)
    start = len(before)
    most = start + _longest(piece, limit, measure)
    for boundary in (_SENTENCE_END, _WORD_END):
        ends = [match.end() for match in boundary.finditer(text, start, most + 1)]
        inside = [end for end in ends if end <= most]
        if inside:
            return inside[-1]
    return _before_marks(text, start, most)


def _longest(text: str, limit: int, measure: Measure) -> int:
    """How many characters of ``text`` are within the limit; found by halving, from 1."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if measure(text[:middle]) <= limit else (low, middle - 1)
    return low


def _before_marks(text: str, start: int, end: int) -> int:
    """``end``, or earlier if a combining mark stands there and there is a letter to go back to."""
    for place in range(end, start, -1):
        if not unicodedata.combining(text[place]):
            return place
    return end


_BLANKED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""The control characters, and the two separators that some servers take for a newline."""


def cleaned(text: str) -> str:
    """``text`` as it is sent: each control character is a space, a lone surrogate is ``?``.

    A newline too: engines take it for the end of a sentence or lose it, and
    Apertium is sent a space as well.
    """
    return _BLANKED.sub(" ", text).encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class Load:
    """What one request takes.

    Attributes:
        texts: how many of them at most.
        size: their size together at most.
        measure: how the size is counted.
    """

    texts: int
    size: int
    measure: Measure = len


def translate_in_pieces(
    texts: Sequence[str], load: Load, send: Callable[[list[str]], Iterable[str]]
) -> Iterator[str]:
    """One translation for each text, in order, each as soon as it is there.

    What holds no letter is passed through. White space around a text, and
    between the pieces of a long one, stays as it was.

    Args:
        texts: to translate.
        load: what one request takes.
        send: pieces, at least one, to as many translations. It may give them one by
            one: those before an error still count.
    """
    cuts = [cut(text, load.size, load.measure) for text in texts]
    for group in _groups(cuts, load):
        answers = _answers([p for c in group for p in c.pieces if has_letters(p)], load, send)
        for part in group:
            yield part.joined(
                [next(answers).strip() if has_letters(piece) else piece for piece in part.pieces]
            )


def _groups(cuts: Sequence[Cut], load: Load) -> Iterator[list[Cut]]:
    """Neighbouring texts that go into one request; a text too long for one is alone."""
    group: list[Cut] = []
    for part in cuts:
        if group and not _fits([p for c in [*group, part] for p in c.pieces], load):
            yield group
            group = []
        group.append(part)
    if group:
        yield group


def _fits(pieces: Sequence[str], load: Load) -> bool:
    return len(pieces) <= load.texts and sum(map(load.measure, pieces)) <= load.size


def _answers(
    pieces: list[str], load: Load, send: Callable[[list[str]], Iterable[str]]
) -> Iterator[str]:
    if pieces and _fits(pieces, load):
        yield from send(list(map(cleaned, pieces)))
    else:
        for piece in pieces:
            yield from send([cleaned(piece)])
