"""What the teacher said: that it is kept, that it is asked for once, that damage is noticed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.table import Vectors
from embeddings.transformer import cached_teacher
from embeddings.transformer.cached_teacher import Asked
from embeddings.transformer.network import Transformer
from sts.errors import DataError
from sts.tensors import open_tensors, to_bytes


class Teacher(Transformer):
    """A sentence is a draw of its own, in half precision and beyond.

    Attributes:
        heard: every sentence that it was asked for, in order.
        calls: how many at once.
    """

    def __init__(self, name: str = "teacher", dim: int = 6) -> None:
        self.digest, self.dim = name, dim
        self.heard: list[str] = []
        self.calls: list[int] = []

    def encode(self, sentences: Sequence[str], *, label: str = "encoding") -> Vectors:
        self.heard += sentences
        self.calls.append(len(sentences))
        return np.array([self.say(sentence) for sentence in sentences], np.float32)

    def say(self, sentence: str) -> Any:
        seed = zlib.crc32((self.digest + sentence).encode("utf-8", "surrogatepass"))
        return np.random.default_rng(seed).standard_normal(self.dim)


def expected(sentences: Sequence[str], teacher: Teacher | None = None) -> Any:
    return (teacher or Teacher()).encode(sentences).astype(np.float16)


SENTENCES = [f"sentence number {i}" for i in range(10)]


@pytest.fixture(autouse=True)
def parts_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_teacher, "PART", 4)


def parts(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def ask(folder: Path, sentences: Sequence[str], teacher: Teacher | None = None) -> list[str]:
    """What has to be asked for, by one who knows no more than the folder."""
    teacher = teacher or Teacher()
    Asked(teacher, folder).encode(sentences)
    return teacher.heard


# What is kept


def test_what_is_kept_is_what_the_teacher_says_in_half_precision(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "teacher"
    for _ in range(2):
        kept = Asked(Teacher(), folder).encode(SENTENCES)
        np.testing.assert_array_equal(kept, expected(SENTENCES))
        assert kept.dtype == np.float16
    assert (kept != Teacher().encode(SENTENCES)).any()


def test_nothing_is_made_before_something_is_asked(tmp_path: Path) -> None:
    Asked(Teacher(), tmp_path / "teacher")
    assert list(tmp_path.iterdir()) == []


def test_nothing_comes_of_nothing(tmp_path: Path) -> None:
    found = Asked(Teacher(), tmp_path / "teacher").encode([])
    assert (found.shape, found.dtype) == ((0, 6), np.float16)
    assert list(tmp_path.iterdir()) == []


def test_so_many_are_asked_and_kept_at_once(tmp_path: Path) -> None:
    teacher = Teacher()
    Asked(teacher, tmp_path).encode(SENTENCES)
    assert teacher.calls == [4, 4, 2]
    assert {path.suffix for path in parts(tmp_path)} == {".safetensors"}
    counts = [len(open_tensors(path)[0]["vectors"]) for path in parts(tmp_path)]
    assert sorted(counts) == [2, 4, 4]


def test_a_second_folder_gets_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        ask(tmp_path / name, SENTENCES)
    one, two = (
        {path.name: path.read_bytes() for path in parts(tmp_path / name)} for name in ("one", "two")
    )
    assert one == two


# What is asked


@pytest.mark.parametrize(
    "again",
    [SENTENCES, SENTENCES[::-1], SENTENCES[3:7], SENTENCES[9:] * 3, SENTENCES[::3] + SENTENCES],
    ids=["the same", "backwards", "some", "one, often", "some, then all"],
)
def test_what_was_asked_costs_nothing_in_any_order(tmp_path: Path, again: list[str]) -> None:
    teacher = Teacher()
    same = Asked(teacher, tmp_path)
    same.encode(SENTENCES)
    later = Teacher()
    before = parts(tmp_path)
    for who in (same, Asked(later, tmp_path)):
        np.testing.assert_array_equal(who.encode(again), expected(again))
    assert (teacher.heard, later.heard) == (SENTENCES, [])
    assert parts(tmp_path) == before


def test_only_what_is_new_is_asked_in_its_order(tmp_path: Path) -> None:
    ask(tmp_path, SENTENCES[2:5])
    mixed = [SENTENCES[i] for i in (7, 3, 0, 7, 2, 9)]
    teacher = Teacher()
    found = Asked(teacher, tmp_path).encode(mixed)
    assert teacher.heard == [SENTENCES[i] for i in (7, 0, 9)]
    np.testing.assert_array_equal(found, expected(mixed))


def test_a_sentence_that_comes_twice_is_asked_once(tmp_path: Path) -> None:
    assert ask(tmp_path, ["b", "a", "b", "a", "a"]) == ["b", "a"]


LOOKALIKES = ["a", "A", "a ", "", " ", "a\n", "é", "e\u0301", "\ud800", "日本", "a\0"]


def test_sentences_that_look_alike_are_told_apart(tmp_path: Path) -> None:
    assert ask(tmp_path, LOOKALIKES) == LOOKALIKES
    found = Asked(Teacher(), tmp_path).encode(LOOKALIKES)
    np.testing.assert_array_equal(found, expected(LOOKALIKES))
    assert len(np.unique(found, axis=0)) == len(LOOKALIKES)


def test_another_teacher_is_asked_anew_and_neither_hears_of_the_other(tmp_path: Path) -> None:
    ask(tmp_path, SENTENCES)
    assert ask(tmp_path, SENTENCES, Teacher("another")) == SENTENCES
    for name in ("teacher", "another"):
        teacher = Teacher(name)
        found = Asked(teacher, tmp_path).encode(SENTENCES)
        assert teacher.heard == []
        np.testing.assert_array_equal(found, expected(SENTENCES, Teacher(name)))


def test_another_teacher_of_another_length_is_asked_anew(tmp_path: Path) -> None:
    ask(tmp_path, SENTENCES)
    assert ask(tmp_path, SENTENCES, Teacher("longer", dim=7)) == SENTENCES


class StoppedError(Exception):
    pass


class Stopped(Teacher):
    def say(self, sentence: str) -> Any:
        if sentence == SENTENCES[8]:
            raise StoppedError
        return super().say(sentence)


def test_a_stopped_teacher_goes_on_with_what_is_lacking(tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        ask(tmp_path, SENTENCES, Stopped())
    assert len(parts(tmp_path)) == 2
    assert {path.suffix for path in parts(tmp_path)} == {".safetensors"}
    teacher = Teacher()
    found = Asked(teacher, tmp_path).encode(SENTENCES)
    assert teacher.heard == SENTENCES[8:]
    np.testing.assert_array_equal(found, expected(SENTENCES))


# Damage


def header(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def damage(raw: bytes) -> bytes:
        assert raw.count(old) == 1
        assert len(old) == len(new)
        return raw.replace(old, new)

    return damage


def tensors(**changed: Any) -> Callable[[bytes], bytes]:
    """A whole file with other tensors."""

    def damage(raw: bytes) -> bytes:
        whole = {"keys": np.zeros((4, 16), np.uint8), "vectors": np.zeros((4, 6), np.float16)}
        return to_bytes(whole | changed, {"format": "1"})

    return damage


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda raw: b"",
    "cut short": lambda raw: raw[:-1],
    "cut in its header": lambda raw: raw[:20],
    "too long": lambda raw: raw + b"\0",
    "no tensors": lambda raw: b"vectors" * 30,
    "zeros": lambda raw: bytes(len(raw)),
    "an endless header": lambda raw: raw[:4] + b"\xff" + raw[5:],
    "no JSON": header(b'"vectors"', b'"vectors,'),
    "no text": header(b"vectors", b"vector\xff"),
    "no vectors": header(b"vectors", b"factors"),
    "no keys": header(b"keys", b"kegs"),
    "another format": header(b'"format":"1"', b'"format":"2"'),
    "unknown numbers": header(b'"F16"', b'"F61"'),
    "rows for columns": header(b"[4,6]", b"[6,4]"),
    "whole numbers": tensors(vectors=np.zeros((4, 6), np.int16)),
    "float32": tensors(vectors=np.zeros((4, 6), np.float32)),
    "fewer vectors than keys": tensors(vectors=np.zeros((3, 6), np.float16)),
    "another dimension": tensors(vectors=np.zeros((4, 5), np.float16)),
    "a row of numbers": tensors(vectors=np.zeros(24, np.float16)),
    "keys that are no bytes": tensors(keys=np.zeros((4, 16), np.float32)),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_part_is_named_and_asked_again_once_it_is_gone(tmp_path: Path, kind: str) -> None:
    ask(tmp_path, SENTENCES[:4])
    (part,) = parts(tmp_path)
    whole = part.read_bytes()
    damaged = DAMAGES[kind](whole)
    part.write_bytes(damaged)
    with pytest.raises(DataError, match=rf"^{tmp_path / part.name}: "):
        Asked(Teacher(), tmp_path)
    assert part.read_bytes() == damaged
    part.unlink()
    assert ask(tmp_path, SENTENCES[:4]) == SENTENCES[:4]
    assert part.read_bytes() == whole


def test_one_damaged_part_among_others_is_the_one_that_is_named(tmp_path: Path) -> None:
    ask(tmp_path, SENTENCES)
    _, part, _ = parts(tmp_path)
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(DataError, match=rf"^{part}: "):
        Asked(Teacher(), tmp_path)
    part.unlink()
    assert 2 <= len(ask(tmp_path, SENTENCES)) <= 4


def test_no_byte_of_a_header_can_be_changed_unnoticed(tmp_path: Path) -> None:
    ask(tmp_path, SENTENCES[:4])
    (part,) = parts(tmp_path)
    whole = part.read_bytes()
    end = 8 + int.from_bytes(whole[:8], "little")
    for place in range(end):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        part.write_bytes(damaged)
        with pytest.raises(DataError, match=part.name):
            Asked(Teacher(), tmp_path)


def test_a_folder_in_the_place_of_a_part_is_named(tmp_path: Path) -> None:
    (tmp_path / "teacher-folder.safetensors").mkdir()
    with pytest.raises(DataError, match=r"folder\.safetensors: "):
        Asked(Teacher(), tmp_path)


def test_other_files_beside_the_parts_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / ".half.safetensors.x1").write_bytes(b"half")
    assert ask(tmp_path, SENTENCES) == SENTENCES
    assert ask(tmp_path, SENTENCES) == []
    assert (tmp_path / "notes.txt").read_text("utf-8") == "mine"
