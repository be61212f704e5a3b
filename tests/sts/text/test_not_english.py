"""Sentences that a model of English cannot read."""

from __future__ import annotations

from pathlib import Path

import pytest

from sts.data import fetch
from sts.data.catalog import get_task
from sts.text.not_english import NotEnglish


def test_sentences_are_handed_on_and_counted() -> None:
    seen = NotEnglish()
    assert seen.warning("raw", "another") is None
    texts = ["A dog.", "Собака\nбежит.", "家"]
    assert list(seen.watch(texts)) == texts
    assert (seen.found, seen.seen) == (2, 3)
    assert str(seen.warning("raw", "another")) == (
        "2 of 3 sentences are not in Latin script, such as 'Собака бежит.'; raw knows English "
        "alone: try another, which reads Russian too, or translate first"
    )


def test_sentences_in_another_language_are_counted_where_they_are_many() -> None:
    seen = NotEnglish()
    seen.count(["Ein Hund läuft im Park.", "A dog runs in the park."])
    assert seen.warning("raw", "another") == (
        "1 of the first 2 sentences is not in English, such as 'Ein Hund läuft im Park.'; raw "
        "knows English alone: try another, which reads Spanish, German, French and Russian too, "
        "or translate first"
    )
    seen.count(["A dog runs in the park."] * 17)
    assert seen.warning("raw", "another") is not None  # 1 of 19
    seen.count(["A dog runs in the park."])
    assert seen.warning("raw", "another") is None


@pytest.mark.parametrize("text", ["", "El perro", "x 3", "Barack Obama visits Berlin", "?!"])
def test_a_name_or_a_few_letters_are_no_other_language(text: str) -> None:
    seen = NotEnglish()
    seen.count([text])
    assert seen.warning("raw", "another") is None


def test_the_first_thousand_decide_and_few_are_identified() -> None:
    seen = NotEnglish()
    seen.count(["A dog runs in the park."] * 1000 + ["Ein Hund läuft im Park."] * 500)
    assert (seen.foreign, seen.seen) == (0, 1500)
    seen = NotEnglish()
    seen.count(["Ein Hund läuft im Park."] * 500)
    assert seen.foreign == 100
    assert "100 of the first 500" in str(seen.warning("raw", "another"))


@pytest.mark.parametrize("year", ["2012", "2013", "2014", "2015"])
def test_no_official_english_set_is_warned_about(year: str, sts_data: Path) -> None:
    task = get_task(f"sts{year}")
    for dataset in task.datasets:
        pairs = fetch.load(dataset, sts_data, with_gold=False)
        seen = NotEnglish()
        seen.count(text for pair in zip(pairs.left, pairs.right, strict=True) for text in pair)
        assert seen.warning(dataset.name, "another") is None
