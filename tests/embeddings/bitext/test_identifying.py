"""Sentences whose language is not named, from Python and by every command of vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import semaniacs
from semaniacs.cli import run as vectors
from semaniacs.embeddings.bitext.language_files import save_taught
from semaniacs.embeddings.bitext.multilingual import Taught, with_fallback
from semaniacs.embeddings.loading import load, load_static
from semaniacs.embeddings.table import Table
from tests.embeddings.conftest import Command

GERMAN, RUSSIAN = "Ein Hund läuft im Park.", "Собака бежит в парке."
ENGLISH, OTHER = "A dog runs in the park.", "犬が走る。"
IDENTIFIED = "languages identified: de 1, ru 1, en 1 (mean confidence 1.000); each sentence is read"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    english = load_static("paragram-small")
    meanings = {
        "de": {"ein": "a", "hund": "dog", "läuft": "runs", "im": "in"},
        "ru": {"собака": "dog", "бежит": "runs"},
    }
    taught = {}
    for code, words in meanings.items():
        rows = Table(np.stack([english.encode(word) for word in words.values()]))
        taught[code] = Taught(with_fallback(english, [*words], rows), len(words))
    save_taught(Path("taught.safetensors"), taught, "paragram-small", english)
    Path("lines").write_text(f"{GERMAN}\n{RUSSIAN}\n{ENGLISH}\n{OTHER}\n", encoding="utf-8")
    Path("pairs").write_text(f"{GERMAN}\t{ENGLISH}\n{RUSSIAN}\t{OTHER}\n", encoding="utf-8")


def test_each_sentence_has_the_vector_of_its_language() -> None:
    auto = load("taught.safetensors", "auto")
    found = auto.encode([GERMAN, RUSSIAN, ENGLISH, OTHER, ""])
    for row, (text, code) in enumerate(
        [(GERMAN, "de"), (RUSSIAN, "ru"), (ENGLISH, "en"), (OTHER, "en"), ("", "en")]
    ):
        np.testing.assert_array_equal(found[row], load("taught.safetensors", code).encode(text))
    np.testing.assert_array_equal(auto.encode(RUSSIAN), found[1])
    asked = semaniacs.encode([GERMAN, RUSSIAN], "taught.safetensors", language="auto")
    np.testing.assert_array_equal(asked, found[:2])


def test_similar_and_encode_identify(command: Command) -> None:
    auto = command(vectors, "similar pairs --model taught.safetensors --languages auto auto")
    named = command(vectors, "similar pairs --model taught.safetensors --languages auto en")
    assert auto.out == named.out and float(auto.out.splitlines()[0]) > 0.8
    assert (
        f"{IDENTIFIED} in its own, as with --languages auto auto\nwarning: 1 sentence" in auto.err
    )
    assert "identified: de 1, ru 1 (mean" in named.err
    assert "as with" not in named.err and "yourself: --languages auto en\n" in named.err
    Path("german").write_text(f"{GERMAN}\t{ENGLISH}\n", encoding="utf-8")
    one = command(vectors, "similar german --model taught.safetensors --languages auto en")
    assert "to name them yourself: --languages de en\n" in one.err
    ended = command(vectors, "encode lines -o v.npy --model taught.safetensors --language auto")
    assert f"{IDENTIFIED} in its own, as with --languages auto\n" in ended.err
    expected = load("taught.safetensors", "ru").encode(RUSSIAN)
    np.testing.assert_array_equal(np.load("v.npy")[1], expected)
    found = command(
        vectors,
        "similar lines --against lines -k 2 --model taught.safetensors --languages auto auto",
    )
    assert found.out.splitlines()[1].endswith((RUSSIAN, ENGLISH)) and IDENTIFIED[:20] in found.err
