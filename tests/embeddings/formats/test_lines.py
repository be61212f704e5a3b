"""Lines of a file in batches: the same ones, whatever the file ends in and however it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from semaniacs.embeddings.formats.lines import lines, utf8_batches


@pytest.mark.parametrize("end", ["", "\n"], ids=["open", "closed"])
@pytest.mark.parametrize("block", [1, 7, 1 << 22])
@pytest.mark.parametrize("batch", [1, 2, 5, 11, 100])
def test_batches_are_full_but_the_last(end: str, block: int, batch: int, tmp_path: Path) -> None:
    wanted = [f"{'é' * (number % 4)}{number}" for number in range(11)]
    file = tmp_path / "lines.txt"
    file.write_bytes(("\n".join(wanted) + end).encode())
    found = list(utf8_batches(str(file), batch, block))
    assert [list(part) for part in found] == [
        wanted[begin : begin + batch] for begin in range(0, 11, batch)
    ]
    assert [part.first for part in found] == list(range(0, 11, batch))


def test_a_table_that_is_read_as_lines_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, told in (("a.csv", 1), ("a.JSONL", 1), ("a.tsv", 0), ("a.txt", 0)):
        path = tmp_path / name
        path.write_text("left,right\n")
        for _ in range(2):
            assert list(lines(str(path))) == ["left,right"]
        assert capsys.readouterr().err.count(f"{path}: read as plain lines") == told
