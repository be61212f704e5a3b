"""Every tokenizer gives the row numbers and vectors of one sentence for many, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import utf8_of
from tests.embeddings.compiled_kinds import KINDS, Kind
from tests.embeddings.twins import assert_same, compiled, plain, sentences_of

SENTENCE = {name: sentences_of(kind.fragments) for name, kind in KINDS.items()}

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
every_encoder = pytest.mark.parametrize(
    ("name", "encoder"),
    [(name, encoder) for name, kind in KINDS.items() for encoder in kind.encoders.values()],
    ids=[f"{name}, {which}" for name, kind in KINDS.items() for which in kind.encoders],
)


@every_encoder
@settings(max_examples=80)
@given(data=st.data())
def test_any_text_has_the_same_rows_and_vectors(name: str, encoder: Encoder, data: Any) -> None:
    assert_same(encoder, data.draw(st.lists(SENTENCE[name], min_size=1, max_size=8)))


@every_kind
@settings(max_examples=40)
@given(data=st.data())
def test_a_vector_depends_on_neither_batch_nor_order_nor_chunk_nor_entry(
    kind: Kind, data: Any
) -> None:
    sentences = data.draw(st.lists(sentences_of(kind.fragments), min_size=1, max_size=30))
    encoder = kind.encoders["int8"]
    expected = plain(encoder, sentences)[1]
    order = data.draw(st.permutations(range(len(sentences))))
    encoder.chunk_size, encoder.compiled_from = data.draw(st.integers(1, 9)), 0
    try:
        shuffled = encoder.encode([sentences[i] for i in order])
        cut = data.draw(st.integers(0, len(sentences)))
        parts = [encoder.encode(part) for part in (sentences[:cut], sentences[cut:])]
        from_bytes = encoder.encode(utf8_of(sentences, 0, len(sentences)))
    finally:
        encoder.chunk_size = Encoder.chunk_size
    assert shuffled.tobytes() == expected[order].tobytes()
    assert np.concatenate(parts).tobytes() == expected.tobytes()
    assert from_bytes.tobytes() == expected.tobytes()


@every_encoder
def test_sentences_stay_apart_and_blank_ones_are_zero(name: str, encoder: Encoder) -> None:
    for sentences in (
        [],
        ["", " ", ""],
        ["", "a", "", "e\u0301", "", "▁", "?", " \u2028", "\u200b", "\u200b a", ""],
        ["a", "'s"],  # the clitic is not the a's, nor is the next sentence's dot
        ["1", ".5", "n", "'t", "U", ".S.", "do", "n't", "\ud83d", "\ude00"],
    ):
        if sentences:
            assert_same(encoder, sentences)
        encoder.compiled_from = 0
        vectors = encoder.encode(sentences)
        assert vectors.shape == (len(sentences), encoder.dim)
        blank = [not encoder.tokenizer.ids(sentence) for sentence in sentences]
        assert (~vectors.any(axis=1)).tolist() == blank


def test_usual_sentences_never_take_the_plain_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this test, the others would pass if nothing were compiled."""

    def refuse(text: str) -> list[int]:
        raise AssertionError(text)

    encoder = KINDS["words"].encoders["float32"]
    usual = ["The U.S. doesn’t “pay” 1,000 €!", "Él comió", "Слово и дело", "日本 😀", "", "?!"]
    expected = plain(encoder, usual)[1]
    monkeypatch.setattr(encoder.tokenizer, "ids", refuse)
    assert compiled(encoder, usual)[1].tobytes() == expected.tobytes()
    with pytest.raises(AssertionError, match="\u0301"):
        compiled(encoder, ["e\u0301"])
