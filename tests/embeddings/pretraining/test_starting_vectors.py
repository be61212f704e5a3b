"""Where the bundled vectors start, against scikit-learn, numpy and sums on paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wordfreq
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from embeddings.encoder import Encoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.pretraining.starting_vectors import (
    choose_pieces,
    choose_words,
    principal_components,
    shrink,
    starting_encoder,
    strongest_directions,
    with_untrained,
    word_probabilities,
)
from embeddings.table import Vectors
from embeddings.tokenizers.words import INSIDE, WordTokenizer

# Words


def list_words(monkeypatch: pytest.MonkeyPatch, listed: dict[str, float]) -> None:
    monkeypatch.setattr(wordfreq, "get_frequency_dict", lambda *_, **__: listed)


def test_a_probability_is_the_higher_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {"the": 0.05, "cat": 0.3, "dog": 0.01, "don't": 0.2, "Zoë": 1e-6, "ZOË": 1e-7}
    list_words(monkeypatch, listed)
    # Ten running words: the 3, cat 2, quokka 2, dog 1, once 1, zoë 1.
    found = word_probabilities(["The cat, the CAT!", "the quokka quokka dog once Zoë"])
    assert found == {
        "the": 0.3,  # 3 of 10, listed lower
        "cat": 0.3,  # listed, 2 of 10
        "quokka": 0.2,  # 2 of 10, not listed
        "dog": 0.01,  # listed; once in the material says little
        "zoë": 1e-6,  # listed twice
    }


def test_without_material_the_probabilities_are_those_of_english() -> None:
    found = word_probabilities([])
    for word in ("the", "house", "ocelot"):
        rounded = wordfreq.word_frequency(word, "en", wordlist="large")
        assert found[word] == pytest.approx(rounded, rel=5e-3)
    assert "don't" not in found  # two words to us
    assert len(found) > 200_000


def test_the_most_probable_words_are_chosen_and_of_equal_ones_the_first() -> None:
    probabilities = {"rare": 1e-6, "b": 0.1, "the": 0.5, "a": 0.1, "c": 0.1}
    assert choose_words(probabilities, 4) == ["the", "a", "b", "c"]
    assert choose_words(probabilities, 3) == ["the", "a", "b"]
    assert choose_words(probabilities, 99) == ["the", "a", "b", "c", "rare"]
    assert choose_words(probabilities, 0) == []


# Pieces


def stretches(pieces: list[str]) -> list[str]:
    """The longer pieces, without their mark."""
    marked = [piece.removeprefix(INSIDE) for piece in pieces if piece.startswith(INSIDE)]
    return [piece for piece in marked if len(piece) > 1]


def test_the_stretches_that_save_most_are_worked_out_by_hand() -> None:
    # At 1e-8 a word counts once, at four times that twice; a stretch saves its length.
    probabilities = {"abcd": 1e-8, "xcd": 4e-8, "known": 1.0}
    # cd: 2·1 + 2·2 = 6; bcd: 3·1 = 3; bc: 2·1 = 2
    assert stretches(choose_pieces(["known"], probabilities, 9)) == ["cd", "bcd", "bc"]
    assert stretches(choose_pieces(["known"], probabilities, 1)) == ["cd"]
    assert stretches(choose_pieces(["known"], probabilities, 0)) == []


def test_a_stretch_is_worth_the_root_of_how_often_it_comes() -> None:
    # bcdefgh saves 7·1, and yz of a word nine times as frequent 2·3, not 2·9.
    assert stretches(choose_pieces([], {"xyz": 9e-8, "abcdefgh": 1e-8}, 1)) == ["bcdefgh"]
    assert stretches(choose_pieces([], {"xyz": 16e-8, "abcdefgh": 1e-8}, 1)) == ["yz"]


def test_single_characters_come_as_they_stand_in_words() -> None:
    probabilities = {"ab": 0.1, "é": 0.1, "ba日": 0.1}
    assert choose_pieces(["é"], probabilities, 0) == ["a", "b", "日", "##b", "##a", "##日"]


def test_words_rarer_than_the_rarest_still_count_once_and_equals_go_by_the_alphabet() -> None:
    assert stretches(choose_pieces([], {"xyz": 1e-12, "xab": 1e-8}, 2)) == ["ab", "yz"]


def test_known_and_endless_words_say_nothing_about_pieces() -> None:
    endless = "q" * 26
    assert stretches(choose_pieces(["known"], {"known": 0.5, endless: 0.5}, 99)) == []
    long_enough = stretches(choose_pieces([], {"q" * 25: 0.5}, 99))
    assert max(map(len, long_enough)) == 7


def toy_probabilities() -> dict[str, float]:
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 12, 300)
    return {"".join(rng.choice(list("abcdeé日ñ'7"), n)): 1 / (2 + i) for i, n in enumerate(lengths)}


def test_every_word_over_the_alphabet_can_be_spelled() -> None:
    probabilities = toy_probabilities()
    known = choose_words(probabilities, 50)
    pieces = choose_pieces(known, probabilities, 40)
    vocabulary = WordTokenizer([*known, *pieces], buckets=1)  # which takes no word twice
    rng = np.random.default_rng(1)
    made_up = ["".join(rng.choice(list("abcdeé日ñ'7"), 6)) for _ in range(200)]
    for word in [*probabilities, *made_up]:
        spelled = [vocabulary.known[row] for row in vocabulary.spell(word)]
        assert "".join(piece.removeprefix(INSIDE) for piece in spelled) == word
        assert [piece.startswith(INSIDE) for piece in spelled] == [False] + [True] * (
            len(spelled) - 1
        )
    assert vocabulary.spell("abcx") == []


def test_the_same_pieces_are_chosen_every_time() -> None:
    probabilities = toy_probabilities()
    backwards = dict(reversed(probabilities.items()))
    chosen = choose_pieces(["a"], probabilities, 40)
    assert chosen == choose_pieces(["a"], probabilities, 40)
    assert stretches(chosen) == stretches(choose_pieces(["a"], backwards, 40))
    assert sorted(chosen) == sorted(choose_pieces(["a"], backwards, 40))
    assert "a" not in chosen  # it has a row already


# Directions


def strewn() -> Vectors:
    """Vectors with a common part and a few strong directions."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((200, 8)) * np.geomspace(10, 0.1, 8) + rng.standard_normal(8)
    turned, _ = np.linalg.qr(rng.standard_normal((8, 8)))
    return np.asarray(rows @ turned, np.float32)


