"""Signs, notations, names and Unicode as people type them: what is the same, and what is not."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import semaniacs

FOLDER = Path(__file__).parent


def read(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


PAIRS = read("what_people_type.tsv")


@pytest.mark.filterwarnings("ignore:some texts hold HTML", "ignore:.*not in Latin script")
@pytest.mark.parametrize("run", ["fusion", "contextual"])
def test_what_is_the_same_and_what_is_not(run: str) -> None:
    left, right = ([row[side] for row in PAIRS] for side in ("left", "right"))
    scores = semaniacs.load(run).score(left, right)
    wrong = [
        (round(float(score), 2), row["left"], row["right"])
        for score, row in zip(scores, PAIRS, strict=True)
        if (score < 4 if row["meaning"] == "same" else score > 4.0)
    ]
    assert wrong == []


@pytest.mark.parametrize(("run", "most"), [("fusion", 10), ("contextual", 3)])
def test_everyday_triples(run: str, most: int) -> None:
    triples, scorer = read("everyday_triples.tsv"), semaniacs.load(run)
    anchors = [row["anchor"] for row in triples]
    closer, farther = (
        scorer.score(anchors, [row[side] for row in triples]) for side in ("closer", "farther")
    )
    assert np.count_nonzero(closer <= farther) <= most
