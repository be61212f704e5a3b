"""Corpora of pairs, their negatives, and training on a toy corpus, which is stopped and goes on."""

from __future__ import annotations

import gzip
import io
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
import scipy.stats

from semaniacs.embeddings.configuration import HingeLoss, NegativeSampling, Training
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.training.corpora import distinct, read_corpus
from semaniacs.embeddings.training.losses import OBJECTIVES, hardest_or_own
from semaniacs.embeddings.training.negatives import (
    HardNegatives,
    Indices,
    distinct_by_rank,
    random_segment,
)
from semaniacs.embeddings.training.pair_training import Corpus, PairData, train
from semaniacs.embeddings.training.sentence_model import SentenceModel
from semaniacs.embeddings.training.sparse_rows import make_optimizer
from semaniacs.sts.errors import StsError
from tests.embeddings.stopping import StopAfter, StoppedError

KNOWN = [f"word{i}" for i in range(40)]
USED = 32
PAIRS = [(f"word{i} word{i + 1}", f"word{i + 2} word{i + 3}") for i in range(0, USED, 4)]
TOY = [Corpus(PAIRS[:5], ["word0 word31", PAIRS[2][0]]), Corpus(PAIRS[5:])]


def make_start() -> Encoder:
    rows = np.random.default_rng(0).standard_normal((len(KNOWN) + 4, 8))
    return Encoder(WordTokenizer(KNOWN, buckets=4), rows.astype(np.float32))


START = make_start()
ADADELTA = Training(epochs=4, batch=4, l2_to_init=0.0)
ADAM = replace(ADADELTA, optimizer="adam", learning_rate=0.02, negatives=NegativeSampling(1.0))
ADAGRAD = replace(ADADELTA, optimizer="adagrad", learning_rate=0.1, final_rate=0.2)
WAYS = {
    "random": ADADELTA,
    "hardest": ADAM,
    "mixed": replace(ADAGRAD, negatives=NegativeSampling(0.5), objective=HingeLoss(negatives=1)),
    "megabatch": replace(
        ADADELTA, negatives=NegativeSampling(1.0, 2), optimizer="momentum", learning_rate=0.1
    ),
    "ranking": replace(ADAGRAD, objective=OBJECTIVES["ranking"](0.0), l2_to_init=0.001),
    "additive": replace(ADAM, objective=OBJECTIVES["additive"](0.1)),
}
every_way = pytest.mark.parametrize("how", WAYS.values(), ids=WAYS)


@cache
def trained(how: Training) -> tuple[Encoder, str]:
    with tempfile.TemporaryDirectory() as folder:
        curve = Path(folder, "curve")
        encoder = train(START, TOY, how, evaluate=agreement, curve=curve)
        return encoder, curve.with_suffix(".csv").read_text()


def agreement(encoder: Encoder) -> float:
    left, right = zip(*PAIRS, strict=True)
    return float(encoder.similarity_pairwise(left, right).mean())


def hinges(encoder: Encoder) -> float:
    """The objective with the left side of the pair that follows as both negatives."""
    left, right = zip(*PAIRS, strict=True)
    other = (*left[1:], left[0])
    agree = encoder.similarity_pairwise(left, right)
    from_left = np.maximum(0, 0.8 - agree + encoder.similarity_pairwise(left, other))
    from_right = np.maximum(0, 0.8 - agree + encoder.similarity_pairwise(right, other))
    return float(np.mean(from_left + from_right))


@every_way
def test_pairs_come_closer_and_words_outside_of_them_stay(how: Training) -> None:
    encoder, _ = trained(how)
    assert agreement(encoder) > agreement(START) + 0.01
    assert hinges(encoder) < hinges(START) - 0.01
    assert encoder.table[USED:].tobytes() == START.table[USED:].tobytes()
    assert (encoder.table[:USED] != START.table[:USED]).any(axis=1).all()
    assert START.table.tobytes() == make_start().table.tobytes()


def texts_of(plan: PairData, batches: Any) -> Iterator[list[list[str]]]:
    for batch in batches:
        yield [
            [
                " ".join(START.tokenizer.known[plan.active[i]] for i in group.flat[b:e])
                for b, e in zip(group.offsets[:-1], group.offsets[1:], strict=True)
            ]
            for group in batch.groups
        ]


