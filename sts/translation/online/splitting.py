"""Long texts are cut at the ends of sentences, translated in pieces and joined again."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sts.translation.translator import has_letters

_SENTENCE_END = re.compile(
    r"""[.!?…。]+ ["'”’»)\]]* (?=\s)  # a full stop, its closing quotes, and then white space
      | \S (?=\s*\n)                  # or the last character of a line
    """,
    re.VERBOSE,
)
_WORD_END = re.compile(r"\S(?=\s)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""The control characters, and the two separators that some servers take for a newline."""


@dataclass(frozen=True)
class Load:
    """How much one request may hold.

    Attributes:
        texts: number of texts.
        size: their total number of characters.
    """

    texts: int
    size: int

    def fits(self, texts: Sequence[str]) -> bool:
        """Whether one request may hold all of ``texts``."""
        return len(texts) <= self.texts and sum(map(len, texts)) <= self.size


@dataclass(frozen=True)
class Cut:
    """A text in pieces.

    Attributes:
        pieces: not empty, without white space around them.
        gaps: the white space before, between and after the pieces; one more than pieces.
    """

    pieces: tuple[str, ...]
    gaps: tuple[str, ...]

    def joined(self, pieces: Sequence[str]) -> str:
        """The text with ``pieces`` in place of its own."""
        pairs = zip(pieces, self.gaps[1:], strict=True)
        return self.gaps[0] + "".join(piece + gap for piece, gap in pairs)


def cut(text: str, limit: int) -> Cut:
    """``text`` in as few pieces of at most ``limit`` characters as whole sentences allow.

    A sentence that is too long is cut between words. A word that is too long is cut inside,
    but not between a letter and its combining marks.
    """
    pieces: list[str] = []
    gaps: list[str] = []
    while True:
        body = text.lstrip()
        gaps.append(text[: len(text) - len(body)])
        if not body:
            return Cut(tuple(pieces), tuple(gaps))
        length = _piece_length(body.rstrip(), limit)
        pieces.append(body[:length])
        text = body[length:]


def _piece_length(text: str, limit: int) -> int:
    """How many characters of ``text`` the first piece takes; at least 1."""
    if len(text) <= limit:
        return len(text)
    for boundary in (_SENTENCE_END, _WORD_END):
        ends = [found.end() for found in boundary.finditer(text, 0, limit + 1)]
        if inside := [end for end in ends if end <= limit]:
            return inside[-1]
    return next((n for n in range(limit, 0, -1) if not unicodedata.combining(text[n])), limit)


def cleaned(text: str) -> str:
    """``text`` as it is sent: a control character becomes a space, a lone surrogate ``?``.

    Services take a newline for the end of a sentence, or lose it.
    """
    return _CONTROL.sub(" ", text).encode("utf-8", "replace").decode("utf-8")


def translate_in_pieces(
    texts: Sequence[str], load: Load, send: Callable[[list[str]], Iterable[str]]
) -> Iterator[str]:
    """One translation per text, in order, each as soon as it is there.

    A piece without letters is not sent. White space around a text and between the pieces of a
    long text is kept. Translations that ``send`` yields before an error are used.
    """
    for group in _groups([cut(text, load.size) for text in texts], load):
        answers = _answers([p for c in group for p in c.pieces if has_letters(p)], load, send)
        for part in group:
            yield part.joined(
                [next(answers).strip() if has_letters(piece) else piece for piece in part.pieces]
            )


def _groups(cuts: Sequence[Cut], load: Load) -> Iterator[list[Cut]]:
    """Consecutive texts that share a request; a text that needs several requests is alone."""
    group: list[Cut] = []
    for part in cuts:
        if group and not load.fits([piece for c in [*group, part] for piece in c.pieces]):
            yield group
            group = []
        group.append(part)
    if group:
        yield group


def _answers(
    pieces: list[str], load: Load, send: Callable[[list[str]], Iterable[str]]
) -> Iterator[str]:
    requests = [pieces] if load.fits(pieces) else [[piece] for piece in pieces]
    for request in requests:
        if request:
            yield from send([cleaned(piece) for piece in request])
