"""Read pieces and scores from a SentencePiece model file.

The library does not expose the kinds of a model and its pieces. The file does: it is a
protocol buffer, a list of fields that are each a number, a kind and a value
(``sentencepiece_model.proto`` of the library defines the numbers).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from embeddings.table import Vectors

_PIECE, _TRAINER, _NORMALIZER = 1, 2, 3
_TEXT, _SCORE, _TYPE = 1, 2, 3  # of a piece
_KIND, _SPACE_LAST = 3, 24  # of the trainer's settings: the kind of model, "a▁" for "▁a"
_CHARACTERS, _SPACE_FIRST, _SPACE_SHOWN = 2, 3, 5  # of the normaliser's: a table, "▁a", "▁"

_UNIGRAM = 1
_NORMAL = 1
_NEVER_CUT = frozenset({2, 3, 5})
"""Types of pieces that no text is segmented into: unknown, control, unused."""

_NUMBER, _SIZED = 0, 2
_BYTES = {1: 8, 5: 4}
"""Kinds of values: an integer, bytes after their length, and numbers of a fixed size."""


def log_probabilities(model: bytes) -> tuple[list[str], Vectors] | None:
    """The pieces of a unigram model and their log-probabilities.

    Args:
        model: a file that the library reads.

    Returns:
        n pieces and (n,) float32; None for a model that does more than find
        the best path over them: one of another kind, with a normaliser, with pieces for
        bytes, or with user-defined pieces.

    Raises:
        ValueError: the file holds a field of a kind that SentencePiece models do not use.
    """
    fields = [*_fields(model)]
    trainer, normalizer = (
        dict(_fields(b"".join(value for number, value in fields if number == wanted)))
        for wanted in (_TRAINER, _NORMALIZER)
    )
    pieces = [dict(_fields(value)) for number, value in fields if number == _PIECE]
    normal = [piece for piece in pieces if piece.get(_TYPE, _NORMAL) == _NORMAL]
    scores = np.frombuffer(b"".join(piece.get(_SCORE, bytes(4)) for piece in normal), "<f4")
    if (
        trainer.get(_KIND, _UNIGRAM) != _UNIGRAM
        or trainer.get(_SPACE_LAST)
        or normalizer.get(_CHARACTERS)
        or not normalizer.get(_SPACE_FIRST, True)
        or not normalizer.get(_SPACE_SHOWN, True)
        or {piece.get(_TYPE, _NORMAL) for piece in pieces} - _NEVER_CUT != {_NORMAL}
        or not np.isfinite(scores).all()
    ):
        return None
    return [piece[_TEXT].decode() for piece in normal], scores.astype(np.float32)


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value of each field: an integer, or bytes."""
    place = 0
    while place < len(message):
        tag, place = _integer(message, place)
        number, kind = tag >> 3, tag & 7
        if kind == _NUMBER:
            value, place = _integer(message, place)
            yield number, value
            continue
        if kind == _SIZED:
            size, place = _integer(message, place)
        elif kind in _BYTES:
            size = _BYTES[kind]
        else:
            raise ValueError(f"a field of kind {kind}")
        yield number, message[place : place + size]
        place += size


def _integer(message: bytes, place: int) -> tuple[int, int]:
    """The integer at a place, seven bits a byte, lowest first, and the place after it."""
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
