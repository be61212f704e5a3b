"""What the tests of the compiled paths share: both paths side by side, and text to try them on."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import strategies as st

from embeddings import encoder as encoder_module
from embeddings.encoder import Encoder
from embeddings.table import Table, Vectors, quantize
from embeddings.tokenizers.protocol import Tokenizer
from embeddings.tokenizers.ragged import Ragged


def encoder_for(vocabulary: Tokenizer, *, eighth: bool, dim: int = 7) -> Encoder:
    """Any numbers under a vocabulary, in eight bits or in 32."""
    table = np.random.default_rng(dim).standard_normal((len(vocabulary), dim)).astype(np.float32)
    return Encoder(vocabulary, quantize(table) if eighth else Table(table))


def plainly(encoder: Encoder, sentences: Sequence[str]) -> tuple[Ragged, Vectors]:
    with patch.object(encoder_module, "_WORTH_COMPILING", sys.maxsize):
        return encoder.ids(sentences), encoder.encode(sentences)


def compiled(encoder: Encoder, sentences: Sequence[str]) -> tuple[Ragged, Vectors]:
    with patch.object(encoder_module, "_WORTH_COMPILING", 0):
        return encoder.ids(sentences), encoder.encode(sentences)


def assert_same(encoder: Encoder, sentences: Sequence[str]) -> None:
    """Rows equal, vectors equal in every bit, and the types too."""
    plain, plain_vectors = plainly(encoder, sentences)
    quick, quick_vectors = compiled(encoder, sentences)
    for i, sentence in enumerate(sentences):
        expected = plain.flat[plain.offsets[i] : plain.offsets[i + 1]].tolist()
        found = quick.flat[quick.offsets[i] : quick.offsets[i + 1]].tolist()
        assert found == expected, ascii(sentence[:200])
    np.testing.assert_array_equal(quick.offsets, plain.offsets)
    assert (quick.flat.dtype, quick.offsets.dtype) == (plain.flat.dtype, plain.offsets.dtype)
    assert quick_vectors.dtype == plain_vectors.dtype == np.float32
    assert quick_vectors.tobytes() == plain_vectors.tobytes()


FRAGMENTS = [
    # accents composed and apart, and letters that change length or form in lower case
    *"é e\u0301 É E\u0301 e \u0301 n\u0303 й и\u0306 \u212b Å K ß ẞ İ ı Ǆ ǅ ﬁ ſ Σ ΟΣ ς σ'".split(),
    # scripts
    *"ᄀ ᅡ ᆨ 가 각 각\u11a8 한국 Слово 日本 क \u0958 क\u093c ा ٣ ٣.٤ ² ½ Ⅷ Ⓐ ⓐ ª".split(),
    # marks
    *"n't N'T n’t n‛t N´t 's ’S 're 'VE 'll 'd ʼm ` 'ſ ' '' “ ” « – — - _ __ # ## ##a &".split(),
    *"1 2 1.5 1,000 1, ,5 1..5 1,5.2 3rd 10n't . , ..".split(),
    *"U.S. e.g. a.b B. .DJI .AB .ABN'T .A .Ab".split(),
    # planes
    *"😀 👨\u200d👩 \U00020000 \U0002f800 \U000e0001 \U0010ffff \ud800 \udfff".split(),
    # blanks and what cannot be seen
    " ", " ", "\t", "\n", "\r\n", "\x00", "\x1c", "\x1f", "\x85", "\u00a0", "\u2028", "\u3000",
    "\u200b", "\ufeff", "\u00ad", "\u200d", "\u180e",
]  # fmt: skip
"""What is folded, is left to the plain path, or lies at the edge of something."""


def sentences_of(fragments: Sequence[str]) -> st.SearchStrategy[str]:
    """Sentences put together from fragments, with and without other characters."""
    return (
        st.lists(st.sampled_from(fragments), max_size=12).map("".join)
        | st.lists(st.sampled_from(fragments) | st.characters(), max_size=8).map("".join)
        | st.text(st.characters())
        | st.text("ab'nt. ")
    )


def real_sentences(language: str, count: int) -> list[str]:
    """The first sentences of a language in the bitext of the news."""
    name = f"news.en-{'de' if language == 'en' else language}.tsv.gz"
    path = next((folder / name for folder in _bitext() if (folder / name).exists()), None)
    if path is None:
        pytest.skip(f"real bitext {name} not found; set STS_DATA")
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        pairs = [line.rstrip("\n").split("\t") for line in islice(lines, count)]
    return [pair[language != "en"] for pair in pairs]


def _bitext() -> list[Path]:
    """Where it may lie: beside the official files, or beside the repository."""
    named = os.environ.get("STS_DATA")
    beside = Path(__file__).parents[2] / ".." / "shared" / "data"
    return [Path(named, "bitext"), Path(named, "..", "bitext")] if named else [beside / "bitext"]
