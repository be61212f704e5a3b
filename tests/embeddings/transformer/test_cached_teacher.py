"""What the teacher said: that it is kept, that it is asked for once, that damage is noticed."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.table import Vectors
from embeddings.transformer import cached_teacher
from embeddings.transformer.cached_teacher import CachedTeacher
from embeddings.transformer.transformer_encoder import Transformer


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
    return sorted(folder.glob("[!.]*.safetensors"))


def ask(folder: Path, sentences: Sequence[str], teacher: Teacher | None = None) -> list[str]:
    """What has to be asked for, by one who knows no more than the folder."""
    teacher = teacher or Teacher()
    CachedTeacher(teacher, folder).encode(sentences)
    return teacher.heard


# What is kept


def test_what_is_kept_is_what_the_teacher_says_in_half_precision(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "teacher"
    for _ in range(2):
        kept = CachedTeacher(Teacher(), folder).encode(SENTENCES)
        np.testing.assert_array_equal(kept, expected(SENTENCES))
        assert kept.dtype == np.float16
    assert (kept != Teacher().encode(SENTENCES)).any()


def test_a_second_folder_gets_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        ask(tmp_path / name, SENTENCES)
    one, two = (
        {path.name: path.read_bytes() for path in parts(tmp_path / name)} for name in ("one", "two")
    )
    assert one == two


# What is asked


def test_only_what_is_new_is_asked_in_its_order(tmp_path: Path) -> None:
    ask(tmp_path, SENTENCES[2:5])
    mixed = [SENTENCES[i] for i in (7, 3, 0, 7, 2, 9)]
    teacher = Teacher()
    found = CachedTeacher(teacher, tmp_path).encode(mixed)
    assert teacher.heard == [SENTENCES[i] for i in (7, 0, 9)]
    np.testing.assert_array_equal(found, expected(mixed))
