"""The translation memory: what was stored is served, whatever happened meanwhile."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sts.errors import DataError, MissingResourceError, StsError
from sts.translation import (
    CachedTranslator,
    MissingTranslationsError,
    Translation,
    TranslationError,
    TranslationMemory,
)
from sts.translation.memory.claims import Claims
from tests.sts.translation.plain_text import plain

ROOT = Path(__file__).parents[4]


class Fake:
    """Translates by turning a text round, and remembers what it was asked."""

    name = "fake"
    version = "1"
    install_hint = "install it: apt-get install fake"
    chunk = 3

    def __init__(self, fail_on: str | None = None, ready: bool = True) -> None:
        self.asked: list[str] = []
        self.fail_on = fail_on
        self.ready = ready

    def available(self) -> bool:
        return self.ready

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        for text in texts:
            self.asked.append(text)
            if text == self.fail_on:
                raise TranslationError(f"fake failed on {text!r}")
            yield Translation(text[::-1], (text,) if text.startswith("x") else ())


class Short(Fake):
    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        yield Translation("only one")


@pytest.fixture
def memory(tmp_path: Path) -> TranslationMemory:
    return TranslationMemory(tmp_path / "folder" / "translations.jsonl")


def store(memory: TranslationMemory, *texts: str, version: str = "1") -> None:
    memory.add_many(
        "fake", version, "es", "en", [(text, Translation(text[::-1])) for text in texts]
    )


def recall(memory: TranslationMemory, text: str) -> str | None:
    memory.refresh()
    stored = memory.get("fake", "es", "en", text)
    return None if stored is None else stored.translation.text


# The file


def test_an_absent_file_is_an_empty_memory(memory: TranslationMemory) -> None:
    assert recall(memory, "hola") is None
    assert len(memory) == 0
    assert not memory.path.exists()


def test_what_is_stored_is_read_by_another_memory(memory: TranslationMemory) -> None:
    translation = Translation("the debris", ("debris",))
    memory.add_many("fake", "7", "es", "en", [("los debris", translation)])
    other = TranslationMemory(memory.path)
    other.refresh()
    assert other.get("fake", "es", "en", "los debris") == ("7", translation)
    assert other.get("fake", "en", "es", "los debris") is None
    assert other.get("google", "es", "en", "los debris") is None


def test_a_line_says_all_and_is_one_line_of_ascii(memory: TranslationMemory) -> None:
    store(memory, "año\n\u2028nuevo")
    raw = memory.path.read_bytes()
    assert raw.isascii()
    assert raw.count(b"\n") == 1
    assert json.loads(raw) == {
        "v": 1,
        "provider": "fake",
        "version": "1",
        "source": "es",
        "target": "en",
        "text": "año\n\u2028nuevo",
        "translation": "oveun\u2028\noña",
    }


def test_the_first_answer_holds(memory: TranslationMemory) -> None:
    for version, said in (("1", "hello"), ("1", "hey"), ("2", "hi"), ("2", "ho")):
        memory.add_many("fake", version, "es", "en", [("hola", Translation(said))])
    for held in (memory, TranslationMemory(memory.path)):
        assert recall(held, "hola") == "hello"
        assert held.get("fake", "es", "en", "hola", "1") == ("1", ("hello", ()))
        assert held.get("fake", "es", "en", "hola", "2") == ("2", ("hi", ()))
        assert held.get("fake", "es", "en", "hola", "3") is None
        assert len(held) == 2
        assert [entry.translation.text for entry in held.entries()] == ["hello", "hi"]


def test_refresh_sees_what_another_memory_added(memory: TranslationMemory) -> None:
    store(memory, "uno")
    store(TranslationMemory(memory.path), "dos")
    assert memory.get("fake", "es", "en", "dos") is None
    assert recall(memory, "dos") == "sod"


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "\udfff\ud800", "\ud83d\ude00", "\r\n", "\x1c"])
def test_odd_characters_survive(memory: TranslationMemory, text: str) -> None:
    store(memory, text)
    other = TranslationMemory(memory.path)
    other.refresh()
    assert recall(memory, text) is not None
    assert other.get("fake", "es", "en", text) is not None


@given(st.lists(st.text(st.characters(codec=None)), unique=True))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    memory = TranslationMemory(tmp_path_factory.mktemp("memory") / "m.jsonl")
    memory.add_many("fake", "1", "es", "en", [(text, Translation("t")) for text in texts])
    other = TranslationMemory(memory.path)
    other.refresh()
    assert all(other.get("fake", "es", "en", text) == ("1", ("t", ())) for text in texts)


def test_every_cut_of_the_last_line_is_survived(tmp_path: Path) -> None:
    whole = TranslationMemory(tmp_path / "whole.jsonl")
    store(whole, "uno", "dos")
    raw = whole.path.read_bytes()
    start = raw.index(b"\n") + 1
    for cut in range(start, len(raw)):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(raw[:cut])
        memory = TranslationMemory(path)
        assert recall(memory, "uno") == "onu"
        assert recall(memory, "dos") is None
        says = rf"/{cut}\.jsonl: its last line, {cut - start} bytes, .* moved to .*\.jsonl\.torn"
        with pytest.warns(UserWarning, match=says) if cut > start else nullcontext():
            store(memory, "tres")
        assert path.read_bytes().startswith(raw[:start] + b'{"v": 1')
        assert path.read_bytes().endswith(b"}\n")
        assert recall(TranslationMemory(path), "tres") == "sert"
        torn = path.with_name(f"{cut}.jsonl.torn")
        assert torn.exists() == (cut > start)
        if cut > start:
            assert torn.read_bytes() == raw[start:cut] + b"\n"


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b"[1, 2]",
        b'"text"',
        b"",
        b"\xff\xfe",
        b'{"v": 1}',
        b'{"v": "1", "provider": "fake"}',
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


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StsError, match=r"file/m\.jsonl: the translation memory cannot be written"):
        store(TranslationMemory(tmp_path / "file" / "m.jsonl"), "uno")


def test_a_folder_in_its_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(StsError, match="cannot be read"):
        TranslationMemory(tmp_path).refresh()


# In front of a provider


def test_each_distinct_text_is_asked_for_once(memory: TranslationMemory) -> None:
    fake = Fake()
    texts = ["ab", "cd", "ab", "ef", "gh", "ij", "cd"]
    translator = CachedTranslator(fake, memory)
    expected = ["ba", "dc", "ba", "fe", "hg", "ji", "dc"]
    assert plain(translator.translate(texts, "es", "en")) == expected
    assert plain(translator.translate(texts, "es", "en")) == expected
    reopened = CachedTranslator(fake, TranslationMemory(memory.path))
    assert plain(reopened.translate(texts, "es", "en")) == expected
    assert fake.asked == ["ab", "cd", "ef", "gh", "ij"]


def test_directions_are_kept_apart(memory: TranslationMemory) -> None:
    fake = Fake()
    translator = CachedTranslator(fake, memory)
    translator.translate(["ab"], "es", "en")
    translator.translate(["ab"], "en", "es")
    assert fake.asked == ["ab", "ab"]


def test_no_texts_no_translations(memory: TranslationMemory) -> None:
    assert plain(CachedTranslator(Fake(), memory).translate([], "es", "en")) == []


@pytest.mark.parametrize("text", ["", " ", "12.5 %", "...", "😀👍", "?!\n"])
def test_a_text_without_letters_is_passed_through(memory: TranslationMemory, text: str) -> None:
    fake = Fake()
    assert plain(CachedTranslator(fake, memory).translate([text], "es", "en")) == [text]
    assert plain(CachedTranslator(fake, memory, live=False).translate([text], "es", "en")) == [text]
    assert fake.asked == []


def test_the_first_memory_is_served_first_and_never_written(tmp_path: Path) -> None:
    bundled = TranslationMemory(tmp_path / "bundled.jsonl")
    bundled.add_many("fake", "0", "es", "en", [("ab", Translation("bundled"))])
    before = bundled.path.read_bytes()
    own = TranslationMemory(tmp_path / "own.jsonl")
    store(own, "ab")
    fake = Fake()
    translator = CachedTranslator(fake, bundled, own)
    assert plain(translator.translate(["ab", "cd"], "es", "en")) == ["bundled", "dc"]
    assert fake.asked == ["cd"]
    assert bundled.path.read_bytes() == before
    assert recall(own, "cd") == "dc"
    assert translator.version == "0, 1"


def test_a_new_version_is_served_what_the_old_one_gave(memory: TranslationMemory) -> None:
    CachedTranslator(Fake(), memory).translate(["ab"], "es", "en")
    newer = Fake()
    newer.version = "2"
    translator = CachedTranslator(newer, memory)
    assert plain(translator.translate(["ab"], "es", "en")) == ["ba"]
    assert (newer.asked, translator.version) == ([], "1")
    assert plain(translator.translate(["ab", "cd"], "es", "en")) == ["ba", "dc"]
    assert (newer.asked, translator.version) == (["cd"], "1, 2")


def test_renewing_asks_each_version_once_and_changes_nothing_for_others(
    memory: TranslationMemory,
) -> None:
    memory.add_many("fake", "0", "es", "en", [("ab", Translation("old"))])
    fake = Fake()
    for _ in range(2):
        translator = CachedTranslator(fake, TranslationMemory(memory.path), renew=True)
        assert plain(translator.translate(["ab"], "es", "en")) == ["ba"]
        assert translator.version == "1"
    assert fake.asked == ["ab"]
    assert plain(CachedTranslator(fake, memory).translate(["ab"], "es", "en")) == ["old"]
    assert CachedTranslator(fake, memory, live=False).signature()["version"] == ""


class ByPair(Fake):
    def version_of(self, source: str, target: str) -> str:
        return f"1 {source}-{target}"


def test_a_version_may_be_that_of_the_pair(memory: TranslationMemory) -> None:
    translator = CachedTranslator(ByPair(), memory)
    translator.translate(["ab"], "es", "en")
    assert translator.version == "1 es-en"


def test_untranslated_words_are_remembered(memory: TranslationMemory) -> None:
    CachedTranslator(Fake(), memory).translate(["xa", "b"], "es", "en")
    offline = CachedTranslator(Fake(), TranslationMemory(memory.path), live=False)
    found = offline.translate(["b", "xa", "7"], "es", "en")
    assert [translation.untranslated for translation in found] == [(), ("xa",), ()]


def test_a_failure_keeps_what_came_before_it(memory: TranslationMemory) -> None:
    texts = ["a", "b", "c", "d", "e", "f"]
    broken = Fake(fail_on="e")
    with pytest.raises(TranslationError, match=r"'e'; 4 of 6 texts .* kept in .*jsonl, run again"):
        CachedTranslator(broken, memory).translate(texts, "es", "en")
    mended = Fake()
    assert plain(CachedTranslator(mended, memory).translate(texts, "es", "en")) == texts
    assert mended.asked == ["e", "f"]


def test_too_few_answers_are_not_stored(memory: TranslationMemory) -> None:
    with pytest.raises(TranslationError, match="1 translations for 3 texts"):
        CachedTranslator(Short(), memory).translate(["a", "b", "c"], "es", "en")
    assert not memory.path.exists()


def test_memory_only_names_what_is_missing(memory: TranslationMemory) -> None:
    store(memory, "hola")
    fake = Fake()
    offline = CachedTranslator(fake, memory, live=False)
    message = "2 of 3 distinct texts have no es->en translation, the first is 'adios'; .*apt-get"
    with pytest.raises(MissingTranslationsError, match=message) as caught:
        offline.translate(["hola", "adios", "y", "adios"], "es", "en")
    assert isinstance(caught.value, MissingResourceError)
    assert fake.asked == []


def test_an_absent_provider_is_not_needed_for_what_is_known(memory: TranslationMemory) -> None:
    store(memory, "hola")
    translator = CachedTranslator(Fake(ready=False), memory)
    assert translator.available()
    assert plain(translator.translate(["hola"], "es", "en")) == ["aloh"]
    with pytest.raises(MissingTranslationsError, match=r"1 of 2 .*'y'; install it: apt-get"):
        translator.translate(["hola", "y"], "es", "en")


def test_available_needs_a_provider_or_a_memory(memory: TranslationMemory) -> None:
    assert CachedTranslator(Fake(), memory).available()
    assert not CachedTranslator(Fake(ready=False), memory).available()
    assert not CachedTranslator(Fake(), memory, live=False).available()


def test_the_signature_is_of_the_translations_served(memory: TranslationMemory) -> None:
    def signed(translator: CachedTranslator, *texts: str) -> dict[str, str]:
        for text in texts:
            translator.translate([text, "7"], "es", "en")
        return translator.signature()

    live = signed(CachedTranslator(Fake(), memory), "ab", "cd")
    assert live["provider"] == "fake"
    assert live["version"] == "1"
    assert len(live["sha256"]) == 64
    assert signed(CachedTranslator(Fake(), memory, live=False), "cd", "ab", "cd") == live
    assert signed(CachedTranslator(Fake(), memory), "ab") != live


@pytest.mark.parametrize(("n", "terminal"), [(600, True), (600, False), (400, True)])
def test_progress_is_shown_on_a_terminal_and_for_many(
    memory: TranslationMemory, monkeypatch: pytest.MonkeyPatch, n: int, terminal: bool
) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", shown)
    CachedTranslator(Fake(), memory).translate([f"a{i}" for i in range(n)], "es", "en")
    assert ("fake es->en" in shown.getvalue()) == (terminal and n >= 500)


# Other processes, and a sudden end

SLOW_RUN = """
import random, sys, time
from pathlib import Path
from sts.translation import CachedTranslator, Translation, TranslationMemory

