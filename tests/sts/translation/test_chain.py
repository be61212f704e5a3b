"""Several translators in a row: the first that answers, each under its own name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.data.readers import read_pairs
from semaniacs.sts.errors import DataError, StsError, UnknownNameError
from semaniacs.sts.translation import (
    CachedTranslator,
    Chain,
    Recorded,
    Translation,
    TranslationError,
    TranslationMemory,
    check_name,
    get_translator,
    read_recorded,
)
from semaniacs.sts.translation.translator import (
    BadAnswerError,
    MissingTranslationsError,
    RejectedError,
    TemporaryError,
)
from tests.sts.translation.fakes import FakeProvider, plain


class Fake(FakeProvider):
    """Puts its name before each text."""

    def say(self, text: str, target: str) -> Translation:
        return Translation(f"{self.name} {text}", (text,) if text == "x" else ())


def chain_of(memory: TranslationMemory, *fakes: Fake) -> Chain:
    return Chain([CachedTranslator(fake, memory) for fake in fakes])


def test_the_first_serves_all_if_it_can(
    memory: TranslationMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = Fake("a"), Fake("b")
    chain = chain_of(memory, first, second)
    assert plain(chain.translate(["u", "7", "v", "u"], "es", "en")) == ["a u", "7", "a v", "a u"]
    assert second.asked == []
    assert capsys.readouterr() == ("", "es->en, texts by translator: a 2\n")
    assert (chain.name, chain.version) == ("a,b", "a: 1")


def test_one_that_is_not_available_is_passed_over_with_a_note(
    memory: TranslationMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = chain_of(memory, Fake("a", ready=False), Fake("b"))
    assert plain(chain.translate(["u", "v"], "es", "en")) == ["b u", "b v"]
    assert capsys.readouterr().err == (
        "es->en, texts by translator: a 0, b 2 (a: 2 of 2 distinct texts have no es->en "
        "translation, the first is 'u'; install it: apt-get install fake)\n"
    )


@pytest.mark.parametrize("kind", [TemporaryError, TranslationError])
def test_when_one_stops_the_next_goes_on_and_each_stores_its_own(
    memory: TranslationMemory, kind: type[TranslationError], capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = Fake("a"), Fake("b")
    first.faults = {"w": kind("a has had enough")}
    chain = chain_of(memory, first, second)
    expected = ["a u", "a v", "b w", "b x", "b y"]
    assert plain(chain.translate("uvwxy", "es", "en")) == expected
    assert first.asked == ["u", "v", "w"]
    note = capsys.readouterr().err
    assert note.startswith("es->en, texts by translator: a 2, b 3 (a: a has had enough; 2")
    memory.refresh()
    for name, texts in (("a", "uv"), ("b", "wxy")):
        assert {t for t in "uvwxy" if memory.get(name, "es", "en", t)} == set(texts)
    found = chain.translate(["u", "x", "7"], "es", "en")
    assert [translation.untranslated for translation in found] == [(), ("x",), ()]
    assert chain.version == "a: 1; b: 1"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", [RejectedError, BadAnswerError])
def test_a_single_refused_text_goes_to_the_next_alone(
    memory: TranslationMemory, kind: type[TranslationError]
) -> None:
    first, second = Fake("a"), Fake("b")
    first.faults = {text: kind("no") for text in "bdfhj"}
    found = plain(chain_of(memory, first, second).translate("abcdefghijk", "es", "en"))
    assert found == [f"{'b' if text in 'bdfhj' else 'a'} {text}" for text in "abcdefghijk"]
    assert second.asked == list("bdfhj")


def test_if_nobody_answers_every_reason_is_given(memory: TranslationMemory) -> None:
    first, second = Fake("a"), Fake("b", ready=False)
    first.faults = {"v": TranslationError("a is spent")}
    with pytest.raises(TranslationError, match=r"1 of 2 texts .*any of a,b; a: a is spent.*; b: 1"):
        chain_of(memory, first, second).translate(["u", "v"], "es", "en")


def test_a_chain_is_named_with_commas(tmp_path: Path) -> None:
    chain = get_translator("google, apertium", memory_folder=tmp_path)
    assert isinstance(chain, Chain)
    assert chain.name == "google,apertium"
    assert check_name(None) == ("apertium",)
    for name in ("google,bing", "google,", ",", ""):
        with pytest.raises(UnknownNameError, match=r"unknown translator '(bing)?'; choose"):
            get_translator(name, memory_folder=tmp_path)
    with pytest.raises(StsError, match="'google,google' names one twice"):
        check_name("google,google")


# Recorded translations, and the factory of translators


PAIRS = Pairs("toy", ("hola", "I see."), ("Hi.", "Veo."), np.full(2, np.nan))


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
        ("Hello\tHi!\nI can see.\tI see.\n", r"txt:1: the second column 'Hi!' is neither side"),
    ],
)
def test_a_recording_of_another_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        read_recorded(PAIRS, recording(tmp_path, text))


def test_every_recorded_line_resolves(sts_data: Path) -> None:
    folder = sts_data / "2016-es-en"
    pairs = read_pairs("news", folder / "STS.2016.input.news.txt")
    mapping = read_recorded(pairs, folder / "STS.2016.input.news.translation.txt")
    spanish = [a if a in mapping else b for a, b in zip(pairs.left, pairs.right, strict=True)]
    translated = plain(Recorded(mapping).translate(spanish, "es", "en"))
    assert len(translated) == len(pairs) == 301
    assert translated[0].startswith('"Mr. Chapo')
    assert not any("&quot;" in text for text in translated)
