"""A made-up language, word for word: what the tests of bitext learn from."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

from semaniacs.embeddings import loading
from semaniacs.embeddings.bitext.corpus import Bitext
from semaniacs.embeddings.bitext.multilingual import Multilingual
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer

ENGLISH = [a + b + "t" for a, b in product("bdfg", "aeiou")]
FOREIGN = [a + b + "n" for a, b in product("klmp", "ouiea")]
NAME = "rome"
"""A word that is written alike in both languages."""


def made_up(count: int) -> Bitext:
    """Pairs in which word i translates word i, in nearly the same order; none occurs twice."""
    rng = np.random.default_rng(0)
    pairs: dict[tuple[str, str], None] = {}
    while len(pairs) < count:
        words = rng.choice(len(ENGLISH), size=rng.integers(3, 6), replace=False)
        left, right = ([side[i] for i in words] for side in (ENGLISH, FOREIGN))
        right[:2] = right[1::-1]
        if rng.random() < 0.3:
            left, right = [*left, NAME], [*right, NAME]
        pairs[" ".join(left), " ".join(right)] = None
    return Bitext(("en", "xx"), tuple(pairs))


def retrieved(model: Multilingual, bitext: Bitext) -> float:
    left, right = (
        model.of(code).encode(bitext.side(side)).astype(np.float64)
        for side, code in enumerate(bitext.languages)
    )
    left, right = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (left, right))
    return float(np.mean((left @ right.T).argmax(axis=1) == np.arange(len(left))))


def write_pairs(path: Path, bitext: Bitext) -> str:
    lines = "".join(f"{left}\t{right}\n" for left, right in bitext.pairs)
    path.write_text(lines, encoding="utf-8")
    return path.name


def save_english(path: Path) -> Encoder:
    """A small English encoder in a file: as it is read from there."""
    known = [*ENGLISH, NAME, *"abdefgtk", *(f"##{letter}" for letter in "abdefgtk")]
    rows = np.random.default_rng(0).standard_normal((len(known) + 4, 8))
    save_encoder(path, Encoder(WordTokenizer(known, 4), rows.astype(np.float32)))
    return loading.load_static(path)
