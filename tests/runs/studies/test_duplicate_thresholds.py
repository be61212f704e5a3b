"""The study of thresholds: labels that connect, shares by hand, and the command."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.encoder import Encoder
from embeddings.mining.groups import Copies
from embeddings.tokenizers.words import WordTokenizer
from runs.studies import duplicate_thresholds
from runs.tables import pages
from sts.data.catalog import get_task
from sts.data.pairs import Pairs

QUORA = [("a", "b"), ("b ", " c"), ("d", "a  d"), ("e", "e")]


def test_labels_connect_what_is_the_same_but_for_white_space() -> None:
    lines = [question for pair in QUORA for question in pair]
    same = duplicate_thresholds.labelled_groups(Copies(lines))
    assert same.tolist() == [0, 0, 0, 3, 3, 5]  # a b c, d "a d", e


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sets of a few pairs; STS has two, one of them the same."""
    (tmp_path / "paraphrases").mkdir()
    (tmp_path / "paws").mkdir()
    text = "".join(f"{left}\t{right}\n" for left, right in QUORA)
    path = tmp_path / "paraphrases" / "quora-duplicates.tsv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    rows = "id\tsentence1\tsentence2\tlabel\n1\ta b\tb a\t0\n2\ta\ta\t1\n3\ta\te\t0\n"
    (tmp_path / "paws" / "wiki-test.tsv").write_text(rows)
    pairs = Pairs("toy", ("a", "b"), ("a", "e"), np.array([3.5, 1.0]))
    monkeypatch.setattr(duplicate_thresholds, "load_pairs", lambda *_: pairs)
    monkeypatch.setattr(duplicate_thresholds, "YEARS", (2012,))
    monkeypatch.setattr(duplicate_thresholds, "RECORDED", tmp_path / "duplicates.json")
    return tmp_path


def test_the_figures_by_hand(data: Path) -> None:
    # a and b lie 37° apart, cosine 0.8; all others at right angles.
    rows = np.zeros((6, 5), np.float32)
    rows[0, 0], rows[1, :2], rows[2, 2], rows[3, 3], rows[4, 4] = 1, (0.8, 0.6), 1, 1, 1
    found = duplicate_thresholds.measure(data, Encoder(WordTokenizer("a b c d e".split(), 1), rows))
    assert (found["lines"], found["distinct"], found["labelled"]) == (8, 6, 3 + 1)
    by_threshold = {row["cosine"]: row for row in found["thresholds"]}
    lower, upper = by_threshold[0.75], by_threshold[0.9]
    assert (lower["pairs"], lower["right"], lower["found"]) == (1, 1.0, 0.25)
    assert (lower["groups"], lower["duplicates"]) == (2, 3)  # a b b; e e
    assert (upper["pairs"], upper["groups"], upper["duplicates"]) == (0, 2, 2)  # b b; e e
    sets = len(get_task("sts2012").datasets)
    assert (upper["sts_pairs"], upper["sts_gold_4"], upper["sts_gold_3"]) == (sets, 0.0, 1.0)
    assert (upper["paws_pairs"], upper["paws_right"]) == (2, 0.5)


def test_the_command_records_and_shows(
    data: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = data / "duplicates.md"
    page.write_text("<!-- duplicates: begin -->\n<!-- duplicates: end -->\n")
    monkeypatch.setattr(duplicate_thresholds, "DUPLICATES", page)
    main = duplicate_thresholds.main
    cli(main=main).refused("nothing is kept yet; give --data ALL")
    measured = cli("--data", data, main=main)
    assert "8 questions of Quora, 6 of them distinct" in measured.out
    shown = cli("--write", main=main)
    assert shown.out == measured.out and shown.out.strip() in page.read_text()
    assert pages.read_json(duplicate_thresholds.RECORDED)["labelled"] == 4
