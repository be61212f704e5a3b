"""A search that was stopped, killed even, goes on and finds the same; and it keeps within its memory."""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from embeddings.encoder import Encoder, unit
from embeddings.formats.search_checkpoint import SearchCheckpoint
from embeddings.formats.single_file import save_encoder
from embeddings.mining import neighbours
from embeddings.mining.candidates import mine, mine_paraphrases, remove_work
from embeddings.mining.commands import memory_bound
from embeddings.mining.commands.memory_bound import block_within, memory_size
from embeddings.mining.indexes import Ivf
from embeddings.mining.neighbours import nearest
from embeddings.table import Vectors
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import StsError

IVF = Ivf(clusters=5, probe=2)


def rows(count: int, seed: int) -> Vectors:
    return unit(np.random.default_rng(seed).standard_normal((count, 8)).astype(np.float32))


class StoppedError(Exception):
    """Stands for the end of a process."""


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many blocks were ranked; a number put in is the search that stops."""
    counts = [0, -1]
    real = neighbours._cosines

    def ranked(*arguments: object) -> object:
        counts[0] += 1
        if counts[0] == counts[1]:
            raise StoppedError
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(neighbours, "_cosines", ranked)
    monkeypatch.setattr(neighbours, "threads", lambda: 1)
    yield counts


@pytest.mark.parametrize("search", [None, IVF])
def test_a_search_that_was_stopped_goes_on(
    search: Ivf | None, searches: list[int], tmp_path: Path
) -> None:
    source, target = rows(50, 0), rows(70, 1)
    expected = mine(source, target, search=search, block=20)
    every, searches[0] = searches[0], 0
    assert every == 2 * 3 * 4
    for stop in (1, 5, every - 6):
        searches[:] = [0, stop]
        with pytest.raises(StoppedError):
            mine(source, target, search=search, block=20, work=tmp_path / "work")
    searches[:] = [0, -1]
    found = mine(source, target, search=search, block=20, work=tmp_path / "work")
    assert searches[0] == every - 4 - (every - 7)  # the last stop came before its block was kept
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    remove_work(tmp_path / "work")
    assert not (tmp_path / "work").exists()


def test_paraphrases_go_on_too(searches: list[int], tmp_path: Path) -> None:
    some = rows(60, 0)
    expected = mine_paraphrases(some, block=20)
    searches[:] = [0, 4]
    with pytest.raises(StoppedError):
        mine_paraphrases(some, block=20, work=tmp_path)
    searches[:] = [0, -1]
    found = mine_paraphrases(some, block=20, work=tmp_path)
    assert searches[0] == 9 - 3
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_what_another_search_kept_is_refused(tmp_path: Path) -> None:
    source, target = rows(30, 0), rows(30, 1)
    mine(source, target, work=tmp_path)
    with pytest.raises(StsError, match=r"forward: .*another -k; go on with the same files"):
        mine(source, target, 3, work=tmp_path)
    with pytest.raises(StsError, match="another --search"):
        mine(source, target, search=IVF, work=tmp_path)
    with pytest.raises(StsError, match="another vectors"):
        mine(target, source, work=tmp_path)
    (tmp_path / "forward" / "search.json").write_text("{")
    with pytest.raises(StsError, match=r"search\.json: damaged"):
        mine(source, target, work=tmp_path)


def test_only_what_was_kept_is_removed(tmp_path: Path) -> None:
    mine(rows(30, 0), rows(30, 1), work=tmp_path)
    (tmp_path / "forward" / "mine.txt").write_text("of the user")
    remove_work(tmp_path)
    assert [p.name for p in tmp_path.rglob("*")] == ["forward", "mine.txt"]


def test_clusters_are_learned_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some, kept = rows(40, 0), SearchCheckpoint(tmp_path, {})
    first = nearest(some, some, 2, search=IVF, kept=kept)

    def refuse(*_: object) -> Vectors:
        raise AssertionError("learned again")

    monkeypatch.setattr("embeddings.mining.indexes._learn_centroids", refuse)
    again = nearest(some, some, 2, search=IVF, kept=kept)
    np.testing.assert_array_equal(again.places, first.places)


def test_a_command_that_was_killed_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    """Killed as the system kills: without a word, in the middle of the search."""
    rng, words = (
        np.random.default_rng(0),
        [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400)],
    )
    table = rng.standard_normal((401, 16)).astype(np.float32) + np.float32(0.5)
    save_encoder(tmp_path / "toy.safetensors", Encoder(WordTokenizer(words, 1), table))
    for name in ("source", "target"):
        picked = rng.integers(0, 400, (1200, 5))
        lines = (" ".join(words[i] for i in row) + "\n" for row in picked)
        (tmp_path / name).write_text("".join(lines))
    command = [sys.executable, "-m", "embeddings.mining", "bitext", str(tmp_path / "source")]
    command += [str(tmp_path / "target"), "--model", str(tmp_path / "toy.safetensors")]
    command += ["--block", "100", "--work", str(tmp_path / "work")]

    def output(name: str) -> list[str]:
        return ["-o", str(tmp_path / name)]

    subprocess.run([*command, *output("whole")], check=True, capture_output=True)
    with subprocess.Popen([*command, *output("killed")], stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while not list((tmp_path / "work").glob("backward/queries-*")):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.002)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "killed").exists()
    kept = list((tmp_path / "work" / "forward").iterdir())
    assert len(kept) == 1 + 12
    ended = subprocess.run([*command, *output("killed")], check=True, capture_output=True)
    assert (tmp_path / "killed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not (tmp_path / "work").exists(), ended.stderr


# Memory


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GB", 4 * 10**9), ("800MB", 8 * 10**8), ("1.5g", 15 * 10**8), ("9 MiB", 9 * 10**6)],
)
def test_a_size_is_read(text: str, size: int) -> None:
    assert memory_size(text) == size


@pytest.mark.parametrize("text", ["4", "GB", "-1GB", "0GB", "4TB", "much"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected a size such as 4GB"):
        memory_size(text)


def test_more_memory_is_a_larger_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_bound, "memory_held", lambda kind: 200 * 10**6)
    for search in (None, Ivf()):
        sizes = 10**6, 10**6
        blocks = [block_within(int(n * 10**9), sizes, 300, 4, search) for n in (2.2, 3, 4, 8)]
        assert blocks == sorted(blocks) and blocks[0] < blocks[1]
        assert blocks[-1] == 10**6


def test_too_little_memory_is_refused_with_what_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_bound, "memory_held", lambda kind: 200 * 10**6)
    with pytest.raises(
        StsError, match=r"--memory 1,000MB is too little .* give --memory (\d+)MB"
    ) as told:
        block_within(10**9, (10**6, 10**6), 300, 4, None)
    enough = int(str(told.value).split()[-3].removesuffix("MB"))
    assert block_within(enough * 10**6, (10**6, 10**6), 300, 4, None) >= 1024


def test_a_command_keeps_within_its_memory(tmp_path: Path) -> None:
    """The peak is that of a process that does nothing else, as the system counts it."""
    peak = (
        "import sys; from embeddings.mining.__main__ import main; main(); "
        "print(next(l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')))"
    )
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(letters[rng.integers(0, 26, 6)]) for _ in range(5000)]
    words = sorted(set(words))
    table = rng.standard_normal((len(words) + 1, 512)).astype(np.float32) + np.float32(0.5)
    save_encoder(tmp_path / "toy.safetensors", Encoder(WordTokenizer(words, 1), table))
    for name in ("source", "target"):
        lines = (
            " ".join(words[i] for i in row) + "\n" for row in rng.integers(0, len(words), (8000, 5))
        )
        (tmp_path / name).write_text("".join(lines))
    line = "bitext source target --model toy.safetensors --search ivf -o out --memory 450MB"
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(Path.cwd())!r}); {peak}", *line.split()],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    )  # fmt: skip
    block = re.search(r"--memory: ([0-9,]+) vectors of a side at once", ended.stderr)
    assert block
    assert int(ended.stdout) * 1024 <= 450 * 10**6
