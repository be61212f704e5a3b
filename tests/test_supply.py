"""What the program is made of is pinned, hashed and listed, and none of it is text that is run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from semaniacs.sts.files import sha256_of
from tests.test_house import SOURCES

ROOT = Path(__file__).parents[1]
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(file: str) -> set[tuple[str, str]]:
    text = (ROOT / file).read_text(encoding="utf-8")
    return {(plain(name), version) for name, version in PIN.findall(text)}


def test_every_requirement_is_hashed_and_the_same() -> None:
    assert pins("requirements.txt") <= pins("requirements-hashed.txt")
    text = (ROOT / "requirements-hashed.txt").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[A-Za-z0-9])", text[PIN.search(text).start() :])  # type: ignore[union-attr]
    assert len(entries) >= 60
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_bill_of_materials_and_that_all_of_it_is_pinned() -> None:
    printed = [
        subprocess.run([sys.executable, ROOT / ".ci" / "sbom.py"], capture_output=True, check=True)
        for _ in range(2)
    ]
    assert printed[0].stdout == printed[1].stdout
    found = {one["name"]: one for one in json.loads(printed[0].stdout)["components"]}
    libraries = {plain(name) for name, one in found.items() if one["type"] == "library"}
    assert {"numpy", "numba", "llvmlite", "safetensors"} <= libraries
    assert libraries <= {name for name, _ in pins("requirements-hashed.txt")}
    paragram = "embeddings/pretrained/paragram.safetensors"
    assert found[paragram]["hashes"][0]["content"] == sha256_of(ROOT / paragram)


RUNS_TEXT = re.compile(
    r"(?<![.\w])(eval|exec|compile|__import__|os\.system|os\.popen)\(|shell=(?!False)"
)
"""Calls that run a text as code or as a command of a shell."""


def test_no_file_runs_a_text() -> None:
    assert {path for path, text in SOURCES.items() if RUNS_TEXT.search(text)} == set()
