"""Submissions: what is written is exactly what was predicted, a score for every line."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.sts.data.pairs import clip
from semaniacs.sts.errors import DataError
from semaniacs.sts.scoring.submission import file_name, format_scores, read, write


@given(st.lists(st.floats(0, 5)))
def test_scores_read_back_exactly(scores: list[float]) -> None:
    assert [float(line) for line in format_scores(np.array(scores))] == scores


def test_scores_are_written_one_a_line(tmp_path: Path) -> None:
    scores = np.array([0, 5, 1 / 3, 4.999999999999999, 1e-300])
    path = tmp_path / "output" / file_name(2016, "raw", "headlines")
    assert path.name == "STS2016.OUTPUT.raw.headlines.txt"
    write(path, scores)
    lines = ["0.0", "5.0", "0.3333333333333333", "4.999999999999999", "1e-300"]
    assert path.read_text(encoding="utf-8") == "\n".join(lines) + "\n"
    np.testing.assert_array_equal(read(path, 5), scores)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -1e-9, 5.000001])
def test_a_score_off_the_scale_is_never_written(tmp_path: Path, bad: float) -> None:
    with pytest.raises(ValueError, match="not a number from 0 to 5"):
        write(tmp_path / "scores", np.array([1, bad]))
    assert not list(tmp_path.iterdir())


def test_scores_are_brought_onto_the_scale() -> None:
    np.testing.assert_array_equal(clip(np.array([-0.1, 0, 2.5, 5, 7])), [0, 0, 2.5, 5, 5])


def test_other_teams_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "scores").write_bytes(b"1.5\t100\r\n 2 \n-0.25")  # with a confidence, off the scale
    np.testing.assert_array_equal(read(tmp_path / "scores", 3), [1.5, 2, -0.25])


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"1\n2\n", "scores:2: 2 scores for 3 pairs; a submission holds one for every input line"),
        (b"1\n2\n3\n4\n", "scores:4: 4 scores for 3 pairs"),
        (b"", "scores:0: 0 scores for 3 pairs"),
        (b"1\n\n3\n", "scores:2: '', expected a number"),
        (b"1\n2\nthree\n", "scores:3: 'three', expected a number"),
        (b"1\nnan\n3\n", "scores:2: 'nan', expected a number"),
        (b"-inf\n2\n3\n", "scores:1: '-inf', expected a number"),
        (b"1\n2\n\xff\n", "scores:3: byte 0xff is not UTF-8"),
    ],
)
def test_a_bad_submission_is_refused(tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "scores").write_bytes(raw)
    with pytest.raises(DataError) as caught:
        read(tmp_path / "scores", 3)
    assert message in str(caught.value)
