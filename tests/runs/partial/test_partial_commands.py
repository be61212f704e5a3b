"""The commands that make and rank groups, and the groups of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.cli import run as semaniacs
from semaniacs.runs.partial.partial_groups import ranking_figures
from semaniacs.sts.partial_paraphrases.partial import read_groups

PAIRS = (
    ("The old cook sold two red apples .", "The old cook quickly sold and gave two red apples ."),
    ("Young Ann ate .", "A young cook ate old apples and slept while two men sang ."),
    ("A dog sleeps .", "A dog is asleep ."),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Three paraphrases and a pair that is none, with labels."""
    rows = [f"{i}\t{a}\t{b}\t1\n" for i, (a, b) in enumerate(PAIRS)]
    path = tmp_path / "pairs.tsv"
    path.write_text("id\tsentence1\tsentence2\tlabel\n" + "".join(rows) + "9\tA cat .\tA .\t0\n")
    return path


def test_the_interval_is_over_groups() -> None:
    groups = np.arange(40).reshape(10, 4)
    right, wrong = [4.0, 3, 2, 1], [1.0, 2, 3, 4]
    found = ranking_figures(np.array(right * 6 + wrong * 4), groups)
    assert found.r_precision == pytest.approx(0.6)
    assert found.spearman == pytest.approx(0.2)
    # Ten draws with success 0.6: 3 to 9 successes hold 95 %; ρ is 2 R - 1 here.
    assert found.r_precision_interval == pytest.approx((0.3, 0.9))
    assert found.spearman_interval == pytest.approx((-0.4, 0.8))
    all_right = ranking_figures(np.array(right * 10), groups)
    assert all_right.r_precision_interval == (1, 1)


# The commands


def test_groups_are_generated_and_ranked(table: Path, tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "groups.tsv"
    made = cli("partial", "generate", table, "-o", out, main=semaniacs)
    assert (made.code, made.out) == (0, "")
    assert "paraphrases 3, groups 2, skipped 1, flagged " in made.err
    assert len(read_groups(str(out)).groups) == 2
    scores = tmp_path / "scores.txt"
    scores.write_text("4\n3\n2\n1\n1\n2\n3\n4\n")
    ranked = cli("partial", "rank", out, "--scores", scores, "--threshold", 3, main=semaniacs)
    lines = [line.split() for line in ranked.out.splitlines()]
    assert lines[1:4] == [
        ["groups", "2"],
        ["R-Precision", "50.00", "0.00", "to", "100.00"],
        ["ρ", "0.00", "-100.00", "to", "100.00"],
    ]
    assert [line[-1] for line in lines[4:]] == ["50.00", "50.00", "50.00", "50.00"]


def test_what_cannot_be_is_refused(table: Path, tmp_path: Path, cli: Any) -> None:
    def refused(*arguments: object) -> Any:
        return cli("partial", *arguments, main=semaniacs).refused

    refused("generate", table, "--against", "a", "--variant", "continuation")("leave one of them")
    short = tmp_path / "short.tsv"
    short.write_text("A dog sleeps .\tA dog is asleep .\n")
    refused("generate", short)("no group is left of 1 paraphrase")
    short.write_text("A dog .\t...\n")
    refused("generate", short)("short.tsv:1: the right side '...' has no words")
    out = tmp_path / "groups.tsv"
    cli("partial", "generate", table, "-o", out, main=semaniacs)
    short.write_text("1\n2\n")
    refused("rank", out, "--scores", short)("2 scores for 8 pairs; expected one per pair")
    out.write_text("".join(out.read_text().splitlines(keepends=True)[:4]))
    refused("rank", out, "--scores", short)("groups.tsv:2: group '2' has 3 pairs; expected 4")
