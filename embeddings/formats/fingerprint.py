"""A hash that tells encoders apart."""

from __future__ import annotations

from hashlib import sha256
from weakref import WeakKeyDictionary

from embeddings.encoder import SentenceEncoder
from sts.files import sha256_of_bytes


def fingerprint(encoder: SentenceEncoder) -> str:
    """sha256 of everything that decides a vector; equal exactly for equal encoders.

    It covers the tokenizer with its kind and settings, the limit, the network's parameters if
    there are any, and the table's numbers. A table in int8 and the float32 table that it stands
    for are equal; the rows are converted in blocks, so that no second table is made. An encoder
    is hashed once: its table is not to be changed in place.
    """
    if encoder not in _hashed:
        _hashed[encoder] = _hash(encoder)
    return _hashed[encoder]


_hashed: WeakKeyDictionary[SentenceEncoder, str] = WeakKeyDictionary()


def _hash(encoder: SentenceEncoder) -> str:
    digest = sha256(encoder.tokenizer.identity().encode())
    if encoder.limit is not None:
        digest.update(f"limit {encoder.limit!r}".encode())
    for name, value in encoder.parameters.items():
        digest.update((name + sha256_of_bytes(value.tobytes())).encode())
    for block in encoder.rows.blocks():
        digest.update(block.tobytes())
    return digest.hexdigest()
