"""Calibration and intervals at the front door: what is fitted, saved, applied and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from semaniacs.cli import semaniacs
from semaniacs.runs.pipeline.score_columns import Calibration, ScoreColumns, calibrate
from semaniacs.runs.scorer import Scorer, load
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.scoring.calibration import Intervals, Threshold

WORDS = "a red dog and one old cat ran to see two big men in this new town near our house".split()


def labelled(n: int = 200) -> Pairs:
    """Sentences of six words, so many of which are exchanged; the gold is half of what is kept."""
    rng = np.random.default_rng(0)
    left, right, gold = [], [], []
    for _ in range(n):
        words = rng.permutation(WORDS)
        kept = int(rng.integers(1, 6))
        left.append(" ".join(words[:6]))
        right.append(" ".join([*words[:kept], *words[6 : 12 - kept]]))
        gold.append(kept / 6 * 2.5)
    return Pairs("labelled", tuple(left), tuple(right), np.array(gold))


@pytest.fixture(scope="module")
def raw() -> Scorer:
    return load("raw")


def test_a_map_brings_scores_to_the_persons_scale(raw: Scorer, tmp_path: Path) -> None:
    pairs = labelled()
    scores = raw.score(pairs.left, pairs.right)
    found = calibrate("raw", pairs, scores)
    assert found.report.startswith("200 pairs: mean absolute error")
    found.save(tmp_path / "c.json")
    again = Calibration.load(tmp_path / "c.json")
    mapped = ScoreColumns(calibration=again).named("score", scores)["score"]
    assert np.abs(mapped - pairs.gold).mean() < np.abs(scores - pairs.gold).mean() / 3
    (tmp_path / "c.json").write_text("[]")
    with pytest.raises(DataError, match="no calibration"):
        Calibration.load(tmp_path / "c.json")


def test_intervals_come_from_ones_own_pairs(raw: Scorer, tmp_path: Path) -> None:
    pairs = labelled(400)
    scores = raw.score(pairs.left, pairs.right)
    known = np.arange(400) < 200
    found = calibrate("raw", pairs.select(known), scores[known])
    assert "intervals that hold 90% of such pairs are" in found.report
    found.save(tmp_path / "c.json")
    again = Calibration.load(tmp_path / "c.json")
    assert again.report == found.report
    for level in (0.8, 0.9):
        columns = ScoreColumns.of(raw.model, level, again).named("score", scores[~known])
        low, high = columns["score_low"], columns["score_high"]
        assert ((low <= pairs.gold[~known]) & (pairs.gold[~known] <= high)).mean() == pytest.approx(
            level, abs=0.06
        )
        assert (low <= columns["score"]).all()
        assert (columns["score"] <= high).all()


def test_few_pairs_have_a_map_and_no_intervals(raw: Scorer) -> None:
    pairs = labelled(50)
    scores = np.linspace(0, 4, 50)
    found = calibrate("raw", pairs, scores)
    assert found.map is not None
    assert found.intervals is None
    assert found.report.endswith("; label at least 70 pairs to see an error estimate")
    with pytest.raises(StsError, match="no intervals"):
        ScoreColumns.of(raw.model, 0.9, found)


@pytest.mark.parametrize(
    "spread",
    [
        {"centres": [], "residuals": []},
        {"centres": [1.0], "residuals": [[0.0] * 98]},
        {"centres": [1.0], "residuals": [[0.0] * 99] * 2},
        {"centres": [1.0]},
        {"centres": [1.0], "residuals": [["a"] * 99]},
        {"centres": [1.0], "residuals": [[float("nan")] * 99]},
        [1.0],
    ],
)
def test_a_file_of_damaged_intervals_is_refused(spread: object, tmp_path: Path) -> None:
    content = {"format": 1, "model": "raw", "pairs": 50, "map": [[0, 0], [5, 5]], "threshold": None}
    path = tmp_path / "c.json"
    path.write_text(json.dumps(content))
    assert Calibration.load(path).intervals is None  # as earlier versions wrote it
    path.write_text(json.dumps(content | {"intervals": spread}))
    with pytest.raises(DataError, match="no calibration"):
        Calibration.load(path)


def test_what_cannot_be_calibrated_is_refused() -> None:
    pairs, scores = labelled(10), np.linspace(0, 5, 10)
    labels = replace(pairs, gold=(pairs.gold > 1.2).astype(float))
    for options, said in (
        ({}, "labels of 0 and 1 give a threshold"),
        ({"precision": 0.95}, "10 labelled pairs are too few.*at least 45"),
    ):
        with pytest.raises(StsError, match=said):
            calibrate("raw", labels, scores, **options)
    with pytest.raises(StsError, match="10 pairs are too few for a map"):
        calibrate("raw", pairs, scores)
    with pytest.raises(StsError, match="--right-from"):
        calibrate("raw", pairs, scores, precision=0.9)


def test_the_command_calibrates_and_scores_by_it(tmp_path: Path) -> None:
    pairs = labelled()
    table = tmp_path / "labelled.csv"
    rows = [
        f"{a},{b},{int(g >= 2)}"
        for a, b, g in zip(pairs.left, pairs.right, pairs.gold, strict=True)
    ]
    table.write_text("\n".join(["left,right,same", *rows]) + "\n")
    made = tmp_path / "calibration.json"
    run = CliRunner().invoke
    begin = ["calibrate", str(table), "--gold", "same", "--model", "raw"]
    done = run(semaniacs, [*begin, "--precision", "0.8", "-o", str(made)], catch_exceptions=False)
    assert done.stdout.startswith("threshold ")
    threshold = json.loads(made.read_text())["threshold"]
    scored = run(
        semaniacs,
        ["score", str(table), "--model", "raw", "--calibration", str(made)],
        catch_exceptions=False,
    )
    header, *lines = scored.stdout.splitlines()
    assert header == "left,right,same,score,score_same"
    cells = [line.split(",") for line in lines]
    assert sum(int(row[4]) for row in cells) == threshold["pairs"]
    both = run(semaniacs, ["score", "a dog", "a dog", "--model", "raw", "--calibration", str(made)])
    assert both.stdout == "5.0000\t1\n"
    with pytest.raises(StsError, match="no intervals"):
        run(semaniacs, ["score", "a", "b", "--model", "raw", "--interval"], catch_exceptions=False)


def test_columns_stand_beside_the_score() -> None:
    rng = np.random.default_rng(0)
    scores = rng.uniform(0, 5, 1000)
    intervals = Intervals.fit(scores, np.clip(scores + rng.normal(0, 0.3, 1000), 0, 5))
    above = Calibration("raw", 50, threshold=Threshold(3.0, 0.9, 0.9, 40, 40, 0.94))
    columns = ScoreColumns(0.9, intervals, above).named("score", np.array([2.0, 3.0, 5.0, np.nan]))
    assert [*columns] == ["score", "score_low", "score_high", "score_same"]
    assert columns["score_same"].tolist() == [0, 1, 1, 0]
    assert columns["score_low"][1] < 3 < columns["score_high"][1]


def test_a_scorer_calibrates_and_has_the_intervals_of_ones_own_pairs(
    raw: Scorer, tmp_path: Path
) -> None:
    pairs = labelled(300)
    known = pairs.select(np.arange(300) < 200)
    found = raw.calibrate(known.left, known.right, list(known.gold))
    assert found.report == calibrate("raw", known, raw.score(known.left, known.right)).report
    score, low, high = raw.interval(pairs.left, pairs.right, calibration=found)
    assert np.abs(score - pairs.gold).mean() < 0.4
    assert ((low <= pairs.gold) & (pairs.gold <= high))[200:].mean() > 0.8
    found.save(tmp_path / "c.json")
    again = raw.interval(pairs.left, pairs.right, calibration=str(tmp_path / "c.json"))
    np.testing.assert_allclose(again, (score, low, high), atol=1e-5)
    with pytest.raises(StsError, match="a calibration of fusion, not of raw"):
        raw.interval(["a"], ["b"], calibration=replace(found, model="fusion"))
    with pytest.raises(StsError, match="2 gold scores for 1 pairs"):
        raw.calibrate(["a dog"], ["a cat"], [1, 2])
