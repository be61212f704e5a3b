"""SentencePiece models for tests: learned from a few lines, and put together by hand."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import cache

from semaniacs.embeddings.tokenizers.subwords import train_pieces

LINES = """
a man is playing a guitar on the street
the man who played the guitar was walking down the streets
a dog runs through the park, and the cats are running after it
stocks fell on friday; they had risen by 1.5 percent in 2015
don't you think that isn't fair? no, i don't!
un hombre está tocando la guitarra en la calle
los perros corrían por el parque detrás de los gatos
las acciones cayeron el viernes
ein mann spielt auf der straße gitarre
die hunde laufen durch den park, die katzen laufen ihnen nach
die aktien fielen am freitag
мужчина играет на гитаре на улице
собаки бегут по парку за кошками
акции упали в пятницу
""".strip().splitlines()


@cache
def learned(size: int = 150, only: str = "") -> bytes:
    """A unigram model of :data:`LINES`, or of those that hold a character."""
    return train_pieces([line for line in LINES if only in line], size)


def model_of(scores: Mapping[str, float]) -> bytes:
    """A unigram model of these pieces, all else being as the library has it."""
    unknown = field(1, field(1, b"<unk>") + field(3, 2))
    pieces = (
        field(1, field(1, piece.encode()) + field(2, score) + field(3, 1))
        for piece, score in scores.items()
    )
    # Without its own settings, the library normalises nothing and writes a space before a text.
    return unknown + b"".join(pieces)


def field(number: int, value: int | float | bytes) -> bytes:
    match value:
        case int():
            return _integer(number << 3) + _integer(value)
        case float():
            return _integer(number << 3 | 5) + struct.pack("<f", value)
    return _integer(number << 3 | 2) + _integer(len(value)) + value


def _integer(value: int) -> bytes:
    more, low = divmod(value, 128)
    return bytes([low | 128]) + _integer(more) if more else bytes([low])
