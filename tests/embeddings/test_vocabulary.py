"""Text to rows: known words have their own, unknown words always the same one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.vocabulary import Vocabulary, flatten, pad
from sts.text import words

ANY_TEXT = st.text(st.characters())  # unlike st.text(), with lone surrogates
SEQUENCES = st.lists(st.lists(st.integers(0, 99), max_size=9), max_size=6)


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary(["the", "cat", "n't"], buckets=7)


def test_known_words_have_the_first_rows(vocabulary: Vocabulary) -> None:
    assert len(vocabulary) == 10
    assert vocabulary.ids("The cat, the CAT!") == [0, 1, 0, 1]
    assert vocabulary.ids("don't")[1] == 2
    assert "cat" in vocabulary
    assert "dog" not in vocabulary


def test_unknown_words_go_to_a_row_by_their_checksum() -> None:
    check = 0xCBF43926  # the check value of CRC-32: that of the digits 1 to 9
    assert Vocabulary(["a", "b"], buckets=1000).row("123456789") == 2 + check % 1000


def test_a_word_has_one_row_in_every_sentence(vocabulary: Vocabulary) -> None:
    first, second = vocabulary.ids("Zorblatt the dog"), vocabulary.ids("the zorblatt")
    assert first[0] == second[1] >= 3


def test_only_a_blank_sentence_has_no_rows(vocabulary: Vocabulary) -> None:
    assert vocabulary.ids("") == vocabulary.ids(" \t\u2028") == []
    assert len(vocabulary.ids("😀 ?!")) == 3


@given(ANY_TEXT)
def test_any_text_has_a_row_a_word(text: str) -> None:
    vocabulary = Vocabulary(["a", "0"], buckets=3)
    ids = vocabulary.ids(text)
    assert len(ids) == len(words(text))
    assert all(0 <= row < len(vocabulary) for row in ids)
    assert ids == Vocabulary(["a", "0"], buckets=3).ids(text)


def test_the_rate_of_unknown_words_counts_running_words(vocabulary: Vocabulary) -> None:
    assert vocabulary.unknown_rate(["the dog", "a cat", ""]) == 0.5
    assert vocabulary.unknown_rate(["the the the dog"]) == 0.25
    assert vocabulary.unknown_rate([]) == 0


@pytest.mark.parametrize(
    ("known", "buckets", "message"), [(["a"], 0, "bucket"), (["a", "b", "a"], 1, "each word once")]
)
def test_a_vocabulary_that_cannot_be_is_refused(
    known: list[str], buckets: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Vocabulary(known, buckets)


def test_sequences_are_laid_end_to_end() -> None:
    flat, offsets = flatten([[4, 5], [], [6]])
    assert flat.tolist() == [4, 5, 6]
    assert offsets.tolist() == [0, 2, 2, 3]
    assert flatten([])[1].tolist() == [0]


@pytest.mark.parametrize(
    ("longest", "width"),
    [(0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (7, 8), (8, 8), (9, 16), (17, 32)],
)
def test_padding_goes_up_to_a_power_of_two(longest: int, width: int) -> None:
    ids, mask = pad([[7] * longest, [8]])
    assert ids.shape == mask.shape == (2, max(width, 1))
    assert mask.sum(axis=1).tolist() == [longest, 1]
    assert ids[0].tolist() == [7] * longest + [0] * (ids.shape[1] - longest)


@given(SEQUENCES)
def test_nothing_is_lost_in_flattening_or_padding(sequences: list[list[int]]) -> None:
    flat, offsets = flatten(sequences)
    ids, mask = pad(sequences)
    for i, sequence in enumerate(sequences):
        assert flat[offsets[i] : offsets[i + 1]].tolist() == sequence
        assert ids[i][mask[i] == 1].tolist() == sequence
    assert (ids.dtype, mask.dtype, flat.dtype) == (np.int32, np.float32, np.int32)
    assert set(mask.ravel()) <= {0.0, 1.0}
