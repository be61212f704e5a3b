"""The nearest rows, against scikit-learn; and what must not change them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.formats.numpy_file import RowsOnDisk, write_rows
from semaniacs.embeddings.mining.neighbours import Ivf, Neighbours, compare_by_numpy, nearest
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.errors import StsError


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


def test_blocks_change_no_bit() -> None:
    some = make_rows(400)
    rows = some[np.random.default_rng(0).integers(0, 400, 1000)]  # most stand there again
    queries = np.concatenate([some[:150], make_rows(70, seed=1)])
    whole = nearest(queries, rows, 3)
    for block in (100, 500):
        assert_same(nearest(queries, rows, 3, block=block), whole)
    assert_same(nearest(queries[:5], rows, 3), Neighbours(whole.places[:5], whole.cosines[:5]))


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


# clusters


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


def test_clusters_that_hold_too_few_leave_places_free() -> None:
    rows = unit(np.array([[1, 0.1], [1, 0], [0, 1], [0.1, 1], [0.2, 1]], np.float32))
    found = nearest(rows[:3], rows, 3, search=Ivf(2, 1))
    np.testing.assert_array_equal(found.places, [[0, 1, -1], [1, 0, -1], [2, 3, 4]])
    np.testing.assert_array_equal(found.found.sum(axis=1), [2, 2, 3])
    np.testing.assert_allclose(found.mean()[0], (1 + 1 / np.sqrt(1.01)) / 2, atol=1e-6)
    assert found.cosines[0, 2] == 0


@pytest.mark.parametrize(
    ("way", "k", "message"),
    [
        (None, 11, "--top-k 11 neighbours among 10 sentences; give a smaller --top-k"),
        (Ivf(clusters=11), 1, "11 clusters of 10 sentences; give fewer --clusters"),
        (Ivf(clusters=4, probe=5), 1, "--probe 5 of 4 clusters; give 4 or fewer"),
    ],
)
def test_what_cannot_be_searched_is_told(way: Ivf | None, k: int, message: str) -> None:
    with pytest.raises(StsError, match=message):
        nearest(make_rows(3), make_rows(10), k, search=way)


@pytest.mark.parametrize("k", [1, 5, 40])
def test_without_faiss_numpy_finds_the_same(k: int) -> None:
    drawn = np.random.default_rng(7).standard_normal((40, 8)).astype(np.float32)
    rows = unit(np.concatenate([drawn, drawn[:9]]))

    expected = nearest(rows[:7], rows, k)
    found = nearest(rows[:7], rows, k, search=compare_by_numpy)
    np.testing.assert_array_equal(found.places, expected.places)
    np.testing.assert_array_equal(found.cosines, expected.cosines)
