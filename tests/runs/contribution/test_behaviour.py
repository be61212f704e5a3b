"""The behaviour suite as a command, and what the shipped fusion must reach on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from semaniacs.cli import run as semaniacs
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.runs.contribution.behaviour import cosine_score, score_of_run
from semaniacs.sts.behaviour.suite import try_behaviour
from semaniacs.sts.behaviour.triples import HEADER, shipped_triples

FLOOR = 0.5
"""Least overall accuracy of the shipped fusion, below what is measured, so that a loss is seen."""

LEAST_SHARES = {"upper case": 0.97, "lower case": 0.97, "no full stop": 0.97, "typo": 0.85}
"""Least share of the sentences whose rewriting stays near, also below what is measured."""

LEAST_SYMMETRY = LEAST_IDENTITY = 1.0


def test_the_shipped_fusion_reaches_its_floors() -> None:
    found = try_behaviour(shipped_triples("held_out"), score_of_run("fusion"))
    assert found.overall.value >= FLOOR
    assert found.symmetry >= LEAST_SYMMETRY
    assert found.identity >= LEAST_IDENTITY
    for name, least in LEAST_SHARES.items():
        assert found.invariances[name].share >= least


def test_own_triples_are_tried_and_written(tmp_path: Path, cli: Any) -> None:
    mine = tmp_path / "mine.tsv"
    rows = (
        ("animals", "A dog sleeps.", "A puppy is asleep.", "The treaty failed."),
        ("animals", "A cat sleeps.", "The treaty failed again.", "A cat is asleep."),
    )
    mine.write_text("".join("\t".join(row) + "\n" for row in (HEADER, *rows)), encoding="utf-8")
    options = ("--triples", mine, "--run", "raw", "--output", tmp_path)
    printed = cli("behaviour", *options, main=semaniacs).out
    folder = tmp_path / "behaviour" / "mine"
    assert printed == (folder / "behaviour.md").read_text(encoding="utf-8")
    assert "| animals | 0.50 |" in printed and "| **all** | **0.50** |" in printed
    figures = json.loads((folder / "behaviour.json").read_text(encoding="utf-8"))
    assert figures["systems"]["raw"]["phenomena"]["animals"]["value"] == 0.5
    lines = (folder / "scores.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t")[-2:] == ["raw closer", "raw farther"]
    closer, farther = (float(cell) for cell in lines[1].split("\t")[-2:])
    assert closer > farther
    before = [path.read_bytes() for path in sorted(folder.iterdir())]
    cli("behaviour", *options, main=semaniacs)
    assert [path.read_bytes() for path in sorted(folder.iterdir())] == before


def test_a_malformed_file_is_named_with_its_line(tmp_path: Path, cli: Any) -> None:
    mine = tmp_path / "mine.tsv"
    mine.write_text("\t".join(HEADER) + "\nx\ty\n", encoding="utf-8")
    ended = cli("behaviour", "--triples", mine, "--runs", "raw", main=semaniacs)
    ended.refused("mine.tsv:2: 2 columns, expected 4")


def test_a_cosine_is_scored_from_0_to_5() -> None:
    rows = np.array([[1, 0], [0, 2], [-1, 0], *[[0, 0]] * 4], np.float32)
    score = cosine_score(Encoder(WordTokenizer(["a", "b", "c"], 4), rows))
    assert list(score(["a", "a", "a"], ["a", "b", "c"])) == [5, 0, 0]