memory, log, n, seconds, seed = sys.argv[1:]

class Slow:
    name, version, install_hint, chunk = "slow", "1", "none", 20
    def available(self):
        return True
    def translate(self, texts, source, target):
        for text in texts:
            with open(log, "a") as asked:  # appended in one write, so lines never mix
                asked.write(text + "\\n")
            time.sleep(float(seconds))
            yield Translation(text.upper())

texts = [f"t{i}" for i in range(int(n))]
random.Random(int(seed)).shuffle(texts)
found = CachedTranslator(Slow(), TranslationMemory(Path(memory))).translate(texts, "es", "en")
assert [t.text for t in found] == [text.upper() for text in texts]
"""

APPEND = """
import sys
from pathlib import Path
from sts.translation import Translation, TranslationMemory

memory = TranslationMemory(Path(sys.argv[1]))
for i in range(60):
    lines = [(f"{sys.argv[2]} {i} {j}", Translation("t" * 900)) for j in range(20)]
    memory.add_many("fake", "1", "es", "en", lines)
"""


def start(script: str, *arguments: str | Path | float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    )


def wait_for_lines(path: Path, n: int) -> None:
    end = time.monotonic() + 30
    while not path.exists() or path.read_bytes().count(b"\n") < n:
        assert time.monotonic() < end, "the process wrote nothing"
        time.sleep(0.002)


def test_kill_9_in_the_middle_of_10_000_sentences(tmp_path: Path) -> None:
    path, log, n = tmp_path / "m.jsonl", tmp_path / "asked", 10_000
    settled: list[dict[str, int]] = []  # what was stored at each kill, and how often asked for
    for stop_at in (1000, 5000, 7000):
        process = start(SLOW_RUN, path, log, n, 0, 1)
        wait_for_lines(path, stop_at)
        process.send_signal(signal.SIGKILL)
        process.wait()
        memory = TranslationMemory(path)
        memory.refresh()
        asked = Counter(log.read_text().split())
        settled.append({t: asked[t] for t in asked if memory.get("slow", "es", "en", t)})
        assert stop_at <= len(settled[-1]) < n
        assert len(asked) - len(settled[-1]) <= 20  # a chunk was asked for and not stored
    assert start(SLOW_RUN, path, log, n, 0, 1).wait() == 0
    asked = Counter(log.read_text().split())
    assert set(asked) == {f"t{i}" for i in range(n)}
    assert sum(asked.values()) <= n + 3 * 20
    for known in settled:
        assert {text: asked[text] for text in known} == known  # never asked for again


def test_processes_at_once_ask_for_no_text_twice(tmp_path: Path) -> None:
    path, log = tmp_path / "m.jsonl", tmp_path / "asked"
    processes = [start(SLOW_RUN, path, log, 400, 0.002, seed) for seed in (1, 1, 2, 3)]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]
    asked = Counter(log.read_text().split())
    assert asked == Counter(f"t{i}" for i in range(400))
    assert path.read_bytes().count(b"\n") == 400


def test_what_a_killed_process_was_asking_for_is_asked_by_who_waited(tmp_path: Path) -> None:
    path, log = tmp_path / "m.jsonl", tmp_path / "asked"
    first = start(SLOW_RUN, path, log, 5, 60, 1)
    wait_for_lines(log, 1)
    second = start(SLOW_RUN, path, log, 5, 0, 1)
    time.sleep(0.5)
    assert second.poll() is None, "it did not wait"
    assert log.read_text().count("\n") == 1
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert second.wait() == 0
    assert path.read_bytes().count(b"\n") == 5


def test_a_claim_is_held_against_other_processes_only(tmp_path: Path) -> None:
    try_it = (
        "import sys\nfrom pathlib import Path\nfrom sts.translation.memory.claims import Claims\n"
        "print(Claims(Path(sys.argv[1])).take(['a', 'b', '\\ud800']))"
    )

    def taken() -> str:
        return subprocess.run(
            [sys.executable, "-c", try_it, str(tmp_path / "folder" / "lock")],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            encoding="ascii",
            check=True,
        ).stdout.strip()

    with Claims(tmp_path / "folder" / "lock") as claims:
        assert claims.take(["a", "\ud800"]) == [True, True]
        assert claims.take(["a"]) == [True]
        assert taken() == "[False, True, False]"
        claims.release()
        assert taken() == "[True, True, True]"
        claims.take(["b"])
    assert taken() == "[True, True, True]"


def test_processes_that_append_at_once_do_not_mix_lines(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    processes = [start(APPEND, path, name) for name in "abc"]
    assert [process.wait() for process in processes] == [0, 0, 0]
    memory = TranslationMemory(path)
    memory.refresh()  # a mixed line would warn, and a warning is an error here
    assert len(memory) == 3 * 60 * 20
    assert not path.with_name("m.jsonl.torn").exists()
