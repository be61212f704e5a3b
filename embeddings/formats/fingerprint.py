"""A hash that tells encoders apart, and what they are made of."""

from __future__ import annotations

from hashlib import sha256
from weakref import WeakKeyDictionary

from embeddings.encoder import SentenceEncoder
from embeddings.tokenizers.words import INSIDE, WordTokenizer
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
    own = getattr(encoder, "digest", None)  # of a transformer, which has no rows
    if isinstance(own, str):
        return own
    digest = sha256(encoder.tokenizer.identity().encode())
    if encoder.limit is not None:
        digest.update(f"limit {encoder.limit!r}".encode())
    for name, value in encoder.parameters.items():
        digest.update((name + sha256_of_bytes(value.tobytes())).encode())
    for block in encoder.rows.blocks():
        digest.update(block.tobytes())
    return digest.hexdigest()


def facts_of(encoder: SentenceEncoder, on_disk: int) -> dict[str, str]:
    """Sizes of an encoder by name, as a person reads them.

    Args:
        encoder: of any kind.
        on_disk: bytes of its files.
    """
    from embeddings.tokenizers.huggingface import HuggingFaceTokenizer
    from embeddings.transformer.transformer_encoder import Transformer

    if isinstance(encoder, Transformer):
        numbers = sum(tensor.size for tensor in encoder.weights.values())
        bytes_held = sum(tensor.nbytes for tensor in encoder.weights.values())
        made_of = f"{encoder.shape.layers} of {encoder.width}, {encoder.shape.heads} heads"
        own = {
            "layers": made_of,
            "numbers": f"{numbers:,}",
            "reads": f"{encoder.longest} tokens of a text",
        }
        dtype = "float32"
    else:
        known, table = encoder.tokenizer.known, encoder.rows
        pieces = sum(word.startswith(INSIDE) for word in known)
        of_words = isinstance(encoder.tokenizer, WordTokenizer | HuggingFaceTokenizer)
        words = f"{len(known) - pieces:,} words, {pieces:,} pieces" if of_words else "subwords"
        own = {"rows": f"{len(table):,}: {words}, {encoder.tokenizer.buckets:,} hashed"}
        dtype, bytes_held = str(table.values.dtype), table.values.nbytes + table.scale.nbytes
    return {
        **own,
        "dim": str(encoder.dim),
        "dtype": dtype,
        "bytes": f"{bytes_held:,} in memory, {on_disk:,} on disk",
    }
