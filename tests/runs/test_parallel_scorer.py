"""A scorer on several processes: the scores of one, whatever happens to the processes."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import semaniacs
from semaniacs.cli import semaniacs as command
from semaniacs.runs.scale.processes import Predict, shared
from semaniacs.runs.scorer import Scorer, load
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import StsError, UnknownNameError

WORDS = "a the cat dog sat ran mat lawn quick slow".split()
LEFT, RIGHT = (
    [" ".join(w) for w in islice(product(*orders), 2055)]
    for orders in ([WORDS] * 4, [WORDS[::-1]] * 4)
)
"""Two parts, the last one shorter."""


@pytest.fixture(scope="module")
def several() -> Iterator[Scorer]:
    with load("raw").parallel(2) as scorer:
        yield scorer
    names = [child.name for child in multiprocessing.active_children()]  # of joblib's too
    assert not any(name.startswith("SpawnProcess") for name in names)


def test_the_scores_are_those_of_one_process(several: Scorer) -> None:
    expected = load("raw").score(LEFT, RIGHT)
    assert len(np.unique(expected)) > 100
    np.testing.assert_array_equal(several.score(LEFT, RIGHT), expected)
    assert several.score("a cat", "the cat") == semaniacs.score("a cat", "the cat", model="raw")
    assert several.score([], []).shape == (0,)


def refuses(source: str) -> Predict:
    raise UnknownNameError("thing", source, ["a", "b"])


def dies(source: str) -> Predict:
    os._exit(1)


@pytest.mark.parametrize(
    ("load", "said"),
    [(refuses, "unknown thing 'x'; choose one of: a, b"), (dies, "one of the 2 processes ended")],
)
def test_what_goes_wrong_in_a_process_is_one_line(
    load: Callable[[str], Predict], said: str
) -> None:
    pairs = Pairs("pairs", ("a",), ("b",), np.zeros(1))
    with shared(load, "x", 2) as predict:
        for _ in range(2):  # and again, of processes that have ended
            with pytest.raises(StsError, match=said):
                predict(pairs, None)


def test_the_command_writes_the_same_bytes(tmp_path: Path) -> None:
    table = tmp_path / "pairs.tsv"
    table.write_text("".join(map("{}\t{}\n".format, LEFT, RIGHT)), encoding="utf-8")
    for jobs in "12":
        args = ["score", str(table), "--model", "raw", "-o", str(tmp_path / jobs), "--to", "tsv"]
        ended = CliRunner().invoke(command, [*args, "--jobs", jobs], catch_exceptions=False)
        assert ended.exit_code == 0, ended.output
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert (tmp_path / "1").read_text().count("\n") == len(LEFT)


def test_what_cannot_be_shared_is_refused() -> None:
    alone = load("raw")
    with (
        pytest.raises(StsError, match="0 processes: expected a whole number from 1"),
        alone.parallel(0),
    ):
        pass
    unsaved = Scorer(alone.model)
    with pytest.raises(StsError, match="save the scorer first"), unsaved.parallel(2):
        pass
