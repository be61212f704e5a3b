"""The range search against comparing all with all in float64."""

from __future__ import annotations

import numpy as np
import pytest

from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.mining.close_pairs import close_pairs
from semaniacs.sts.errors import StsError

ROWS = unit(np.random.default_rng(0).standard_normal((90, 6)).astype(np.float32))
ROWS[7], ROWS[80], ROWS[33] = ROWS[3], ROWS[3], 0


@pytest.mark.parametrize("threshold", [0.2, 0.7, 1.0])
@pytest.mark.parametrize("block", [7, 45, 4096])
def test_every_pair_is_found_whatever_the_block(threshold: float, block: int) -> None:
    cosines = np.round(ROWS.astype(np.float64) @ ROWS.T.astype(np.float64), 6)
    low, high = np.nonzero(np.triu(cosines >= threshold, 1))
    found = close_pairs(ROWS, threshold, block=block)
    assert (found.low.tolist(), found.high.tolist()) == (low.tolist(), high.tolist())
    assert found.cosines.tolist() == pytest.approx(cosines[low, high].tolist(), abs=1e-9)
    assert found.cosines.max() <= 1


def test_a_higher_threshold_of_what_was_found_is_a_search_at_it() -> None:
    again, anew = close_pairs(ROWS, 0.2).at_least(0.6), close_pairs(ROWS, 0.6)
    assert all((one == other).all() for one, other in zip(again, anew, strict=True))


def test_the_same_as_the_range_search_of_faiss() -> None:
    faiss = pytest.importorskip("faiss")
    index = faiss.IndexFlatIP(6)
    index.add(ROWS)
    ends, _, places = index.range_search(ROWS, 0.5)
    low = np.repeat(np.arange(len(ROWS)), np.diff(ends.astype(np.int64)))
    expected = {(i, j) for i, j in zip(low.tolist(), places.tolist(), strict=True) if i < j}
    found = close_pairs(ROWS, 0.5)
    assert {*zip(found.low.tolist(), found.high.tolist(), strict=True)} == expected


def test_too_many_pairs_are_refused_and_none_is_cut_off() -> None:
    with pytest.raises(StsError, match=r"more than 10 pairs .* give a higher --threshold"):
        close_pairs(ROWS, 0.1, most=10)


def test_nothing_is_close_to_nothing() -> None:
    assert len(close_pairs(ROWS[:0], 0.5).low) == 0
