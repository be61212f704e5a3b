"""Training on a made-up language: it is learned, repeats itself, is killed and goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from embeddings.table import Vectors
from embeddings.training import sentence_model
from embeddings.training.sentence_model import SentenceModel
from sts.errors import StsError
from tests.embeddings.bitext.synthetic import ENGLISH, little_compiled, made_up, retrieved


@pytest.fixture(autouse=True, scope="module")
def _compile_little() -> Iterator[None]:
    with little_compiled():
        yield


ALL = made_up(380, name=True)
BITEXT, HELD_OUT = (
    Bitext(ALL.languages, ALL.pairs[part]) for part in (slice(320), slice(320, 380))
)
HOW = BitextTraining(epochs=3, batch=32, megabatch=4, anneal=10, learning_rate=0.01)
ENCODERS: tuple[EncoderName, ...] = ("SP", "WORD", "TRIGRAM", "LSTM-SP")


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


def cosine(a: Vectors, b: Vectors) -> Vectors:
    return np.array(
        [x @ y / np.linalg.norm(x) / np.linalg.norm(y) for x, y in zip(a, b, strict=True)]
    )


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


@pytest.mark.parametrize("weight", [0.0, 0.7])
def test_the_loss_agrees_with_numpy(weight: float) -> None:
    rng = np.random.default_rng(0)
    left, right, not_left, not_right, taught = rng.standard_normal((5, 9, 6)).astype(np.float32)
    own = cosine(left, right)
    expected = np.mean(
        np.maximum(0, 0.4 - own + cosine(left, not_left))
        + np.maximum(0, 0.4 - own + cosine(right, not_right))
    ) + weight * np.mean(1 - cosine(left, taught))
    extra = (taught,) if weight else ()
    found = BitextTraining(teacher_weight=weight).objective(
        left, right, not_left, not_right, *extra
    )
    assert float(found) == pytest.approx(float(expected), rel=1e-5)


# What is learned


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_language_is_learned(encoder: EncoderName) -> None:
    """Translations that were not learned from are found among 60."""
    before, after = retrieved(start_of(encoder), HELD_OUT), retrieved(trained(encoder), HELD_OUT)
    assert before < 0.25
    assert after > 0.8, after


def test_both_languages_share_their_rows() -> None:
    """rome is one word of both languages, and one piece of both models."""
    word = trained("WORD")
    assert word.of("en") is word.of("xx")
    start = start_of("SP", separate=True)
    model = train_on_bitext(start, [BITEXT], HOW)
    english, foreign = model.of("en"), model.of("xx")
    assert english.table is foreign.table
    assert english.tokenizer is start.of("en").tokenizer
    assert foreign.tokenizer is start.of("xx").tokenizer
    rome = english.tokenizer.ids("rome")
    assert rome == foreign.tokenizer.ids("rome") and len(rome) == 1
    assert np.all(english.table[rome] != start.of("en").table[rome])
    np.testing.assert_array_equal(english.encode(["rome"]), foreign.encode(["rome"]))
    assert retrieved(model, HELD_OUT) > 0.8


def test_rows_that_do_not_occur_stay() -> None:
    start, model = start_of("WORD").of("en"), trained("WORD").of("en")
    hashed = slice(len(start.tokenizer.known), None)
    np.testing.assert_array_equal(model.table[hashed], start.table[hashed])
    assert np.all(model.table[: hashed.start] != start.table[: hashed.start])


def test_several_bitexts_are_learned_in_one_space() -> None:
    spanish, german = (
        Bitext(("en", code), [(left, right.replace("n", code[0])) for left, right in part.pairs])
        for code, part in (("es", BITEXT), ("de", made_up(320, seed=1)))
    )
    start = starting_point([spanish, german], Shape("WORD", 100, 16))
    model = train_on_bitext(start, [spanish, german], HOW)
    bridge = zip(HELD_OUT.side(1), HELD_OUT.side(1), strict=True)
    pairs = [(left.replace("n", "e"), right.replace("n", "d")) for left, right in bridge]
    assert retrieved(model, Bitext(("es", "de"), pairs)) > 0.8  # no pair of these was seen


def test_a_teacher_pulls_the_first_side() -> None:
    rows = np.random.default_rng(5).standard_normal((len(ENGLISH), 16)).astype(np.float32)

    def teacher(sentences: Sequence[str]) -> Vectors:
        return np.stack(
            [sum(rows[ENGLISH.index(w)] for w in s.split() if w in ENGLISH) for s in sentences]
        )

    english = HELD_OUT.side(0)
    with_teacher = train_on_bitext(
        start_of("WORD"), [BITEXT], replace(HOW, teacher_weight=3.0), teacher=teacher
    )
    pulled, free = (
        cosine(model.of("en").encode(english), teacher(english)).mean()
        for model in (with_teacher, trained("WORD"))
    )
    assert pulled > free + 0.3
    # without a weight the teacher is not even asked
    alone = train_on_bitext(start_of("WORD"), [BITEXT], HOW, teacher=lambda _: np.zeros((0, 0)))
    assert raw(alone) == raw(trained("WORD"))


# Dropout, shuffling, the seed


def test_dropout_changes_the_outcome_and_none_draws_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dropped = train_on_bitext(start_of("SP"), [BITEXT], replace(HOW, dropout=0.3))
    assert raw(dropped) != raw(trained("SP"))
    assert retrieved(dropped, HELD_OUT) > 0.8

    seeds = []
    draw = sentence_model.draw
    monkeypatch.setattr(
        sentence_model, "draw", lambda *said: (seeds.append(said[0]), draw(*said))[1]
    )
    assert raw(train_on_bitext(start_of("SP"), [BITEXT], HOW)) == raw(trained("SP"))
    assert not seeds
    train_on_bitext(start_of("SP"), [BITEXT], replace(HOW, dropout=0.3, epochs=1, seed=7))
    assert set(seeds) == {7}


def test_shuffling_matters_to_a_network_alone() -> None:
    how = replace(HOW, epochs=1)
    one, other = (
        train_on_bitext(start_of(encoder), [BITEXT], replace(how, shuffle=0.5))
        for encoder in ("LSTM-SP", "WORD")
    )
    assert raw(one) != raw(trained("LSTM-SP", how))
    np.testing.assert_allclose(other.of("en").table, trained("WORD", how).of("en").table, atol=1e-4)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_the_same_again(encoder: EncoderName) -> None:
    how = replace(HOW, epochs=1)
    start = starting_point([BITEXT], Shape(encoder, 100, 16))
    assert raw(train_on_bitext(start, [BITEXT], how)) == raw(trained(encoder, how))
    other = train_on_bitext(start, [BITEXT], replace(how, seed=1))
    assert raw(other) != raw(trained(encoder, how))


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


def test_a_batch_of_one_pair_is_refused() -> None:
    with pytest.raises(StsError, match="--batch 1 leaves a pair .*; type --batch 2 or more"):
        train_on_bitext(start_of("SP"), [BITEXT], replace(HOW, batch=1))


def test_two_pairs_are_enough() -> None:
    few = Bitext(BITEXT.languages, BITEXT.pairs[:2])
    model = train_on_bitext(start_of("SP"), [few], HOW)
    assert np.isfinite(model.of("en").table).all()


def test_a_teacher_that_does_not_fit() -> None:
    how = replace(HOW, teacher_weight=1.0)
    with pytest.raises(StsError, match="have 5 numbers, these 16; train with --dim 5"):
        train_on_bitext(
            start_of("SP"), [BITEXT], how, teacher=lambda s: np.ones((len(s), 5), np.float32)
        )
    with pytest.raises(StsError, match="no teacher"):
        train_on_bitext(start_of("SP"), [BITEXT], how)


def test_the_curve_is_written(tmp_path: Path) -> None:
    figures = []

    def evaluate(model: Multilingual) -> float:
        figures.append(retrieved(model, HELD_OUT))
        return figures[-1]

    train_on_bitext(start_of("SP"), [BITEXT], HOW, evaluate=evaluate, curve=tmp_path / "course")
    lines = (tmp_path / "course.csv").read_text().splitlines()
    assert len(lines) == 1 + len(figures) and figures[0] < figures[-1]
    losses = [float(line.split(",")[2]) for line in lines[1:]]
    assert losses[-1] < losses[0]
    assert (tmp_path / "course.png").read_bytes().startswith(b"\x89PNG")
