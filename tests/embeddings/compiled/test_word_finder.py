"""Words and their pieces, compiled; and the compiled mean of rows."""

from __future__ import annotations

import numpy as np
import pytest

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.table import Table, quantize
from semaniacs.embeddings.tokenizers.row_numbers import LONGEST, WordTokenizer
from tests.embeddings.compiled_kinds import KINDS, WORDS
from tests.embeddings.twins import assert_same, compiled, compiled_rows, encoder_for, plain

ENCODERS = KINDS["words"].encoders


def test_the_mean_of_very_many_words() -> None:
    words = np.random.default_rng(0).choice(WORDS, 600)
    for count in (255, 256, 257, 513):
        for encoder in (ENCODERS["int8"], ENCODERS["int8 by column"]):
            assert_same(encoder, ["a", " ".join(words[:count]), "b"])


def test_whole_rows_add_up_exactly_however_many_they_are() -> None:
    tokenizer = WordTokenizer(["a", "b"], 1)
    numbers = np.array([[127, -127, 1], [-128, 127, 127], [0, 0, 0]], np.int8)
    encoder = Encoder(tokenizer, Table(numbers, np.array([[1, 0.5, 2]], np.float32)))
    for a, b in ((300, 0), (0, 300), (258, 3), (1000, 999)):
        one, two = numbers[:2].astype(float)
        expected = (a * one + b * two) / (a + b) * [1, 0.5, 2]
        for _, found in (
            plain(encoder, ["a " * a + "b " * b]),
            compiled(encoder, ["a " * a + "b " * b]),
        ):
            np.testing.assert_allclose(found[0], expected, rtol=1e-6)


@pytest.mark.parametrize("encoder", ENCODERS.values(), ids=ENCODERS)
@pytest.mark.parametrize("letter", ["a", "b", "é", "日", "\U0001d41a", "Ж", "x"])
def test_words_around_the_longest_that_is_looked_up(encoder: Encoder, letter: str) -> None:
    lengths = (1, 2, LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 9, 3 * LONGEST, 5 * LONGEST)
    words = [first + letter * (length - 1) for length in lengths for first in ("a", "b", letter)]
    assert_same(encoder, [*words, " ".join(words), *(f"{word}n't" for word in words)])


def test_what_the_longest_words_are_by_hand() -> None:
    tokenizer = WordTokenizer(WORDS, 7)
    row = tokenizer.rows
    sentences = ["a" * 100, "A" * 101, "a" + "b" * 99, "a" + "b" * 100, "abA", "xxxx", "ab#"]
    assert compiled_rows(tokenizer, sentences) == [
        [row["a" * 100]],
        [tokenizer.bucket("a" * 101)],
        [row["a"], row["##" + "b" * 99]],
        [tokenizer.bucket("a" + "b" * 100)],
        [row["a"], row["##b"], row["##a"]],
        [row["xx"], row["##xx"]],
        [row["a"], row["##b"]],
    ]


@pytest.mark.parametrize("dim", [1, 3, 8, 33, 300])
@pytest.mark.parametrize("int8", [False, True], ids=["float32", "int8"])
def test_numbers_of_all_sizes_add_up_alike_in_tables_of_any_width(dim: int, int8: bool) -> None:
    """Floats that differ in size by far add up differently in every other order."""
    rng = np.random.default_rng(dim)
    vocabulary = WordTokenizer([f"w{i}" for i in range(200)], 2)
    table = rng.standard_normal((len(vocabulary), dim)) * 10.0 ** rng.integers(
        -30, 30, (len(vocabulary), 1 if int8 else dim)
    )
    table[3] = -0.0
    table = table.astype(np.float32)
    encoder = Encoder(vocabulary, quantize(table) if int8 else table)
    drawn = [" ".join(f"w{i}" for i in rng.integers(0, 220, n)) for n in range(64)]
    assert_same(encoder, ["w3", "w3 w3", *drawn])


def test_a_vocabulary_whose_words_share_a_checksum_is_told_apart() -> None:
    """``plumless`` and ``buckeroo`` are the well-known pair of words with one CRC-32."""
    tokenizer = WordTokenizer(["buckeroo", "a", "plumless"], 2)
    assert compiled_rows(tokenizer, ["plumless buckeroo a plumless"]) == [[2, 0, 1, 2]]


def test_a_large_vocabulary_is_found_whole() -> None:
    known = [f"{a}{b}" for a in "abcdefghijklmnopqrstuvwxyzéжσ日" for b in range(700)]
    encoder = encoder_for(WordTokenizer(known, 1), int8=True, dim=1)
    ids, _ = compiled(encoder, known)
    assert ids.flat.tolist() == list(range(len(known)))
    strangers, _ = compiled(encoder, [f"{word}x" for word in known])
    assert set(strangers.flat.tolist()) == {len(known)}
