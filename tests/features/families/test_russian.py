"""Columns of Russian headlines: values by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from semaniacs.embeddings import loading
from semaniacs.features.families.russian import information, learn_information, stem
from semaniacs.features.registry import FeatureColumns
from semaniacs.features.resources import Resources
from semaniacs.sts.data.pairs import Pairs

WORDS = {"вратар": 6.0, "ушел": 2.0, "спартак": 4.0, "покинул": 3.0, "голкипер": 7.0}
LEARNED = {stem(word) or "": nats for word, nats in WORDS.items()} | {"": 5.0}


def values(left: str, right: str, *names: str) -> list[float]:
    columns = FeatureColumns([f"ru_{name}" for name in names], Resources(headlines=LEARNED))
    pairs = Pairs("two", (left, right), (right, left), np.zeros(2))
    found = columns.compute(pairs)
    assert np.array_equal(found[0], found[1])  # either way round
    return found[0].tolist()


# Content stems: вратар ушел спартак and вратар покинул спартак; из is a function word.
KEEPER = ("Вратарь ушел из «Спартака»", "Вратарь покинул Спартак")
BY_HAND = {
    "words": 2 / 7,  # вратарь, of four and three
    "stems": 4 / 7,
    "content": 4 / 6,
    "beginnings": 4 / 6,
    "keys": 2 / 6,  # Spartaka is not Spartak
    "names": 1,  # Вратарь, Спартак
    "numbers": 1,
    "stem_2gram": 0,
    "information": 20 / (12 + 13),
    "contained": 2 / 3,
    "contained_information": 10 / 12,
    "shared": 2,
    "shared_information": 10,
    "shared_rarest": 6,
    "unshared_least": 1,
    "unshared_most": 1,
    "left_least": 2,
    "left_most": 3,
    "left_rarest_least": 2,
    "left_rarest_most": 3,
    "number_conflict": 0,
    "name_conflict": 0,
    "denials": 0,
    "first": 1,
    "last": 1,
}


def test_by_hand() -> None:
    found = values(*KEEPER, *BY_HAND)
    assert dict(zip(BY_HAND, found, strict=True)) == pytest.approx(BY_HAND)


def test_soft_matches_take_forms_of_a_word_for_equal() -> None:
    encoder = loading.load("bitext-sp", "ru")
    left, right = encoder.encode(["ушел", "покинул"], normalize=True)
    cosine = float(left @ right)
    names = ("soft", "soft_even", "soft_worst", "soft_left_least", "soft_left_most")
    mean = ((10 + 2 * cosine) / 12 + (10 + 3 * cosine) / 13) / 2
    expected = [mean, (2 + cosine) / 3, 1 - cosine, 2 * (1 - cosine), 3 * (1 - cosine)]
    assert values(*KEEPER, *names) == pytest.approx(expected, abs=1e-5)


def test_ways_to_write_russian_in_latin_letters_are_one() -> None:
    pair = "Выставка: Янукович в Харькове", "vystavka yanukovich v kharkove"
    assert values(*pair, "keys", "content") == [6 / 7, 0]  # the v is no function word


def test_vectors_are_those_of_the_encoders() -> None:
    for name, model in (("network", "multilingual"), ("subwords", "bitext-sp")):
        left, right = loading.load(model, "ru").encode(list(KEEPER), normalize=True)
        assert values(*KEEPER, name) == pytest.approx([float(left @ right)], abs=1e-4)


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
