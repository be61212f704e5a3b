"""Floors for the code: the shipped fits learned from the pairs of the first two.

None is a figure to report.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import semaniacs
from semaniacs.sts.behaviour.triples import shipped_triples
from semaniacs.sts.data.catalog import PAWS_WIKI_DEV, get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.scoring.classification import roc_auc

pytestmark = pytest.mark.xdist_group("floors")


def test_mean_correlation_on_2012_to_2015(sts_data: Path) -> None:
    fusion = semaniacs.load("fusion")
    found = []
    for year in range(2012, 2016):
        for dataset in get_task(f"sts{year}").datasets:
            pairs = load(dataset, sts_data)
            pairs = pairs.select(np.arange(len(pairs)) % 3 == 0)
            scores = fusion.score(pairs.left, pairs.right)
            graded = ~np.isnan(pairs.gold)
            found.append(np.corrcoef(scores[graded], pairs.gold[graded])[0, 1])
    assert np.mean(found) >= 0.8290


def test_paws_development_pairs(sts_data: Path) -> None:
    if not (sts_data.parent / "paws").is_dir():
        pytest.skip("PAWS not found beside the STS data")
    pairs = load(PAWS_WIKI_DEV, sts_data.parent)
    pairs = pairs.select(np.arange(len(pairs)) % 4 == 0)
    scores = semaniacs.load("paws").score(pairs.left, pairs.right)
    assert roc_auc(pairs.gold > 0, scores) >= 0.9990


def test_development_triples() -> None:
    triples, scorer = shipped_triples("development"), semaniacs.load("contextual")
    anchors = [triple.anchor for triple in triples]
    closer = scorer.score(anchors, [triple.closer for triple in triples])
    farther = scorer.score(anchors, [triple.farther for triple in triples])
    assert np.mean(closer > farther) >= 0.86
