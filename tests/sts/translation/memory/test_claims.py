"""Several processes on one memory, and processes that are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from sts.translation import TranslationMemory
from sts.translation.memory.claims import Claims
from tests.sts.running import ROOT, python

SLOW_RUN = """
import random, sys, time
from pathlib import Path
from sts.translation import CachedTranslator, Translation, TranslationMemory
from tests.sts.translation.fakes import FakeProvider

memory, log, n, seconds, seed = sys.argv[1:]

class Slow(FakeProvider):
    def say(self, text, target):
        with open(log, "a") as asked:  # appended in one write, so lines never mix
            asked.write(text + "\\n")
        time.sleep(float(seconds))
        return Translation(text.upper())

texts = [f"t{i}" for i in range(int(n))]
random.Random(int(seed)).shuffle(texts)
found = CachedTranslator(
    Slow("slow", chunk=20), TranslationMemory(Path(memory))
).translate(texts, "es", "en")
assert [t.text for t in found] == [text.upper() for text in texts]
"""

APPEND = """
import sys
from pathlib import Path
from sts.translation import TranslationMemory
from tests.sts.translation.fakes import entry

memory = TranslationMemory(Path(sys.argv[1]))
for i in range(60):
    memory.add_entries(entry(f"{sys.argv[2]} {i} {j}", "t" * 900) for j in range(20))
"""


def start(script: str, *arguments: str | Path | float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )


def wait_for_lines(path: Path, n: int) -> None:
    end = time.monotonic() + 30
    while not path.exists() or path.read_bytes().count(b"\n") < n:
        assert time.monotonic() < end, "the process wrote nothing"
        time.sleep(0.002)


def test_kill_9_in_the_middle_of_10_000_sentences(tmp_path: Path) -> None:
    path, log, n = tmp_path / "m.jsonl", tmp_path / "asked", 10_000
    settled: list[dict[str, int]] = []  # what was stored at each kill, and how often asked for
    for stop_at in (1000, 5000, 7000):
        process = start(SLOW_RUN, path, log, n, 0, 1)
        wait_for_lines(path, stop_at)
        process.send_signal(signal.SIGKILL)
        process.wait()
        memory = TranslationMemory(path)
        memory.refresh()
        asked = Counter(log.read_text().split())
        settled.append({t: asked[t] for t in asked if memory.get("slow", "es", "en", t)})
        assert stop_at <= len(settled[-1]) < n
        assert len(asked) - len(settled[-1]) <= 20  # a chunk was asked for and not stored
    assert start(SLOW_RUN, path, log, n, 0, 1).wait() == 0
    asked = Counter(log.read_text().split())
    assert set(asked) == {f"t{i}" for i in range(n)}
    assert sum(asked.values()) <= n + 3 * 20
    for known in settled:
        assert {text: asked[text] for text in known} == known  # never asked for again


def test_processes_at_once_ask_for_no_text_twice(tmp_path: Path) -> None:
    path, log = tmp_path / "m.jsonl", tmp_path / "asked"
    processes = [start(SLOW_RUN, path, log, 400, 0.002, seed) for seed in (1, 1, 2, 3)]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]
    asked = Counter(log.read_text().split())
    assert asked == Counter(f"t{i}" for i in range(400))
    assert path.read_bytes().count(b"\n") == 400


def test_what_a_killed_process_was_asking_for_is_asked_by_who_waited(tmp_path: Path) -> None:
    path, log = tmp_path / "m.jsonl", tmp_path / "asked"
    first = start(SLOW_RUN, path, log, 5, 60, 1)
    wait_for_lines(log, 1)
    second = start(SLOW_RUN, path, log, 5, 0, 1)
    time.sleep(0.5)
    assert second.poll() is None, "it did not wait"
    assert log.read_text().count("\n") == 1
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert second.wait() == 0
    assert path.read_bytes().count(b"\n") == 5


def test_a_claim_is_held_against_other_processes_only(tmp_path: Path) -> None:
    try_it = (
        "import sys\nfrom pathlib import Path\nfrom sts.translation.memory.claims import Claims\n"
        "print(Claims(Path(sys.argv[1])).take(['a', 'b', '\\ud800']))"
    )

    def taken() -> str:
        return python("-c", try_it, tmp_path / "folder" / "lock").stdout.strip()

    with Claims(tmp_path / "folder" / "lock") as claims:
        assert claims.take(["a", "\ud800"]) == [True, True]
        assert claims.take(["a"]) == [True]
        assert taken() == "[False, True, False]"
        claims.release()
        assert taken() == "[True, True, True]"
        claims.take(["b"])
    assert taken() == "[True, True, True]"


def test_processes_that_append_at_once_do_not_mix_lines(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    processes = [start(APPEND, path, name) for name in "abc"]
    assert [process.wait() for process in processes] == [0, 0, 0]
    memory = TranslationMemory(path)
    memory.refresh()  # a mixed line would warn, and a warning is an error here
    assert len(memory) == 3 * 60 * 20
    assert not path.with_name("m.jsonl.torn").exists()
