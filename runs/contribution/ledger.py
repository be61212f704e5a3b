"""Finished work on disk, so that a study that was stopped resumes; and work on several processes."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from semaniacs.runs.scale.processes import leave_with
from semaniacs.sts import progress
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import parse_json, write_bytes

Item = TypeVar("Item")
Result = TypeVar("Result")
Value = dict[str, Any]


class Ledger:
    """Results by key, in a file with one JSON object ``{"key": …, "value": …}`` per line.

    A result is appended as soon as it is finished. An incomplete line, left by a process that was
    killed, is dropped when the file is next opened. A key is a digest of everything that its
    result depends on. An StsError is raised if the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
        except OSError as error:
            raise self._unusable(error) from None
        found = [entry for entry in map(_parse, lines[:-1]) if entry]
        self._values = dict(found)
        if lines[-1] or len(found) < len(lines) - 1:
            write_bytes(path, b"".join(_line(key, value) for key, value in found))

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __getitem__(self, key: str) -> Value:
        return self._values[key]

    def __len__(self) -> int:
        return len(self._values)

    def __setitem__(self, key: str, value: Value) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(_line(key, value))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._unusable(error) from None
        self._values[key] = value

    def _unusable(self, error: OSError) -> StsError:
        advice = "remove it or choose another --output"
        return StsError(f"{self.path}: cannot be used ({error.strerror}); {advice}")


def _line(key: str, value: Value) -> bytes:
    return json.dumps({"key": key, "value": value}).encode() + b"\n"


def _parse(line: bytes) -> tuple[str, Value] | None:
    """Return the key and the value, or None if the line is incomplete."""
    try:
        entry = parse_json(line)
        key, value = entry["key"], entry["value"]
    except (ValueError, KeyError, TypeError):
        return None
    return (key, value) if isinstance(key, str) and isinstance(value, dict) else None


def each_once(
    function: Callable[[Item], Value],
    items: Sequence[Item],
    ledger: Ledger,
    key: Callable[[Item], str],
    *,
    jobs: int,
    label: str,
    unit: str,
) -> dict[Item, Value]:
    """Return the value of every item: from the ledger, or computed now and added to it.

    Values can be written as JSON, and ``key`` is a digest of everything that they depend on.
    The other arguments are those of :func:`each`.
    """
    keys = {item: key(item) for item in items}
    todo = [item for item in keys if keys[item] not in ledger]
    if todo:
        if kept := len(keys) - len(todo):
            label = f"{label} ({kept} cached)"
        for item, value in each(function, todo, jobs, label=label, unit=unit):
            ledger[keys[item]] = value
    return {item: ledger[keys[item]] for item in keys}


def each(
    function: Callable[[Item], Result], items: Sequence[Item], jobs: int, *, label: str, unit: str
) -> Iterator[tuple[Item, Result]]:
    """Yield (item, function(item)) as soon as each is finished, under a progress bar.

    ``function`` belongs to a module, or is a partial of one. -1 jobs are one per core, and 1 stays
    in this process; the results do not depend on it.
    """
    # scikit-learn's interface to joblib, which passes large arrays as memory-mapped files.
    from sklearn.utils.parallel import Parallel, delayed

    pool = Parallel(n_jobs=jobs, backend="loky", batch_size=1, return_as="generator_unordered")
    with _interrupts_ignored():
        finished = pool(delayed(_call)(os.getpid(), function, item) for item in items)
    with closing(finished):  # ends the processes now, not when Python exits
        yield from progress.track(finished, label, unit, len(items))


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ignore Ctrl-C while processes start: they inherit that, and this process ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _call(parent: int, function: Callable[[Item], Result], item: Item) -> tuple[Item, Result]:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    if os.getppid() == parent:
        leave_with(parent)
    # A sum that is split among threads rounds by their number, which differs between processes.
    with threadpool_limits(1):
        return item, function(item)
