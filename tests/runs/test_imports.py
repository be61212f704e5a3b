"""A score imports few of our modules and opens each file once; a task flows one way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = """
import semaniacs
semaniacs.score("A dog runs.", "A dog is running.")
"""

COMMAND = """
from semaniacs.cli import main
sys.argv = ["semaniacs", "score", "pairs.tsv"]
try:
    main()
except SystemExit:
    pass
"""

SCRIPT = """
import json, sys
opened = []
def note(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].endswith(
        (".safetensors", ".json", ".tsv", ".gz")
    ):
        opened.append(arguments[0])
sys.addaudithook(note)
{score}
ours = [name for name in sys.modules if name.split(".")[0] == "semaniacs"]
heavy = [name for name in ("numba", "jax", "sklearn", "scipy") if name in sys.modules]
print()
print(json.dumps([ours, heavy, opened]))
"""


@pytest.mark.parametrize(("score", "modules"), [(PYTHON, 97), (COMMAND, 107)])
def test_a_score_imports_few_modules_and_opens_each_file_once(
    score: str, modules: int, tmp_path: Path
) -> None:
    """A score in Python, and the pairs of a table on the command line."""
    (tmp_path / "pairs.tsv").write_text("A dog runs.\tA dog is running.\n")
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(score=score)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    ours, heavy, opened = json.loads(ended.stdout.splitlines()[-1])
    assert len(ours) <= modules, sorted(ours)
    assert heavy == []
    shipped = Counter(name for name in opened if str(ROOT) in name)
    assert shipped
    assert {name: count for name, count in shipped.items() if count > 1} == {}


WALK = """
import json, sys
import run_submission
from semaniacs.sts.command_line import run_tool

ROOMS = ("sts", "embeddings", "features", "runs", "semaniacs", "run_submission")
back = set()

def room(frame):
    package, *inner = frame.f_globals.get("__name__", "").split(".")
    name = inner[0] if inner and inner[0] in ROOMS else package
    written = frame.f_code.co_filename.endswith(".py")  # not by dataclasses
    return ROOMS.index(name) if name in ROOMS and written else None

def note(frame, event, _):
    if event != "call" or room(frame) is None:
        return
    caller = frame.f_back
    while caller is not None and room(caller) is None:
        caller = caller.f_back
    if caller is not None and room(caller) < room(frame) and frame.f_code.co_name != "<module>":
        back.add(f"{caller.f_globals['__name__']}.{caller.f_code.co_name}")

sys.argv = ["run_submission.py", "--run", "raw", "--output", sys.argv[1]]
sys.setprofile(note)
run_tool(run_submission.main)
sys.setprofile(None)
print(json.dumps(sorted(back)))
"""


def test_a_task_goes_back_up_at_most_twice(tmp_path: Path) -> None:
    """The command line calls the program, and then the command; no other call goes up a room."""
    ended = subprocess.run(
        [sys.executable, "-c", WALK, str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "STS_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    back = json.loads(ended.stdout.splitlines()[-1])
    assert back == [
        "semaniacs.sts.command_line._exit_code",
        "semaniacs.sts.command_line.run_command",
    ]
