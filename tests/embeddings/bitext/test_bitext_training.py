"""Training on a made-up language: the loss by hand, and a training that is stopped and goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from semaniacs.embeddings.bitext.bitext_configuration import BitextTraining, EncoderName, Shape
from semaniacs.embeddings.bitext.bitext_training import train_on_bitext
from semaniacs.embeddings.bitext.lstm import RecurrentEncoder
from semaniacs.embeddings.bitext.multilingual import Multilingual
from semaniacs.embeddings.bitext.vocabularies import starting_point
from tests.embeddings.bitext.synthetic import little_compiled, made_up
from tests.embeddings.stopping import StopAfter, StoppedError


@pytest.fixture(autouse=True, scope="module")
def _compile_little() -> Iterator[None]:
    with little_compiled():
        yield


BITEXT = made_up(160, name=True)
HOW = BitextTraining(epochs=2, batch=32, megabatch=4, anneal=10, learning_rate=0.01)


@cache
def start_of(encoder: EncoderName) -> Multilingual:
    return starting_point([BITEXT], Shape(encoder, 100, 16))


def raw(model: Multilingual) -> list[bytes]:
    """All numbers of a model, the network's too."""
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
    how = replace(HOW, dropout=0.2, shuffle=0.2)
    path = tmp_path / "checkpoint"

    def train(evaluate: Callable[[Multilingual], float], checkpoint: Path | None) -> Multilingual:
        return train_on_bitext(
            start_of(encoder), [BITEXT], how, checkpoint=checkpoint, seconds=0, evaluate=evaluate
        )

    every, calls = StopAfter(1000), StopAfter(1000)
    whole = train(every, None)
    with pytest.raises(StoppedError):
        train(StopAfter(4), path)
    assert path.exists()
    assert raw(train(calls, path)) == raw(whole)
    assert 0 < calls.count < every.count  # it did go on
    assert not path.exists()