def epoch_of(epoch: int) -> list[tuple[str, ...]]:
    plan = PairData.of(TOY, START, ADADELTA)
    table: Any = None  # random negatives need none
    found: list[tuple[str, ...]] = []
    for number in range(plan.rounds(epoch)):
        for groups in texts_of(plan, plan.batches(epoch, number, table)):
            found += zip(*groups, strict=True)
    return found


def test_each_epoch_sees_every_pair_once_in_another_order_and_draws_again() -> None:
    epochs = [epoch_of(epoch) for epoch in range(6)]
    for learned in epochs:
        assert sorted(pair[:2] for pair in learned) == sorted(PAIRS)
    assert len({tuple(pair[:2] for pair in learned) for learned in epochs}) == 6
    by_pair = [{pair[:2]: pair[2:] for pair in learned} for learned in epochs]
    assert len({drawn[PAIRS[0]] for drawn in by_pair}) > 1
    assert any(left != right for drawn in by_pair for left, right in drawn.values())


def test_the_megabatch_finds_the_nearest_neighbours_of_the_round() -> None:
    """Pairs of two words of which many share a side, now left, now right."""
    rng = np.random.default_rng(3)
    sides = [f"word{i} word{j}" for i, j in rng.integers(0, len(KNOWN), (18, 2))]
    corpora = [Corpus([(sides[i], sides[j]) for i, j in rng.integers(0, len(sides), (36, 2))])]
    how = Training(batch=6, negatives=NegativeSampling(1.0, 3), l2_to_init=0.0)
    plan = PairData.of(corpora, START, how)
    table = SentenceModel(START.table[plan.active], make_optimizer(how.optimizer), plan.loss)
    for number in range(plan.rounds(2)):
        batches = list(texts_of(plan, plan.batches(2, number, table)))
        assert [len(groups[0]) for groups in batches] == [6, 6, 6]
        pairs = [pair for groups in batches for pair in zip(*groups, strict=True)]
        for left, right, not_left, not_right in pairs:
            for anchor, found, side in ((left, not_left, 1), (right, not_right, 0)):
                allowed = [pair[side] for pair in pairs if pair[side] not in (left, right)]
                assert found in allowed
                nearest = START.similarity(anchor, allowed).max()
                assert START.similarity(anchor, [found]) == pytest.approx(nearest, abs=1e-5)


def stopped(path: Path, way: str, mark: int) -> bytes:
    """The checkpoint of a training that was stopped at a mark, before it was saved there."""
    with pytest.raises(StoppedError):
        train(START, TOY, WAYS[way], checkpoint=path, seconds=0, evaluate=StopAfter(mark - 1))
    return path.read_bytes()


@pytest.mark.parametrize(("way", "mark"), [("mixed", 2), ("megabatch", 5)])
def test_a_training_that_was_stopped_goes_on_to_the_same_bytes(
    tmp_path: Path, way: str, mark: int
) -> None:
    path, curve_path = tmp_path / "new" / "checkpoint", tmp_path / "curve"
    stopped(path, way, mark)
    resumed = train(START, TOY, WAYS[way], checkpoint=path, evaluate=agreement, curve=curve_path)
    whole, curve = trained(WAYS[way])
    assert resumed.table.tobytes() == whole.table.tobytes()
    lines = (tmp_path / "curve.csv").read_text().splitlines()
    assert lines[mark:] == curve.splitlines()[mark:]
    assert [line.rpartition(",")[2] for line in lines[1:mark]] == [
        f"{n / 10:.4f}"
        for n in range(1, mark)  # these were not done again
    ]
    assert not path.exists()


@pytest.mark.parametrize(
    ("corpora", "changes", "difference"),
    [
        ([Corpus(PAIRS[4::-1], TOY[0].others), TOY[1]], {}, "another list of pairs"),
        (TOY, {"objective": HingeLoss(0.5)}, r"objective .*0\.8.*, here .*0\.5"),
        (TOY, {"seed": 1, "batch": 3}, "batch 4, here 3; seed 0, here 1"),
    ],
    ids=["other pairs", "other margin", "two differences"],
)
def test_the_checkpoint_of_another_training_is_refused_and_stays(
    tmp_path: Path, corpora: list[Corpus], changes: dict[str, Any], difference: str
) -> None:
    path = tmp_path / "checkpoint"
    left_over = stopped(path, "hardest", 5)
    with pytest.raises(StsError, match=rf"checkpoint: .*another training \({difference}.*move it"):
        train(START, corpora, replace(ADAM, **changes), checkpoint=path)
    assert path.read_bytes() == left_over


# Negative examples


