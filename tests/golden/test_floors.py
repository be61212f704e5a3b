"""Three floors of quality on data for development; the test year is not looked at."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import semaniacs
import sts.data.behaviour
from sts.data.catalog import get_task
from sts.data.fetch import load

pytestmark = pytest.mark.xdist_group("floors")


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a tab-separated file with a header."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_mean_correlation_on_2012_to_2015(sts_data: Path) -> None:
    # The shipped fit learned from these pairs: a floor for the code, not a figure to report.
    fusion = semaniacs.load("fusion")
    found = []
    for year in range(2012, 2016):
        for dataset in get_task(f"sts{year}").datasets:
            pairs = load(dataset, sts_data)
            pairs = pairs.select(np.arange(len(pairs)) % 3 == 0)
            scores = fusion.score(pairs.left, pairs.right)
            graded = ~np.isnan(pairs.gold)
            found.append(np.corrcoef(scores[graded], pairs.gold[graded])[0, 1])
    assert np.mean(found) >= 0.8330


def test_paws_development_pairs(sts_data: Path) -> None:
    # The shipped fit learned from these pairs, too.
    pairs = rows(sts_data.parent / "paws" / "wiki-dev.tsv")[::4]
    scores = semaniacs.load("paws").score(
        [row["sentence1"] for row in pairs], [row["sentence2"] for row in pairs]
    )
    auc = roc_auc_score([int(row["label"]) for row in pairs], scores)
    assert auc >= 0.9990


def test_development_triples() -> None:
    triples = rows(Path(sts.data.behaviour.__file__).parent / "development.tsv")
    fusion = semaniacs.load("fusion")
    anchors = [row["anchor"] for row in triples]
    closer, farther = (
        fusion.score(anchors, [row[side] for row in triples]) for side in ("closer", "farther")
    )
    assert np.mean(closer > farther) >= 0.745
