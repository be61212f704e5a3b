"""The history: every point as a line, and a picture of them."""

from __future__ import annotations

import io

import pytest
from matplotlib.image import imread

from embeddings.training.history import History, Point

POINTS = [Point(0.1, 3, 1.25, None), Point(1 / 3, 6, 0.12345678, 0.5), Point(2, 60, 1e-9, -0.04567)]


def test_the_lines_by_hand() -> None:
    assert History(POINTS).to_csv() == (
        "epochs,steps,loss,metric\n"
        "0.100,3,1.250000,\n"
        "0.333,6,0.123457,0.5000\n"
        "2.000,60,0.000000,-0.0457\n"
    )
    assert History().to_csv() == "epochs,steps,loss,metric\n"


@pytest.mark.parametrize("points", [POINTS, POINTS[:1], []], ids=["metrics", "no metric", "empty"])
def test_the_picture_is_a_png_and_the_same_each_time(points: list[Point]) -> None:
    png = History(points).to_png()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert imread(io.BytesIO(png)).shape[:2] == (480, 840)
    assert History(points).to_png() == png