@pytest.mark.parametrize("dim", [1, 3, 8])
def test_the_components_are_those_of_scikit_learn(dim: int) -> None:
    found = principal_components(strewn(), dim)
    expected = PCA(dim).fit_transform(strewn().astype(np.float64))
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found, expected * signs, atol=1e-8)
    assert found.dtype == np.float64


def test_of_a_direction_and_its_opposite_the_one_with_the_positive_peak_is_taken() -> None:
    vectors = strewn().astype(np.float64)
    directions = strongest_directions(vectors, 5)
    _, _, expected = np.linalg.svd(vectors, full_matrices=False)
    np.testing.assert_allclose(np.abs(directions), np.abs(expected[:5].T), atol=1e-8)
    np.testing.assert_allclose(directions.T @ directions, np.eye(5), atol=1e-10)
    np.testing.assert_array_equal(directions.max(axis=0), np.abs(directions).max(axis=0))
    np.testing.assert_allclose(strongest_directions(-vectors, 5), directions, atol=1e-10)


def test_half_precision_vectors_are_centred_in_full() -> None:
    far = (1000 + strewn()).astype(np.float16)
    np.testing.assert_allclose(principal_components(far, 3).mean(axis=0), 0, atol=1e-9)


# The start


def test_the_start_is_scaled_by_smooth_inverse_frequency() -> None:
    known, pieces = ["the", "cat", "zebu"], ["c", "##a", "##t"]
    taught = strewn()[:3]
    probabilities = {"zebu": 1e-9, "the": 9e-3, "cat": 1e-3}
    start = starting_encoder(known, pieces, taught, probabilities, dim=2, smoothing=1e-3, buckets=4)
    # a / (a + p): 1/10, 1/2 and all of it
    expected = principal_components(taught, 2) * np.array([[0.1], [0.5], [1.0]])
    np.testing.assert_allclose(start.table[:3], expected, rtol=1e-5)
    assert start.tokenizer.known == ("the", "cat", "zebu", "c", "##a", "##t")
    assert not start.table[3:6].any()
    hashed = np.linalg.norm(start.table[6:], axis=1)
    np.testing.assert_allclose(hashed, np.linalg.norm(expected, axis=1).mean() / 2, rtol=1e-5)
    assert start.table.shape == (10, 2)
    assert start.table.dtype == np.float32


