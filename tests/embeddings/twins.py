"""The plain and the compiled path of an encoder side by side, and text to try them on."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.table import Table, Vectors, quantize, quantize_columns
from semaniacs.embeddings.tokenizers.row_numbers import Ragged, Tokenizer


def encoder_for(
    tokenizer: Tokenizer, *, int8: bool, dim: int = 7, by_column: bool = False
) -> Encoder:
    table = np.random.default_rng(dim).standard_normal((len(tokenizer), dim)).astype(np.float32)
    in_int8 = quantize_columns if by_column else quantize
    return Encoder(tokenizer, in_int8(table) if int8 else Table(table))


def plain(encoder: Encoder, sentences: Sequence[str]) -> tuple[Ragged, Vectors]:
    return _by_path(encoder, sentences, sys.maxsize)


def compiled(encoder: Encoder, sentences: Sequence[str]) -> tuple[Ragged, Vectors]:
    return _by_path(encoder, sentences, 0)


def _by_path(
    encoder: Encoder, sentences: Sequence[str], compiled_from: int
) -> tuple[Ragged, Vectors]:
    encoder.compiled_from = compiled_from
    return encoder.ids(sentences), encoder.encode(sentences)


def compiled_rows(tokenizer: Tokenizer, sentences: Sequence[str]) -> list[list[int]]:
    ids, _ = compiled(encoder_for(tokenizer, int8=False), sentences)
    return [part.tolist() for part in np.split(ids.flat, ids.offsets[1:-1])]


def assert_same(encoder: Encoder, sentences: Sequence[str]) -> None:
    """Rows equal, vectors equal in every bit, and the types too."""
    slow, slow_vectors = plain(encoder, sentences)
    quick, quick_vectors = compiled(encoder, sentences)
    for i, sentence in enumerate(sentences):
        expected = slow.flat[slow.offsets[i] : slow.offsets[i + 1]].tolist()
        found = quick.flat[quick.offsets[i] : quick.offsets[i + 1]].tolist()
        assert found == expected, ascii(sentence[:200])
    np.testing.assert_array_equal(quick.offsets, slow.offsets)
    assert (quick.flat.dtype, quick.offsets.dtype) == (slow.flat.dtype, slow.offsets.dtype)
    assert quick_vectors.dtype == slow_vectors.dtype == np.float32
    assert quick_vectors.tobytes() == slow_vectors.tobytes()


FRAGMENTS = [
    # accents composed and apart, and letters that change length or form in lower case
    *"é e\u0301 É E\u0301 e \u0301 n\u0303 й и\u0306 \u212b Å K ß ẞ İ ı Ǆ ǅ ﬁ ſ Σ ΟΣ ς σ'".split(),
    # scripts
    *"ᄀ ᅡ ᆨ 가 각 각\u11a8 한국 Слово 日本 क \u0958 क\u093c ा ٣ ٣.٤ ² ½ Ⅷ Ⓐ ⓐ ª".split(),
    # marks
    *"n't N'T n’t n‛t N´t 's ’S 're 'VE 'll 'd ʼm ` 'ſ ' '' “ ” « – — - _ __ # ## ##a &".split(),
    *"1 2 1.5 1,000 1, ,5 1..5 1,5.2 3rd 10n't . , .. &lt; <b> w/ W/o ** [a](/b) Ã ©".split(),
    *"U.S. e.g. a.b B. .DJI .AB .ABN'T .A .Ab".split(),
    # planes
    *"😀 👨\u200d👩 \U00020000 \U0002f800 \U000e0001 \U0010ffff \ud800 \udfff".split(),
    # blanks and what cannot be seen
    " ", " ", "\t", "\n", "\r\n", "\x00", "\x1c", "\x1f", "\x85", "\u00a0", "\u2028", "\u3000",
    "\u200b", "\ufeff", "\u00ad", "\u200d", "\u180e",
]  # fmt: skip
"""What is folded, is left to the plain path, or lies at the edge of something."""


def sentences_of(fragments: Sequence[str]) -> st.SearchStrategy[str]:
    return (
        st.lists(st.sampled_from(fragments), max_size=12).map("".join)
        | st.lists(st.sampled_from(fragments) | st.characters(), max_size=8).map("".join)
        | st.text(st.characters())
        | st.text("ab'nt. ")
    )
