"""The averaging encoder: the mean of the word rows, in NumPy and in JAX alike."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import cosine_similarity

from embeddings import encoders, objectives
from embeddings.encoders import Encoder, average, cosine
from embeddings.vocabulary import Vocabulary

KNOWN = [f"word{i}" for i in range(40)]
ODD = [
    "",
    " \t ",
    "word1",
    "?!",
    "😀",
    "\ud800",
    "a\x00b",
    "Слово слова",
    "word2 " * 5000,
    "\u200b",
]
ANY_SENTENCE = st.text(st.characters()) | st.sampled_from([*ODD, "word1 word2 😀", "Word3, word3!"])


def make_encoder(dim: int = 8) -> Encoder:
    table = np.random.default_rng(0).standard_normal((len(KNOWN) + 5, dim)).astype(np.float32)
    return Encoder(Vocabulary(KNOWN, buckets=5), table)


ENCODER = make_encoder()


def sentences_of(*lengths: int) -> list[str]:
    rng = np.random.default_rng(1)
    return [" ".join(rng.choice(KNOWN, length)) for length in lengths]


def test_a_sentence_is_the_mean_of_its_words() -> None:
    table = np.array([[1, 2], [3, -4], [10, 10], [0.5, 0.5]], np.float32)
    encoder = Encoder(Vocabulary(["a", "b", "c"], buckets=1), table)
    vectors = encoder.encode(["a b", "A a B.", "c", "", "unknown a"])
    expected = [[2, -1], [5 / 3, 0], [10, 10], [0, 0], [0.75, 1.25]]
    np.testing.assert_allclose(vectors, expected, rtol=1e-6)
    assert vectors.dtype == np.float32
    assert encoder.dim == 2


AROUND_POWERS_OF_TWO = sentences_of(1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65)


@pytest.mark.parametrize("longest", range(1, len(AROUND_POWERS_OF_TWO), 3))
def test_jax_and_numpy_agree_whatever_the_padding(longest: int) -> None:
    sentences = ["", *AROUND_POWERS_OF_TWO[: longest + 1]]
    ids, mask = pad([ENCODER.vocabulary.ids(s) for s in sentences])
    ours = average(jnp.asarray(ENCODER.table), ids, mask)
    np.testing.assert_allclose(ours, ENCODER.encode(sentences), atol=1e-6)


def test_what_stands_under_the_mask_does_not_matter() -> None:
    table = jnp.asarray(ENCODER.table)
    ids, mask = pad([ENCODER.vocabulary.ids(s) for s in AROUND_POWERS_OF_TWO])
    expected = average(table, ids, mask)
    wide_ids = np.pad(np.where(mask == 1, ids, 3), ((0, 0), (0, 50)), constant_values=4)
    wide_mask = np.pad(mask, ((0, 0), (0, 50)))
    np.testing.assert_allclose(average(table, wide_ids, wide_mask), expected, atol=1e-6)


def test_average_is_the_same_compiled_mapped_and_on_an_empty_batch() -> None:
    table = jnp.asarray(ENCODER.table)
    ids, mask = pad([ENCODER.vocabulary.ids(s) for s in AROUND_POWERS_OF_TWO[:9]])
    plain = average(table, ids, mask)
    np.testing.assert_allclose(jax.jit(average)(table, ids, mask), plain, atol=1e-7)
    each = jax.vmap(average, in_axes=(None, 0, 0))(table, ids[:, None], mask[:, None])
    np.testing.assert_allclose(each[:, 0], plain, atol=1e-7)
    assert average(table, ids[:0], mask[:0]).shape == (0, ENCODER.dim)


def test_the_gradient_of_a_blank_sentence_is_zero() -> None:
    ids, mask = pad([[], []])
    gradient = jax.grad(lambda table: average(table, ids, mask).sum())(jnp.asarray(ENCODER.table))
    np.testing.assert_array_equal(gradient, 0)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 10, 11])
def test_batches_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    sentences = (ODD + AROUND_POWERS_OF_TWO)[:n]
    whole = ENCODER.encode(sentences)
    monkeypatch.setattr(encoders, "_BATCH", 3)
    assert ENCODER.encode(sentences).tobytes() == whole.tobytes()


def test_order_is_kept_and_nothing_is_dropped() -> None:
    sentences = [*ODD, *AROUND_POWERS_OF_TWO, *ODD]
    vectors = ENCODER.encode(sentences)
    for i in np.random.default_rng(0).permutation(len(sentences)):
        np.testing.assert_array_equal(vectors[i], ENCODER.encode([sentences[i]])[0])
    assert ENCODER.encode([]).shape == (0, 8)


@pytest.mark.parametrize("blank", ["", "  ", "\t\u2028", "\u200b\ufeff"])
def test_a_blank_sentence_is_zero_and_like_nothing(blank: str) -> None:
    assert not ENCODER.encode([blank]).any()
    others = ["word1", blank, "unheard of"]
    np.testing.assert_array_equal(ENCODER.similarity([blank], others), 0)
    np.testing.assert_array_equal(ENCODER.similarity_pairwise([blank] * 3, others), 0)


def test_sentences_of_unknown_words_are_alike_if_their_words_are() -> None:
    first, second, third = ENCODER.encode(["Zorb blat!", "blat zorb", "quux"])
    np.testing.assert_allclose(first, second, atol=1e-6)
    assert first.any()
    assert not np.allclose(first, third)
    np.testing.assert_array_equal(make_encoder().encode(["Zorb blat!"])[0], first)


@given(st.lists(ANY_SENTENCE, min_size=1, max_size=6))
def test_any_sentences_can_be_compared(sentences: list[str]) -> None:
    vectors = ENCODER.encode(sentences)
    assert np.isfinite(vectors).all()
    blank = [not ENCODER.vocabulary.ids(s) for s in sentences]
    with_itself = ENCODER.similarity_pairwise(sentences, sentences)
    np.testing.assert_allclose(with_itself, np.where(blank, 0, 1), atol=1e-6)
    matrix = ENCODER.similarity(sentences, sentences)
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-6)
    assert np.abs(matrix).max() <= 1
    assert with_itself.max() <= 1


def test_similarities_agree_with_scikit_learn() -> None:
    left, right = [*ODD, "word4 word5"], [*AROUND_POWERS_OF_TWO[:10], ""]
    expected = cosine_similarity(ENCODER.encode(left), ENCODER.encode(right))
    np.testing.assert_allclose(ENCODER.similarity(left, right), expected, atol=1e-6)
    pairwise = ENCODER.similarity_pairwise(left, right)
    np.testing.assert_allclose(pairwise, expected.diagonal(), atol=1e-6)
    assert pairwise.shape == (11,)
    assert ENCODER.similarity_pairwise([], []).shape == (0,)


def test_the_two_cosines_agree() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((2, 20, 5)).astype(np.float32)
    a[3] = b[4] = 0
    np.testing.assert_allclose(cosine(a, b), objectives.cosine(a, b), atol=1e-6)
    assert cosine(a, b)[[3, 4]].tolist() == [0, 0]


def test_a_table_that_does_not_fit_is_refused() -> None:
    vocabulary = Vocabulary(["a", "b"], buckets=1)
    for shape in ((2, 4), (4, 4), (3,), (3, 2, 2)):
        with pytest.raises(ValueError, match="does not fit 3 rows"):
            Encoder(vocabulary, np.zeros(shape, np.float32))


def test_encoding_does_not_load_jax() -> None:
    code = (
        "import sys, numpy as np; from embeddings.encoders import Encoder;"
        "from embeddings.vocabulary import Vocabulary;"
        "Encoder(Vocabulary(['a'], 1), np.ones((2, 3))).similarity(['a'], ['b']);"
        "sys.exit('jax' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_lists_of_another_length_and_bare_strings_are_refused() -> None:
    encoder = Encoder(Vocabulary(["one"], 1), np.ones((2, 2), np.float32))
    with pytest.raises(ValueError, match="2 sentences to compare with 1"):
        encoder.similarity_pairwise(["one", "two"], ["one"])
    with pytest.raises(TypeError, match="list of sentences"):
        encoder.encode("one")
