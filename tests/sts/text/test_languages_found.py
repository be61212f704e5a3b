"""Languages that are identified, counted and told of."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from sts.errors import UnknownNameError
from sts.text.languages_found import LanguagesFound, check_languages

FIVE = ("en", "es", "de", "fr", "ru")
TEXTS = ["Ein Hund läuft.", "Un perro corre.", "A dog runs.", "Собака бежит.", "Le chien court."]


def test_each_sentence_is_read_in_its_language() -> None:
    found = LanguagesFound(FIVE)
    assert found.codes([*TEXTS, "", "犬が走る。"]) == ["de", "es", "en", "ru", "fr", "en", "en"]
    assert (found.total, found.others, found.example) == (5, 1, "犬が走る。")
    line = str(found.identified("--languages de en"))
    assert line.startswith("languages identified: de 1, es 1, en 1, ru 1, fr 1 (mean confidence ")
    assert line.endswith("to name them yourself: --languages de en")
    confidence = re.search(r"confidence (\S+)\)", line)
    assert confidence and 0.9 < float(confidence[1]) <= 1
    assert found.warning("bitext-teacher") == (
        "1 sentences are in a language that bitext-teacher does not know, such as '犬が走る。'; "
        "read as en; it knows en, es, de, fr, ru"
    )


def test_nothing_is_said_where_nothing_was_identified() -> None:
    found = LanguagesFound(("de", "es"))
    assert found.codes_of_sides(["a"], ["b"], ("es", "de")) == (["es"], ["de"])
    assert found.identified("x") is None and found.warning("x") is None
    assert found.codes(["犬が走る。"]) == ["de"]  # without English the first


def test_a_side_may_be_named_and_the_other_identified() -> None:
    found = LanguagesFound(FIVE)
    assert found.codes_of_sides(TEXTS[:2], ["x", "y"], ("auto", "fr")) == (["de", "es"], ["fr"] * 2)
    assert found.codes_of_sides(TEXTS[:1], TEXTS[1:2], None) == (["de"], ["es"])


def test_auto_is_for_models_of_several_languages() -> None:
    check_languages("m", FIVE, ("auto", "ru"))
    check_languages("m", ("en",), None)
    check_languages("m", ("en",), ("en", "en"))
    with pytest.raises(UnknownNameError, match="language of m 'auto'; choose one of: en$"):
        check_languages("m", ("en",), ("auto", "auto"))
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
