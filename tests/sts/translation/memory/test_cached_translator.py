"""The memory in front of a provider: no text is sent twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from sts.errors import MissingResourceError
from sts.translation import CachedTranslator, Translation, TranslationError, TranslationMemory
from sts.translation.translator import MissingTranslationsError
from tests.streams import Terminal
from tests.sts.translation.fakes import FakeProvider, entry, plain, recall, store


class Short(FakeProvider):
    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        yield Translation("only one")


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


def test_directions_are_kept_apart(memory: TranslationMemory) -> None:
    fake = FakeProvider()
    translator = CachedTranslator(fake, memory)
    translator.translate(["ab"], "es", "en")
    translator.translate(["ab"], "en", "es")
    assert fake.asked == ["ab", "ab"]


def test_no_texts_no_translations(memory: TranslationMemory) -> None:
    assert plain(CachedTranslator(FakeProvider(), memory).translate([], "es", "en")) == []


@pytest.mark.parametrize("text", ["", " ", "12.5 %", "...", "😀👍", "?!\n"])
def test_a_text_without_letters_is_passed_through(memory: TranslationMemory, text: str) -> None:
    fake = FakeProvider()
    assert plain(CachedTranslator(fake, memory).translate([text], "es", "en")) == [text]
    assert plain(CachedTranslator(fake, memory, live=False).translate([text], "es", "en")) == [text]
    assert fake.asked == []


def test_the_first_memory_is_served_first_and_never_written(tmp_path: Path) -> None:
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


def test_a_new_version_is_served_what_the_old_one_gave(memory: TranslationMemory) -> None:
    CachedTranslator(FakeProvider(), memory).translate(["ab"], "es", "en")
    newer = FakeProvider()
    newer.version = "2"
    translator = CachedTranslator(newer, memory)
    assert plain(translator.translate(["ab"], "es", "en")) == ["ba"]
    assert (newer.asked, translator.version) == ([], "1")
    assert plain(translator.translate(["ab", "cd"], "es", "en")) == ["ba", "dc"]
    assert (newer.asked, translator.version) == (["cd"], "1, 2")


def test_renewing_asks_each_version_once_and_changes_nothing_for_others(
    memory: TranslationMemory,
) -> None:
    memory.add_entries([entry("ab", "old", version="0")])
    fake = FakeProvider()
    for _ in range(2):
        translator = CachedTranslator(fake, TranslationMemory(memory.path), renew=True)
        assert plain(translator.translate(["ab"], "es", "en")) == ["ba"]
        assert translator.version == "1"
    assert fake.asked == ["ab"]
    assert plain(CachedTranslator(fake, memory).translate(["ab"], "es", "en")) == ["old"]
    assert CachedTranslator(fake, memory, live=False).signature()["version"] == ""


class ByPair(FakeProvider):
    def version_of(self, source: str, target: str) -> str:
        return f"1 {source}-{target}"


def test_a_version_may_be_that_of_the_pair(memory: TranslationMemory) -> None:
    translator = CachedTranslator(ByPair(), memory)
    translator.translate(["ab"], "es", "en")
    assert translator.version == "1 es-en"


def test_untranslated_words_are_remembered(memory: TranslationMemory) -> None:
    CachedTranslator(FakeProvider(), memory).translate(["xa", "b"], "es", "en")
    offline = CachedTranslator(FakeProvider(), TranslationMemory(memory.path), live=False)
    found = offline.translate(["b", "xa", "7"], "es", "en")
    assert [translation.untranslated for translation in found] == [(), ("xa",), ()]


def test_a_failure_keeps_what_came_before_it(memory: TranslationMemory) -> None:
    texts = ["a", "b", "c", "d", "e", "f"]
    broken = FakeProvider(fail_on="e")
    with pytest.raises(TranslationError, match=r"'e'; 4 of 6 texts .* kept in .*jsonl, run again"):
        CachedTranslator(broken, memory).translate(texts, "es", "en")
    mended = FakeProvider()
    assert plain(CachedTranslator(mended, memory).translate(texts, "es", "en")) == texts
    assert mended.asked == ["e", "f"]


def test_too_few_answers_are_not_stored(memory: TranslationMemory) -> None:
    with pytest.raises(TranslationError, match="1 translations for 3 texts"):
        CachedTranslator(Short(), memory).translate(["a", "b", "c"], "es", "en")
    assert not memory.path.exists()


def test_memory_only_names_what_is_missing(memory: TranslationMemory) -> None:
    store(memory, "hola")
    fake = FakeProvider()
    offline = CachedTranslator(fake, memory, live=False)
    message = "2 of 3 distinct texts have no es->en translation, the first is 'adios'; .*apt-get"
    with pytest.raises(MissingTranslationsError, match=message) as caught:
        offline.translate(["hola", "adios", "y", "adios"], "es", "en")
    assert isinstance(caught.value, MissingResourceError)
    assert fake.asked == []


def test_an_absent_provider_is_not_needed_for_what_is_known(memory: TranslationMemory) -> None:
    store(memory, "hola")
    translator = CachedTranslator(FakeProvider(ready=False), memory)
    assert translator.available()
    assert plain(translator.translate(["hola"], "es", "en")) == ["aloh"]
    with pytest.raises(MissingTranslationsError, match=r"1 of 2 .*'y'; install it: apt-get"):
        translator.translate(["hola", "y"], "es", "en")


def test_available_needs_a_provider_or_a_memory(memory: TranslationMemory) -> None:
    assert CachedTranslator(FakeProvider(), memory).available()
    assert not CachedTranslator(FakeProvider(ready=False), memory).available()
    assert not CachedTranslator(FakeProvider(), memory, live=False).available()


def test_the_signature_is_of_the_translations_served(memory: TranslationMemory) -> None:
    def signed(translator: CachedTranslator, *texts: str) -> dict[str, str]:
        for text in texts:
            translator.translate([text, "7"], "es", "en")
        return translator.signature()

    live = signed(CachedTranslator(FakeProvider(), memory), "ab", "cd")
    assert live["provider"] == "fake"
    assert live["version"] == "1"
    assert len(live["sha256"]) == 64
    assert signed(CachedTranslator(FakeProvider(), memory, live=False), "cd", "ab", "cd") == live
    assert signed(CachedTranslator(FakeProvider(), memory), "ab") != live


@pytest.mark.parametrize(("texts", "shown"), [(30, False), (31, True)])
def test_progress_is_shown_for_more_texts_than_are_sent_at_once(
    memory: TranslationMemory, texts: int, shown: bool
) -> None:
    translator = CachedTranslator(FakeProvider(chunk=30), memory)
    with redirect_stderr(Terminal()) as terminal:
        translator.translate([f"a{i}" for i in range(texts)], "es", "en")
    assert ("fake es->en" in terminal.getvalue()) == shown
