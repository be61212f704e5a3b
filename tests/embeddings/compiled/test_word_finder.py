"""Words and their pieces, compiled; and the compiled mean of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings.compiled import sort
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.table import Table, quantize
from semaniacs.embeddings.tokenizers.row_numbers import LONGEST, WordTokenizer
from semaniacs.sts.errors import StsError
from tests.embeddings.compiled_kinds import KINDS, WORDS
from tests.embeddings.twins import assert_same, compiled, compiled_rows, encoder_for, plain

ENCODERS = KINDS["words"].encoders


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
@pytest.mark.parametrize("letter", ["a", "é", "\U0001d41a"])
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


@pytest.mark.parametrize("dim", [1, 33, 300])
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


@pytest.mark.parametrize("wrong", [None, b"bytes", float("nan")], ids=repr)
@pytest.mark.parametrize("row", [0, 29])
def test_what_is_no_string_is_named_by_its_row(wrong: Any, row: int) -> None:
    encoder = encoder_for(next(iter(KINDS.values())).encoders["int8"].tokenizer, int8=True)
    encoder.compiled_from, encoder.chunk_size = 0, 4
    sentences: list[Any] = [f"sentence {i}" for i in range(30)]
    sentences[row] = wrong
    with pytest.raises(StsError, match=rf"^sentences\[{row}\] is .*; expected a string"):
        encoder.encode(sentences)


@pytest.mark.parametrize("length", [0, 2, 3000])
@pytest.mark.parametrize("kind", [np.int32, np.uint64])
def test_it_sorts_as_numpy_does(length: int, kind: type) -> None:
    values = np.random.default_rng(length).integers(0, 2**31 - 1, length + 3).astype(kind)
    values[: length // 3] = 7  # equal ones too
    expected = np.concatenate([np.sort(values[:length]), values[length:]])
    sort(values, length)
    np.testing.assert_array_equal(values, expected)
