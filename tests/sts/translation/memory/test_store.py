"""The file of a memory: what was stored is read back, whatever happened meanwhile."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sts.errors import DataError, StsError
from sts.translation import TranslationMemory
from tests.sts.translation.fakes import entry, recall, store


def test_an_absent_file_is_an_empty_memory(memory: TranslationMemory) -> None:
    assert recall(memory, "hola") is None
    assert len(memory) == 0
    assert not memory.path.exists()


def test_what_is_stored_is_read_by_another_memory(memory: TranslationMemory) -> None:
    stored = entry("los debris", "the debris", "debris", version="7")
    memory.add_entries([stored])
    other = TranslationMemory(memory.path)
    other.refresh()
    assert other.get("fake", "es", "en", "los debris") == stored
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
        memory.add_entries([entry("hola", said, version=version)])
    for held in (memory, TranslationMemory(memory.path)):
        assert recall(held, "hola") == "hello"
        assert held.get("fake", "es", "en", "hola", "1") == entry("hola", "hello", version="1")
        assert held.get("fake", "es", "en", "hola", "2") == entry("hola", "hi", version="2")
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
    memory.add_entries(entry(text, "t") for text in texts)
    other = TranslationMemory(memory.path)
    other.refresh()
    assert [recall(other, text) for text in texts] == ["t"] * len(texts)


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
