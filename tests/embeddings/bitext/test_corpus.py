"""Bitext is read as it stands, and what is wrong with it is said by line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from semaniacs.embeddings.bitext.corpus import Bitext, read_bitext, read_sides
from semaniacs.sts.errors import DataError

PAIRS = [("A dog runs.", "Un perro corre."), ("Hi!", "¡Hola!"), ("Bye", "Adiós")]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, pairs: list[tuple[str, str]]) -> None:
    text = "".join(f"{left}\t{right}\n" for left, right in pairs)
    Path(f"{name}.tsv.gz").write_bytes(gzip.compress(text.encode()))


def test_both_sources_are_read_each_pair_once() -> None:
    write("news.en-es", [PAIRS[1], PAIRS[0], PAIRS[1]])
    write("tatoeba.en-es", [PAIRS[0], PAIRS[2]])
    write("ntrex.en-es", [("kept", "for mining")])
    found = read_bitext(Path(), "es", set())
    assert found == Bitext(("en", "es"), (PAIRS[1], PAIRS[0], PAIRS[2]))


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("a\nb\nc\n", "d\ne\n", "left:3: right has no line 3; expected as many lines in both"),
        ("a\nb\n", "d\n \n", "right:2: empty; expected a sentence on every line"),
        ("", "a\n", "left: empty"),
    ],
)
def test_sides_that_do_not_fit(left: str, right: str, said: str) -> None:
    Path("left").write_text(left)
    Path("right").write_text(right)
    with pytest.raises(DataError) as error:
        read_sides("left", "right")
    assert str(error.value).startswith(said)
