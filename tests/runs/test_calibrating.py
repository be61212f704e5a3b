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


def test_a_map_brings_scores_to_the_persons_scale(
    raw: Scorer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = labelled()
    scores = raw.score(pairs.left, pairs.right)
    found = calibrate("raw", pairs, scores)
    assert found.report.startswith("200 pairs: mean absolute error")
    assert not capsys.readouterr().err
    calibrate("raw", pairs, 5 - scores)
    assert "is the scale reversed?" in capsys.readouterr().err
    report = calibrate("raw", pairs, scores, precision=0.8, right_from=1.5).report
    assert 0 < float(report.split("; mapped: ")[1]) < 2.5
    found.save(tmp_path / "c.json")
    again = Calibration.load(tmp_path / "c.json")
    mapped = ScoreColumns(calibration=again).named("score", scores)["score"]
    assert np.abs(mapped - pairs.gold).mean() < np.abs(scores - pairs.gold).mean() / 3
    (tmp_path / "c.json").write_text("[]")
    with pytest.raises(DataError, match="no calibration"):
        Calibration.load(tmp_path / "c.json")


@pytest.mark.parametrize(("count", "alike"), [(50, 1), (66, 1), (62, 1), (100, 60)])
def test_few_pairs_have_a_map_and_no_intervals(raw: Scorer, count: int, alike: int) -> None:
    """``alike`` pairs share a sentence, and so a fold; the others alone are no sample."""
    pairs = labelled(count)
    pairs = replace(pairs, left=(pairs.left[0],) * alike + pairs.left[alike:])
    scores = np.linspace(0, 4, count)
    found = calibrate("raw", pairs, scores)
    assert found.map is not None
    assert found.intervals is None
    assert "label 70 pairs, few with a text in common" in found.report
    with pytest.raises(StsError, match="no intervals"):
        ScoreColumns.of(raw.model, 0.9, found)


def test_what_cannot_be_calibrated_is_refused() -> None:
    pairs, scores = labelled(10), np.linspace(0, 5, 10)
    labels = replace(pairs, gold=(pairs.gold > 1.2).astype(float))
    with pytest.raises(StsError, match="labels of 0 and 1 give a threshold"):
        calibrate("raw", labels, scores)
    with pytest.raises(StsError, match="10 labelled pairs are too few.*at least 45"):
        calibrate("raw", labels, scores, precision=0.95)
    with pytest.raises(StsError, match="--right-from"):
        calibrate("raw", pairs, scores, precision=0.9)


def test_the_command_calibrates_and_scores_by_it(tmp_path: Path) -> None:
    pairs = labelled()
    table = tmp_path / "labelled.csv"
    rows = [
        f"{a},{b},{'yes' if g >= 2 else 'No'}"
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
    table.write_text("left,right,same\na,b,perhaps\n")
    with pytest.raises(DataError, match="'perhaps'; expected true, yes, false, no or a number"):
        run(semaniacs, [*begin, "-o", str(made)], catch_exceptions=False)
    both = run(semaniacs, ["score", "a dog", "a dog", "--model", "raw", "--calibration", str(made)])
    assert both.stdout == "5.0000\t1\n"
    with pytest.raises(StsError, match="no intervals"):
        run(semaniacs, ["score", "a", "b", "--model", "raw", "--interval"], catch_exceptions=False)


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
