"""``semaniacs translate``: lines in, lines out, and notes on stderr."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import click
import pytest
from click.testing import CliRunner

from semaniacs.sts import translation
from semaniacs.sts.errors import MissingResourceError, StsError
from semaniacs.sts.translation import Translation
from semaniacs.sts.translation.round_trips import Trip, paraphrases
from semaniacs.sts.translation.translation_commands import translation as command
from tests.sts.running import python
from tests.sts.translation.fakes import FakeProvider, needs_apertium

Run = Callable[..., tuple[str, str]]


class Fake(FakeProvider):
    """An Apertium of upper-case letters; ``zorglub`` is a word that it does not know."""

    everything: ClassVar[list[str]]
    back: ClassVar[dict[str, str]] = {
        "A DOG ES EN": "A hound",
        "A DOG CA EN": "A hound!",
        "SAME ES EN": "Same.",
        "SAME CA EN": "the zorglub one",
        "ONE TWO THREE ES EN": "one",
        "ONE TWO THREE CA EN": "one two\tfour",
    }
    """Translations that are not the text in capitals."""

    def __init__(self) -> None:
        super().__init__("apertium")
        self.asked = Fake.everything

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        if "xx" in (source, target):
            raise MissingResourceError("apertium has no language pair")
        return super().translate(texts, source, target)

    def say(self, text: str, target: str) -> Translation:
        words = [word for word in text.split() if word.lower() == "zorglub"]
        unknown = ["zorglub"] if text == "SAME CA" else words
        said = f"{text} {target}".upper()
        return Translation(self.back.get(said, said), tuple(unknown))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command with a fake translator; stdout and stderr."""
    Fake.everything = []
    monkeypatch.setattr(translation, "Apertium", Fake)
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "cache"))

    def run(*arguments: str | Path, stdin: str | bytes = "") -> tuple[str, str]:
        words = [*map(str, arguments)]
        done = CliRunner().invoke(
            command, words, input=stdin, catch_exceptions=False, standalone_mode=False
        )
        return done.stdout, done.stderr

    return run


# translate

ES_EN = ("--from", "es", "--to", "en")


def test_lines_come_out_as_they_went_in(run: Run) -> None:
    lines = ["uno", "", "dos\u2028tres", "  ", "12 %", "uno", "😀", "cuatro"]
    out, told = run("translate", "-", *ES_EN, stdin="\n".join(lines) + "\n")
    expected = ["UNO EN", "", "DOS\u2028TRES EN", "  ", "12 %", "UNO EN", "😀", "CUATRO EN"]
    assert out == "\n".join(expected) + "\n"
    assert told == "8 lines es->en by apertium, version 1\n"
    assert Fake.everything == ["uno", "dos\u2028tres", "cuatro"]


@pytest.mark.parametrize(
    ("stdin", "expected"), [("", ""), ("a", "A EN\n"), ("a\r\nb\r\n", "A EN\nB EN\n")]
)
def test_ends_of_lines(run: Run, stdin: str, expected: str) -> None:
    assert run("translate", "-", *ES_EN, stdin=stdin)[0] == expected


def test_nothing_is_asked_for_twice(run: Run, tmp_path: Path) -> None:
    for _ in range(2):
        run("translate", "-", *ES_EN, stdin="uno\ndos\n")
    assert Fake.everything == ["uno", "dos"]
    assert (tmp_path / "cache" / "translations" / "translations.jsonl").is_file()
    assert run("translate", "-", *ES_EN, "--translator", "memory", stdin="dos\n")[0] == "DOS EN\n"


def test_marks_name_what_was_left(run: Run) -> None:
    out, _ = run("translate", "-", *ES_EN, "--marks", stdin="el Zorglub y zorglub\n\ndos\ttres\n")
    assert out == "EL ZORGLUB Y ZORGLUB EN\tZorglub zorglub\n\t\nDOS TRES EN\t\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("translate", "-", *ES_EN, "--translator", "bing"), "unknown translator 'bing'"),
        (("translate", "-", *ES_EN, "--translator", "recorded"), "no recorded translations"),
        (("translate", "-", "--from", "es", "--to", "xx"), "no language pair"),
        (("roundtrip", "-", "--pivot", "en"), "--pivot en is the language of the file"),
        (("identify", "-", "--languages", "en"), "expected two languages or more, like es,en"),
        (("memory", "--provider", "x"), "--provider NAME belongs to --import FILE"),
    ],
)
def test_mistakes_are_told(run: Run, arguments: tuple[str, ...], says: str) -> None:
    with pytest.raises(StsError) as caught:
        run(*arguments, stdin="uno\n")
    assert says in str(caught.value)


def test_a_byte_that_is_not_utf8_is_named_by_its_line(run: Run) -> None:
    with pytest.raises(StsError, match="-:2: byte 0xff is not UTF-8"):
        run("translate", "-", *ES_EN, stdin=b"uno\n\xff\n")


@pytest.mark.parametrize("pivots", ["", "es,es"])
def test_bad_pivots_are_refused(run: Run, pivots: str) -> None:
    with pytest.raises(click.UsageError, match="expected languages like es,ca, each once"):
        run("roundtrip", "-", "--pivot", pivots)


# roundtrip


