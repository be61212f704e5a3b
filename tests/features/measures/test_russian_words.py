"""Russian words: stems, what they say, and what two bags share, by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from features.measures.russian_words import (
    NAMES,
    compare_bags,
    information,
    learn_information,
    stem,
)


def test_forms_of_a_word_have_one_stem() -> None:
    assert len({stem(word) for word in ("Президент", "президента", "президентом")}) == 1
    assert stem("ёлки") == stem("Елка")
    assert stem("кот") != stem("кит")
    assert [stem(token) for token in ("Apple", "45", ".", "«")] == ["apple", "45", None, None]


def test_what_headlines_teach() -> None:
    learned = learn_information(["Кот спит.", "Кот ест", "Кот спит.", "Снег"])  # three of them
    assert learned[stem("коты") or ""] == pytest.approx(log(4 / 2.5), abs=1e-4)
    assert learned["снег"] == pytest.approx(log(4 / 1.5), abs=1e-4)
    assert information("лед", learned) == learned[""] == pytest.approx(log(4 / 0.5), abs=1e-4)
    assert (np.array([*learned.values()]) * 2**16 % 1 == 0).all()


def test_two_bags() -> None:
    keys = np.array([0, 1, 2, 1, 2, 3, 4], np.uint64)  # {0 1 2}, {1 2 3 4}, {}
    begins, ends = np.array([0, 3, 7]), np.array([3, 7, 7])
    weights = np.array([8.0, 1.0, 2.0, 4.0, 3.0])
    left, right = np.array([0, 1, 2]), np.array([1, 0, 2])
    found = compare_bags(keys, begins, ends, left, right, weights)
    expected = {
        "information": 6 / (11 + 10), "contained": 2 / 3, "contained_information": 3 / (3 + 7),
        "shared": 2, "shared_information": 3, "shared_rarest": 2, "unshared_least": 1,
        "unshared_most": 2, "left_least": 7, "left_most": 8, "left_rarest_least": 4,
        "left_rarest_most": 8,
    }  # fmt: skip
    assert dict(zip(NAMES, found[0].tolist(), strict=True)) == pytest.approx(expected)
    assert np.array_equal(found[0], found[1])
    assert found[2].tolist() == [1, 1, 1, *[0] * 9]
