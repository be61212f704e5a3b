"""The benchmark of the server beside the library."""

from __future__ import annotations

import time

import pytest

pytest.importorskip(
    "starlette", reason="starlette is not installed; pip install 'semaniacs[serve]'"
)
pytest.importorskip("uvicorn", reason="uvicorn is not installed; pip install 'semaniacs[serve]'")

from runs.benchmarks import serve

PAIRS = [[f"left {n}", f"right {n}"] for n in range(50)]


def test_clients_call_side_by_side_with_ever_other_pairs() -> None:
    asked: list[list[list[str]]] = []

    def call(some: list[list[str]]) -> None:
        asked.append(some)
        time.sleep(0.02)

    timed = serve.time_calls([call] * 4, PAIRS, 5, 0.2)
    assert {len(some) for some in asked} == {5}
    assert len({some[0][0] for some in asked}) > 5
    assert 20 <= timed.median <= timed.slow
    assert 0 < timed.rate <= 4 * 5 / 0.02


def test_the_table_has_a_line_for_each_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "WORK", ((1, 1), (2, 3)))
    lines = serve.measure("raw", 0.2).splitlines()
    cells = [line.split() for line in lines[1:]]
    assert [row[:3] for row in cells] == [
        ["library", "1", "1"], ["library", "1", "3"], ["server", "1", "1"], ["server", "2", "3"],
    ]  # fmt: skip
    assert [row[-1] for row in cells[:2]] == ["1.00", "1.00"]
    assert all(float(cell) > 0 for row in cells[2:] for cell in row[3:])