def test_round_trips_are_filtered_and_counted(run: Run) -> None:
    sentences = "A dog\n\nSame\none two three\nA dog\n"
    out, told = run("roundtrip", "-", "--pivot", "es,ca", stdin=sentences)
    assert out == "A dog\tA hound\none two three\tone two four\n"
    assert told == (
        "10 round trips by apertium, version 1: "
        "empty 2, identical 1, untranslated 1, length 1, seen 3, kept 2\n"
    )


@pytest.mark.parametrize(
    ("trip", "reason"),
    [
        (Trip("A dog.", "a DOG"), "identical"),
        (Trip("a", " "), "empty"),
        (Trip("the zorglub", "a zorglub", ("zorglub",)), "kept"),
        (Trip("the perro", "a can", ("can",)), "untranslated"),
        (Trip("a b c", "c"), "length"),
        (Trip("a", "b c d"), "length"),
    ],
)
def test_why_a_trip_falls_away(trip: Trip, reason: str) -> None:
    kept, counts = paraphrases([trip])
    assert counts[reason] == 1 == sum(counts.values())
    assert kept == ([trip] if reason == "kept" else [])


def test_either_way_round_a_pair_is_kept_once() -> None:
    kept, counts = paraphrases([Trip("a dog", "a hound"), Trip("A hound", "a dog")])
    assert kept == [Trip("a dog", "a hound")]
    assert counts["seen"] == 1


# identify


def test_identify_writes_language_and_confidence(run: Run) -> None:
    out, told = run("identify", "-", stdin="La casa es roja.\n\nThe house is red.\n12\n")
    rows = [line.split("\t") for line in out.splitlines()]
    assert [row[0] for row in rows] == ["es", "und", "en", "und"]
    assert float(rows[0][1]) > 0.99 < float(rows[2][1])
    assert rows[1][1] == rows[3][1] == "0.5000"
    out, _ = run("identify", "-", stdin="A casa é vermelha.\n家は赤いです。\n")
    assert out == "other\t1.0000\nother\t1.0000\n"
    out, _ = run("identify", "-", "--languages", "pt,de", stdin="A casa é vermelha.\n")
    assert out.startswith("pt\t")
    mixed = "A casa é vermelha.\nДом красный.\nLa casa es roja.\n"
    out, _ = run("identify", "-", "--languages", "pt,de,ru", stdin=mixed)
    assert [line.split("\t")[0] for line in out.splitlines()] == ["pt", "ru", "other"]
    assert told == ""


# memory


def test_an_import_replaces_nothing(run: Run, tmp_path: Path) -> None:
    run("translate", "-", *ES_EN, stdin="uno\n")
    path = tmp_path / "theirs.tmx"
    units = "".join(
        f'<tu srclang="es"><tuv xml:lang="es"><seg>{spanish}</seg></tuv>'
        f'<tuv xml:lang="en"><seg>{english}</seg></tuv></tu>'
        for spanish, english in (("uno", "other"), ("dos", "two"), ("dos", "deux"))
    )
    path.write_text(f"<tmx>{units}</tmx>")
    _, told = run("memory", "--import", path, "--provider", "apertium")
    assert told.endswith("1 added, 0 already stored, 2 ignored: another translation is stored\n")
    assert "0 added" in run("memory", "--import", path, "--provider", "apertium")[1]
    assert run("translate", "-", *ES_EN, stdin="uno\ndos\n")[0] == "UNO EN\ntwo\n"
    assert Fake.everything == ["uno"]


@pytest.mark.parametrize("provider", [(), ("--provider", "trados")])
@pytest.mark.parametrize(("one", "other"), [("es", "en"), ("en-GB", "es-MX")])
def test_an_import_is_used_whatever_its_provider_and_direction(
    run: Run, tmp_path: Path, provider: tuple[str, ...], one: str, other: str
) -> None:
    run("translate", "-", *ES_EN, stdin="uno\n")
    words = {"es": ["uno", "dos", "tres"], "en": ["one", "", "three"]}
    units = "".join(
        f'<tu srclang="{one}"><tuv xml:lang="{one}"><seg>{first}</seg></tuv>'
        f'<tuv xml:lang="{other}"><seg>{second}</seg></tuv></tu>'
        for first, second in zip(words[one[:2]], words[other[:2]], strict=True)
    )
    (tmp_path / "own.tmx").write_text(f"<tmx>{units}</tmx>")
    with pytest.warns(UserWarning, match="1 units have no translation"):
        run("memory", "--import", tmp_path / "own.tmx", *provider)
    assert run("translate", "-", *ES_EN, stdin="uno\ndos\ntres\n")[0] == "one\nDOS EN\nthree\n"


# The real thing


def real(*arguments: str, folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    cache = {"STS_CACHE": str(folder)}
    return python("-m", "semaniacs", "translate", *arguments, stdin=stdin, environment=cache)


@needs_apertium
def test_the_command_translates(tmp_path: Path) -> None:
    done = real("translate", "-", *ES_EN, folder=tmp_path, stdin="La casa roja.\n\nAquí.\n")
    assert (done.returncode, done.stdout) == (0, "The red house.\n\nHere.\n")
    assert done.stderr.startswith("3 lines es->en by apertium, version ")


def test_a_file_is_written_whole(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("uno\n\ndos\n")
    out, _ = run("translate", tmp_path / "in.txt", *ES_EN, "-o", tmp_path / "new" / "out.txt")
    assert out == ""
    assert (tmp_path / "new" / "out.txt").read_text() == "UNO EN\n\nDOS EN\n"
