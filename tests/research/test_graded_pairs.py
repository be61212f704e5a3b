"""Pairs of bitext that an English encoder grades: the grades, the languages, and the draw."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from research.graded_pairs import LANGUAGES, Pair, Text, Translated, grade, read_translated
from semaniacs.sts.text.tokenizer import fold

ROWS = [
    Translated(f"english {number % 70}", Text(code, f"{code} {number % 70}"))
    for number, code in enumerate(["es", "de", "ru", "fr"] * 40)
]
ENGLISH = list(dict.fromkeys(row.english for row in ROWS))


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    drawn = np.random.default_rng(0).normal(size=(len(ENGLISH), 8)).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


@pytest.fixture(scope="module")
def pairs(vectors: np.ndarray) -> list[Pair]:
    return list(grade(ROWS, vectors, np.random.default_rng(1)))


def test_a_grade_is_the_cosine_of_what_both_sides_say_in_english(
    pairs: list[Pair], vectors: np.ndarray
) -> None:
    for _, *sides, found in pairs:
        one, other = (vectors[int(side.split()[1])] for side in sides)
        assert found == pytest.approx(max(0.0, float(one @ other)), abs=0.001)


def test_most_pairs_are_near_and_in_two_languages(pairs: list[Pair]) -> None:
    kinds = Counter(pair.kind for pair in pairs)
    for kind, left, right, _ in pairs:
        assert kind == "-".join(sorted(s.split()[0][:2] for s in (left, right)))
    assert set(kinds) >= {"de-en", "en-es", "en-fr", "en-ru", "de-ru", "en-en"}
    assert sum(kinds[k] for k in kinds if k[:2] != k[3:]) > 0.75 * len(pairs)
    assert 0.2 < np.mean([pair.grade > 0.8 for pair in pairs]) < 0.9


def test_no_pair_holds_a_held_out_sentence(tmp_path: Path) -> None:
    texts = [f"The train of platform {number} leaves tonight." for number in range(9)]
    for corpus, languages in LANGUAGES.items():
        for code in languages:
            lines = "".join(f"{text}\t{code} {text}\n" for text in texts)
            path = tmp_path / f"{corpus}.en-{code}.tsv.gz"
            path.write_bytes(gzip.compress(lines.encode()))
    held_out = {fold(texts[3].upper()), fold(f"es {texts[5]}")}
    rows = read_translated(tmp_path, held_out, np.random.default_rng(0))
    assert texts[3] not in {row.english for row in rows}
    assert {row.other.language for row in rows if row.english == texts[5]} == {"de", "fr", "ru"}


def test_the_same_draw_gives_the_same_pairs(pairs: list[Pair], vectors: np.ndarray) -> None:
    assert list(grade(ROWS, vectors, np.random.default_rng(1))) == pairs
    assert list(grade(ROWS, vectors, np.random.default_rng(2))) != pairs
