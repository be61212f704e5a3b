"""Lines of a file in batches: the same ones, whatever the file ends in and however it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from embeddings.formats import lines as module
from embeddings.formats.lines import utf8_batches


@pytest.mark.parametrize("end", ["", "\n"], ids=["open", "closed"])
@pytest.mark.parametrize("block", [1, 7, 1 << 22])
@pytest.mark.parametrize("batch", [1, 2, 5, 11, 100])
def test_batches_are_full_but_the_last(
    end: str, block: int, batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BLOCK", block)
    wanted = [f"{'é' * (number % 4)}{number}" for number in range(11)]
    file = tmp_path / "lines.txt"
    file.write_bytes(("\n".join(wanted) + end).encode())
    found = list(utf8_batches(str(file), batch))
    assert [list(part) for part in found] == [
        wanted[begin : begin + batch] for begin in range(0, 11, batch)
    ]
    assert [part.first for part in found] == list(range(0, 11, batch))
