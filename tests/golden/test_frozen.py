"""Scores of shipped runs and the output of commands do not move."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from semaniacs.runs import recipes
from tests.golden.freezing import RUNS, read, score
from tests.golden.transcripts import TRANSCRIPTS, type_all

LEFT, RIGHT, FROZEN = read()


@pytest.mark.filterwarnings("ignore::UserWarning")  # the languages that were identified
@pytest.mark.parametrize("run", RUNS)
def test_a_shipped_run_scores_as_it_did(run: str) -> None:
    found = np.array(score(run, LEFT, RIGHT), float)
    # A unit of the last digit: another processor may round a sum the other way.
    off = np.abs(found - np.array(FROZEN[run], float)) > 0.00011
    moved = [(LEFT[i], RIGHT[i], FROZEN[run][i], found[i]) for i in np.flatnonzero(off)]
    assert moved[:5] == []


def test_every_run_that_ships_is_frozen() -> None:
    assert set(recipes.shipped()) - set(RUNS) == {"gte"}  # it learned nothing


FLOAT = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_command_line_prints_what_it_did() -> None:
    frozen = json.loads(TRANSCRIPTS.read_text(encoding="utf-8"))
    for found, expected in zip(type_all(), frozen, strict=True):
        assert found["command"] == expected["command"]
        here, there = (json.dumps(entry, ensure_ascii=False) for entry in (found, expected))
        assert FLOAT.sub("#", here) == FLOAT.sub("#", there)
        numbers = [[float(n) for n in FLOAT.findall(text)] for text in (here, there)]
        # The last digits of a network differ between processors, and by them a tree may turn the
        # other way.
        np.testing.assert_allclose(*numbers, rtol=1e-4, atol=2e-3, err_msg=found["command"])
