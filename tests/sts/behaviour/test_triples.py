"""The triples of the behaviour suite: their reader, and what each of them must be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from semaniacs.sts.behaviour.triples import (
    HALVES,
    HEADER,
    Triple,
    read_triples,
    shipped_triples,
)
from semaniacs.sts.errors import DataError, UnknownNameError
from semaniacs.sts.text.tokenizer import is_word, tokenize

TITLE = "\t".join(HEADER)


def shared_words(left: str, right: str) -> float:
    """Return Jaccard's index of the lower-cased words of two sentences."""
    mine, theirs = ({t.lower() for t in tokenize(s) if is_word(t)} for s in (left, right))
    return len(mine & theirs) / max(1, len(mine | theirs))


def test_what_the_triples_that_ship_must_be() -> None:
    readme = Path(__file__).parents[3] / "sts" / "behaviour" / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines()
    phenomena = [line.split("`")[1] for line in lines if line.startswith("| `")]
    assert len(phenomena) == 27
    sentences: Counter[str] = Counter()
    for half in HALVES:
        triples = shipped_triples(half)
        assert Counter(t.phenomenon for t in triples) == dict.fromkeys(phenomena, 10)
        for triple in triples:
            anchor, closer, farther = triple.anchor, triple.closer, triple.farther
            assert shared_words(anchor, farther) > shared_words(anchor, closer)
            sentences.update((anchor, closer, farther))
    assert set(sentences.values()) == {1}


def test_shared_words_by_hand() -> None:
    # the, dog, bit, man against man, bites, a, dog: two of six
    assert shared_words("The dog bit the man.", "Man bites a dog!") == pytest.approx(2 / 6)
    assert shared_words("👍", "👎") == 0.0


def test_a_file_is_read_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text(f'{TITLE}\nnegation\tHe "is".\tIndeed.\tHe "isn\'t".\n', encoding="utf-8")
    assert read_triples(file) == (Triple("negation", 'He "is".', "Indeed.", 'He "isn\'t".'),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ":1: an empty file, expected the header phenomenon<TAB>anchor"),
        ("negation\ta\tb\tc\n", ":1: 'negation\\ta\\tb\\tc', expected the header"),
        (f"{TITLE}\n", ":2: no triple"),
        (f"{TITLE}\nx\ta\tb\tc\nx\ta\tb\n", ":3: 3 columns, expected 4"),
        (f"{TITLE}\nx\ta\t \tc\n", ":2: the closer is empty"),
        (f"{TITLE}\nx\ta\tb\ta\n", ":2: a sentence twice"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_triples(file)
    assert str(error.value).startswith(f"{file}{told}")


def test_a_half_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownNameError, match="development, held_out"):
        shipped_triples("test")
