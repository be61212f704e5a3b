"""Training on bitext: its order, where negatives come from, the loss, and a stop that changes nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from semaniacs.embeddings.bitext.bitext_configuration import BitextTraining, EncoderName, Shape
from semaniacs.embeddings.bitext.bitext_training import BitextData, hardest_across, train_on_bitext
from semaniacs.embeddings.bitext.corpus import Bitext
from semaniacs.embeddings.bitext.lstm import RecurrentEncoder
from semaniacs.embeddings.bitext.multilingual import Multilingual
from semaniacs.embeddings.bitext.vocabularies import starting_point
from semaniacs.embeddings.configuration import HingeLoss
from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training.sentence_model import SentenceModel
from semaniacs.embeddings.training.sparse_rows import adam
from semaniacs.embeddings.training.trainable import Batch
from tests.embeddings.bitext.synthetic import made_up
from tests.embeddings.stopping import check_resumed

pytestmark = pytest.mark.usefixtures("little_compiled")

HOW = BitextTraining(epochs=3, batch=4, anneal=2, megabatch=3)


def ids(_: str, sentences: list[str]) -> Ragged:
    return Ragged.of([[int(word) for word in sentence.split()] for sentence in sentences])


def numbers(count: int, seed: int = 0) -> Bitext:
    """Pairs of which the words are below 50 on the left, from there on the right."""
    rng = np.random.default_rng(seed)
    sides = [
        [" ".join(map(str, rng.integers(low, low + 50, 4))) for _ in range(count)]
        for low in (0, 50)
    ]
    return Bitext(("en", "xx"), list(zip(*sides, strict=True)))


def data_of(*bitexts: Bitext, how: BitextTraining = HOW) -> BitextData:
    return BitextData.of(bitexts, ids, how)  # type: ignore[arg-type]


def table_of(data: BitextData) -> SentenceModel:
    rows = np.random.default_rng(1).standard_normal((len(data.active), 5)).astype(np.float32)
    return SentenceModel(rows, adam(), HingeLoss())


def sentences(ragged: Ragged) -> list[list[int]]:
    return [ragged.flat[a:b].tolist() for a, b in pairwise(ragged.offsets)]


def nearest(anchors: Vectors, candidates: Vectors, texts: tuple[list[int], list[int]]) -> list[int]:
    """By scikit-learn, anchor by anchor, among what is no translation of it."""
    found = []
    for i, anchor in enumerate(anchors):
        apart = [j for j in range(len(anchors)) if all(text[i] != text[j] for text in texts)]
        if apart:
            search = NearestNeighbors(n_neighbors=1, metric="cosine", algorithm="brute")
            search.fit(candidates[apart])
            found.append(apart[int(search.kneighbors(anchor[None])[1][0, 0])])
        else:
            found.append(i)
    return found


@pytest.mark.parametrize("at_once", [7, 1024])
def test_the_hardest_is_the_nearest_on_the_other_side(at_once: int) -> None:
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((2, 60, 6)).astype(np.float32)
    right[:30] = left[:30] + np.float32(0.1) * right[:30]  # a translation is nearest as a rule
    texts = rng.integers(0, 25, 60), rng.integers(0, 25, 60)  # many sentences occur again
    found = hardest_across(unit(left), unit(right), texts, at_once)
    assert found.tolist() == nearest(left, right, (texts[0].tolist(), texts[1].tolist()))
    assert not np.any(texts[0][found] == texts[0]) and not np.any(texts[1][found] == texts[1])


def test_negatives_are_of_the_other_side_and_of_the_mega_batch() -> None:
    data = data_of(numbers(30))
    table = table_of(data)
    for number in range(data.rounds(1)):
        pairs = data.megabatches(1)[number]
        batches = list(data.batches(1, number, table))
        groups = [list(chain(*parts)) for parts in zip(*map(groups_of, batches), strict=True)]
        left, right = (
            np.asarray(table.encode(side.take(pairs)), np.float64) for side in data.sides
        )
        texts = data.texts[0][pairs].tolist(), data.texts[1][pairs].tolist()
        hard = nearest(left, right, texts), nearest(right, left, texts)
        sides = [sentences(side.take(pairs)) for side in data.sides]
        assert groups[:2] == sides
        assert groups[2] == [sides[1][i] for i in hard[0]]
        assert groups[3] == [sides[0][i] for i in hard[1]]


def test_in_a_single_batch_the_step_finds_the_negatives() -> None:
    """Oracle: the same hinges over what the search in a mega-batch of that batch finds."""
    how = replace(HOW, batch=8, megabatch=1)
    bitext = numbers(30)
    shared = [(bitext.pairs[i][0], bitext.pairs[i + 1][1]) for i in range(6)]
    data = data_of(Bitext(bitext.languages, [*bitext.pairs, *shared]), how=how)
    table = table_of(data)
    forbidden = 0
    for number in range(data.rounds(0)):
        (batch,) = data.batches(0, number, table)
        pairs = data.megabatches(0)[number]
        assert groups_of(batch) == [sentences(side.take(pairs)) for side in data.sides]
        left, right = (unit(np.asarray(table.encode(group))) for group in batch.groups)
        texts = data.texts[0][pairs], data.texts[1][pairs]
        not_left, not_right = hardest_across(left, right, texts), hardest_across(right, left, texts)
        expected = HingeLoss(how.margin)(left, right, right[not_left], left[not_right])
        assert float(how.objective(left, right, *batch.extra)) == pytest.approx(float(expected))
        forbidden += int(batch.extra[0].sum()) - len(pairs)
    assert forbidden > 0  # pairs that share a sentence met in a batch


def groups_of(batch: Batch) -> list[list[list[int]]]:
    return [sentences(group) for group in batch.groups]


def test_mega_batches_grow_by_a_batch() -> None:
    """30 pairs are 8 steps an epoch; a batch more after 2, 4 … steps, at most 3 batches."""
    data = data_of(numbers(30))
    sizes = [list(map(len, data.megabatches(epoch))) for epoch in range(3)]
    assert sizes == [[4, 4, 8, 12, 2], [12, 12, 6], [12, 12, 6]]
    assert (data.steps_an_epoch, data.rounds(0), data.rounds(1)) == (8, 5, 3)
    parts = [batch for n in range(5) for batch in data.batches(0, n, table_of(data))]
    assert [len(batch.groups[0].lengths) for batch in parts] == [4] * 7 + [2]


def test_each_pair_once_an_epoch_and_one_bitext_a_mega_batch() -> None:
    data = data_of(numbers(21), numbers(50, seed=1), numbers(2, seed=2))
    assert data.bounds.tolist() == [0, 21, 71, 73]
    orders = []
    for epoch in range(3):
        rounds = data.megabatches(epoch)
        bitexts = [set(np.searchsorted(data.bounds, pairs, "right").tolist()) for pairs in rounds]
        assert all(len(bitext) == 1 for bitext in bitexts)
        order = np.concatenate(rounds).tolist()
        assert sorted(order) == list(range(73))
        assert sum(-(-len(pairs) // 4) for pairs in rounds) == data.steps_an_epoch == 6 + 13 + 1
        orders.append(tuple(order))
    assert len(set(orders)) == 3


BITEXT = made_up(160)
QUICK = BitextTraining(epochs=2, batch=32, megabatch=4, anneal=10, learning_rate=0.01)


def raw(model: Multilingual) -> list[bytes]:
    first = model.of("en")
    parameters = first.parameters if isinstance(first, RecurrentEncoder) else {}
    return [first.table.tobytes(), *(parameters[name].tobytes() for name in sorted(parameters))]


def test_the_loss_by_hand() -> None:
    """One pair with cosine 0, negatives with 0.6 and −0.6, a teacher at right angles."""
    left, right = np.float32([[2, 0]]), np.float32([[0, 1]])
    not_left, not_right = np.float32([[3, 4]]), np.float32([[4, -3]])
    groups = (left, right, not_left, not_right)
    hinges = (0.4 - 0 + 0.6) + 0  # 0.4 − 0 − 0.6 is below zero
    assert float(BitextTraining().objective(*groups)) == pytest.approx(hinges)
    assert float(BitextTraining(margin=1.0).objective(*groups)) == pytest.approx(2.0)
    taught = np.float32([[0, 5]])
    with_teacher = BitextTraining(teacher_weight=0.25).objective
    assert float(with_teacher(*groups, taught)) == pytest.approx(hinges + 0.25)
    assert float(with_teacher(*groups, left)) == pytest.approx(hinges)


@pytest.mark.parametrize("encoder", ["SP", "LSTM-SP"])
def test_a_training_goes_on_to_the_same_bytes(encoder: EncoderName, tmp_path: Path) -> None:
    how = replace(QUICK, dropout=0.2, shuffle=0.2)
    train = partial(
        train_on_bitext, starting_point([BITEXT], Shape(encoder, 100, 16)), [BITEXT], how
    )
    check_resumed(train, raw, tmp_path / "checkpoint", at=4)
