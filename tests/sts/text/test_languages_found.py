"""Languages that are detected, counted and reported; sentences that a model of English cannot read."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from semaniacs.sts.data import fetch
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.errors import StsError, UnknownNameError
from semaniacs.sts.text.languages_found import LanguagesFound, NotEnglish, check_languages

FIVE = ("en", "es", "de", "fr", "ru")
TEXTS = ["Ein Hund läuft.", "Un perro corre.", "A dog runs.", "Собака бежит.", "Le chien court."]


def test_each_sentence_is_read_in_its_language() -> None:
    found = LanguagesFound(FIVE)
    assert found.codes([*TEXTS, "", "犬が走る。"]) == ["de", "es", "en", "ru", "fr", "en", "en"]
    assert (found.counts.total(), found.others, found.example) == (5, 1, "犬が走る。")
    line = str(found.identified("--languages {} {}"))
    assert line.startswith("languages identified: de 1, es 1, en 1, ru 1, fr 1 (mean confidence ")
    assert line.endswith("; each sentence is read in its own, as with --languages auto auto")
    confidence = re.search(r"confidence (\S+)\)", line)
    assert confidence and 0.9 < float(confidence[1]) <= 1
    assert found.warning("bitext-teacher") == (
        "1 sentence is in a language that bitext-teacher does not know, such as '犬が走る。'; "
        "read as en; it knows en, es, de, fr, ru"
    )


def test_nothing_is_said_where_nothing_was_identified() -> None:
    found = LanguagesFound(("de", "es"))
    assert found.codes_of_sides(["a"], ["b"], ("es", "de")) == (["es"], ["de"])
    assert found.identified("{}") is None and found.warning("x") is None
    assert found.codes(["犬が走る。"]) == ["de"]  # without English the first


def test_a_side_may_be_named_and_the_other_identified() -> None:
    found = LanguagesFound(FIVE)
    assert found.codes_of_sides(TEXTS[:2], ["x", "y"], ("auto", "fr")) == (["de", "es"], ["fr"] * 2)
    assert found.codes_of_sides(TEXTS[:1], TEXTS[1:2], None) == (["de"], ["es"])


@pytest.mark.parametrize(
    ("left", "right", "named", "expected"),
    [
        ([1], [2], None, "to name them yourself: --languages es en"),
        ([2], [1], None, "to name them yourself: --languages en es"),
        ([0], [2], None, "to name them yourself: --languages de en"),
        ([0, 1], [2, 2], None, "to name them yourself: --languages auto en"),
        ([0, 1], [1, 0], None, "read in its own, as with --languages auto auto"),
        ([0], [3], ("auto", "ru"), "to name them yourself: --languages de ru"),
    ],
)
def test_what_is_to_be_typed_instead_gives_the_same_languages(
    left: list[int], right: list[int], named: tuple[str, str] | None, expected: str
) -> None:
    sides = [TEXTS[row] for row in left], [TEXTS[row] for row in right]
    found = LanguagesFound(FIVE)
    codes = found.codes_of_sides(*sides, named)
    assert str(found.identified("--languages {} {}")).endswith(expected)
    assert LanguagesFound(FIVE).codes_of_sides(*sides, found.names) == codes


def test_a_side_with_sentences_in_an_unknown_language_is_not_named() -> None:
    found = LanguagesFound(FIVE)
    found.codes_of_sides(["Un perro corre.", "犬が走る。"], ["A dog runs.", "..."], None)
    assert found.names == ("auto", "en")


def test_one_option_names_one_language() -> None:
    found = LanguagesFound(FIVE)
    found.codes(TEXTS[1:2])
    assert str(found.identified("--language {}")).endswith("yourself: --language es")
    found.codes(TEXTS[2:3])
    assert str(found.identified("--language {}")).endswith("as with --language auto")


def test_auto_is_for_models_of_several_languages() -> None:
    check_languages("m", FIVE, ("auto", "ru"))
    check_languages("m", ("en",), None)
    check_languages("m", ("en",), ("en", "en"))
    with pytest.raises(UnknownNameError, match="language of m 'auto'; choose one of: en$"):
        check_languages("m", ("en",), ("auto", "auto"))
    with pytest.raises(StsError, match=r"^languages='es'; give two, \(left, right\), such as"):
        check_languages("m", FIVE, "es")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="language of m 'pt'.*en, es, de, fr, ru, auto"):
        check_languages("m", FIVE, ("en", "pt"))


@pytest.mark.parametrize("language", ["es", "de", "fr", "ru"])
def test_real_translations_are_identified(language: str, sts_data: Path) -> None:
    path = sts_data.parent / "bitext" / f"ntrex.en-{language}.tsv.gz"
    if not path.is_file():
        pytest.skip("bitext not found beside the STS data")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file][:200]
    english, others = zip(*lines, strict=True)
    codes = LanguagesFound(FIVE).codes_of_sides(english, others, None)
    assert codes[0].count("en") >= 199 and codes[1].count(language) >= 199


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


def test_no_official_english_set_is_warned_about(sts_data: Path) -> None:
    for dataset in get_task("sts2014").datasets:
        pairs = fetch.load(dataset, sts_data, with_gold=False)
        seen = NotEnglish()
        seen.count(text for pair in zip(pairs.left, pairs.right, strict=True) for text in pair)
        assert seen.warning(dataset.name, "another") is None
