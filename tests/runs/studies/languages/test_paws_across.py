"""PAWS-X across languages: the three kinds of pairs by hand, and real ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runs.studies.languages import paws_across
from runs.studies.languages.paws_across import Side, judged, measure, table
from sts.errors import StsError
from tests.embeddings.transformer import tiny_models

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]
ENGLISH = np.array([True, False, False])


def side(left: list[list[float]], right: list[list[float]], translated: list[bool]) -> Side:
    there = np.array(translated)
    return Side(np.float32(left), np.float32(right), ENGLISH & there, there)


ONE = side([EAST, EAST, NORTH], [EAST, NORTH, NORTH], [True, True, True])
OTHER = side([EAST, NORTH, NORTH], [NORTH, NORTH, EAST], [False, True, True])


def test_within_a_language_every_row_counts_as_published() -> None:
    found = judged("intra", OTHER, OTHER, ENGLISH)
    assert found.scores.tolist() == [0, 1, 0]
    assert found.labels.tolist() == [False, False, False]


def test_across_two_a_row_that_nobody_translated_is_left_out() -> None:
    found = judged("inter-para", ONE, OTHER, ENGLISH)
    assert found.scores.tolist() == [0, 0]  # the left of ONE beside the right of OTHER
    assert found.labels.tolist() == [False, False]


def test_translations_beside_those_of_what_means_something_else() -> None:
    found = judged("inter-same", ONE, OTHER, ENGLISH)
    assert found.scores.tolist() == [0, 1, 0, 0]
    assert found.labels.tolist() == [True, True, False, False]


def test_thresholds_of_a_pair_of_languages_and_of_all() -> None:
    same = side([EAST] * 3, [EAST, NORTH, NORTH], [True] * 3)
    near = side([EAST] * 3, [[1, 1], NORTH, [0.2, 1]], [True] * 3)
    languages = {"aa": same, "bb": near}
    rows = measure(languages, languages, {"dev": ENGLISH, "test": ENGLISH})
    intra = [row for row in rows if row["kind"] == "intra"]
    assert [row["languages"] for row in intra] == ["aa", "bb"]
    assert [row["accuracy"] for row in intra] == [1, 1]
    assert [row["one_threshold"] for row in intra] == [1, 1]  # 45° and nearer
    assert [row["languages"] for row in rows if row["kind"] == "inter-para"] == ["aa–bb", "bb–aa"]
    assert "| inter-same | mean | 10 |" in table(rows)


@pytest.mark.filterwarnings("ignore:the model has no words for most of this text")
@pytest.mark.parametrize("model", ["bitext-teacher", "a folder"])
def test_real_rows(
    model: str,
    sts_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if model == "a folder":
        tiny_models.save_model(tmp_path / "tiny", "xlm-roberta", max_position_embeddings=258)
        model = str(tmp_path / "tiny")
    command = ["paws-across", "--data", str(sts_data), "--model", model, "--languages", "en", "de"]
    monkeypatch.setattr("sys.argv", [*command, "--output", str(tmp_path)])
    paws_across.main()
    lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines()]
    figures = {(line[0].strip("| "), line[1]): line for line in lines if len(line) > 5}
    assert figures["intra", "de"][2] == "2,000"
    if model == "bitext-teacher":  # what an average knows of word order
        auc = [float(figures["intra", language][5].strip(" |")) for language in ("en", "de")]
        assert auc == pytest.approx([0.480, 0.521], abs=0.003)


def test_one_language_is_too_few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.argv", ["paws-across", "--languages", "en", "--output", str(tmp_path)])
    with pytest.raises(StsError, match="two or more"):
        paws_across.main()
