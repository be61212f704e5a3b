"""Vectors of a teacher: each sentence is computed once, and cached in half precision."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.transformer.cached_teacher import CachedTeacher
from semaniacs.embeddings.transformer.transformer_encoder import Transformer


class Teacher(Transformer):
    """Teacher that notes the sentences that it was asked for."""

    def __init__(self) -> None:
        self.digest, self.dim = "teacher", 6
        self.asked: list[str] = []

    def encode(self, sentences: Sequence[str], **_: Any) -> Vectors:  # type: ignore[override]
        self.asked += sentences
        rows = [np.random.default_rng(len(text)).standard_normal(6) for text in sentences]
        return np.array(rows, np.float32)


def test_only_new_sentences_are_asked_for_in_their_order(tmp_path: Path) -> None:
    sentences, folder = ["a" * n for n in range(10)], tmp_path / "new" / "teacher"
    CachedTeacher(Teacher(), folder).encode(sentences[2:5])
    mixed = [sentences[i] for i in (7, 3, 0, 7, 2, 9)]
    teacher = Teacher()
    found = CachedTeacher(teacher, folder).encode(mixed)
    assert teacher.asked == [sentences[i] for i in (7, 0, 9)]
    np.testing.assert_array_equal(found, Teacher().encode(mixed).astype(np.float16))
    assert found.dtype == np.float16
