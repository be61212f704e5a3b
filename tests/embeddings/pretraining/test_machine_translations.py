"""Bitext that a machine wrote: what is drawn, what is left out, and which files do not fit."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from embeddings import loading
from embeddings.bitext import named_encoders
from embeddings.pretraining import machine_translations
from embeddings.pretraining.machine_translations import MachineTranslations, russian_headlines
from sts.errors import DataError
from sts.translation.translator import Provider, Translation

SYSTEMS = ("google", "microsoft", "yandex")
MADE = MachineTranslations((("captions", 2), ("news.en-de", 9)))


class Capitals(Provider):
    """Translates by capitals, and counts what it is asked."""

    name = "capitals"
    chunk = 2
    version = "1"
    install_hint = ""
    asked = 0

    def available(self) -> bool:
        return True

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        assert (source, target) == ("en", "es")
        for text in texts:
            Capitals.asked += 1
            yield Translation(text.upper())


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three captions, two lines of news, and two pairs of headlines."""
    write(tmp_path / "paraphrases" / "captions.tsv.gz", ["a dog\ta cat", "a cat\tan owl"])
    write(tmp_path / "bitext" / "news.en-de.tsv.gz", ["it rains\tes regnet", "Held out\tnein"])
    write(tmp_path / "bitext" / "tatoeba.en-es.tsv.gz", ["yes\tsí"])
    for number, system in enumerate(SYSTEMS):
        rows = ["id\ttext_1\ttext_2", f"1\tsnow {number}\train", f"2\tice {number}\tfog"]
        write(tmp_path / "paraphraser" / f"train.en.{system}.tsv.gz", rows)
    titles = "id\ttext_1\ttext_2\tclass\n1\tснег\tдождь\t0\n2\tлёд\tтуман\t-1\n"
    (tmp_path / "paraphraser" / "train.tsv").write_text(titles)
    monkeypatch.setattr(machine_translations, "Apertium", Capitals)
    monkeypatch.setattr(Capitals, "asked", 0)
    return tmp_path


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))


def test_english_is_drawn_and_put_into_spanish_once(data: Path, tmp_path: Path) -> None:
    found = MADE.of(data, "es", {"held out"}, tmp_path)
    captions = {"a dog", "a cat", "an owl"}
    assert len(found) == 3
    assert {english for english, _ in found[:2]} < captions
    assert found[2] == ("it rains", "IT RAINS")
    assert all(spanish == english.upper() for english, spanish in found)
    assert MADE.of(data, "es", {"held out"}, tmp_path) == found
    assert Capitals.asked == 3  # the second time all come from the memory
    assert MADE.of(data, "de", set(), tmp_path) == []


def test_a_held_out_translation_is_left_out(data: Path, tmp_path: Path) -> None:
    found = MADE.of(data, "es", {"it rains"}, tmp_path)
    assert "it rains" not in {english for english, _ in found}


def test_headlines_beside_each_recorded_translation(data: Path, tmp_path: Path) -> None:
    found = MADE.of(data, "ru", {"rain"}, tmp_path)
    assert found[:3] == [("snow 0", "снег"), ("ice 0", "лёд"), ("fog", "туман")]
    assert len(found) == 3 * len(SYSTEMS)
    assert replace(MADE, headlines=False).of(data, "ru", set(), tmp_path) == []


def test_translations_of_other_headlines_are_refused(data: Path) -> None:
    (data / "paraphraser" / "train.tsv").write_text(
        "id\ttext_1\ttext_2\tclass\n1\tснег\tдождь\t0\n"
    )
    with pytest.raises(DataError, match=r"train\.tsv: 1 rows; expected 2, as in .* google"):
        russian_headlines(data)


def test_a_recipe_adds_them_to_what_people_wrote(data: Path, tmp_path: Path) -> None:
    recipe = replace(named_encoders.SP, languages=("es",), machine=MADE)
    (bitext,) = named_encoders.read_bitexts(recipe, data / "bitext", {"held out"}, tmp_path)
    assert bitext.pairs[0] == ("yes", "sí")
    assert len(bitext) == 4
    (plain,) = named_encoders.read_bitexts(
        replace(recipe, machine=None), data / "bitext", set(), tmp_path
    )
    assert list(plain.pairs) == [("yes", "sí")]


def test_recipes_without_it_are_named_as_before() -> None:
    assert "machine" not in json.loads(named_encoders.TEACHER.as_json())
    assert json.loads(named_encoders.SP.as_json())["machine"]["headlines"] is True
    path = loading.PRETRAINED / "bitext-teacher.safetensors"
    assert loading.metadata_of(path)["recipe"] == named_encoders.TEACHER.as_json()
