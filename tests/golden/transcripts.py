"""Write what the command line prints for a fixed set of commands.

    python -m tests.golden.transcripts

``frozen/transcripts.json`` holds, one entry per command, the exit code, standard output and the
text of the files that it wrote. Help texts and messages on standard error are not part of it.
Renew it only when what a command prints is meant to change.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from semaniacs.cli import main as semaniacs

TRANSCRIPTS = Path(__file__).parent / "frozen" / "transcripts.json"

LEFT = ["A dog runs in the park.", "He buys 3 apples.", "It's 5 km away.", "The plane landed."]
RIGHT = [
    "A dog is running through a park.",
    "He buys 4 apples.",
    "It is 5000 m away.",
    "Stocks fell.",
]
GOLD = [4.8, 1.5, 4.5, 0.0]
LINES = [
    "A ferry went down.", "A ferry sank.", "The unemployment rate fell.", "A ferry went down.",
    "Unemployment is lower.", "Where is the nearest bank?", "where is the nearest bank",
]  # fmt: skip

COMMANDS = """
score "A dog runs in the park." "A dog is running through a park."
score "A dog runs in the park." "Stocks fell on Friday." --interval
score pairs.tsv
score pairs.tsv --model fusion-gbr
score table.csv --left a --right b -o scored.csv
score table.csv --left a --right b --interval -o scored.jsonl
score table.jsonl --left a --right b
explain "A dog runs." "Stocks fell."
explain "A dog runs." "Stocks fell." --json
explain "He buys 3 apples." "He buys 4 apples."
encode lines.txt -o vectors.npy
encode lines.txt --model bitext-sp --language en -o pieces.npy
similar pairs.tsv
similar lines.txt --against lines.txt -k 2
search build lines.txt -o lines.index
search query lines.index "A ferry sank." -k 3
search query lines.index --queries lines.txt --format tsv -o hits.tsv
search once lines.txt "A ferry sank."
mine duplicates lines.txt --threshold 0.85
mine duplicates lines.txt --threshold 0.7 --keep central -o groups.tsv --kept distinct.txt
mine paraphrases lines.txt --threshold 0.5 -o paraphrases.tsv
submit --task sample --run raw --team lab --run-name raw --output received
submit --task sample --run fusion --team lab --run-name fusion --output received
evaluate received/sample --task sample
evaluate received/sample --task sample --pairwise
evaluate table.csv --gold table.csv --gold-column gold --score-column gold
keep pairs.tsv --lowest 0.5
score "one sentence"
score missing.tsv
score pairs.tsv --model nothing
no-such-verb
""".strip().splitlines()


def prepare() -> None:
    """Write the input files into the current folder."""
    pairs = "".join(f"{a}\t{b}\n" for a, b in zip(LEFT, RIGHT, strict=True))
    Path("pairs.tsv").write_text(pairs, encoding="utf-8")
    rows = zip(LEFT, RIGHT, GOLD, strict=True)
    records = [{"a": a, "b": b, "gold": gold} for a, b, gold in rows]
    table = "a,b,gold\n" + "".join(f"{r['a']},{r['b']},{r['gold']}\n" for r in records)
    Path("table.csv").write_text(table, encoding="utf-8")
    lines = "".join(json.dumps(record) + "\n" for record in records)
    Path("table.jsonl").write_text(lines, encoding="utf-8")
    Path("lines.txt").write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")


def type_in(command: str) -> dict[str, Any]:
    """Return exit code, standard output and written files of a command in the current folder."""
    before = {path: path.read_bytes() for path in _files()}
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    code: Any = 0
    kept = sys.argv
    sys.argv = ["semaniacs", *shlex.split(command)]
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            semaniacs()
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv = kept
    printed.seek(0)
    written = {
        str(path): _shown(path) for path in _files() if before.get(path) != path.read_bytes()
    }
    return {"command": command, "exit": code, "stdout": printed.read(), "files": written}


def _files() -> list[Path]:
    """Return the files of the folder whose content is a promise: not those of an index."""
    found = [path for path in Path().rglob("*") if path.is_file()]
    return sorted(path for path in found if ".index" not in str(path))


def _shown(path: Path) -> Any:
    """Return a file's text; of an array the first numbers; of results all but the signature."""
    if path.suffix == ".npy":
        array = np.load(path)
        return [list(array.shape), np.round(array[:, :4].astype(float), 3).tolist()]
    if path.name == "results.json":
        results = json.loads(path.read_text(encoding="utf-8"))
        return {key: results[key] for key in ("task", "run", "datasets", "mean") if key in results}
    return path.read_text(encoding="utf-8")


def type_all() -> list[dict[str, Any]]:
    """Return the transcript of each command, in a new folder."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            prepare()
            return [type_in(command) for command in COMMANDS]
        finally:
            os.chdir(here)


if __name__ == "__main__":
    text = json.dumps(type_all(), ensure_ascii=False, indent=1)
    TRANSCRIPTS.write_text(text + "\n", encoding="utf-8")
