"""The name of an output is its format, for every command: written so, or refused before any work."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from click.testing import CliRunner

from semaniacs.cli import semaniacs
from semaniacs.sts.errors import StsError

LINES = (
    "A dog runs.\nA cat sleeps.\nA dog is running.\nStocks fell on Friday.\nStocks fell Friday.\n"
)
FILES = {
    "lines.txt": LINES, "more.txt": LINES, "pairs.tsv": "A dog.\tA dog runs.\nA cat.\tIt fell.\n",
    "gold.txt": "1\n2\n3\n", "scores.txt": "1\n3\n2\n",
}  # fmt: skip
ENDINGS = "csv tsv jsonl json npy npz xlsx txt html md csv.gz npy.gz parquet.gz ndjson bin".split()
ROWS = "tsv csv jsonl json txt csv.gz ndjson xlsx"
WRITTEN = {
    "score pairs.tsv --model raw -o": ROWS,
    "similar pairs.tsv -o": ROWS,
    "similar lines.txt --against more.txt -o": ROWS,
    "keep pairs.tsv --lowest 0 -o": ROWS,
    "search once lines.txt dog -o": ROWS,
    "mine paraphrases lines.txt -k 2 -o": ROWS,
    "mine bitext lines.txt more.txt --model paragram -k 2 -o": ROWS,
    "mine duplicates lines.txt --threshold 0.8 -o": ROWS,
    "mine duplicates lines.txt --threshold 0.8 -o groups --pairs": ROWS,
    "mine duplicates lines.txt --threshold 0.8 -o groups --kept": "txt tsv",
    "evaluate scores.txt --gold gold.txt -o": ROWS,
    "translate identify lines.txt -o": ROWS,
    "check pairs.tsv -o": ROWS,
    "encode lines.txt -o": "npy",
    "export paragram-small --format gensim -o": "bin",
}
REFUSED = {
    "calibrate pairs.tsv --gold 3 -o": "json", "partial generate pairs.tsv -o": "tsv txt",
    "report -o": "html", "fit pairs.tsv --gold 3 -o": "", "search build lines.txt -o": "",
    "submit -o": "", "tune pairs.tsv -o": "",
}  # fmt: skip
"""Commands that are tried with the names that they refuse, and what they write."""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)


def call(line: str) -> None:
    assert CliRunner().invoke(semaniacs, line.split(), catch_exceptions=False).exit_code == 0


def rows_of(name: str) -> int:
    """Return the rows of a file, read as its name says."""
    if name.endswith("xlsx"):
        return openpyxl.load_workbook(name).active.max_row
    raw = Path(name).read_bytes()
    rows = (gzip.decompress(raw) if "gz" in name else raw).decode(errors="replace").splitlines()
    if "json" in name:
        return len(json.loads(raw) if name.endswith(".json") else [*map(json.loads, rows)])
    if "csv" in name:
        assert len({len(row) for row in csv.reader(rows)}) == 1
    return len(np.load(name)) if "npy" in name else len(rows)


@pytest.mark.filterwarnings("ignore::UserWarning")  # languages
@pytest.mark.parametrize("line", WRITTEN | REFUSED)
def test_a_name_is_a_format_or_is_refused(line: str) -> None:
    before, written = sorted(Path().iterdir()), (WRITTEN | REFUSED)[line].split()
    unknown = {"xslx"} if written and "kept" not in line else set()  # names of folders are free
    for ending in {*ENDINGS} - {*written} | unknown:
        with pytest.raises(StsError, match=rf"^v\.{ending}: .*; expected a name"):
            call(f"{line} v.{ending}")
        assert sorted(Path().iterdir()) == before
    for ending in written if line in WRITTEN else []:
        call(f"{line} v.{ending}")
        assert rows_of(f"v.{ending}") > 0


def test_a_name_and_an_option_agree() -> None:
    for ending, kind in (("csv", "jsonl"), ("txt", "parquet")):
        with pytest.raises(StsError, match=f"name says {ending}, and --format says {kind}; leave"):
            call(f"score pairs.tsv --model raw -o v.{ending} --format {kind}")
    call("score pairs.tsv --model raw -o v.scores --format jsonl")
    assert json.loads(Path("v.scores").read_text().splitlines()[0])["1"] == "A dog."
    call("mine duplicates lines.txt --threshold 0.8 -o groups --kept lines.en")
    assert rows_of("lines.en") > 0
