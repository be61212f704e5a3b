"""A made-up data set of three pairs, as records and as files."""

from __future__ import annotations

from pathlib import Path

from semaniacs.sts.data.catalog import DataFile, DataSet
from semaniacs.sts.files import sha256_of_bytes

INPUT = "A cat sits.\tA cat is sitting.\nDogs bark.\tIt rains.\nHe “ran”.\tHe ran.\n".encode()
GOLD = b"4.8\n\n4\n"
INPUT_PATH, GOLD_PATH = "2016/STS.input.toy.txt", "2016/STS.gs.toy.txt"


def data_file(path: str, content: bytes, archive: str | None = None) -> DataFile:
    return DataFile(path, content.count(b"\n"), sha256_of_bytes(content), archive)


def toy(archive: str | None = None) -> DataSet:
    return DataSet(
        "toy",
        2016,
        data_file(INPUT_PATH, INPUT, archive),
        data_file(GOLD_PATH, GOLD, archive),
        scored=2,
    )


def write(root: Path, path: str, content: bytes) -> Path:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content)
    return root / path


def everything_below(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir()}
