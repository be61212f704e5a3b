"""Write the scores that must not move: 300 pairs by every run that ships.

    python -m tests.golden.freezing

``frozen/scores.tsv`` holds the pairs and, one column per run, the scores to four decimals. The
pairs are the English ones of the sample task and triples of the behaviour suite. Renew it only
together with a change that is meant to move scores, and say so in CHANGELOG.md.
"""

from __future__ import annotations

import csv
from pathlib import Path

import semaniacs

FROZEN = Path(__file__).parent / "frozen"
SCORES = FROZEN / "scores.tsv"
RUNS = (
    "raw", "task-internal", "synthetic", "fusion-gbr", "fusion", "bitext-sp", "multilingual",
    "crosslingual", "paws", "paws-any", "paws-both", "reader", "contextual", "reader-any",
    "paws-any-both",
)  # fmt: skip


def read() -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Return the left texts, the right texts and the written scores of each run."""
    with SCORES.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    left, right = ([row[side] for row in rows] for side in ("left", "right"))
    return left, right, {name: [row[name] for row in rows] for name in rows[0] if name in RUNS}


def score(name: str, left: list[str], right: list[str]) -> list[str]:
    """Return the scores of one run as they are written."""
    return [f"{value:.4f}" for value in semaniacs.load(name).score(left, right)]


def main() -> None:
    """Score the pairs that ``scores.tsv`` names again, and write it."""
    left, right, _ = read()
    columns = [left, right, *(score(name, left, right) for name in RUNS)]
    with SCORES.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(["left", "right", *RUNS])
        writer.writerows(zip(*columns, strict=True))


if __name__ == "__main__":
    main()
