"""The translation memory: what was stored is read back, and no text is sent twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.sts.errors import DataError, MissingResourceError, StsError
from semaniacs.sts.translation import (
    CachedTranslator,
    Translation,
    TranslationError,
    TranslationMemory,
)
from semaniacs.sts.translation.memory import Entry, entries_in_xml, read_memory
from semaniacs.sts.translation.translator import MissingTranslationsError
from tests.sts.running import ROOT
from tests.sts.translation.fakes import FakeProvider, entry, plain, recall, store

# The file


def test_what_is_stored_is_read_by_another_memory(memory: TranslationMemory) -> None:
    stored = entry("los debris", "the debris", "debris", version="7")
    memory.add_entries([stored])
    other = read_memory(memory.path)
    assert other.get("fake", "es", "en", "los debris") == stored
    assert other.get("fake", "en", "es", "los debris") is None
    assert other.get("google", "es", "en", "los debris") is None


def test_a_line_says_all(memory: TranslationMemory) -> None:
    store(memory, "año\n\u2028nuevo")
    raw = memory.path.read_bytes()
    assert raw.count(b"\n") == 1
    said = {"v": 1, "provider": "fake", "version": "1", "source": "es", "target": "en"}
    said |= {"text": "año\n\u2028nuevo", "translation": "oveun\u2028\noña"}
    assert json.loads(raw) == said


def test_a_line_of_an_earlier_version_is_read(memory: TranslationMemory) -> None:
    memory.path.parent.mkdir()
    memory.path.write_text(
        '{"v": 1, "provider": "fake", "version": "0", "source": "es", "target": "en", '
        '"text": "a\\u00f1o \\ud83d\\ude00", "translation": "year"}\n'
    )
    assert recall(memory, "año 😀") == "year"


@given(st.lists(st.text(st.characters(codec=None)), unique=True))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    texts = [*texts, "\ud83d\ude00", "\r\n", "a\0b\x1c"]
    memory = TranslationMemory(tmp_path_factory.mktemp("memory") / "m.jsonl")
    memory.add_entries(entry(text, "t") for text in texts)
    other = TranslationMemory(memory.path)
    assert [recall(other, text) for text in texts] == ["t"] * len(texts)


def test_every_cut_of_the_last_line_is_survived(tmp_path: Path) -> None:
    whole = TranslationMemory(tmp_path / "whole.jsonl")
    store(whole, "uno", "dos")
    raw = whole.path.read_bytes()
    start = raw.index(b"\n") + 1
    for cut in range(start, len(raw), 7):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(raw[:cut])
        memory = TranslationMemory(path)
        assert recall(memory, "uno") == "onu"
        assert recall(memory, "dos") is None
        says = rf"/{cut}\.jsonl:2: not a stored translation .*; the line is skipped"
        with pytest.warns(UserWarning, match=says) if cut > start else nullcontext():
            store(memory, "dos")
        assert recall(memory, "dos") == "sod"


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b'{"v": 1, "provider": "fake", "version": "1", "source": "es", "target": "en", '
        b'"text": 3, "translation": "t"}',
    ],
)
def test_a_bad_line_is_skipped_with_one_warning(memory: TranslationMemory, line: bytes) -> None:
    store(memory, "uno")
    raw = memory.path.read_bytes()
    memory.path.write_bytes(raw + line + b"\n" + line + b"\n" + raw.replace(b"uno", b"dos"))
    other = TranslationMemory(memory.path)
    with pytest.warns(UserWarning, match=r"translations\.jsonl:2: not a stored .*1 more") as warned:
        other.refresh()
    assert len(warned) == 1
    assert recall(other, "uno") == recall(other, "dos") == "onu"


def test_a_newer_format_is_not_guessed_at(memory: TranslationMemory) -> None:
    store(memory, "uno")
    with memory.path.open("a") as file:
        file.write('{"v": 2, "whatever": []}\n')
    with pytest.raises(DataError, match=r"translations\.jsonl:2: .* format 2, .* up to 1; install"):
        TranslationMemory(memory.path).refresh()


# A provider behind the memory


def test_each_distinct_text_is_asked_for_once(memory: TranslationMemory) -> None:
    fake = FakeProvider()
    texts = ["ab", "cd", "ab", "ef", "gh", "ij", "cd"]
    translator = CachedTranslator(fake, memory)
    expected = ["ba", "dc", "ba", "fe", "hg", "ji", "dc"]
    assert plain(translator.translate(texts, "es", "en")) == expected
    assert plain(translator.translate(texts, "es", "en")) == expected
    reopened = CachedTranslator(fake, TranslationMemory(memory.path))
    assert plain(reopened.translate(texts, "es", "en")) == expected
    assert fake.asked == ["ab", "cd", "ef", "gh", "ij"]
    translator.translate(["ab"], "en", "es")
    assert fake.asked[5:] == ["ab"]


@pytest.mark.parametrize("text", ["", "12.5 %"])
def test_a_text_without_letters_is_passed_through(memory: TranslationMemory, text: str) -> None:
    fake = FakeProvider()
    for live in (True, False):
        translator = CachedTranslator(fake, memory, live=live)
        assert plain(translator.translate([text], "es", "en")) == [text]
    assert fake.asked == []


def test_the_first_memory_is_searched_first_and_never_written(tmp_path: Path) -> None:
    bundled = TranslationMemory(tmp_path / "bundled.jsonl")
    bundled.add_entries([entry("ab", "bundled", version="0")])
    before = bundled.path.read_bytes()
    own = TranslationMemory(tmp_path / "own.jsonl")
    store(own, "ab")
    fake = FakeProvider()
    translator = CachedTranslator(fake, bundled, own)
    assert plain(translator.translate(["ab", "cd"], "es", "en")) == ["bundled", "dc"]
    assert fake.asked == ["cd"]
    assert bundled.path.read_bytes() == before
    assert recall(own, "cd") == "dc"
    assert translator.version == "0, 1"


def test_a_failure_keeps_what_came_before_it(memory: TranslationMemory) -> None:
    texts = ["a", "b", "c", "d", "e", "f"]
    broken = FakeProvider(fail_on="e")
    with pytest.raises(
        TranslationError, match=r"'e'; 4 of 6 texts .* stored in .*jsonl, run again"
    ):
        CachedTranslator(broken, memory).translate(texts, "es", "en")
    mended = FakeProvider()
    assert plain(CachedTranslator(mended, memory).translate(texts, "es", "en")) == texts
    assert mended.asked == ["e", "f"]


@pytest.mark.parametrize(
    ("options", "says"),
    [({"live": False}, r"choose 'fake' to have them translated .*apt-get"), ({}, "apt-get")],
)
def test_without_a_provider_known_texts_are_served_and_missing_ones_named(
    memory: TranslationMemory, options: dict[str, bool], says: str
) -> None:
    store(memory, "hola")
    fake = FakeProvider(ready=False)
    translator = CachedTranslator(fake, memory, **options)
    assert plain(translator.translate(["hola"], "es", "en")) == ["aloh"]
    message = f"2 of 3 distinct texts have no es->en translation, the first is 'adios'; .*{says}"
    with pytest.raises(MissingTranslationsError, match=message) as caught:
        translator.translate(["hola", "adios", "y", "adios"], "es", "en")
    assert isinstance(caught.value, MissingResourceError)
    assert fake.asked == []


def test_the_signature_is_of_the_translations_served(memory: TranslationMemory) -> None:
    def signed(translator: CachedTranslator, *texts: str) -> dict[str, str]:
        for text in texts:
            translator.translate([text, "7"], "es", "en")
        return translator.signature()

    live = signed(CachedTranslator(FakeProvider(), memory), "ab", "cd")
    assert (live["provider"], live["version"], len(live["sha256"])) == ("fake", "1", 64)
    assert signed(CachedTranslator(FakeProvider(), memory, live=False), "cd", "ab", "cd") == live
    assert signed(CachedTranslator(FakeProvider(), memory), "ab") != live
    assert signed(CachedTranslator(FakeProvider(), memory))["version"] == ""


# Several processes

SLOW_RUN = """
import sys
from pathlib import Path
from semaniacs.sts.translation import CachedTranslator, Translation, TranslationMemory
from tests.sts.translation.fakes import FakeProvider

