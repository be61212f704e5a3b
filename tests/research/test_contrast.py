"""Pairs that look alike: read, balanced, and left out without a common sentence."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest

from research.contrast import grammar_pairs, value_pairs
from research.contrast.sampling import at_most, balanced, distinct, overlap, with_itself
from research.contrast.sources import Labelled, Source, read_source
from research.contrast.training import LEFT_OUT, generate_pairs, left_out, rewrite_values
from semaniacs.sts.errors import DataError
from semaniacs.sts.scoring.classification import roc_auc

NLI = Source("nli", "pairs", 10)
HEADER = "sentence1\tsentence2\tlabel\tsource\n"


def written(folder: Path, text: str) -> Path:
    (folder / "pairs.tsv.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def test_a_source_has_the_rows_of_its_tag(tmp_path: Path) -> None:
    rows = 'a\t"b\tentailment\tnli:dev\na\tc\tcontradiction\tnli\na\td\tneutral\tnlis:dev\n'
    found = list(read_source(written(tmp_path, HEADER + rows), NLI))
    assert found == [Labelled("a", '"b', 0.8, "nli:dev"), Labelled("a", "c", 0.05, "nli")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("left\tright\n", "pairs.tsv.gz:1: 2 columns; expected 4"),
        ("a\tb\tneutral\tnli\n", r"pairs.tsv.gz:1: .* expected the header sentence1"),
        (HEADER + "a\tb\tmaybe\tnli\n", "pairs.tsv.gz:2: label 'maybe'; expected one of para"),
        (HEADER + "a\tb\tneutral\n", "pairs.tsv.gz:2: 3 columns; expected 4"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        list(read_source(written(tmp_path, text), NLI))


def test_overlap_says_little_after_balancing() -> None:
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2, (4000, 8)).astype(bool)  # which words of the left are on the right
    names = np.array(list("abcdefgh"))
    same = rng.random(4000) > words.mean(axis=1)  # the more words, the rarer the same meaning
    pairs = [
        Labelled(" ".join(names), " ".join(names[kept]), 0.95 if label else 0.05, "x")
        for kept, label in zip(words, same, strict=True)
    ]

    def area(some: list[Labelled]) -> float:
        labels, overlaps = ([p.target > 0.5 for p in some], [overlap(*p[:2]) for p in some])
        return roc_auc(np.array(labels), np.array(overlaps))

    assert area(pairs) < 0.35
    assert area(balanced(pairs, rng)) > 0.4  # 1.4 to one at most in a band


def test_pairs_come_once_and_with_those_of_their_sentence() -> None:
    pairs = [Labelled(a, b, 0.95, "x") for a, b in ("ab", "ba", "cc", "ad", "eb", "ec")]
    assert [pair[:2] for pair in distinct(pairs)] == [("a", "b"), *map(tuple, ("ad", "eb", "ec"))]
    for seed in range(4):
        chosen = at_most(distinct(pairs), 2, np.random.default_rng(seed))
        assert len({pair.left for pair in chosen}) == 1
    itself = with_itself(pairs, 0.5, np.random.default_rng(0))
    assert itself and all(pair.left == pair.right and pair.target == 1 for pair in itself)


def test_no_sentence_is_learned_from_and_left_out() -> None:
    pairs = generate_pairs(30, seed=1)
    makers = len(grammar_pairs.MAKERS) + len(value_pairs.MAKERS)
    assert len(pairs) == 4 * 30 * makers and pairs == generate_pairs(30, seed=1)
    held_out = left_out(pairs, seed=0)
    assert 0 < held_out.sum() <= min(LEFT_OUT, len(pairs) // 10)
    learned, held = (
        {
            text
            for pair, out in zip(pairs, held_out, strict=True)
            if out == side
            for text in pair[:2]
        }
        for side in (False, True)
    )
    assert not learned & held


def test_values_of_sentences_are_rewritten() -> None:
    sentences = [f"The bridge is {random.Random(n).randint(2, 90)} km long." for n in range(40)]
    made = rewrite_values([Labelled(text, "x", 1.0, "x") for text in sentences], 10, seed=0)
    assert {pair.left for pair in made} <= set(sentences)
    assert {pair.tag for pair in made} >= {"generated:units"}
