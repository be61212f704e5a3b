"""Masked language modelling on a tiny network: shares of hidden tokens, and a training."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from research.masked_language_model import masked_language_model
from semaniacs import embeddings
from tests.embeddings.transformer import tiny


def text(n: int) -> str:
    """Lines in which a token says which one follows it."""
    starts = np.random.default_rng(0).integers(0, 4, (n, 5))
    return "".join(
        " ".join(f"{tiny.KNOWN[a]} {tiny.KNOWN[a + 4]}" for a in row) + "\n" for row in starts
    )


def test_a_network_is_trained_and_written(tmp_path: Path) -> None:
    tiny.save(tmp_path / "start")
    (tmp_path / "text.txt").write_text(text(40))
    line = [str(tmp_path / "text.txt"), "-o", str(tmp_path / "made"), "--mask", "[UNK]", "--start"]
    line += [str(tmp_path / "start"), *"--learning-rate .02 --epochs 1 --batch 40".split()]
    ended = CliRunner().invoke(masked_language_model, line, catch_exceptions=False)
    found = re.search(r"held-out text: (\S+)$", ended.output, re.MULTILINE)
    assert found and 0 < float(found[1]) < 5
    assert embeddings.load(tmp_path / "made").encode("aa bb").shape == (tiny.DIM,)
