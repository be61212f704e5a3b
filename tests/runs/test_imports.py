"""A score of two sentences imports few of our modules, and opens each shipped file once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = 146
"""Modules of ours that a score may import."""

SCRIPT = """
import json, sys
opened = []
def note(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].endswith(
        (".safetensors", ".json", ".tsv", ".gz")
    ):
        opened.append(arguments[0])
sys.addaudithook(note)
import semaniacs
semaniacs.score("A dog runs.", "A dog is running.")
rooms = ("sts", "embeddings", "features", "runs", "semaniacs")
ours = [name for name in sys.modules if name.split(".")[0] in rooms]
heavy = [name for name in ("numba", "jax", "sklearn", "scipy") if name in sys.modules]
print(json.dumps([ours, heavy, opened]))
"""


@pytest.fixture(scope="module")
def traced() -> tuple[list[str], list[str], list[str]]:
    """Modules of ours, heavy libraries and files that a first score needs."""
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    ours, heavy, opened = json.loads(ended.stdout.splitlines()[-1])
    return ours, heavy, opened


def test_few_modules_are_imported(traced: tuple[list[str], list[str], list[str]]) -> None:
    ours, heavy, _ = traced
    assert len(ours) < MODULES, sorted(ours)
    assert heavy == []


def test_each_shipped_file_is_opened_once(
    traced: tuple[list[str], list[str], list[str]],
) -> None:
    shipped = Counter(name for name in traced[2] if str(ROOT) in name)
    assert {name: count for name, count in shipped.items() if count > 1} == {}