memory, log, n = sys.argv[1:]

class Logging(FakeProvider):
    def say(self, text, target):
        with open(log, "a") as asked:
            asked.write(text + "\\n")
        return Translation(text.upper())

texts = [f"t{i}" for i in range(int(n))]
provider = Logging("slow", chunk=20)
found = CachedTranslator(provider, TranslationMemory(Path(memory))).translate(texts, "es", "en")
assert [t.text for t in found] == [text.upper() for text in texts]
"""

APPEND = """
import sys
from pathlib import Path
from semaniacs.sts.translation import TranslationMemory
from tests.sts.translation.fakes import entry

memory = TranslationMemory(Path(sys.argv[1]))
for i in range(30):
    memory.add_entries(entry(f"{sys.argv[2]} {i} {j}", "t" * 900) for j in range(20))
"""


def start(script: str, *arguments: str | Path | int) -> subprocess.Popen[bytes]:
    typed = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(typed, cwd=ROOT, stderr=subprocess.DEVNULL)


def test_a_killed_process_loses_one_chunk_at_most(tmp_path: Path) -> None:
    path, log, n = tmp_path / "m.jsonl", tmp_path / "asked", 4000
    process = start(SLOW_RUN, path, log, n)
    end = time.monotonic() + 30
    while not path.exists() or path.read_bytes().count(b"\n") < 1000:
        assert time.monotonic() < end, "the process wrote nothing"
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    stored = {entry.text for entry in read_memory(path).entries()}
    assert 1000 <= len(stored) < n
    assert start(SLOW_RUN, path, log, n).wait() == 0
    asked = Counter(log.read_text().split())
    assert set(asked) == {f"t{i}" for i in range(n)}
    assert {text for text in stored if asked[text] > 1} == set()
    assert sum(asked.values()) <= n + 20


def test_processes_that_append_at_once_do_not_mix_lines(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    processes = [start(APPEND, path, name) for name in "abc"]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert len(read_memory(path)) == 3 * 30 * 20  # a mixed line would warn: an error here


# TMX files of other programs are read with care


def write(folder: Path, text: str) -> Path:
    path = folder / "theirs.tmx"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_tmx_of_another_program_is_understood(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4">\n'
        '<header srclang="EN-US" creationtool="other"><prop type="x">y</prop></header><body>\n'
        "<tu><note>n</note>\n"
        '<tuv xml:lang="fr"><seg>La <ph x="1">&lt;br/><sub>x</sub></ph>maison</seg></tuv>\n'
        '<tuv xml:lang="EN-GB"><seg>The <hi>house</hi></seg></tuv>\n'
        '<tuv lang="es"><seg>La casa</seg></tuv></tu>\n'
        '<tu srclang="*all*"><tuv xml:lang="es"><seg>uno</seg></tuv>'
        '<tuv xml:lang="en"><seg>one</seg></tuv></tu>\n</body></tmx>\n',
    )
    assert list(entries_in_xml(path, "other")) == [
        Entry("other", "imported", "en", "fr", "The house", Translation("La maison")),
        Entry("other", "imported", "en", "es", "The house", Translation("La casa")),
        Entry("other", "imported", "fr", "es", "La maison", Translation("La casa")),
        Entry("other", "imported", "es", "en", "uno", Translation("one")),
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_tmx_file_may_be_in_another_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "all.tmx"
    name = encoding.removesuffix("-sig")
    text = (
        f'<?xml version="1.0" encoding="{name}"?><tmx><tu srclang="es">'
        '<tuv xml:lang="es"><seg>el año</seg></tuv>'
        '<tuv xml:lang="en"><seg>the &amp; year</seg></tuv></tu></tmx>'
    )
    path.write_bytes(text.encode(encoding))
    expected = Entry("deepl", "imported", "es", "en", "el año", Translation("the & year"))
    assert list(entries_in_xml(path, "deepl")) == [expected]


ENTITY = (
    '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]><tmx><tu><tuv>&a;</tuv></tu></tmx>'
)
BOMB = (
    "<!DOCTYPE tmx ["
    + f'<!ENTITY a0 "{"ha" * 500}">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 9))
    + ']><tmx><tu><tuv xml:lang="es"><seg>&a8;</seg></tuv></tu></tmx>'
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<tmx>\n<body><tu></body></tmx>", r"theirs\.tmx:2: not well-formed XML \(mismatched tag"),
        ("<html></html>", r"theirs\.tmx: the file begins with <html>; expected <tmx>"),
        ('<tmx><tu><tuv xml:lang="es"/></tu></tmx>', r"<tu> 1: .* without <seg>"),
        (ENTITY, r"theirs\.tmx:1: it declares entities"),
        (BOMB, r"theirs\.tmx:1: it declares entities"),
    ],
)
def test_a_bad_tmx_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        list(entries_in_xml(write(tmp_path, text), "fake"))


def test_units_in_one_language_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path, '<tmx><tu><tuv xml:lang="es"><seg>a</seg></tuv></tu></tmx>')
    with pytest.warns(UserWarning, match=r"theirs\.tmx: 1 units have no translation"):
        assert list(entries_in_xml(path, "fake")) == []


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StsError, match=r"file/m\.jsonl: the translation memory cannot be written"):
        store(TranslationMemory(tmp_path / "file" / "m.jsonl"), "uno")
    with pytest.raises(StsError, match="cannot be read"):
        TranslationMemory(tmp_path).refresh()
