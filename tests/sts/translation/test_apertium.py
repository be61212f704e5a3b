"""Apertium beyond Spanish, and with very long texts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from semaniacs.sts.errors import MissingResourceError
from semaniacs.sts.translation import Apertium, TranslationError, get_translator
from semaniacs.sts.translation.apertium import read_answer, record
from semaniacs.sts.translation.round_trips import take_trips
from semaniacs.sts.translation.translator import MissingTranslationsError
from tests.sts.translation.fakes import needs_apertium, plain

PAIRS = [
    ("es", "en", "La casa roja.", "The red house."),
    ("en", "es", "The red house.", "La casa roja."),
    ("eo", "en", "La ruĝa domo.", "The red house."),
]


def needs_pair(source: str, target: str) -> Apertium:
    """An Apertium that has the pair, or the test is skipped."""
    apertium = Apertium()
    try:
        list(apertium.translate([], source, target))
    except MissingResourceError as error:
        pytest.skip(str(error).rpartition("; ")[2])
    return apertium


# Languages


@needs_apertium
@pytest.mark.parametrize(("source", "target", "text", "expected"), PAIRS)
def test_each_pair_translates_and_tells_unknown_words(
    source: str, target: str, text: str, expected: str
) -> None:
    apertium = needs_pair(source, target)
    texts = [text, "*zorglub @kipunji", "😀 12.5 %", text]
    found = list(apertium.translate(texts, source, target))
    assert plain(found) == [expected, "*zorglub @kipunji", "😀 12.5 %", expected]
    assert [one.untranslated for one in found] == [(), ("zorglub", "kipunji"), (), ()]


# Hard texts

NASTY = [
    "la casa roja",
    'dijo: "hola',
    "^casa$ / <b>casa</b> {a} [b] \\ \\\\ @c [[d]] ]e[ \\n",
    "[<STREAMCMD:SETVAR:x>] hola [].[3]",
    "* **casa** 2*3 *zorglub #uno ~ a~b",
    "fui con el Sr",
    "dos\u2028líneas\r\ny nada\0más",
    "😀 perro 👨‍👩‍👧 gato \ud800 hola \ufffd",
    "palabra " * 300,
    "Se",
]


def ask(texts: Sequence[str], source: str = "es", target: str = "en") -> list[str]:
    return [found.text for found in Apertium().translate(texts, source, target)]


@needs_apertium
def test_each_nasty_text_is_translated_as_if_alone() -> None:
    assert ask(NASTY) == [ask([text])[0] for text in NASTY]


@needs_apertium
def test_a_round_trip_is_two_translations_and_both_are_stored(tmp_path: Path) -> None:
    translator = get_translator("apertium", memory_folder=tmp_path)
    texts = ["The dog eats the red apple.", "12 %", "The dog eats the red apple."]
    assert [trip.returned for trip in take_trips(translator, texts, ["es"])] == texts
    memory_only = get_translator("memory", memory_folder=tmp_path)
    assert [trip.returned for trip in take_trips(memory_only, texts, ["es"])] == texts
    assert memory_only.signature() == translator.signature()


def test_the_stand_ins_are_undone() -> None:
    for text in ("*", "#", "~", "\\", "[x]", "a*b#c~d", "\\@x"):
        sent = record(text, 7).decode()
        assert sent.endswith("[].[7]\0")
        assert read_answer(sent[: -len("[].[7]\0")], "5").text == text


# A command that is not Apertium's

WHOLE = "parts = sys.stdin.read().split('\\0')[:-1]\n"
Installed = Callable[..., Apertium]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """An Apertium of some pairs that runs ``body``, in Python, in place of its programs."""

    def install(body: str, pairs: str = "spa-eng") -> Apertium:
        command = tmp_path / "apertium"
        command.write_text(
            f"#!{sys.executable}\nimport sys, time\n"
            "if '-V' in sys.argv: print('Apertium 0.1'); sys.exit()\n"
            f"if '-l' in sys.argv: print({pairs!r}); sys.exit()\n{body}\n"
        )
        command.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        return Apertium()

    return install


def test_a_missing_pair_says_how_to_find_its_package(installed: Installed) -> None:
    apertium = installed("", "spa-eng spa-eng_US eng-spa")
    says = r"asked for gl->en\), it has: spa-eng, eng-spa; .*apt-cache search"
    with pytest.raises(MissingResourceError, match=says):
        apertium.translate(["x"], "gl", "en")


def test_answers_that_do_not_line_up_are_asked_again_in_halves(installed: Installed) -> None:
    installed(
        WHOLE + "if len(parts) > 2 and any('ba' in p for p in parts): parts = parts[1:]\n"
        "print(end='\\0'.join(parts) + '\\0' * 5)"
    )
    texts = ["a", "b", "ba", "c", "d", "e", "f"]
    assert ask(texts) == texts


@pytest.mark.parametrize("body", ["", "print(end=parts[0] + '\\0rest')"])
def test_a_text_without_a_whole_answer_is_named(installed: Installed, body: str) -> None:
    installed(WHOLE + body)
    with pytest.raises(TranslationError, match=r"apertium spa-eng: no whole answer for 'hola'"):
        ask(["hola", "mundo"])


def test_without_the_command_the_hint_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    translator = get_translator(None, memory_folder=tmp_path)
    assert not Apertium().available()
    assert translator.version == "not called"
    with pytest.raises(MissingTranslationsError, match=r"1 of 1 distinct .*apt-get install apert"):
        translator.translate(["Una frase que nadie guardó jamás."], "es", "en")
    with pytest.raises(MissingResourceError, match="'apertium' was not found; install it: apt"):
        ask(["hola"])
