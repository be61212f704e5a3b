"""Every write of every command fails once, and the process is killed at each."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from click.testing import CliRunner

from embeddings.encoder import Encoder
from embeddings.formats.folder import save_folder
from embeddings.formats.search_checkpoint import SearchCheckpoint
from embeddings.formats.single_file import save_encoder
from embeddings.search.column_store import FolderStore, new_folder
from embeddings.tokenizers.words import WordTokenizer
from embeddings.training.checkpoint import Checkpoint
from embeddings.training.history import History
from runs.scale.sharing import workbench
from runs.scorer import Scorer, load
from runs.studies.ledger import Ledger
from semaniacs.cli import semaniacs
from semaniacs.submit import main
from sts import files
from sts.cache import Cache
from sts.data.tables.table_writer import writer
from sts.errors import StsError
from sts.files import write_bytes, write_text
from sts.scoring.submission import write_zip
from sts.tensors import FORMAT, to_bytes
from sts.translation.memory.store import Entry, read_memory
from sts.translation.translator import Translation
from tests.attacks.faults import ERRORS, Faults, failing
from tests.attacks.promises import Trial, checker

Content = dict[str, bytes]


@dataclass(frozen=True)
class Command:
    """Something that writes to a folder.

    Attributes:
        run: does it, with a version: 0 for what stood there before, 1 for what is to stand there.
        parts: groups of names that are replaced together; a file alone is a group by itself.
        read: what a reader sees; by default the bytes of every file.
    """

    run: Callable[[Path, int], object]
    parts: tuple[str, ...] = ()
    read: Callable[[Path], Content] | None = None


def _encoder(version: int) -> Encoder:
    numbers = np.random.default_rng(version).standard_normal((12, 4)).astype(np.float32)
    return Encoder(WordTokenizer([f"w{n}" for n in range(8)], buckets=4), numbers)


def _table(folder: Path, version: int) -> None:
    with writer(str(folder / "table.csv.gz"), "csv", sys.stdout) as table:
        for block in range(3):
            rows = [[f"{version} {block} {row}"] for row in range(2000)]
            table.write(("text",), rows)


def _zip(folder: Path, version: int) -> None:
    scores = np.random.default_rng(version).uniform(0, 5, 500)
    write_zip(folder / "run.zip", {"a.txt": scores, "b.txt": scores / 2})


def _cache(folder: Path, version: int) -> None:
    content = to_bytes({"values": np.full(300, version)}, {"format": FORMAT})
    found = Cache("kind", "code", folder / "cache").get(
        f"{version}123456789ab", Path.read_bytes, lambda path: path.write_bytes(content)
    )
    assert len(found) == len(content)


def _cached(folder: Path) -> Content:
    """What is used of a cache: a value that is not whole is none."""
    cache = Cache("kind", "code", folder / "cache")
    found = {name: cache.find(name) for name in ("0123456789ab", "1123456789ab")}
    return {name: path.read_bytes() for name, path in found.items() if path}


def _index(folder: Path, version: int) -> None:
    with new_folder(folder / "index", {"v": version}, overwrite=True) as store, store.appending():
        for block in range(3):
            store.append("rows", np.full(500, 10 * version + block))


def _appended(folder: Path, version: int) -> None:
    """A second batch in an index that stands there."""
    if not (folder / "index").exists():
        with new_folder(folder / "index", {}) as store, store.appending():
            store.append("rows", np.arange(300))
    if version:
        store = FolderStore(folder / "index")
        with store.appending():
            if len(store.column("rows")) == 2400:
                store.append("rows", np.arange(200))


def _index_read(folder: Path) -> Content:
    store = FolderStore(folder / "index")
    return {"rows": store.column("rows").tobytes(), "settings": repr(store.settings).encode()}


def _memory(folder: Path, version: int) -> None:
    memory = read_memory(folder / "memory.jsonl")
    for number in range(3):
        text = f"text {version} {number} {'x' * 300}"
        if memory.get("p", "es", "en", text) is None:
            memory.add_entries([Entry("p", "1", "es", "en", text, Translation(text.upper()))])


def _memory_read(folder: Path) -> Content:
    entries = list(read_memory(folder / "memory.jsonl").entries())
    assert all(entry.translation.text == entry.text.upper() for entry in entries)
    return {entry.text: b"" for entry in entries}


def _ledger(folder: Path, version: int) -> None:
    ledger = Ledger(folder / "ledger.jsonl")
    for number in range(4):
        if (key := f"{version} {number}") not in ledger:
            ledger[key] = {"value": float(number), "text": "x" * 100}


def _ledger_read(folder: Path) -> Content:
    ledger = Ledger(folder / "ledger.jsonl")
    return {key: repr(ledger[key]).encode() for key in ledger._values}


class _Model:
    """As much of a model as a checkpoint needs."""

    def __init__(self, version: int) -> None:
        self.values = {"table": np.full((20, 4), version, np.float32)}

    def tensors(self) -> dict[str, Any]:
        """Its state."""
        return self.values

    def restore(self, tensors: dict[str, Any]) -> None:
        """Take a state."""
        self.values = tensors


def _checkpoint(folder: Path, version: int) -> None:
    point = Checkpoint(folder / "checkpoint", {"of": "this"})  # type: ignore[arg-type]
    found: Any = _Model(-1)
    point.resume(found, History())
    point.save(_Model(version), History(), version, 0)  # type: ignore[arg-type]


def _mining(folder: Path, version: int) -> None:
    kept = SearchCheckpoint(folder / "work", {"files": "these"})
    kept.open()
    kept.centroids(lambda: np.ones((4, 4), np.float32))
    write_text(folder / "pairs.tsv", f"{version}\n" * 50)
    kept.remove()


def _shards(folder: Path, version: int) -> None:
    with workbench(folder / "out") as bench:
        for part in range(3):
            if not (bench / f"{part}.part").exists():
                write_bytes(bench / f"{part}.part", b"%d" % version * 100)
        parts = [(bench / f"{part}.part").read_bytes() for part in range(3)]
        write_bytes(folder / "out" / "scores.tsv", b"".join(parts))


def _scored(folder: Path, version: int) -> None:
    """``semaniacs score`` of a table."""
    pairs = folder / f".pairs{version}.tsv"
    if not version:  # before anything fails
        for number in (0, 1):
            text = f"A dog runs {number}.\tA dog ran.\n" * 50
            (folder / f".pairs{number}.tsv").write_text(text, encoding="utf-8")
    _scorer()
    command = ["score", str(pairs), "-m", "raw", "-o", str(folder / "scores.csv")]
    CliRunner().invoke(semaniacs, command, catch_exceptions=False)


def _submitted(folder: Path, version: int) -> None:
    """``semaniacs submit`` of the sample."""
    typed = ["submit", "--task", "sample", "--run", "raw", "--zip", "--output", str(folder)]
    with mock.patch.object(sys, "argv", typed), redirect_stdout(StringIO()):
        if version:
            main()


@cache
def _scorer() -> Scorer:
    return load("raw")


COMMANDS = {
    "scores of a table": Command(_scored),
    "a submission": Command(_submitted),
    "a file": Command(lambda folder, v: write_text(folder / "file", f"{v}\n" * 9000)),
    "a new folder": Command(lambda folder, v: write_text(folder / f"new/{v}/file", f"{v}\n")),
    "a packed table": Command(_table),
    "a zip of scores": Command(_zip),
    "a model in a file": Command(lambda folder, v: save_encoder(folder / "model", _encoder(v))),
    "a model in a folder": Command(
        lambda folder, v: save_folder(folder / "model", _encoder(v)), ("model",)
    ),
    "a cached value": Command(_cache, read=_cached),
    "a new index": Command(_index, ("index",)),
    "an addition to an index": Command(_appended, read=_index_read),
    "a translation memory": Command(_memory, read=_memory_read),
    "a ledger of a study": Command(_ledger, read=_ledger_read),
    "a checkpoint": Command(_checkpoint),
    "mining that goes on": Command(_mining),
    "output in shards": Command(_shards),
}


def content_of(folder: Path) -> Content:
    """The bytes of every file that a person sees; what begins with a dot is not meant for her.

    A folder that was moved away to be replaced, and that the next writer puts back, is seen.
    """
    found = {}
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        first, *rest = path.relative_to(folder).parts
        place = first.removeprefix(".").removesuffix(".replaced")
        if first.endswith(".replaced") and not (folder / place).exists():
            first = place
        if not any(part.startswith(".") for part in (first, *rest)):
            found["/".join((first, *rest))] = path.read_bytes()
    return found


def left_over(folder: Path) -> list[str]:
    """Names of what a writer should have removed."""
    return sorted(path.name for path in folder.rglob(".*.sts-unfinished"))


def age(folder: Path) -> None:
    """Let what a killed process left be a month old, and have this process look for it again."""
    for path in folder.rglob(".*.sts-unfinished"):
        os.utime(path, (time.time() - 30 * 24 * 3600,) * 2)
    files._clear.cache_clear()


class Attack:
    """A command, a folder as it was before, and what is right after it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.command, self.folder = name, COMMANDS[name], folder / "work"
        self.before = folder / "before"
        self.before.mkdir(parents=True)
        with _quiet():
            self.command.run(self.before, 0)
        self.old = self._read(self.before)
        with failing(Faults(self._fresh())) as faults, _quiet():
            self.command.run(self.folder, 1)
        self.calls, self.new = faults.calls, self._read(self.folder)

    def _fresh(self) -> Path:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.before, self.folder)
        return self.folder

    def _read(self, folder: Path) -> Content:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return (self.command.read or content_of)(folder)

    def fault(self, number: int, error: int, stays: bool) -> str | None:
        """What is wrong when the call of this number fails."""
        with failing(Faults(self._fresh(), number, error, stays)) as faults, _quiet():
            try:
                self.command.run(self.folder, 1)
            except StsError:
                pass
            except Exception as failure:
                return self._told(faults, f"ends in {failure!r}")
        if left := left_over(self.folder):
            return self._told(faults, f"leaves {left}")
        return self._afterwards(faults)

    def kill(self, number: int) -> str | None:
        """What is wrong when the process is killed at the call of this number."""
        faults = Faults(self._fresh(), number, 0)
        if not (child := os.fork()):
            with suppress(BaseException), failing(faults), _quiet():
                self.command.run(self.folder, 1)
            os._exit(0)
        _wait(child)
        faults.calls = self.calls
        return self._afterwards(faults)

    def limit(self, size: int | None, handles: int | None) -> str | None:
        """What is wrong when files may have so many bytes, or so many more may be open."""
        faults = Faults(self._fresh(), error=errno.EFBIG if handles is None else errno.EMFILE)
        if not (child := os.fork()):
            code = 3
            with suppress(BaseException), _quiet():
                if size is not None:
                    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
                if handles is not None:
                    most = max(int(link.name) for link in Path("/proc/self/fd").iterdir())
                    resource.setrlimit(resource.RLIMIT_NOFILE, (most + handles,) * 2)
                try:
                    self.command.run(self.folder, 1)
                    code = 0
                except StsError:
                    code = 0
                except OSError as error:  # one with a name is told in a line as well
                    code = 0 if error.filename else 3
            os._exit(code)
        if _wait(child):
            return self._told(faults, "ends in no clear error")
        return self._afterwards(faults)

    def _afterwards(self, faults: Faults) -> str | None:
        """What is wrong with the folder, or with the next run."""
        try:
            if bad := self._mixed(self._read(self.folder)):
                return self._told(faults, f"leaves a part: {bad}")
            age(self.folder)
            with _quiet():
                self.command.run(self.folder, 1)
            if self._read(self.folder) != self.new:
                return self._told(faults, "the next run makes something else")
        except Exception as failure:
            return self._told(faults, f"the next run ends in {failure!r}")
        left = left_over(self.folder)
        return self._told(faults, f"the next run leaves {left}") if left else None

    def _mixed(self, found: Content) -> str:
        """The first name that is neither as before nor as it is to be."""
        for name, content in found.items():
            known = content in (self.old.get(name), self.new.get(name))
            if not known and not name.startswith(("work/", "out/.")):
                return name
        for name in self.old.keys() & self.new.keys() - found.keys():
            return f"{name} is gone"
        for part in self.command.parts:
            inside = [{n: c for n, c in all_.items() if n.startswith(f"{part}/")}
                      for all_ in (found, self.old, self.new)]  # fmt: skip
            if inside[0] not in inside[1:]:
                return f"{part} is half old and half new"
        return ""

    def _told(self, faults: Faults, what: str) -> str:
        call = (["", *faults.calls] + ["?"] * faults.number)[faults.number]
        kind = os.strerror(faults.error) if faults.error else "killed"
        return f"{self.name}, call {faults.number} ({call}), {kind}: {what}"


