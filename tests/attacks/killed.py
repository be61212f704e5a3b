"""Long commands, as a shell starts them, are killed at random moments and started again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from embeddings.encoder import Encoder
from embeddings.formats.single_file import save_encoder
from embeddings.tokenizers.words import WordTokenizer
from tests.attacks.promises import Trial, checker
from tests.attacks.writes import age, left_over

ROOT = Path(__file__).parents[2]

LONG = {
    "training": "embeddings train pairs.tsv --from toy.safetensors --checkpoint work --epochs 3"
    " -o tuned.safetensors",
    "mining": "embeddings.mining bitext a.txt b.txt --model toy.safetensors --block 50 --work work"
    " -o mined.tsv",
    "scoring": "semaniacs score pairs.tsv -m raw -o scored.csv",
    "search": "embeddings similar a.txt --against b.txt --model toy.safetensors -o nearest.tsv",
}
"""What follows ``python -m``; the last word is the file that is written."""

BEFORE = b"what stood there before\n"
KILLS = 3
"""Of a command, before it may end."""


class Long:
    """A command in a folder of its own, and what it writes if nobody kills it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        write_input(folder)
        self.finish()  # compiles what the later ones find compiled
        begin = time.monotonic()
        self.finish()
        self.seconds, self.whole = time.monotonic() - begin, self.out.read_bytes()
        self.out.write_bytes(BEFORE)

    @property
    def out(self) -> Path:
        """The file that it writes."""
        return self.folder / LONG[self.name].split()[-1]

    def _start(self) -> subprocess.Popen[bytes]:
        typed = [sys.executable, "-m", *LONG[self.name].split()]
        surroundings = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            typed, cwd=self.folder, env=surroundings,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def kill(self, share: float) -> str | None:
        """What is wrong when it is killed after this share of its time."""
        with self._start() as process:
            try:
                process.wait(share * self.seconds)
            except subprocess.TimeoutExpired:
                process.kill()
        if self.out.read_bytes() not in (BEFORE, self.whole):
            return f"{self.name}, killed after {share:.0%} of its time: its file is neither old nor new"
        return None

    def finish(self) -> str | None:
        """What is wrong with its end, when nobody kills it any more."""
        age(self.folder)
        with self._start() as process:
            code = process.wait(100)
        if code:
            return f"{self.name}, after kills: exit code {code}"
        if left := left_over(self.folder):
            return f"{self.name}, after kills: leaves {left}"
        return None

    def compare(self) -> str | None:
        """What is wrong with the bytes, after :meth:`finish`; the next kills find the old file."""
        same = self.out.read_bytes() == self.whole
        self.out.write_bytes(BEFORE)
        return None if same else f"{self.name}, after kills: other bytes than in one go"


def write_input(folder: Path) -> None:
    """A toy encoder, sentences and pairs, in a new folder."""
    rng, words = np.random.default_rng(0), [f"w{a}{b}" for a in "abcdefghij" for b in "klmnopqrst"]
    table = rng.standard_normal((len(words) + 1, 16)).astype(np.float32) + np.float32(0.5)
    folder.mkdir(parents=True)
    save_encoder(folder / "toy.safetensors", Encoder(WordTokenizer(words, 1), table))
    a, b = ([" ".join(rng.choice(words, 5)) for _ in range(1200)] for _ in range(2))
    for name, lines in (
        ("a.txt", a),
        ("b.txt", b),
        ("pairs.tsv", map("\t".join, zip(a, b, strict=True))),
    ):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@checker("every write", "a long command is killed at random moments, and goes on to the same bytes",
         cases=100, sample=0, seconds=900)  # fmt: skip
def random_kills(trial: Trial) -> Iterator[str | None]:
    """SIGKILL from outside, three times in a row; then it may end."""
    for place, name in enumerate(LONG):
        command = Long(name, trial.folder / str(place))
        cases = len(range(place, trial.cases, len(LONG)))
        for case in range(cases):
            found = command.kill(trial.random.random())
            if case % KILLS == KILLS - 1 or case == cases - 1:
                found = found or command.finish() or command.compare()
            yield found