def test_the_same_start_is_made_every_time() -> None:
    def make() -> Vectors:
        words = [f"word{i}" for i in range(200)]
        p = {word: 1 / (2 + i) for i, word in enumerate(words)}
        return starting_encoder(words, [], strewn(), p, dim=4, smoothing=0.1, buckets=3).table

    assert make().tobytes() == make().tobytes()


# The smaller encoder

WORDS = ["ab", "ba", "a", "cab", "bcc", "cc", "b"]
PIECES = ["c", "##a", "##b", "##c"]
SENTENCES = ["ab ba", "a cab", "", "bcc cc b", "ba ba a", "cc ab", "abc", "b a"]


def larger() -> Encoder:
    """Six dimensions, of which only three are in use."""
    rng = np.random.default_rng(0)
    vocabulary = WordTokenizer([*WORDS, *PIECES], buckets=2)
    table = rng.standard_normal((len(vocabulary), 3)) @ rng.standard_normal((3, 6))
    return Encoder(vocabulary, table.astype(np.float32))


def cosines(encoder: Encoder, sentences: list[str]) -> NDArray[Any]:
    return np.asarray(encoder.similarity(sentences, sentences))


@pytest.mark.parametrize("limit", [None, 0.5])
def test_an_encoder_that_drops_no_word_stays_as_it_is(limit: float | None) -> None:
    whole = Encoder(larger().tokenizer, larger().table, limit)
    assert fingerprint(shrink(whole, len(WORDS))) == fingerprint(whole)


def test_words_that_are_dropped_are_spelled() -> None:
    whole = shrink(larger(), words=len(WORDS))
    small = shrink(larger(), words=3)
    # The first three, and every single letter: it begins what is spelled.
    assert small.tokenizer.known == ("ab", "ba", "a", "b", "c", "##a", "##b", "##c")
    row = {word: whole.table[i] for i, word in enumerate(whole.tokenizer.known)}
    np.testing.assert_allclose(small.encode(["ba"]), [row["ba"]], atol=1e-6)
    spelled = np.mean([row["c"], row["##a"], row["##b"]], axis=0)
    np.testing.assert_allclose(small.encode(["cab"]), [spelled], atol=1e-6)
    assert np.abs(whole.encode(["cab"]) - spelled).max() > 0.1


def test_hashed_rows_are_kept_last() -> None:
    whole = shrink(larger(), words=len(WORDS))
    small = shrink(larger(), words=1)
    strange = ["日", "ñandú", "x"]
    assert small.tokenizer.buckets == 2
    np.testing.assert_array_equal(small.encode(strange), whole.encode(strange))
    np.testing.assert_array_equal(small.table[-2:], whole.table[-2:])


# Rows that nothing was learned about


def test_sentences_of_untrained_letters_are_like_themselves() -> None:
    tokenizer = WordTokenizer(["cat", "日", "本", INSIDE + "本", "α", INSIDE + "β"], buckets=4)
    table = np.zeros((len(tokenizer), 64), np.float32)
    table[0] = table[-4:] = np.random.default_rng(0).standard_normal(64)
    encoder = Encoder(tokenizer, table)
    assert encoder.similarity("日本", "日本") == 0
    filled = with_untrained(encoder)
    like = filled.similarity(["日本", "αβ", "日", "cat"], ["日本", "αβ", "日", "cat"])
    assert np.diag(like) == pytest.approx(1, abs=1e-6)
    assert like[0, 2] > 0.5  # they share a letter
    assert abs(like[0, 1]) < 0.4 and abs(like[1, 3]) < 0.4
    assert np.array_equal(filled.table[[0, -1]], table[[0, -1]])  # what was learned stays