@contextmanager
def _quiet() -> Iterator[None]:
    """Without warnings, and without notes on stderr."""
    with warnings.catch_warnings(), mock.patch.object(sys, "stderr", None):
        warnings.simplefilter("ignore")
        yield


def _wait(child: int, seconds: float = 60) -> int:
    """How a process ended, which may not take longer."""
    end = time.monotonic() + seconds
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise TimeoutError("it hangs")
        time.sleep(0.001)
    return ended[1]


def _places(trial: Trial) -> Iterator[tuple[Attack, int]]:
    """Every call of every command, in turn; as often as cases are asked for."""
    attacks = [Attack(name, trial.folder / str(n)) for n, name in enumerate(COMMANDS)]
    places = [(attack, n + 1) for attack in attacks for n in range(len(attack.calls))]
    for case in range(trial.cases):
        if case % len(places) == 0:
            trial.random.shuffle(places)
        yield places[case % len(places)]


@checker("every write", "each call of each writer fails, once or from then on",
         cases=1500, sample=60, seconds=600)  # fmt: skip
def failing_calls(trial: Trial) -> Iterator[str | None]:
    """The system's errors one after another."""
    for attack, number in _places(trial):
        yield attack.fault(number, trial.random.choice(ERRORS), trial.random.random() < 0.5)


@checker("every write", "each writer is killed at each of its calls",
         cases=600, sample=30, seconds=600)  # fmt: skip
def kills(trial: Trial) -> Iterator[str | None]:
    """SIGKILL, half of a write written."""
    for attack, number in _places(trial):
        yield attack.kill(number)


@checker("every write", "files may have so many bytes at most, or so many may be open",
         cases=200, sample=14, seconds=600)  # fmt: skip
def limits(trial: Trial) -> Iterator[str | None]:
    """What a person, a container or a system sets."""
    attacks = [Attack(name, trial.folder / str(n)) for n, name in enumerate(COMMANDS)]
    for case in range(trial.cases):
        attack = attacks[case // 2 % len(attacks)]
        if case % 2:
            yield attack.limit(trial.random.randrange(2000), None)
        else:
            yield attack.limit(None, trial.random.randrange(1, 4))
