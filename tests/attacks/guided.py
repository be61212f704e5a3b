"""Bytes that are led by what they reach: a reader is run on changed files, and those that reach new
code are changed again. By atheris, the fuzzer of LLVM for Python, where it is installed.

    python -m tests.attacks guided
    python -m tests.attacks.guided SEED RUNS FOLDER READER
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.attacks.promises import Trial, checker

ROOT = Path(__file__).parents[2]

OURS = ["sts", "embeddings", "runs", "features.regressors.saved_ensemble"]
"""Whose code is watched."""

COMPILED = [
    "embeddings.bitext.alignment", "embeddings.compiled",
    "embeddings.transformer.compiled_forward", "embeddings.transformer.matrix_tile",
    "features.regressors.tree_arrays",
]  # fmt: skip
"""What Numba compiles, which it could not if it were changed to be watched."""

LONGEST = 4096
"""Bytes of a file."""

PROGRAM = ("-m", "tests.attacks.guided")

FOUND = "found: "
"""How the line begins that says what is wrong."""


def guide(name: str, seed: int, runs: int, folder: Path) -> None:
    """Read so many files, or stop at the first that is read wrong; does not return."""
    import atheris

    with atheris.instrument_imports(include=OURS, exclude=COMPILED):
        from tests.attacks.any_bytes import outcome
        from tests.attacks.readers import READERS

        reader = READERS[name]
        path, sample = folder / f"case{reader.suffix}", reader.sample()
        assert isinstance(sample, bytes)
        path.write_bytes(sample)
        reader.read(path)  # imports what reads
    (folder / "samples").mkdir()
    (folder / "samples" / "good").write_bytes(sample)

    def try_bytes(data: bytes) -> None:
        path.write_bytes(data)
        if told := outcome(reader, path):
            print(FOUND + told, flush=True)
            raise AssertionError

    flags = [f"-runs={runs}", f"-seed={seed + 1}", f"-max_len={LONGEST}", "-rss_limit_mb=0"]
    kept = f"-artifact_prefix={folder}/"
    atheris.Setup([sys.argv[0], *flags, kept, str(folder / "samples")], try_bytes)
    atheris.Fuzz()


def guided_by(
    name: str, seed: int, runs: int, folder: Path, program: tuple[str, ...] = PROGRAM
) -> tuple[int, str | None]:
    """How many files a reader was tried on in a process of its own, and what was read wrong."""
    folder.mkdir(parents=True)
    told = subprocess.run(
        [sys.executable, *program, str(seed), str(runs), str(folder), name],
        cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    wrong = next((line for line in told.stdout.splitlines() if line.startswith(FOUND)), None)
    done = re.search(r"Done (\d+) runs", told.stderr)
    if wrong is None and done is None:
        wrong = f"ended with {told.returncode}: {told.stderr[-300:]}"
    return int(done[1]) if done else 1, wrong and f"{name}: {wrong}; kept in {folder}"


def readers_of_files() -> list[str]:
    """Those of one file; of a folder there is no one string of bytes to lead."""
    from tests.attacks.readers import READERS

    return [name for name, one in READERS.items() if isinstance(one.sample(), bytes)]


@checker("any bytes", "changed bytes that reach new code, by atheris",
         cases=120_000, sample=0, seconds=900)  # fmt: skip
def guided(trial: Trial) -> Iterator[str | None]:
    """The same number of files for each reader; none where atheris is not installed."""
    if find_spec("atheris") is None:
        print("atheris is not installed; pip install -r requirements-peers.txt", file=sys.stderr)
        return
    names = readers_of_files()
    for name in names:
        seed = trial.random.randrange(10**6)
        runs, wrong = guided_by(name, seed, trial.cases // len(names), trial.folder / name)
        yield from [None] * (runs - 1)
        yield wrong


if __name__ == "__main__":
    seed_, runs_, folder_, name_ = sys.argv[1:]
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    guide(name_, int(seed_), int(runs_), Path(folder_))
