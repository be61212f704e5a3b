"""Training on pairs, on a toy corpus: it learns, repeats itself, is killed and goes on."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings.configuration import HingeLoss, NegativeSampling, Training
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.training.losses import OBJECTIVES
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


def hinges(encoder: Encoder, margin: float) -> float:
    """The objective with the left side of the pair that follows as both negatives."""
    left, right = zip(*PAIRS, strict=True)
    other = (*left[1:], left[0])
    agree = encoder.similarity_pairwise(left, right)
    from_left = np.maximum(0, margin - agree + encoder.similarity_pairwise(left, other))
    from_right = np.maximum(0, margin - agree + encoder.similarity_pairwise(right, other))
    return float(np.mean(from_left + from_right))


@every_way
def test_pairs_come_closer_and_words_outside_of_them_stay(how: Training) -> None:
    encoder, _ = trained(how)
    assert agreement(encoder) > agreement(START) + 0.01
    assert hinges(encoder, 0.8) < hinges(START, 0.8) - 0.01
    assert encoder.table[USED:].tobytes() == START.table[USED:].tobytes()
    assert (encoder.table[:USED] != START.table[:USED]).any(axis=1).all()
    assert START.table.tobytes() == make_start().table.tobytes()


def texts_of(plan: PairData, encoder: Encoder, batches: Any) -> Iterator[list[list[str]]]:
    for batch in batches:
        yield [
            [
                " ".join(encoder.tokenizer.known[plan.active[i]] for i in group.flat[b:e])
                for b, e in zip(group.offsets[:-1], group.offsets[1:], strict=True)
            ]
            for group in batch.groups
        ]


def epoch_of(
    corpora: list[Corpus], how: Training, epoch: int, table: Any = None
) -> list[tuple[str, ...]]:
    plan = PairData.of(corpora, START, how)
    found: list[tuple[str, ...]] = []
    for number in range(plan.rounds(epoch)):
        batches = plan.batches(epoch, number, table)
        for groups in texts_of(plan, START, batches):
            found += zip(*groups, strict=True)
    return found


def test_each_epoch_sees_every_pair_once_in_another_order_and_draws_again() -> None:
    epochs = [epoch_of(TOY, ADADELTA, epoch) for epoch in range(6)]
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
        batches = list(texts_of(plan, START, plan.batches(2, number, table)))
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
