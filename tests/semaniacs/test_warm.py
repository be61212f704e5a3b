"""What ``semaniacs warm`` compiled is not compiled again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from semaniacs.cli import semaniacs

ROOT = Path(__file__).parents[2]
SCORE_MANY = """
from numba.core import event
import semaniacs

class Compiled(event.Listener):
    def on_start(self, event):
        print("compiled", event.data["dispatcher"])
    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
numbers = [f"{n} dogs ran in the park." for n in range(200)]
print(semaniacs.load("fusion").score(numbers, numbers[::-1]).shape)
"""


def test_many_pairs_are_scored_without_compiling() -> None:
    ended = CliRunner().invoke(semaniacs, ["warm"])
    assert ended.exit_code == 0, ended.output
    scored = subprocess.run(
        [sys.executable, "-c", SCORE_MANY], cwd=ROOT, capture_output=True, check=True, text=True
    )
    assert scored.stdout == "(200,)\n"