@pytest.mark.parametrize(("n", "m"), [(2, 2), (33, 20)])
def test_the_hardest_agrees_with_looking_at_all(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    anchors = rng.standard_normal((n, 4)).astype(np.float32)
    candidates = rng.standard_normal((m, 4)).astype(np.float32)
    never = rng.random((n, m)) < 0.4
    never[:, -1] = False
    cosines = anchors @ (candidates / np.linalg.norm(candidates, axis=1, keepdims=True)).T
    expected = np.where(never, -np.inf, cosines).argmax(axis=1).tolist()
    assert jax.jit(hardest_or_own)(anchors, candidates, never).tolist() == expected


SOURCES = [
    [(0, 1), (2, 0), (1, 1)],  # of three segments; both sides of the last pair are the same
    [(0, 4), (4, 2), (2, 3), (3, 3), (0, 0), (4, 4)],  # of five
    [(0, 0), (1, 1)],  # of two
]
SIZES = (3, 5, 2)
BEGINS = (7, 10, 15)


def own_and_sources() -> tuple[Indices, Indices, Indices]:
    """The pairs of all sources, counted from 7, with the size and the begin of their source."""
    counts = [len(pairs) for pairs in SOURCES]
    first = np.repeat(BEGINS, counts)
    own = np.concatenate([np.array(pairs) for pairs in SOURCES]) + first[:, None]
    return own, np.repeat(SIZES, counts), first


def test_a_random_negative_is_any_segment_of_the_source_but_the_pairs_own() -> None:
    draws = 3000
    own, size, first = own_and_sources()
    repeated = (np.repeat(given, draws, axis=0) for given in (own, size, first))
    drawn = random_segment(np.random.default_rng(0), *repeated).reshape(-1, draws)
    for pair, length, begin, segments in zip(own, size, first, drawn, strict=True):
        others = [i for i in range(begin, begin + length) if i not in pair]
        seen, counts = np.unique(segments, return_counts=True)
        assert seen.tolist() == others
        assert len(others) == 1 or scipy.stats.chisquare(counts).pvalue > 0.01


# Mega-batches: candidates 0 and 2 mean the same as anchor 0 and anchor 1

ANCHORS = np.array([[1, 0], [0, 1]], np.float32)
CANDIDATES = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [-1, 0], [0, -1]], np.float32)


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        (HardNegatives(1), [[1], [1]]),
        (HardNegatives(2), [[1, 2], [1, 0]]),  # cosines .8 .6 / .6 0
        (HardNegatives(2, 0.0), [[1, 2], [1, -1]]),
        (HardNegatives(2, 0.7), [[1, -1], [-1, -1]]),
        (HardNegatives(6), [[1, 2, 4, 3, -1, -1], [1, 0, 3, 4, -1, -1]]),
    ],
)
def test_hard_negatives_by_number_and_by_threshold(
    search: HardNegatives, expected: list[list[int]]
) -> None:
    meaning, meanings = np.array([0, 1]), np.array([0, 2, 1, 3, 4])
    assert search.search(ANCHORS, CANDIDATES, meaning, meanings).tolist() == expected
    many = search.search(np.tile(ANCHORS, (400, 1)), CANDIDATES, np.tile(meaning, 400), meanings)
    assert many.tolist() == expected * 400  # more than are compared at once


def test_a_batch_has_each_hard_negative_once() -> None:
    found = np.array([[1, 2], [1, -1], [4, 3]])
    assert distinct_by_rank(found).tolist() == [1, 4, 2, 3]
    assert distinct_by_rank(found[:0]).tolist() == []


@pytest.mark.parametrize("source", ["corpus.tsv.gz", "corpus.tsv", "-"])
def test_a_corpus_is_read_in_order(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'a "lone quote\tb\nc\u2028d\te\r\nЯ\t😀'
    Path("corpus.tsv.gz").write_bytes(gzip.compress(text.encode()))
    Path("corpus.tsv").write_bytes(text.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert read_corpus(source) == [('a "lone quote', "b"), ("c\u2028d", "e"), ("Я", "😀")]


def test_each_pair_is_taken_once_whichever_way_round() -> None:
    pairs = [
        ("One cat", "a dog"),
        ("a dog!", "one CAT"),  # the other way round
        ("one cat", "A dog."),  # again
        ("Same", "same!"),  # nothing to learn
        ("", "blank"),
        ("one cat", "a cow"),
    ]
    assert distinct(pairs) == [pairs[0], pairs[5]]
