"""Word order without a tagger: values computed by hand, in four languages."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from wordfreq import word_frequency

from semaniacs.features.registry import FeatureColumns, all_features
from semaniacs.sts.data.pairs import Pairs
from tests.features.support import cases


def values(left: str, right: str, *names: str) -> list[float]:
    columns = FeatureColumns([f"any_{name}" for name in names])
    return columns.compute(Pairs("one", (left,), (right,), np.zeros(1)))[0].tolist()


# Content words: red car hit blue bus. Their order on the other side: blue car hit red bus, that
# is places 3 1 2 0 4 of red, car, hit, blue and bus.
RARER = ("red", "blue")
RED = ("the red car hit the blue bus", "the blue car hit the red bus")


TRADED = {
    "inversions": 5 / 10,  # red-car, red-hit, red-blue, car-blue, hit-blue
    "near_inversions": 4 / 7,  # of neighbours and next neighbours all of them but red-blue
    "breaks": 3,  # car-hit alone stays together
    "kept_next": 1 / 4,
    "reversed_next": 0,
    "shift": (3 + 0 + 0 + 3 + 0) / 5**2,
    "largest_shift": 3 / 5,
    "in_place": 3 / 5,
    "out_of_sequence": 1 - 3 / 5,  # car hit bus rise
    "out_of_sequence_count": 2,
    "exchanged_information": -log(max(word_frequency(w, "en", "small") for w in RARER)) / 10,
    "left_kept": 3 / 5,  # of red, hit and blue
    "right_kept": 3 / 5,  # of car, hit and bus
    "both_kept": 1 / 5,
    "function_words_traded": 0,
    "function_word_changed": 0,
    "last_function_word_kept": 1,
    "names": 0,
    "name_inversions": 0,
    "unaligned": 0,
    "unaligned_content": 0,
    "unaligned_heaviest": 0,
    "pieces": 5,  # the, red, car hit the, blue, bus
    "pieces_of_aligned": 5 / 7,
    "single_pieces": 4 / 5,
    "largest_piece": 3 / 7,
    "unaligned_difference": 0,
    "largest_piece_difference": 0,
    "word_1gram": 1,
    "word_2gram": 2 * 4 / 12,  # the red, car hit, hit the, the blue
    "word_3gram": 2 * 1 / 10,  # car hit the
    "word_4gram": 0,
    "content_2gram": 2 * 1 / 8,  # car hit
    "content_3gram": 0,
    "content_4gram": 0,
    "stem_1gram": 1,
    "stem_2gram": 2 * 4 / 12,
    "stem_3gram": 2 * 1 / 10,
    "information": 1,
    "commas": 0,
}


def test_two_words_that_traded_places() -> None:
    assert values(*RED, *TRADED) == pytest.approx(list(TRADED.values()), rel=1e-3)
    every = {feature.name for feature in all_features() if feature.group == "any_language"}
    assert {f"any_{name}" for name in TRADED} == every


def test_what_has_no_partner() -> None:
    names = ("unaligned", "unaligned_content", "unaligned_heaviest", "commas", "word_1gram")
    expected = [
        (1 / 4 + 2 / 5) / 2,  # slept; sat, quietly
        (1 / 4 + 2 / 5) / 2,
        sum(-log(word_frequency(w, "en", "small")) for w in ("slept", "quietly")) / 2,  # rarest
        1,
        2 * 3 / 9,
    ]
    found = values("the cat, then slept", "the cat, then sat quietly", *names)
    assert found == pytest.approx(expected, rel=1e-3)  # wordfreq rounds what it gives


@pytest.mark.parametrize(("left", "right"), cases("test_the_order_is_seen_in_every_language"))
def test_the_order_is_seen_in_every_language(left: str, right: str) -> None:
    # dog bit man, man bit dog: all three pairs of words are inverted, and rest two of three
    assert values(left, right, "inversions", "in_place") == pytest.approx([1.0, 1 / 3])


def test_a_moved_clause_is_one_block() -> None:
    moved = values("in 1998 she left Paris", "she left Paris in 1998", "pieces", "single_pieces")
    assert moved == [2.0, 0.0]


def test_inflected_words_are_partners_and_numbers_are_not() -> None:
    assert values("he painted houses", "he paints houses", "unaligned") == [0.0]
    assert values("room 10021", "room 10022", "unaligned_content") == [1 / 2]
