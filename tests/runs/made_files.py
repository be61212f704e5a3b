"""Files and pairs that tests make for themselves."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from semaniacs.embeddings.bitext.multilingual import Multilingual
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.data.pairs import Pairs


def write_corpus(path: Path, pairs: Iterable[tuple[str, str]]) -> Path:
    """A gzipped file of two columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{left}\t{right}\n" for left, right in pairs)
    path.write_bytes(gzip.compress(text.encode()))
    return path


def pairs_of(*rows: tuple[str, str], name: str = "mine") -> Pairs:
    """Pairs that nobody scored."""
    left, right = zip(*rows, strict=True) if rows else ((), ())
    return Pairs(name, left, right, np.full(len(rows), np.nan))


def two_languages() -> Multilingual:
    """dog and perro have one vector; cat stands at a right angle; pan differs by language."""
    english = Encoder(WordTokenizer(["dog", "cat", "pan"], 1), np.eye(4, dtype=np.float32))
    turned = np.eye(4, dtype=np.float32)[[0, 1, 3, 2]]
    spanish = Encoder(WordTokenizer(["perro", "gato", "pan"], 1), turned)
    return Multilingual({"en": english, "es": spanish})
