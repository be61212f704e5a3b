"""The nearest rows, against scikit-learn; and what must not change them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from semaniacs.embeddings.encoder import Encoder, unit
from semaniacs.embeddings.formats.numpy_file import RowsOnDisk, write_rows
from semaniacs.embeddings.mining.bucc import open_sentences
from semaniacs.embeddings.mining.corpus_vectors import check_room, encode_corpus
from semaniacs.embeddings.mining.neighbours import (
    Ivf,
    Neighbours,
    close_pairs,
    compare_by_numpy,
    nearest,
)
from semaniacs.embeddings.mining.similar_sentences import mine, most_similar
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import StsError
from tests.embeddings.transformer import tiny


def make_rows(count: int, dim: int = 16, seed: int = 0) -> Vectors:
    return unit(np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32))


def assert_same(a: Neighbours, b: Neighbours) -> None:
    np.testing.assert_array_equal(a.places, b.places)
    np.testing.assert_array_equal(a.cosines, b.cosines)


@pytest.mark.parametrize("block", [40, 1000])
@pytest.mark.parametrize("way", [None, Ivf(clusters=9, probe=9)])
def test_the_nearest_are_those_of_scikit_learn(block: int, way: Ivf | None) -> None:
    queries, rows = make_rows(60), make_rows(150, seed=1)
    oracle = NearestNeighbors(n_neighbors=5, metric="cosine").fit(rows.astype(np.float64))
    distances, places = oracle.kneighbors(queries.astype(np.float64))
    found = nearest(queries, rows, 5, search=way, block=block)
    np.testing.assert_array_equal(found.places, places)
    np.testing.assert_allclose(found.cosines, 1 - distances, atol=1e-6)


@pytest.mark.parametrize("block", [10, 1000])
@pytest.mark.parametrize("way", [None, Ivf(clusters=2, probe=2)])
def test_of_equals_the_first_comes_first(block: int, way: Ivf | None) -> None:
    rows = make_rows(40)
    rows[[5, 9, 17, 30, 38]] = rows[2]
    found = nearest(rows[2:3], rows, 5, search=way, block=block)
    np.testing.assert_array_equal(found.places, [[2, 5, 9, 17, 30]])
    assert len(set(found.cosines[0])) == 1


@pytest.mark.parametrize("block", [4, 1000])
def test_a_row_is_no_neighbour_of_itself(block: int) -> None:
    rows = make_rows(30)
    rows[[3, 4, 20]] = rows[11]
    found = nearest(rows, rows, 2, same=True, block=block)
    assert not (found.places == np.arange(30)[:, None]).any()
    np.testing.assert_array_equal(found.places[[3, 11]], [[4, 11], [3, 4]])
    cosines = rows.astype(np.float64) @ rows.T.astype(np.float64)
    np.fill_diagonal(cosines, -2)
    np.testing.assert_allclose(found.cosines[:, 0], cosines.max(axis=1), atol=1e-6)


def test_rows_on_disk_are_as_good_as_rows_in_memory(tmp_path: Path) -> None:
    rows, queries = make_rows(5000), make_rows(10, seed=1)
    write_rows(tmp_path / "rows.npy", 16, [rows[:3000], rows[3000:]])
    stored = RowsOnDisk(tmp_path / "rows.npy")
    assert len(stored) == 5000
    np.testing.assert_array_equal(stored[2990:3010], rows[2990:3010])
    for way in (None, Ivf(clusters=8, probe=2)):
        ours = nearest(queries, stored, 4, search=way, block=4096)
        assert_same(ours, nearest(queries, rows, 4, search=way))


def clustered(count: int, seed: int) -> Vectors:
    """Rows about a few directions, as sentences are about topics."""
    rng = np.random.default_rng(seed)
    topics = make_rows(12, seed=99)[rng.integers(0, 12, count)]
    noise = rng.standard_normal(topics.shape).astype(np.float32)
    return unit(topics + np.float32(0.1) * noise)


def test_clusters_find_nearly_all_and_the_same_each_time() -> None:
    queries, rows = clustered(300, 0), clustered(3000, 1)
    exact, found = nearest(queries, rows, 4), nearest(queries, rows, 4, search=Ivf(24, 4))
    recall = np.mean(
        [np.isin(a, b).mean() for a, b in zip(exact.places, found.places, strict=True)]
    )
    assert 0.9 < recall < 1
    assert_same(found, nearest(queries, rows, 4, search=Ivf(24, 4)))
    other = nearest(queries, rows, 4, search=Ivf(24, 4, seed=1))
    assert (other.places != found.places).any()


@pytest.mark.parametrize("k", [1, 5, 40])
def test_without_faiss_numpy_finds_the_same(k: int) -> None:
    drawn = np.random.default_rng(7).standard_normal((40, 8)).astype(np.float32)
    rows = unit(np.concatenate([drawn, drawn[:9]]))
    assert_same(nearest(rows[:7], rows, k, search=compare_by_numpy), nearest(rows[:7], rows, k))


ROWS = unit(np.random.default_rng(0).standard_normal((90, 6)).astype(np.float32))
ROWS[7], ROWS[80], ROWS[33] = ROWS[3], ROWS[3], 0


WIDE = unit(ROWS @ make_rows(6, 160) + 0.2 * make_rows(90, 160, 1))
"""Rows that are first compared by bounds of their cosines."""


@pytest.mark.parametrize("rows", [ROWS, WIDE])
@pytest.mark.parametrize("threshold", [0.2, 0.6, 0.9, 1.0])
@pytest.mark.parametrize("block", [7, 40, 4096])
def test_every_pair_is_found_whatever_the_block(
    rows: Vectors, threshold: float, block: int
) -> None:
    cosines = np.round(rows.astype(np.float64) @ rows.T.astype(np.float64), 6)
    low, high = np.nonzero(np.triu(cosines >= threshold, 1))
    found = close_pairs(rows, threshold, block=block)
    assert (found.low.tolist(), found.high.tolist()) == (low.tolist(), high.tolist())
    assert found.cosines.tolist() == pytest.approx(cosines[low, high].tolist(), abs=1e-9)
    assert found.cosines.max(initial=0) <= 1
    higher = found.at_least(0.95)
    assert higher.low.tolist() == low[cosines[low, high] >= 0.95].tolist()


@pytest.fixture
def encoder() -> Encoder:
    rows = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
    rows[3] = 0  # a word without a vector
    return Encoder(WordTokenizer("dog cat ran empty".split(), 2), rows)


def test_what_has_no_vector_has_no_row(encoder: Encoder, tmp_path: Path) -> None:
    file = tmp_path / "sentences"
    file.write_text("dog ran\n\nempty\n  \ncat\ndog ran\n")
    side = encode_corpus(open_sentences(str(file)), encoder, tmp_path / "v.npy", batch=2)
    np.testing.assert_array_equal(side.places, [0, 4, 5])
    expected = unit(encoder.encode(["dog ran", "cat", "dog ran"]))
    np.testing.assert_array_equal(side.rows[0:3], expected)
    assert len(side.rows) == 3


def test_repeated_sentences_may_be_left_out(encoder: Encoder, tmp_path: Path) -> None:
    file = tmp_path / "sentences"
    file.write_text("dog ran\ncat\ndog ran\nran dog\n Cat!\n")
    side = encode_corpus(open_sentences(str(file)), encoder, tmp_path / "v.npy", distinct=True)
    np.testing.assert_array_equal(side.places, [0, 1, 3])
    assert side.copies == {2: 0, 4: 1}


def test_what_is_blank_has_no_row_though_a_network_gives_it_a_vector(tmp_path: Path) -> None:
    network, file = tiny.network(), tmp_path / "sentences"
    assert network.encode([" "]).any()
    file.write_text("aa bb\n\ncc\naa bb\n \n")
    side = encode_corpus(open_sentences(str(file)), network, tmp_path / "v.npy", distinct=True)
    np.testing.assert_array_equal(side.places, [0, 2])


def test_a_full_disk_is_an_error_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(StsError, match="GB free, the vectors need 1000000.0 GB; .* by TMPDIR"):
        check_room(tmp_path, 10**15)


KNOWN = [f"word{i}" for i in range(30)]
RNG = np.random.default_rng(0)
ENGLISH, FOREIGN = (
    Encoder(WordTokenizer(KNOWN, 1), RNG.standard_normal((31, 8)).astype(np.float32))
    for _ in range(2)
)
SENTENCES = [" ".join(RNG.choice(KNOWN, 4)) for _ in range(50)]


@pytest.mark.parametrize("other", [ENGLISH, FOREIGN])
@pytest.mark.parametrize("count", [20, 5000])
def test_they_are_those_of_scikit_learn(other: Encoder, count: int) -> None:
    queries = [" ".join(RNG.choice(KNOWN, 3)) for _ in range(count)]
    search = NearestNeighbors(n_neighbors=3, metric="cosine", algorithm="brute")
    search.fit(other.encode(SENTENCES))
    distances, _ = search.kneighbors(ENGLISH.encode(queries))
    near = most_similar(ENGLISH, iter(queries), SENTENCES, 3, other)
    asked, cosines, found = zip(*near, strict=True)
    assert list(asked) == [query for query in queries for _ in range(3)]
    np.testing.assert_allclose(cosines, 1 - distances.reshape(-1), atol=1e-6)
    expected = ENGLISH.similarity_pairwise(asked[:60], found[:60], other)
    np.testing.assert_allclose(cosines[:60], expected, atol=1e-6)


def test_translations_among_two_lists() -> None:
    spanish = ["Un perro corre en el parque.", "", "El tren llega tarde.", "Como una manzana."]
    english = ["The train is late.", "I eat an apple.", "A dog runs in the park."]
    found = mine(spanish, english, languages=("es", "en"))
    assert {(pair.left, pair.right) for pair in found} == {(0, 2), (2, 0), (3, 1)}
    scores = [pair.score for pair in found]
    assert scores == sorted(scores, reverse=True)
    some = mine(spanish, english, languages=("es", "en"), threshold=scores[1])
    assert some == found[:2]
    assert mine([""], english, languages=("es", "en")) == []


def test_one_language_for_two_sides_is_refused() -> None:
    with pytest.raises(StsError, match=r"languages='es'; give two, \(left, right\)"):
        mine(["a"], ["b"], languages="es")  # type: ignore[arg-type]
