"""A few pairs are interpreted and many are compiled, to the same bits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from semaniacs.embeddings import compiled
from semaniacs.embeddings.compiled import FEW, in_this_context, interpret_few, interpreting, kernel
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.recipes import RUNS
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import Pairs, concatenate
from tests.features.test_every_feature import NASTY

MANY = FEW + 1
READING = [
    run
    for run in RUNS.values()
    if isinstance(run, Run) and run.columns and run.ships()
    and not any(column.startswith(("gte", "reader")) for column in run.columns)
]  # fmt: skip


def two_hundred() -> Pairs:
    """Pairs of the sample, and of texts that are hard to read."""
    english = [d for d in get_task("sample").datasets if d.languages == ("en",)]
    sample = concatenate([load(dataset, None, with_gold=False) for dataset in english])
    hard = Pairs("hard", tuple(NASTY), tuple(reversed(NASTY)), np.full(len(NASTY), np.nan))
    return concatenate([sample.select(np.arange(len(sample)) % 5 < 4), hard])


@pytest.mark.parametrize("run", READING, ids=lambda run: run.name)
def test_every_column_and_score_is_the_same_interpreted_and_compiled(run: Run) -> None:
    model, pairs = Model.load(run), two_hundred()
    assert len(pairs) >= 190
    with interpret_few(0):
        assert interpreting()
        interpreted, scores = model.columns.describe(pairs), model.predict(pairs)
    with interpret_few(MANY):
        assert not interpreting()
        compiled, expected = model.columns.describe(pairs), model.predict(pairs)
    other = [
        name
        for place, name in enumerate(run.columns)
        if interpreted[:, place].tobytes() != compiled[:, place].tobytes()
    ]
    assert other == []
    assert scores.tobytes() == expected.tobytes()


def test_the_runs_that_are_compared_are_those_without_a_network() -> None:
    assert {"fusion", "fusion-gbr", "paws"} <= {run.name for run in READING}


@kernel(nogil=True)
def doubled(x):  # type: ignore[no-untyped-def]
    return x * 2.0


@kernel(nogil=True, plain=lambda numbers: np.sum(numbers * 2.0))
def total(numbers):  # type: ignore[no-untyped-def]
    found = np.float64(0.0)
    for number in numbers:
        found += doubled(number)
    return found


def test_a_kernel_calls_another_both_ways() -> None:
    numbers = np.array([1.0, 2.5])
    with interpret_few(0):
        assert (total(numbers), doubled(2)) == (7.0, 4.0)
    with interpret_few(MANY):
        assert (total(numbers), doubled(2)) == (7.0, 4.0)


def test_a_decision_holds_inside_and_ends_with_its_context() -> None:
    with interpret_few(MANY), interpret_few(0):
        assert not interpreting()
    with interpret_few(0), interpret_few(MANY):
        assert interpreting()
    assert not interpreting()


def test_long_texts_are_compiled_after_some_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(compiled._done, "interpreted", 0)
    long = "word " * 180
    ways = []
    for _ in range(4):
        with interpret_few(1, [(long, long)]):
            ways.append(interpreting())
    assert ways[0] and not ways[-1]


def test_threads_of_a_pool_know_the_decision() -> None:
    with interpret_few(0), ThreadPoolExecutor(2) as pool:
        assert list(pool.map(in_this_context(lambda _: interpreting()), range(8))) == [True] * 8
