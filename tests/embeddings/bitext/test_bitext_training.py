"""Training on a made-up language: it is learned, repeats itself, is killed and goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from embeddings.bitext.bitext_configuration import BitextTraining, EncoderName, Shape
from embeddings.bitext.bitext_training import train_on_bitext
from embeddings.bitext.corpus import Bitext
from embeddings.bitext.lstm import RecurrentEncoder
from embeddings.bitext.multilingual import Multilingual
from embeddings.bitext.vocabularies import starting_point
from embeddings.training.sentence_model import SentenceModel
from sts.errors import StsError
from tests.embeddings.bitext.synthetic import little_compiled, made_up


@pytest.fixture(autouse=True, scope="module")
def _compile_little() -> Iterator[None]:
    with little_compiled():
        yield


ALL = made_up(380, name=True)
BITEXT, HELD_OUT = (
    Bitext(ALL.languages, ALL.pairs[part]) for part in (slice(320), slice(320, 380))
)
HOW = BitextTraining(epochs=3, batch=32, megabatch=4, anneal=10, learning_rate=0.01)


@cache
def start_of(encoder: EncoderName, separate: bool = False) -> Multilingual:
    return starting_point([BITEXT], Shape(encoder, 100, 16, separate))


@cache
def trained(encoder: EncoderName, how: BitextTraining = HOW) -> Multilingual:
    return train_on_bitext(start_of(encoder), [BITEXT], how)


def raw(model: Multilingual) -> list[bytes]:
    """All numbers of a model, the network's too."""
    first = model.of("en")
    parameters = first.parameters if isinstance(first, RecurrentEncoder) else {}
    return [first.table.tobytes(), *(parameters[name].tobytes() for name in sorted(parameters))]


# The loss


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


# What is learned


# KilledError and resumed


class KilledError(Exception):
    """Raised in the middle."""


def kill_after(calls: int) -> Iterator[float]:
    yield from [0.0] * calls
    raise KilledError


@pytest.mark.parametrize("encoder", ["SP", "LSTM-SP"])
def test_a_training_goes_on_to_the_same_bytes(
    encoder: EncoderName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []
    step = SentenceModel.step
    monkeypatch.setattr(
        SentenceModel, "step", lambda self, *a, **k: (steps.append(1), step(self, *a, **k))[1]
    )
    how = replace(HOW, dropout=0.2, shuffle=0.2)
    whole = train_on_bitext(start_of(encoder), [BITEXT], how)
    path, kills = tmp_path / "checkpoint", kill_after(7)
    every = len(steps)
    assert every == 3 * 10
    with pytest.raises(KilledError):
        train_on_bitext(
            start_of(encoder), [BITEXT], how,
            checkpoint=path, seconds=0, evaluate=lambda _: next(kills),
        )  # fmt: skip
    assert path.exists() and every < len(steps) < 2 * every
    steps.clear()
    again = train_on_bitext(start_of(encoder), [BITEXT], how, checkpoint=path, seconds=0)
    assert raw(again) == raw(whole)
    assert 0 < len(steps) < every  # it did go on
    assert not path.exists()


def test_the_checkpoint_of_another_training_is_refused_and_stays(tmp_path: Path) -> None:
    path, kills = tmp_path / "checkpoint", kill_after(7)
    with pytest.raises(KilledError):
        train_on_bitext(
            start_of("SP"), [BITEXT], HOW,
            checkpoint=path, seconds=0, evaluate=lambda _: next(kills),
        )  # fmt: skip
    raw_file = path.read_bytes()
    left, right = BITEXT.side(0), BITEXT.side(1)  # the same sentences, but paired otherwise
    other = Bitext(BITEXT.languages, list(zip(left, right[1:] + right[:1], strict=True)))
    shifted = Multilingual(dict.fromkeys(("en", "xx"), trained("SP").of("en")))
    for start, bitext, how, difference in (
        (start_of("SP"), BITEXT, replace(HOW, margin=0.5), "margin 0.4, here 0.5"),
        (start_of("SP"), other, HOW, "another list of pairs"),
        (shifted, BITEXT, HOW, "another start"),
    ):
        with pytest.raises(StsError, match=rf"checkpoint: .*another training \({difference}\)"):
            train_on_bitext(start, [bitext], how, checkpoint=path)
        assert path.read_bytes() == raw_file


# Refusals


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_pairs(count: int) -> None:
    few = Bitext(BITEXT.languages, BITEXT.pairs[:count])
    with pytest.raises(StsError, match=f"{count} pairs of sentences; at least two"):
        train_on_bitext(start_of("SP"), [few], HOW)
