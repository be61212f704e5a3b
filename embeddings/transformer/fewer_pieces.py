"""A network of many languages, cut to the pieces of some: most of its weights are rows for pieces."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.tokenizers.huggingface import open_tokenizer
from semaniacs.embeddings.transformer.four_bit_file import SPECIAL, xlm_roberta_tokenizer
from semaniacs.embeddings.transformer.small_file import WORD_ROWS
from semaniacs.embeddings.transformer.transformer_encoder import Transformer


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
    """Return the network with its most frequent pieces alone.

    A word whose piece is gone is read as shorter pieces.

    Args:
        network: of an XLM-R tokenizer, see :func:`.xlm_roberta_tokenizer`.
        counts: (rows,) of its pieces, of :func:`count_pieces`.
        size: number of pieces that are kept.
        scripts: beginnings of the Unicode names of the letters that are kept whatever their count.
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
