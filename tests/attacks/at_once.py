"""Eight processes begin the same thing at once, with nothing there yet that they could share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.attacks.killed import write_input
from tests.attacks.promises import Trial, checker
from tests.attacks.writes import left_over

ROOT = Path(__file__).parents[2]

PROCESSES = 8
LONGEST = 240.0
"""Seconds until they count as waiting for each other for ever."""

BARRIER = """
import pathlib, sys, time
pathlib.Path(f"ready-{sys.argv[1]}").touch()
while not pathlib.Path("go").exists():
    time.sleep(0.001)
"""
"""Imports first, then waits for all of the others."""

MEMORY = """
import random, time
from pathlib import Path
from sts.translation import CachedTranslator, Translation, TranslationMemory
from tests.sts.translation.fakes import FakeProvider
{barrier}

class Slow(FakeProvider):
    def say(self, text, target):
        with open("asked", "a") as asked:  # in one write, so that lines never mix
            asked.write(text + "\\n")
        time.sleep(0.002)
        return Translation(text.upper())

texts = [f"t{{i}}" for i in range(100)]
random.Random(sys.argv[1]).shuffle(texts)
translate = CachedTranslator(Slow("slow", chunk=10), TranslationMemory(Path("memory.jsonl"))).translate
assert [t.text for t in translate(texts, "es", "en")] == [text.upper() for text in texts]
"""

CACHE = """
import numpy as np
from pathlib import Path
from sts.cache import Cache
from sts.cache.rows import RowCache
{barrier}
whole = np.random.default_rng(0).standard_normal(10**5)
for name in "abcdefgh":
    found = Cache("values", "a test", Path("cache")).get(
        name * 32, lambda path: np.frombuffer(path.read_bytes()), lambda path: path.write_bytes(whole.tobytes())
    )
    assert (found == whole).all(), "a value that nobody wrote"
rows = RowCache(Cache("rows", "a test", Path("rows")), "k" * 32, 4, np.float32,
                lambda groups: np.array([[float(one)] * 4 for one, in groups]), 10)
texts = [(str(i),) for i in range(100)]
assert (rows.get(texts, "rows")[:, 0] == np.arange(100)).all(), "rows of others"
"""

FORK = """
import os
from embeddings import load
encoder = load("toy.safetensors")
lines = open("a.txt").read().splitlines()
whole = encoder.encode(lines)
{barrier}
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        os._exit(int((load("toy.safetensors").encode(lines) != whole).any() or (encoder.encode(lines) != whole).any()))
    children.append(child)
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4, "other vectors in a fork"
"""

VERSIONS = """
import os
sys_path = __import__("sys").path
sys_path.insert(0, os.path.abspath(f"version-{{int(__import__('sys').argv[1]) % 2}}"))
from pathlib import Path
from sts.cache import Cache, key
from sts.of_this_version import value
{barrier}
cache = Cache("versions", "a test", Path("cache"))
name = key("sts.of_this_version:value", inputs=[])
for _ in range(300):
    assert cache.get(name, lambda path: path.read_text(), lambda path: path.write_text(value())) == value()
"""

COMMAND = """
from sts.command_line import run_tool
from {module} import main
{{barrier}}
sys.argv = ["it", *{arguments!r}.split()]
run_tool(main)
"""

OUTPUTS = {
    "output": ("semaniacs.cli", "score pairs.tsv -m raw -o out.csv"),
    "compiling": ("embeddings.__main__", "encode a.txt --model toy.safetensors -o out.npy"),
    "training": (
        "embeddings.__main__",
        "train pairs.tsv --from toy.safetensors --checkpoint work --epochs 1 -o out.safetensors",
    ),
}
"""Commands that all write the same file; its name is the last word."""

SCRIPTS = {
    "memory": MEMORY,
    "cache": CACHE,
    "fork": FORK,
    "versions": VERSIONS,
    **{
        name: COMMAND.format(module=module, arguments=typed)
        for name, (module, typed) in OUTPUTS.items()
    },
}


def together(script: str, folder: Path, processes: int) -> list[str]:
    """What is wrong with how each process ends: one that hangs, or has another exit code than 0."""
    surroundings = os.environ | {
        "PYTHONPATH": str(ROOT),
        "NUMBA_CACHE_DIR": str(folder / "compiled"),
    }
    (folder / "compiled").mkdir(exist_ok=True)
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", script.format(barrier=BARRIER), str(number)],
            cwd=folder, env=surroundings, text=True, errors="replace",
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )
        for number in range(processes)
    ]  # fmt: skip
    end, found = time.monotonic() + LONGEST, []
    while len(list(folder.glob("ready-*"))) < processes and time.monotonic() < end:
        if any(process.poll() for process in begun):
            break
        time.sleep(0.01)
    (folder / "go").touch()
    for process in begun:
        try:
            told = process.communicate(timeout=max(1.0, end - time.monotonic()))[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            found.append("hangs")
            continue
        if process.returncode:
            found.append(f"exit code {process.returncode}: {told.strip()[-200:]}")
    return found


def prepare(name: str, folder: Path) -> None:
    """What the processes find."""
    write_input(folder)
    for number in range(2 if name == "versions" else 0):
        copy = folder / f"version-{number}" / "sts"
        shutil.copytree(ROOT / "sts", copy, ignore=shutil.ignore_patterns("sample", "__pycache__"))
        (copy / "of_this_version.py").write_text(f"def value():\n    return 'version {number}'\n")


def wrong_after(name: str, folder: Path) -> str | None:
    """What is wrong with what the processes left."""
    if left := left_over(folder):
        return f"leaves {left}"
    if name == "memory":
        asked = (folder / "asked").read_text("utf-8").splitlines()
        if len(asked) != len(set(asked)):
            return f"{len(asked) - len(set(asked))} texts were paid for twice"
        if (folder / "memory.jsonl").read_bytes().count(b"\n") != len(asked):
            return "the memory has not a line for each text"
    return None


def at_once(name: str, folder: Path, script: str | None = None) -> str | None:
    """What is wrong when all processes do this; those of :data:`OUTPUTS` are compared with one alone."""
    prepare(name, folder)
    script = script or SCRIPTS[name]
    found: Sequence[str] = together(script, folder, PROCESSES)
    if found:
        return f"{name}: {len(found)} of {PROCESSES} processes: {found[0]}"
    wrong = wrong_after(name, folder)
    if name in OUTPUTS and not wrong:
        out = folder / OUTPUTS[name][1].split()[-1]
        several = out.read_bytes()
        alone = folder / "alone"
        prepare(name, alone)
        together(script, alone, 1)
        if (alone / out.name).read_bytes() != several:
            wrong = "other bytes than one process writes"
    return wrong and f"{name}: {wrong}"


@checker("many at once", "eight processes start together on a memory, a cache, an output, a version",
         cases=14, sample=2, seconds=900)  # fmt: skip
def processes_at_once(trial: Trial) -> Iterator[str | None]:
    """Each in turn; chance is in how the machine shares its time."""
    names = list(SCRIPTS)
    for case in range(trial.cases):
        yield at_once(names[case % len(names)], trial.folder / str(case))
