"""Apertium beyond Spanish, kept open, and with very long texts."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from sts.errors import MissingResourceError
from sts.translation import (
    Apertium,
    CachedTranslator,
    Translation,
    TranslationError,
    TranslationMemory,
    get_translator,
)
from sts.translation.apertium import ApertiumKeptOpen
from sts.translation.apertium.pipe import Pipe
from tests.sts.translation.fakes import plain

needs_apertium = pytest.mark.skipif(
    not Apertium().available(), reason="apertium is not installed: apt-get install apertium-eng-spa"
)

PAIRS = [
    ("es", "en", "La casa roja.", "The red house."),
    ("en", "es", "The red house.", "La casa roja."),
    ("ca", "en", "La casa vermella.", "The red home."),
    ("en", "ca", "The red house.", "La casa vermella."),
    ("eo", "en", "La ruĝa domo.", "The red house."),
    ("en", "eo", "The red house.", "La ruĝa domo."),
    ("gl", "en", "A casa vermella.", "The red house."),
    ("en", "gl", "The red house.", "A casa vermella."),
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
    assert [one.text for one in found] == [expected, "*zorglub @kipunji", "😀 12.5 %", expected]
    assert [one.untranslated for one in found] == [(), ("zorglub", "kipunji"), (), ()]


@needs_apertium
@pytest.mark.parametrize(("source", "target", "text", "expected"), PAIRS)
def test_each_pair_lines_up_whatever_stands_between(
    source: str, target: str, text: str, expected: str
) -> None:
    nasty = ["^a/b<n>$", "[x] ]y[", "\\", "a\0b\nc", "\x01\x1f\ud800", "«no", "…", "* # ~ @", " "]
    between = [one for between in nasty for one in (between, text)]
    found = list(needs_pair(source, target).translate(between, source, target))
    assert [one.text for one in found[1::2]] == [expected] * len(nasty)


def apertium_with(folder: Path, monkeypatch: pytest.MonkeyPatch, modes: str) -> Apertium:
    command = folder / "apertium"
    command.write_text(f"#!/bin/sh\ncase $1 in -V) echo Apertium 0.1;; *) printf '{modes}';; esac")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return Apertium()


@pytest.mark.parametrize(
    ("source", "target", "package"),
    [
        ("en", "ca", "install it: apt-get install apertium-eng-cat"),
        ("gl", "en", "install it: apt-get install apertium-en-gl"),
        ("eo", "en", "install it: apt-get install apertium-eo-en"),
        ("en", "xx", "pairs known to work: .* en and es.*apt-cache search"),
    ],
)
def test_a_missing_pair_names_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, target: str, package: str
) -> None:
    apertium = apertium_with(tmp_path, monkeypatch, "spa-eng\\nspa-eng_US\\neng-spa\\n")
    says = rf"asked for {source}->{target}\), it has: spa-eng, eng-spa; {package}"
    with pytest.raises(MissingResourceError, match=says):
        apertium.translate(["x"], source, target)
    with pytest.raises(MissingResourceError, match=says):
        apertium.open(source, target)


def test_the_version_of_a_pair_does_not_change_with_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spanish = apertium_with(tmp_path, monkeypatch, "spa-eng\\neng-spa\\n")
    assert spanish.version == spanish.version_of("es", "en") == "0.1 eng-spa spa-eng"
    both = apertium_with(tmp_path, monkeypatch, "spa-eng\\neng-spa\\neng-cat\\nen-gl\\n")
    assert both.version_of("en", "es") == both.version_of("es", "en") == "0.1 eng-spa spa-eng"
    assert both.version_of("en", "gl") == "0.1 en-gl"
    assert both.version == "0.1 en-gl eng-cat eng-spa spa-eng"


# Long texts


@needs_apertium
@pytest.mark.parametrize("unit", ["La casa roja. ", "palabra ", "zorglub, ", "«a» [b] "])
def test_100_000_characters_are_one_text(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    found, after = Apertium().translate([text, "La casa roja."], "es", "en")
    short = next(Apertium().translate([unit * 3], "es", "en")).text
    assert found.text.startswith(short[: len(short) // 3])
    assert len(found.text.split()) >= len(text.split()) // 2
    assert after.text == "The red house."


# Kept open


@needs_apertium
@pytest.mark.parametrize(("source", "target", "text", "expected"), PAIRS)
def test_an_open_pipe_answers_one_by_one(
    source: str, target: str, text: str, expected: str
) -> None:
    with needs_pair(source, target).open(source, target) as pipe:
        assert [pipe.translate(text).text for _ in range(3)] == [expected] * 3


@needs_apertium
def test_an_open_pipe_says_what_the_command_says() -> None:
    texts = ["El zorglub come *la @casa.", "Se", "fui con el Sr", "\ud800 hola\nya\0no", "«", " "]
    texts += ["12 %", "", "😀", "[a] ^b$ {c} \\", "La casa roja. " * 7000, "hola"]
    with Apertium().open("es", "en") as pipe:
        one_by_one = [pipe.translate(text) for text in texts]
    for text, found, together in zip(
        texts, one_by_one, Apertium().translate(texts, "es", "en"), strict=True
    ):
        assert found == (together if any(map(str.isalpha, text)) else Translation(text))


@needs_apertium
def test_an_answer_takes_milliseconds() -> None:
    with Apertium().open("es", "en") as pipe:
        pipe.translate("La casa roja.")
        seconds = []
        for _ in range(20):
            begin = time.perf_counter()
            pipe.translate("La casa roja.")
            seconds.append(time.perf_counter() - begin)
    assert sorted(seconds)[10] < 0.05, "starting the command takes longer than that"


@needs_apertium
def test_an_open_pipe_may_be_shared_by_threads() -> None:
    wrong: list[str] = []

    def ask(word: str) -> None:
        for _ in range(20):
            if pipe.translate(f"El {word}.").text != f"The {word}.":
                wrong.append(word)

    with Apertium().open("es", "en") as pipe:
        threads = [threading.Thread(target=ask, args=(f"zorglub{name}",)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


@needs_apertium
def test_a_closed_and_a_killed_pipe_say_so() -> None:
    pipe = Apertium().open("es", "en")
    assert pipe.translate("hola").text == "hello"
    pipe.close()
    pipe.close()
    with pytest.raises(TranslationError, match="spa-eng: the pipe has ended .*'hola'; open it aga"):
        pipe.translate("hola")
    with Apertium().open("es", "en") as killed:
        killed.translate("hola")
        os.killpg(killed._process.pid, signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(TranslationError, match="the pipe has ended and has no answer"):
                killed.translate("hola")


def fake_pipe(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> Apertium:
    """An Apertium of one pair whose pipe is ``body``, in Python, for each record read."""
    command = folder / "apertium"
    command.write_text(
        f"#!{sys.executable}\nimport sys, time\n"
        "if '-l' in sys.argv: print('spa-eng'); sys.exit()\n"
        "rest = b''\n"
        "while block := sys.stdin.buffer.raw.read(99):\n"
        "    *whole, rest = (rest + block).split(b'\\0')\n"
        f"    for record in whole:\n        {body}\n        sys.stdout.buffer.flush()\n"
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return Apertium()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("sys.exit()", r"the pipe has ended and has no answer for 'hola'"),
        ("sys.stdout.buffer.write(b'house[].[9]\\0')", r"does not end in its number, 'house\[\]"),
        ("time.sleep(60)", r"no answer for 'hola' in 1 seconds, the pipe was stopped"),
    ],
)
def test_a_pipe_that_misbehaves_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, says: str
) -> None:
    monkeypatch.setattr("sts.translation.apertium.pipe.TIMEOUT", 1.0)
    with (
        fake_pipe(tmp_path, monkeypatch, body).open("es", "en") as pipe,
        pytest.raises(TranslationError, match=rf"apertium spa-eng: .*{says}"),
    ):
        pipe.translate("hola")


def test_empty_records_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "sys.stdout.buffer.write(b'\\0' + record + b'\\0\\0')"
    with fake_pipe(tmp_path, monkeypatch, body).open("es", "en") as pipe:
        assert [pipe.translate(text).text for text in ("uno", "dos")] == ["uno", "dos"]


def test_without_the_command_nothing_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingResourceError, match="'apertium' was not found; install it: apt-get"):
        Apertium().open("es", "en")
    with pytest.raises(MissingResourceError, match="'apertium' was not found; install it: apt-get"):
        Pipe("spa-eng")


@needs_apertium
def test_kept_open_behind_the_memory_it_fills_the_same_memory(tmp_path: Path) -> None:
    with ApertiumKeptOpen() as provider:
        translator = CachedTranslator(provider, TranslationMemory(tmp_path / "translations.jsonl"))
        assert translator.translate(["Una zorglub.", "Dos."], "es", "en") == [
            ("A zorglub.", ("zorglub",)),
            ("Two.", ()),
        ]
        assert plain(translator.translate(["A house."], "en", "es")) == ["Una casa."]
    offline = get_translator("memory", memory_folder=tmp_path)
    assert plain(offline.translate(["Dos.", "Una zorglub."], "es", "en")) == ["Two.", "A zorglub."]
    assert offline.version == Apertium().version_of("es", "en")
